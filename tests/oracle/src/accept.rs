//! Whether the engine accepts what `serde_json` accepts: one JSON value in valid UTF-8, up to the documented limits.

use crate::agree::healed;
use healer::{Healer, Plan, Reason};
use serde::de::IgnoredAny;

/// The verdict that the engine must return for a body.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    Accepted,
    Refused,
    /// JSON, but no container.
    Scalar,
    TooDeep,
}

pub fn oracle(body: &[u8]) -> Verdict {
    let text = std::str::from_utf8(body).ok();
    if text.is_none_or(|text| serde_json::from_str::<IgnoredAny>(text).is_err()) {
        return Verdict::Refused;
    }
    match body.iter().find(|b| !b" \t\n\r".contains(b)) {
        Some(b'{' | b'[') if depth(body) > 256 => Verdict::TooDeep,
        Some(b'{' | b'[') => Verdict::Accepted,
        _ => Verdict::Scalar,
    }
}

/// Returns the largest number of containers that are open at once. The body must be JSON.
fn depth(body: &[u8]) -> usize {
    let (mut open, mut deepest, mut in_string, mut escaped) = (0, 0, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => open += 1,
            b'}' | b']' if !in_string => open -= 1,
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// Heals `body` with a plan that matches nothing. The error says where the engine and `serde_json` differ.
pub fn check(healer: &mut Healer, plan: &Plan, body: &[u8]) -> Result<(), String> {
    let expected = oracle(body);
    let differs = |found: &str| Err(format!("{found}; expected {expected:?}: {}", String::from_utf8_lossy(body)));
    match healed(healer, plan, body) {
        Ok((_, bytes)) if bytes != body => differs("other bytes"),
        Ok(_) if expected != Verdict::Accepted => differs("accepted"),
        Ok(_) => Ok(()),
        Err(failure) if failure.offset > body.len() => differs(&format!("{failure}, past the end")),
        Err(failure) => match (failure.reason, expected) {
            (_, Verdict::Refused) | (Reason::Scalar, Verdict::Scalar) | (Reason::TooDeep, Verdict::TooDeep) => Ok(()),
            _ => Err(format!("{failure}; expected {:?}: {}", oracle(body), String::from_utf8_lossy(body))),
        },
    }
}
