//! Comparisons whose messages say what was compared, found and expected.

use nomos_tests::client::Reply;
pub use nomos_tests::expect::{body, equal, header, reply, that};
use nomos_tests::upstream::Step;
use serde_json::Value;

use crate::rig::{Ask, Outcome, Rig};

/// Fails if the filter state has another verdict or another number of ops.
pub fn verdict(state: &Value, verdict: &str, ops: u64) -> Outcome {
    that(state["verdict"] == verdict && state["ops"].as_u64().unwrap_or(0) == ops, || {
        format!("filter state: found {state}, expected verdict {verdict} with {ops} ops")
    })
}

/// Fails if the listener with the filter gives another response than `reference`, a listener without it. With held
/// headers the filter may report why it did not touch the response.
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

/// Returns the headers that are the same in every response, sorted.
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
