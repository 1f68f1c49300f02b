//! Scenarios on whole proxies under load.

pub mod baseline;
pub mod drift;
pub mod healing;
pub mod ladder;
pub mod latency;
pub mod memory;
pub mod open_loop;
pub mod sizes;
pub mod watching;

use crate::corpus;

/// The path of the drifted record of 1 KB that most scenarios request, and texts that prove that it was healed or not.
pub(crate) const RECORD: &str = "/drifted";
const HEALED: &str = "\"user_id\"";
const UNHEALED: &str = "\"userId\"";

/// Starts an upstream with that record.
fn upstream() -> Result<crate::upstream::Upstream, String> {
    crate::upstream::Upstream::start(&[(RECORD, corpus::flat().bodies)]).map_err(|error| format!("upstream: {error}"))
}

/// Returns the configuration that heals it.
fn configuration() -> Result<serde_json::Value, String> {
    serde_json::from_str(&corpus::flat().config).map_err(|error| error.to_string())
}
