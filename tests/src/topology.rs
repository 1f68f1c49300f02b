//! The Envoy configuration of the suite: many listeners in one Envoy, each with its own chain of filters.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

/// Where a listener accepts, or a cluster connects to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// For a listener a free loopback port, for a cluster the scripted upstream.
    Outside,
    /// A socket in Envoy's own directory, spoken to in HTTP/2: joins two listeners of one Envoy.
    Inside(&'static str),
}

/// One listener.
#[derive(Clone, Debug)]
pub struct Listener {
    /// Its name.
    pub name: &'static str,
    /// Where it accepts.
    pub accepts: Place,
    /// Where it sends requests.
    pub sends: Place,
    /// The HTTP filters before the router.
    pub filters: Vec<Value>,
    /// `per_connection_buffer_limit_bytes` of the listener and of its cluster.
    pub buffer_limit: Option<u32>,
}

impl Listener {
    /// A listener on a free port in front of the scripted upstream.
    pub fn new(name: &'static str, filters: Vec<Value>) -> Self {
        Self { name, accepts: Place::Outside, sends: Place::Outside, filters, buffer_limit: None }
    }
}

/// The whole configuration, as JSON text for [`crate::envoy::Envoy::start`].
///
/// Each response adds a line `CASE STATUS FILTER-STATE` to the file `access.log`.
pub fn bootstrap(upstream: SocketAddr, listeners: &[Listener]) -> String {
    let clusters: Vec<Value> = listeners.iter().map(|listener| cluster(upstream, listener)).collect();
    let listeners: Vec<Value> = listeners.iter().map(listener).collect();
    json!({
        "admin": {"address": tcp(SocketAddr::from(([127, 0, 0, 1], 0)))},
        "static_resources": {"listeners": listeners, "clusters": clusters},
    })
    .to_string()
}

/// The filter with a configuration of its own. All of them share one VM, as in a real deployment.
pub fn nomos(module: &Path, configuration: &Value) -> Value {
    let configuration = json!({"@type": "type.googleapis.com/google.protobuf.Struct", "value": configuration});
    nomos_with(module, &configuration)
}

/// The filter with a configuration as text in a `StringValue`.
pub fn nomos_text(module: &Path, configuration: &str) -> Value {
    let configuration = json!({"@type": "type.googleapis.com/google.protobuf.StringValue", "value": configuration});
    nomos_with(module, &configuration)
}

/// Envoy's gzip decompressor. Filters see responses in reverse order: put it after the filter that wants plain text.
pub fn decompressor() -> Value {
    let gzip = "type.googleapis.com/envoy.extensions.compression.gzip.decompressor.v3.Gzip";
    json!({"name": "envoy.filters.http.decompressor", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.decompressor.v3.Decompressor",
        "decompressor_library": {"name": "gzip", "typed_config": {"@type": gzip}},
    }})
}

/// Envoy's gzip compressor.
pub fn compressor() -> Value {
    let gzip = "type.googleapis.com/envoy.extensions.compression.gzip.compressor.v3.Gzip";
    json!({"name": "envoy.filters.http.compressor", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor",
        "compressor_library": {"name": "gzip", "typed_config": {"@type": gzip}},
    }})
}

fn nomos_with(module: &Path, configuration: &Value) -> Value {
    json!({"name": "nomos", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm",
        "config": {
            "name": "nomos",
            "vm_config": {
                "vm_id": "nomos",
                "runtime": "envoy.wasm.runtime.v8",
                "code": {"local": {"filename": module}},
            },
            "fail_open": true,
            "allow_on_headers_stop_iteration": true,
            "configuration": configuration,
        },
    }})
}

fn listener(listener: &Listener) -> Value {
    let mut filters = listener.filters.clone();
    filters.push(json!({"name": "envoy.filters.http.router", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
    }}));
    let inside = listener.accepts != Place::Outside;
    let manager = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": listener.name,
        "codec_type": if inside { "HTTP2" } else { "HTTP1" },
        "http_protocol_options": {"enable_trailers": true, "accept_http_10": true},
        "upgrade_configs": [{"upgrade_type": "websocket"}],
        "http_filters": filters,
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [
            {"match": {"prefix": "/"}, "route": {"cluster": listener.name, "timeout": "30s"}},
        ]}]},
        "access_log": [{"name": "file", "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
            "path": "{dir}/access.log",
            "log_format": {"text_format_source": {
                "inline_string": "%REQ(X-CASE)% %RESPONSE_CODE% %FILTER_STATE(wasm.nomos:PLAIN)%\n",
            }},
        }}],
    });
    let address = match listener.accepts {
        Place::Outside => tcp(SocketAddr::from(([127, 0, 0, 1], 0))),
        Place::Inside(name) => pipe(name),
    };
    let mut value = json!({
        "name": listener.name,
        "address": address,
        "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}],
    });
    limit(&mut value, listener);
    value
}

fn cluster(upstream: SocketAddr, listener: &Listener) -> Value {
    let (address, protocol) = match listener.sends {
        Place::Outside => (tcp(upstream), json!({"http_protocol_options": {"enable_trailers": true}})),
        Place::Inside(name) => (pipe(name), json!({"http2_protocol_options": {}})),
    };
    let mut value = json!({
        "name": listener.name,
        "type": "STATIC",
        "connect_timeout": "5s",
        "load_assignment": {"cluster_name": listener.name, "endpoints": [
            {"lb_endpoints": [{"endpoint": {"address": address}}]},
        ]},
        "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            "explicit_http_config": protocol,
        }},
    });
    limit(&mut value, listener);
    value
}

fn limit(value: &mut Value, listener: &Listener) {
    if let Some(bytes) = listener.buffer_limit {
        value["per_connection_buffer_limit_bytes"] = json!(bytes);
    }
}

fn tcp(address: SocketAddr) -> Value {
    json!({"socket_address": {"address": address.ip().to_string(), "port_value": address.port()}})
}

fn pipe(name: &str) -> Value {
    json!({"pipe": {"path": format!("{{dir}}/{name}.sock")}})
}
