//! Envoy as it is measured: one worker, nothing but what is named. No access log: it would cost each configuration
//! the same, and hide the differences.

use std::net::SocketAddr;

use nomos_tests::envoy::{self, Envoy};
use nomos_tests::paths;
use serde_json::{Value, json};

use crate::modules::Module;

/// Starts the pinned Envoy with these listeners in front of one upstream.
pub fn start(upstream: SocketAddr, listeners: &[(&str, Option<Value>)]) -> Result<Envoy, String> {
    start_with(upstream, listeners, None)
}

/// The same with a buffer limit for all connections.
pub fn start_with(
    upstream: SocketAddr,
    listeners: &[(&str, Option<Value>)],
    buffer_limit: Option<u32>,
) -> Result<Envoy, String> {
    let mut listeners: Vec<Value> = listeners.iter().map(|(name, filter)| listener(name, filter.as_ref())).collect();
    let mut cluster = cluster(upstream);
    if let Some(bytes) = buffer_limit {
        for limited in listeners.iter_mut().chain([&mut cluster]) {
            limited["per_connection_buffer_limit_bytes"] = json!(bytes);
        }
    }
    let config = json!({
        "admin": {"address": tcp(SocketAddr::from(([127, 0, 0, 1], 0)))},
        "static_resources": {"listeners": listeners, "clusters": [cluster]},
    });
    Envoy::start(&paths::envoy("pinned")?, &config.to_string())
        .map_err(|error| format!("{}; Envoy's log ends:\n{}", error.why, envoy::tail(&error.log)))
}

/// A wasm filter as people deploy it, in a VM of its own.
pub fn wasm(name: &str, module: Module, configuration: &str) -> Value {
    json!({"name": name, "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm",
        "config": {
            "name": name,
            "vm_config": {
                "vm_id": name,
                "runtime": "envoy.wasm.runtime.v8",
                "code": {"local": {"filename": module.path()}},
            },
            "fail_open": true,
            "allow_on_headers_stop_iteration": true,
            "configuration": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": configuration},
        },
    }})
}

fn listener(name: &str, filter: Option<&Value>) -> Value {
    let router = json!({"name": "envoy.filters.http.router", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
    }});
    let filters: Vec<Value> = filter.cloned().into_iter().chain([router]).collect();
    let manager = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": name,
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
