//! Bodies for the route `/r`, each with its expected result.

/// A body, its healed form, and the number of ops between them.
pub struct Body {
    /// A description for the name of the case.
    pub what: &'static str,
    /// The body that the upstream sends.
    pub sent: Vec<u8>,
    /// The body that the client must get.
    pub healed: Vec<u8>,
    /// The number of ops.
    pub ops: u64,
    /// The verdict in the filter state.
    pub verdict: &'static str,
}

impl Body {
    /// Returns whether the document ends before its value does.
    pub fn is_cut(&self) -> bool {
        self.what == "a cut document"
    }
}

/// A body with two renames.
pub const DRIFTED: &[u8] = br#"{"mail":"a@b.c","uid":7,"n":1.50}"#;

/// [`DRIFTED`], healed.
pub const HEALED: &[u8] = br#"{"email_address":"a@b.c","id":7,"n":1.50}"#;

/// A body that needs no op.
pub const CLEAN: &[u8] = br#" { "email_address" : "a@b.c", "n":1.50,"n":1.50 }
"#;

/// Returns the bodies that go through every framing.
pub fn small() -> Vec<Body> {
    let moved = br#"{"data":{"user":{"full":"Ann","tel":"1"},"k":[]},"mail":"m"}"#;
    let nested = br#"{"data":{"k":[]},"email_address":"m","name":"Ann","contact":{"phone":"1"}}"#;
    vec![
        row("renames", DRIFTED, HEALED, 2, "healed"),
        row("moves", moved, nested, 3, "healed"),
        row("white space", b"\n\t{ \"mail\" : \"a\" }\r\n ", b"\n\t{ \"email_address\" : \"a\" }\r\n ", 1, "healed"),
        row("a list", br#"[{"uid":1},{"uid":2}]"#, br#"[{"id":1},{"id":2}]"#, 2, "healed"),
        row("no drift", CLEAN, CLEAN, 0, "clean"),
        row("a cut document", br#"{"mail":"a","#, br#"{"mail":"a","#, 0, "failed"),
        row("no JSON", br#"{"mail":tru}"#, br#"{"mail":tru}"#, 0, "failed"),
    ]
}

/// Returns a drifted list of about this many bytes, the healed list, and the number of ops: one per 32 bytes.
///
/// The items differ, because Envoy's decompressor takes data that compresses too well for an attack, and cuts it off.
pub fn list(bytes: usize) -> (Vec<u8>, Vec<u8>, u64) {
    let count = (bytes as u64 / 32).max(1);
    let items: Vec<String> =
        (0..count).map(|n| format!(r#"{{"mail":"{:08x}@example.org"}}"#, (n * 0x9e37_79b1) % (1 << 32))).collect();
    let sent = format!("[{}]", items.join(","));
    let healed = sent.replace("\"mail\"", "\"email_address\"");
    (sent.into_bytes(), healed.into_bytes(), count)
}

fn row(what: &'static str, sent: &[u8], healed: &[u8], ops: u64, verdict: &'static str) -> Body {
    Body { what, sent: sent.to_vec(), healed: healed.to_vec(), ops, verdict }
}
