//! Envoy as it is measured: one worker, and only what is named. There is no access log unless named, because it would
//! cost every configuration the same and hide the differences.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use nomos_tests::envoy::{self, Envoy, Start};
use nomos_tests::paths;
use serde_json::{Map, Value, json};

use crate::modules::Module;

/// A limit above any load here. Envoy's own limit of 1,024 would answer the rest with status 503.
const CIRCUITS: u32 = 100_000;

/// The path to which Envoy responds by itself.
pub const LOCAL: &str = "/healthz";

/// The settings of an Envoy.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// The listeners.
    pub listeners: Vec<Listener>,
    /// The upstreams, which get requests in turn.
    pub upstreams: Vec<SocketAddr>,
    /// The other servers that it knows, by name.
    pub sinks: Vec<(&'static str, SocketAddr)>,
    /// Values of Envoy's runtime by key; others may be set while it runs. `None` if there are none.
    pub runtime: Option<Value>,
    /// How many bytes a connection may buffer, or `None` for Envoy's default.
    pub buffer_limit: Option<u32>,
    /// The number of worker threads.
    pub workers: usize,
    /// Another Envoy than the pinned one.
    pub binary: Option<PathBuf>,
}

/// An HTTP listener.
#[derive(Clone, Debug)]
pub struct Listener {
    /// Its name.
    pub name: String,
    /// The filter before the router.
    pub filter: Option<Value>,
    /// Additional fields of the HTTP connection manager.
    pub manager: Map<String, Value>,
}

impl Proxy {
    /// Returns an Envoy with one worker in front of these upstreams.
    pub fn before(upstreams: &[SocketAddr]) -> Self {
        let upstreams = upstreams.to_vec();
        Proxy {
            listeners: Vec::new(),
            upstreams,
            sinks: Vec::new(),
            runtime: None,
            buffer_limit: None,
            workers: 1,
            binary: None,
        }
    }

    /// Adds a listener.
    #[must_use]
    pub fn listener(mut self, name: &str, filter: Option<Value>) -> Self {
        self.listeners.push(Listener { name: name.to_owned(), filter, manager: Map::new() });
        self
    }

    /// Starts it.
    pub fn start(&self) -> Result<Envoy, String> {
        let mut listeners: Vec<Value> = self.listeners.iter().map(listener).collect();
        let mut clusters = vec![cluster("upstream", &self.upstreams)];
        clusters.extend(self.sinks.iter().map(|(name, address)| cluster(name, &[*address])));
        if let Some(bytes) = self.buffer_limit {
            for limited in listeners.iter_mut().chain(&mut clusters) {
                limited["per_connection_buffer_limit_bytes"] = json!(bytes);
            }
        }
        let mut config = json!({
            "admin": {"address": tcp(SocketAddr::from(([127, 0, 0, 1], 0)))},
            "static_resources": {"listeners": listeners, "clusters": clusters},
        });
        if let Some(values) = &self.runtime {
            config["layered_runtime"] = json!({"layers": [
                {"name": "set", "static_layer": values},
                {"name": "admin", "admin_layer": {}},
            ]});
        }
        let start = Start { workers: self.workers, files: &[] };
        let binary = self.binary.clone().map_or_else(|| paths::envoy("pinned"), Ok)?;
        Envoy::start_with(&binary, &config.to_string(), start)
            .map_err(|error| format!("{}; Envoy's log ends:\n{}", error.why, envoy::tail(&error.log)))
    }
}

/// Starts the pinned Envoy with these listeners in front of one upstream.
pub fn start(upstream: SocketAddr, listeners: &[(&str, Option<Value>)]) -> Result<Envoy, String> {
    start_with(upstream, listeners, None)
}

/// Does the same with a buffer limit for all connections.
pub fn start_with(
    upstream: SocketAddr,
    listeners: &[(&str, Option<Value>)],
    buffer_limit: Option<u32>,
) -> Result<Envoy, String> {
    let proxy = Proxy { buffer_limit, ..Proxy::before(&[upstream]) };
    listeners.iter().fold(proxy, |proxy, (name, filter)| proxy.listener(name, filter.clone())).start()
}

/// Returns the id of Envoy's process.
pub fn pid(envoy: &Envoy) -> Result<u32, String> {
    envoy.pid().parse().map_err(|_| "Envoy's process id is not known".to_owned())
}

/// Returns the Nomos filter with this configuration.
pub fn nomos(configuration: &Value) -> Value {
    wasm("nomos", Module::Filter, &configuration.to_string())
}

/// Returns a wasm filter as in a deployment, in a VM of its own.
pub fn wasm(name: &str, module: Module, configuration: &str) -> Value {
    wasm_at(name, &module.path(), configuration)
}

/// Does the same with a module from any path.
pub fn wasm_at(name: &str, module: &Path, configuration: &str) -> Value {
    json!({"name": name, "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm",
        "config": {
            "name": name,
            "vm_config": {
                "vm_id": name,
                "runtime": "envoy.wasm.runtime.v8",
                "code": {"local": {"filename": module}},
            },
            "failure_policy": "FAIL_OPEN",
            "allow_on_headers_stop_iteration": true,
            "configuration": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": configuration},
        },
    }})
}

fn listener(listener: &Listener) -> Value {
    let Listener { name, filter, manager: further } = listener;
    let router = json!({"name": "envoy.filters.http.router", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
    }});
    let filters: Vec<Value> = filter.iter().cloned().chain([router]).collect();
    let mut manager = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": name,
        "http_filters": filters,
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [
            {"match": {"path": LOCAL}, "direct_response": {"status": 200, "body": {"inline_string": "ok"}}},
            {"match": {"prefix": "/"}, "route": {"cluster": "upstream", "timeout": "30s"}},
        ]}]},
    });
    for (name, value) in further {
        manager[name] = value.clone();
    }
    json!({
        "name": name,
        "address": tcp(SocketAddr::from(([127, 0, 0, 1], 0))),
        "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
    })
}

fn cluster(name: &str, to: &[SocketAddr]) -> Value {
    let endpoints: Vec<Value> = to.iter().map(|to| json!({"endpoint": {"address": tcp(*to)}})).collect();
    json!({
        "name": name,
        "type": "STATIC",
        "connect_timeout": "5s",
        "circuit_breakers": {"thresholds": [
            {"max_connections": CIRCUITS, "max_pending_requests": CIRCUITS, "max_requests": CIRCUITS},
        ]},
        "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": endpoints}]},
    })
}

fn tcp(address: SocketAddr) -> Value {
    json!({"socket_address": {"address": address.ip().to_string(), "port_value": address.port()}})
}
