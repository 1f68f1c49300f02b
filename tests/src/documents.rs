//! Documents made from a grammar and a seed: valid, odd and invalid JSON, and long ones that resemble API responses.
//! The same seed makes the same bytes on every machine.
//!
//! The rules of the suite must heal none of them: valid documents contain none of the rules' names, and invalid ones
//! must leave as they came, whatever they contain.

use std::fmt::Write as _;

/// A random number generator: `SplitMix64` (Steele, Lea, Flood 2014). Small, and good enough to vary documents.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns a generator with this seed. Any seed will do.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).unwrap_or(0)
    }

    /// Returns one of these items.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// A document, and how it was made.
#[derive(Clone, Debug)]
pub struct Document {
    /// A description for messages.
    pub what: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Returns the document of this seed: valid, odd or invalid.
pub fn small(seed: u64) -> Document {
    let mut random = Random::new(seed);
    let (what, bytes) = match random.below(10) {
        0..=3 => ("valid", value(&mut random, 0).into_bytes()),
        4 => odd(&mut random),
        5 => ("cut", cut(&mut random)),
        6 => ("trailing", [value(&mut random, 0).as_bytes(), random.one(&TRAILING)].concat()),
        _ => ("invalid", invalid(&mut random)),
    };
    Document { what: format!("{what}, seed {seed}"), bytes }
}

/// Returns the invalid document of this seed, which contains names of the rules.
pub fn malformed(seed: u64) -> Document {
    let mut random = Random::new(seed);
    let (what, bytes) =
        if random.below(4) == 0 { ("cut", cut(&mut random)) } else { ("invalid", invalid(&mut random)) };
    Document { what: format!("{what}, seed {seed}"), bytes }
}

/// Returns documents of about this many bytes that resemble API responses, without drifted names.
pub fn realistic(bytes: usize) -> Vec<Document> {
    let row = |what: &str, text: String| Document { what: format!("{what}, {bytes} bytes"), bytes: text.into_bytes() };
    vec![
        row("orders, compact", listed(bytes, ",", "[", "]", order)),
        row("orders, pretty", listed(bytes, ",\n    ", "{\n  \"orders\": [\n    ", "\n  ]\n}\n", pretty_order)),
        row(
            "coordinates",
            listed(bytes, ",", "{\"type\":\"LineString\",\"coordinates\":[", "]}", |random, _| {
                format!(
                    "[{}.{:06},-{}.{:06}]",
                    random.below(180),
                    random.below(1 << 19),
                    random.below(90),
                    random.below(1 << 19)
                )
            }),
        ),
        row(
            "texts",
            listed(bytes, ", ", "[", "]", |random, n| format!("{{\"n\": {n}, \"text\": {}}}", string(random, 40))),
        ),
    ]
}

/// Tokens that are no JSON value, to be used in place of one.
const BAD_VALUES: [&[u8]; 44] = [
    b"01",
    b"-01",
    b"+1",
    b".5",
    b"1.",
    b"1e",
    b"1e+",
    b"-",
    b"- 1",
    b"0x1F",
    b"1_000",
    b"1.2.3",
    b"1e1.5",
    b"NaN",
    b"-Infinity",
    b"nul",
    b"nulll",
    b"True",
    b"FALSE",
    b"undefined",
    b"'a'",
    b"`a`",
    b"\"\\x41\"",
    b"\"\\u12\"",
    b"\"\\u12G4\"",
    b"\"\\\"",
    b"\"a\nb\"",
    b"\"\t\"",
    b"\"\x00\"",
    b"\"\x1f\"",
    b"\"\xff\"",
    b"\"\xc0\xaf\"",
    b"\"\xed\xa0\x80\"",
    b"\"\xf4\x90\x80\x80\"",
    b"\"\xe2\x82\"",
    b"[1,]",
    b"[,1]",
    b"[1 2]",
    b"[1}",
    b"{\"a\":1]",
    b"{\"a\":1,}",
    b"{\"a\"}",
    b"\xef\xbb\xbf1",
    b"",
];

/// Invalid members of an object, to be used in place of one.
const BAD_MEMBERS: [&[u8]; 10] = [
    b"\"a\" 1",
    b"\"a\":",
    b"\"a\"",
    b"a:1",
    b"1:1",
    b"'a':1",
    b"\"a\"::1",
    b"\"a\":1 \"b\":2",
    b"/* c */\"a\":1",
    b"null",
];

/// Texts after a value that make a document invalid.
const TRAILING: [&[u8]; 8] = [b"}", b"]", b",", b" x", b"\n{}", b"\x00", b"//", b"\xc2\xa0"];

/// Returns a document at the edges of the grammar.
fn odd(random: &mut Random) -> (&'static str, Vec<u8>) {
    let nest = |depth: usize, open: &str, close: &str| [open.repeat(depth), close.repeat(depth)].concat().into_bytes();
    match random.below(9) {
        0 => ("nothing", Vec::new()),
        1 => ("white space", b" \t\r\n".repeat(random.below(200))),
        2 => ("a scalar", scalar(random).into_bytes()),
        3 => ("deep arrays", nest(1 + random.below(400), "[", "]")),
        4 => ("deep objects", nest(1 + random.below(400), "{\"a\":[", "]}")),
        5 => ("a long key", format!("{{\"{}\":1}}", "k".repeat(random.below(70_000))).into_bytes()),
        6 => ("a long string", format!("[\"{}\"]", "\\\\".repeat(random.below(70_000))).into_bytes()),
        7 => ("a long number", format!("[{}]", "9".repeat(1 + random.below(5000))).into_bytes()),
        _ => ("one name many times", format!("{{{}}}", vec!["\"a\":0"; 1 + random.below(3000)].join(",")).into_bytes()),
    }
}

/// Returns the beginning of a drifted document.
fn cut(random: &mut Random) -> Vec<u8> {
    let whole = format!("{{\"mail\":{},\"uid\":{}}}", value(random, 1), value(random, 1));
    let end = 1 + random.below(whole.len() - 1);
    whole.as_bytes()[..end].to_vec()
}

/// Returns a drifted document with one error in its grammar.
fn invalid(random: &mut Random) -> Vec<u8> {
    let (before, after) = (value(random, 1), value(random, 1));
    let bad = if random.below(4) == 0 {
        random.one(&BAD_MEMBERS).to_vec()
    } else {
        [&b"\"bad\":"[..], random.one(&BAD_VALUES)].concat()
    };
    let parts: [&[u8]; 7] = [b"{\"mail\":", before.as_bytes(), b",", &bad, b",\"uid\":", after.as_bytes(), b"}"];
    parts.concat()
}

fn value(random: &mut Random, depth: usize) -> String {
    // The root is a container; deeper levels have fewer and fewer of them.
    if depth > 0 && random.below(6) < depth + 2 {
        return scalar(random);
    }
    let (object, length) = (random.below(2) == 0, random.below(8));
    let items: Vec<String> = (0..length)
        .map(|_| {
            let item = value(random, depth + 1);
            let (a, b, c) = (space(random), space(random), space(random));
            if object { format!("{a}{}{b}:{c}{item}", key(random)) } else { format!("{a}{item}{b}") }
        })
        .collect();
    let (a, b, inner) = (space(random), space(random), items.join(","));
    if object { format!("{a}{{{inner}}}{b}") } else { format!("{a}[{inner}]{b}") }
}

/// Returns a name that is nearly one of the rules' names, or one that begins like none of them.
fn key(random: &mut Random) -> String {
    let near = [
        "maill",
        "mai",
        "Mail",
        "MAIL",
        "mail ",
        " mail",
        "mail\\u0000",
        "uid2",
        "ui",
        "u-id",
        "email_address",
        "id",
        "",
    ];
    if random.below(2) == 0 { format!("\"{}\"", random.one(&near)) } else { string(random, 6).replacen('"', "\"_", 1) }
}

fn scalar(random: &mut Random) -> String {
    let numbers =
        ["0", "-0", "0.0", "-0e-0", "1E400", "1e-400", "12345678901234567890123456789", "0.1e+1", "1.50", "2E2"];
    match random.below(8) {
        0 => "true".to_owned(),
        1 => "false".to_owned(),
        2 => "null".to_owned(),
        3 => random.one(&numbers).to_owned(),
        4 => format!("{}.{}", random.number() >> random.below(64), random.number()),
        5 => format!("-{}", random.below(1000)),
        _ => string(random, 12),
    }
}

fn string(random: &mut Random, most: usize) -> String {
    let pieces = [
        "a",
        "mail",
        "uid",
        "\\\"",
        "\\\\",
        "\\/",
        "\\b\\f\\n\\r\\t",
        "\\u0000",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud800",
        "\\udc00x",
        "\\\"mail\\\":",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "é",
        "\u{2028}",
        "😀",
        "\u{7f}",
        "\u{10ffff}",
        " ",
    ];
    let inner: String = (0..random.below(most + 1)).map(|_| random.one(&pieces)).collect();
    format!("\"{inner}\"")
}

fn space(random: &mut Random) -> &'static str {
    random.one(&["", "", "", " ", "\n", "\t \r\n", "    "])
}

/// Returns a list with items until it has this many bytes.
fn listed(
    bytes: usize,
    between: &str,
    open: &str,
    close: &str,
    mut item: impl FnMut(&mut Random, usize) -> String,
) -> String {
    let mut random = Random::new(bytes as u64);
    let mut text = String::with_capacity(bytes + 1024);
    text.push_str(open);
    let mut count = 0;
    while text.len() < bytes {
        if count > 0 {
            text.push_str(between);
        }
        text.push_str(&item(&mut random, count));
        count += 1;
    }
    text.push_str(close);
    text
}

fn order(random: &mut Random, number: usize) -> String {
    let mut text = format!(
        "{{\"id\":{number},\"placed_at\":\"2026-{:02}-{:02}T08:00:00Z\",\"total\":{}.{:02},\"lines\":[",
        1 + random.below(12),
        1 + random.below(28),
        random.below(10_000),
        random.below(100),
    );
    for line in 0..=random.below(4) {
        let comma = if line > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ =
            write!(text, "{comma}{{\"sku\":\"{:08x}\",\"quantity\":{}}}", random.below(1 << 30), 1 + random.below(9));
    }
    text.push_str("],\"note\":null,\"gift\":false}");
    text
}

fn pretty_order(random: &mut Random, number: usize) -> String {
    order(random, number).replace(":{", ": {\n      ").replace(",\"", ",\n      \"").replace("\":", "\": ")
}

#[cfg(test)]
mod tests {
    use super::{malformed, realistic, small};
    /// Returns whether `serde_json` parses the document. It refuses numbers that are too large for it, although they
    /// are valid JSON, so those are replaced first.
    fn parses(bytes: &[u8]) -> bool {
        let plain = String::from_utf8_lossy(bytes).replace("1E400", "1E40");
        std::str::from_utf8(bytes).is_ok() && serde_json::from_str::<&serde_json::value::RawValue>(&plain).is_ok()
    }

    #[test]
    fn documents_are_what_they_say() {
        for seed in 0..20_000 {
            let document = small(seed);
            let text = String::from_utf8_lossy(&document.bytes).into_owned();
            match document.what.split(',').next() {
                Some("valid") => assert!(parses(&document.bytes), "{}: {text}", document.what),
                Some("invalid" | "cut" | "trailing") => assert!(!parses(&document.bytes), "{}: {text}", document.what),
                _ => {}
            }
            let document = malformed(seed);
            assert!(!parses(&document.bytes), "{}", document.what);
        }
    }

    #[test]
    fn every_kind_occurs() {
        let kinds: std::collections::BTreeSet<String> =
            (0..2000).filter_map(|seed| Some(small(seed).what.split(',').next()?.to_owned())).collect();
        assert!(kinds.len() == 13, "{kinds:?}");
    }

    #[test]
    fn long_documents_are_json() {
        for document in realistic(100_000) {
            assert!(document.bytes.len() >= 100_000, "{}", document.what);
            assert!(parses(&document.bytes), "{}", document.what);
        }
    }
}
