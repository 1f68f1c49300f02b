//! Comparisons whose message says what was compared, what was found and what was expected.

use std::fmt::Debug;

use nomos_tests::client::{End, Reply};
use nomos_tests::upstream::Step;
use serde_json::Value;

use crate::rig::{Ask, Outcome, Rig};

/// How much of a long body a message shows on either side of the first difference.
const SHOWN: usize = 60;

/// Fails with a sentence where `holds` is false.
pub fn that(holds: bool, sentence: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(sentence()) }
}

/// Fails where two small things differ.
#[expect(clippy::needless_pass_by_value, reason = "comparing temporaries reads better")]
pub fn equal<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Outcome {
    that(found == expected, || format!("{what}: found {found:?}, expected {expected:?}"))
}

/// Fails where two bodies differ, and shows the surroundings of the first difference.
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

/// Fails where the response is not complete, not of this status or has another body.
pub fn reply(reply: &Reply, status: u16, expected: &[u8]) -> Outcome {
    equal("end", reply.end, End::Complete)?;
    equal("status", reply.status, status)?;
    body(&reply.body, expected)
}

/// Fails where a header has another value; the empty text stands for no header.
pub fn header(reply: &Reply, name: &str, expected: &str) -> Outcome {
    equal(name, reply.text(name).as_str(), expected)
}

/// Fails where the filter state has another verdict or another number of ops.
pub fn verdict(state: &Value, verdict: &str, ops: u64) -> Outcome {
    that(state["verdict"] == verdict && state["ops"].as_u64().unwrap_or(0) == ops, || {
        format!("filter state: found {state}, expected verdict {verdict} with {ops} ops")
    })
}

/// Fails where the listener with the filter gives another response than `reference`, a listener without it.
/// With held headers the filter may say why it did not touch the response.
pub fn untouched(rig: &mut Rig<'_>, ask: Ask<'_>, reference: &str, steps: &[Step]) -> Outcome {
    let plain = rig.ask(Ask { listener: reference, ..ask }, steps.to_vec())?;
    let reply = rig.ask(ask, steps.to_vec())?;
    equal("end", reply.end, plain.end)?;
    equal("status", reply.status, plain.status)?;
    equal("headers", stable_headers(&reply), stable_headers(&plain))?;
    if !ask.listener.contains("held") {
        header(&reply, "x-nomos-verdict", "")?;
    }
    body(&reply.body, &plain.body)
}

/// The headers that are the same from one response to the next, sorted.
fn stable_headers(reply: &Reply) -> Vec<(String, String)> {
    let changing = ["date", "x-envoy-upstream-service-time", "x-nomos-verdict", "x-nomos-reason"];
    let mut headers: Vec<_> = reply
        .headers
        .iter()
        .chain(&reply.trailers)
        .filter(|(name, _)| !changing.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.escape_ascii().to_string()))
        .collect();
    headers.sort();
    headers
}

fn around(bytes: &[u8], at: usize) -> String {
    let from = at.saturating_sub(SHOWN).min(bytes.len());
    let to = (at + SHOWN).min(bytes.len());
    format!("…{}…", bytes[from..to].escape_ascii())
}
