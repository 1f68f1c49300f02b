//! Held headers, where Envoy cannot hold them or loses bodies by them.

use healer::config::node::Node;
use healer::config::{Config, ConfigError, ResponseHeaders};

use crate::envoy::Filter;
use crate::resource::Plugin;

/// What Nomos does if Envoy does not hand over the bodies of held headers.
const NOT_HELD: &str = "first responses would wait for up to a second, and later ones would not be held";

/// Returns the problem with held headers at this place, if there is one:
/// - Without the flag, no body comes until Nomos releases the headers.
/// - In a filter of a cluster, held headers crash Envoy 1.36 at a redirect that Envoy follows, and let bodies of
///   abandoned retries leave before the response (1.40 too).
/// - If the rest of a body is handed out late, Envoy drops it once the headers are released.
pub fn in_filter(config: &Config, filter: &Filter<'_>) -> Option<ConfigError> {
    let (found, expected) = match filter {
        _ if !are_held(config) => return None,
        filter if !filter.may_hold_headers() => (
            format!("in a filter that may not hold headers: {NOT_HELD}"),
            "allow_on_headers_stop_iteration: true beside configuration, or response_headers: early",
        ),
        Filter { is_upstream: true, .. } => (
            "in a filter of a cluster, where Envoy 1.36 may crash on redirects and retries corrupt responses"
                .to_owned(),
            "a filter of a listener, or response_headers: early",
        ),
        Filter { late: Some(late), .. } => (
            format!("before {late}, which hands out bodies late: they may be cut off"),
            "it in front of nomos, earlier in http_filters, or response_headers: early",
        ),
        _ => return None,
    };
    Some(refusal(filter.offset, &found, expected))
}

/// Returns the problem with held headers in a resource of Kubernetes, if there is one.
pub fn in_plugin(config: &Config, plugin: &Plugin<'_>, configuration: &Node) -> Option<ConfigError> {
    let found = format!("in a WasmPlugin, whose filter may not hold headers: {NOT_HELD}");
    let expected = "an EnvoyFilter with allow_on_headers_stop_iteration: true, or response_headers: early";
    (are_held(config) && !plugin.may_hold_headers).then(|| refusal(configuration.offset, &found, expected))
}

fn are_held(config: &Config) -> bool {
    config.response_headers == ResponseHeaders::Held
}

fn refusal(offset: usize, found: &str, expected: &str) -> ConfigError {
    let found = format!("\"held\" {found}");
    ConfigError { at: "response_headers".to_owned(), offset, found, expected: expected.to_owned() }
}
