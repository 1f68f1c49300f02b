//! Comparisons whose messages say what was compared, found and expected.

use std::fmt::Debug;

use crate::client::{End, Reply};

/// The result of a check: nothing, or what went wrong as text.
pub type Outcome = Result<(), String>;

/// How much of a long body a message shows on either side of the first difference.
const SHOWN: usize = 60;

/// Fails with a sentence if `holds` is false.
pub fn that(holds: bool, sentence: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(sentence()) }
}

/// Fails if two small values differ.
#[expect(clippy::needless_pass_by_value, reason = "comparing temporaries reads better")]
pub fn equal<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Outcome {
    that(found == expected, || format!("{what}: found {found:?}, expected {expected:?}"))
}

/// Fails if two bodies differ, and shows the surroundings of the first difference.
pub fn body(found: &[u8], expected: &[u8]) -> Outcome {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
    Err(format!(
        "body: differs at byte {at}\n  found    ({} bytes) {}\n  expected ({} bytes) {}",
        found.len(),
        around(found, at),
        expected.len(),
        around(expected, at),
    ))
}

/// Fails if the response is incomplete, or has another status or body.
pub fn reply(reply: &Reply, status: u16, expected: &[u8]) -> Outcome {
    equal("end", reply.end, End::Complete)?;
    equal("status", reply.status, status)?;
    body(&reply.body, expected)
}

/// Fails if a header has another value. An empty text stands for no header.
pub fn header(reply: &Reply, name: &str, expected: &str) -> Outcome {
    equal(name, reply.text(name).as_str(), expected)
}

fn around(bytes: &[u8], at: usize) -> String {
    let from = at.saturating_sub(SHOWN).min(bytes.len());
    let to = (at + SHOWN).min(bytes.len());
    format!("…{}…", bytes[from..to].escape_ascii())
}
