//! Warnings about Envoy's block for a filter and its place in the list, for cases in which Envoy does not do what is
//! meant.

use healer::config::node::{Node, Value};

use crate::envoy::Filter;
use crate::warning::Warning;
use crate::{deprecated, proto};

const BOTH: (&str, &str) = ("fail_open beside failure_policy, which Envoy refuses", "failure_policy: FAIL_OPEN alone");
const NEITHER: (&str, &str) =
    ("none, which is FAIL_CLOSED: after one trap every response is a 503", "failure_policy: FAIL_OPEN");

/// Warns of filters in front of this one that belong behind it.
pub fn in_list(filter: &Filter<'_>) -> Vec<Warning> {
    let warn = |found, expected| Warning::unexpected(filter.offset, "http_filters".to_owned(), found, expected);
    let decompressor = filter.decompressor_in_front.map(|name| {
        let found = format!("{name} in front of nomos: compressed responses are skipped");
        warn(found, "it behind nomos, later in the list: compressor, nomos, decompressor, router")
    });
    let router = filter.router_in_front.map(|name| {
        let found = format!("{name} in front of nomos: Envoy does not start");
        warn(found, "it behind nomos, at the end of the list")
    });
    decompressor.into_iter().chain(router).collect()
}

/// Warns about what Envoy will do when the module fails. If both fields are set, that warning also covers the
/// deprecation of `fail_open`.
pub fn in_policy(block: &Node) -> Vec<Warning> {
    let is_set = policy_of(block).is_some();
    match fail_open_of(block) {
        Some((flag, offset)) if is_set && *flag == Value::Bool(true) => {
            vec![Warning::unexpected(offset, "fail_open".to_owned(), BOTH.0, BOTH.1)]
        }
        None if !is_set && is_whole(block) => {
            vec![Warning::unexpected(block.offset, "failure_policy".to_owned(), NEITHER.0, NEITHER.1)]
        }
        _ => deprecated::in_plugin(block),
    }
}

/// Returns whether this block is all that Envoy gets. A block without a module is laid over another one, as by Istio's
/// `MERGE`.
pub fn is_whole(block: &Node) -> bool {
    proto::get(block, "vm_config").is_some()
}

fn policy_of(block: &Node) -> Option<&Node> {
    proto::get(block, "failure_policy").filter(|policy| policy.as_str() != Some("UNSPECIFIED"))
}

/// The value of `fail_open`, and the offset of its name.
fn fail_open_of(block: &Node) -> Option<(&Value, usize)> {
    proto::member(block, "fail_open").map(|member| (&member.node.value, member.offset))
}
