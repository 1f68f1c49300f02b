//! Envoy as a host of peers: a listener for each filter, one worker, and nothing that costs time and is not needed.

use std::net::SocketAddr;

use nomos_tests::envoy::{self, Envoy, Start};
use nomos_tests::paths;
use serde_json::{Value, json};

use crate::modules::Module;
use crate::proxy;

/// The name of a listener, and its filter.
pub type Listener = (&'static str, Option<Value>);

/// The settings of an Envoy.
pub struct Setup {
    /// The address to which it sends requests.
    pub upstream: SocketAddr,
    /// The listeners, in their order.
    pub listeners: Vec<Listener>,
    /// Clusters besides the upstream.
    pub clusters: Vec<Value>,
    /// The limit of buffers in bytes, or `None` for Envoy's default of 1 MiB.
    pub buffers: Option<u32>,
    /// Files for its directory.
    pub files: Vec<(&'static str, String)>,
}

/// Starts the pinned Envoy.
pub fn start(setup: &Setup) -> Result<Envoy, String> {
    let mut listeners: Vec<Value> =
        setup.listeners.iter().map(|(name, filter)| listener(name, filter.as_ref())).collect();
    let mut clusters = vec![cluster(setup.upstream)];
    clusters.extend(setup.clusters.iter().cloned());
    if let Some(bytes) = setup.buffers {
        for limited in listeners.iter_mut().chain(&mut clusters) {
            limited["per_connection_buffer_limit_bytes"] = json!(bytes);
        }
    }
    let config = json!({
        "admin": {"address": tcp(SocketAddr::from(([127, 0, 0, 1], 0)))},
        "static_resources": {"listeners": listeners, "clusters": clusters},
    });
    let files: Vec<(&str, &str)> = setup.files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let start = Start { workers: 1, files: &files };
    Envoy::start_with(&paths::envoy("pinned")?, &config.to_string(), start)
        .map_err(|error| format!("{}; Envoy's log ends: {}", error.why, envoy::tail(&error.log)))
}

/// Returns the Nomos filter with a configuration. Nomos may hold as much as Envoy's buffers.
pub fn nomos(name: &str, configuration: &str, buffers: Option<u32>) -> Result<Value, String> {
    let mut configuration: Value = serde_json::from_str(configuration).map_err(|error| format!("{name}: {error}"))?;
    if let Some(bytes) = buffers {
        configuration["max_held_bytes"] = json!(bytes);
    }
    Ok(proxy::wasm(name, Module::Filter, &configuration.to_string()))
}

/// Returns a listener as advised for benchmarks: without request ids and statistics per response code.
fn listener(name: &str, filter: Option<&Value>) -> Value {
    let router = json!({"name": "envoy.filters.http.router", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
        "dynamic_stats": false,
        "suppress_envoy_headers": true,
    }});
    let filters: Vec<Value> = filter.cloned().into_iter().chain([router]).collect();
    let manager = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": name,
        "generate_request_id": false,
        "http_filters": filters,
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [
            {"match": {"prefix": "/"}, "route": {"cluster": "upstream", "timeout": "30s"}},
        ]}]},
    });
    json!({
        "name": name,
        "address": tcp(SocketAddr::from(([127, 0, 0, 1], 0))),
        "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
    })
}

fn cluster(upstream: SocketAddr) -> Value {
    json!({
        "name": "upstream",
        "type": "STATIC",
        "connect_timeout": "5s",
        "load_assignment": {"cluster_name": "upstream", "endpoints": [
            {"lb_endpoints": [{"endpoint": {"address": tcp(upstream)}}]},
        ]},
    })
}

fn tcp(address: SocketAddr) -> Value {
    json!({"socket_address": {"address": address.ip().to_string(), "port_value": address.port()}})
}
