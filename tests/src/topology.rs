//! The Envoy configuration of the suite: many listeners in one Envoy, each with its own filter chain.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

/// The address that a listener accepts on, or that a cluster connects to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// For a listener a free loopback port, for a cluster the scripted upstream.
    Outside,
    /// A socket in Envoy's directory, used with HTTP/2 to join two listeners of one Envoy.
    Inside(&'static str),
    /// For a cluster: an upstream that speaks HTTP/2.
    Http2(SocketAddr),
}

/// Envoy's setting for a failing module: `fail_open`, or one value of `failure_policy`. Envoy refuses both together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// `fail_open: true`
    Open,
    /// `failure_policy: FAIL_OPEN`, as shipped.
    PolicyOpen,
    /// `failure_policy: FAIL_CLOSED`, which is also the default.
    PolicyClosed,
    /// `failure_policy: FAIL_RELOAD`
    PolicyReload,
}

impl Failure {
    /// All of the settings.
    pub const ALL: [Failure; 4] = [Self::Open, Self::PolicyOpen, Self::PolicyClosed, Self::PolicyReload];

    /// Returns the setting in YAML.
    pub fn yaml(self) -> &'static str {
        match self {
            Self::Open => "fail_open: true",
            Self::PolicyOpen => "failure_policy: FAIL_OPEN",
            Self::PolicyClosed => "failure_policy: FAIL_CLOSED",
            Self::PolicyReload => "failure_policy: FAIL_RELOAD",
        }
    }

    fn set(self, config: &mut Value) {
        match (self, self.yaml().split_once(": ")) {
            (Self::Open, _) => config["fail_open"] = json!(true),
            (_, Some((field, value))) => config[field] = json!(value),
            _ => {}
        }
    }
}

/// A wasm plugin: the module, its VM, and the setting for when it fails.
#[derive(Clone, Copy, Debug)]
pub struct Plugin<'a> {
    /// The file of the module.
    pub module: &'a Path,
    /// Plugins with the same id share a VM.
    pub vm_id: &'a str,
    /// The setting for when it fails.
    pub failure: Failure,
}

impl<'a> Plugin<'a> {
    /// Returns the plugin as shipped.
    pub fn shipped(module: &'a Path) -> Self {
        Self { module, vm_id: "nomos", failure: Failure::PolicyOpen }
    }

    /// Returns the typed configuration of the filter, with this plugin configuration.
    pub fn typed_config(self, configuration: &Value) -> Value {
        let mut config = json!({
            "name": "nomos",
            "vm_config": {
                "vm_id": self.vm_id,
                "runtime": "envoy.wasm.runtime.v8",
                "code": {"local": {"filename": self.module}},
            },
            "allow_on_headers_stop_iteration": true,
            "configuration": {"@type": "type.googleapis.com/google.protobuf.Struct", "value": configuration},
        });
        self.failure.set(&mut config);
        json!({"@type": "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm", "config": config})
    }

    /// Returns the entry for the list of filters.
    pub fn filter(self, configuration: &Value) -> Value {
        json!({"name": "nomos", "typed_config": self.typed_config(configuration)})
    }
}

/// Returns a filter that Envoy discovers at run time: `name` in the file `name` of its directory, which
/// [`discovered_file`] writes.
pub fn discovered(name: &str) -> Value {
    json!({"name": name, "config_discovery": {
        "config_source": {
            "path_config_source": {"path": format!("{{dir}}/{name}.yaml")},
            "resource_api_version": "V3",
            "initial_fetch_timeout": "2s",
        },
        "type_urls": ["type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm"],
    }})
}

/// Returns the content of the file for [`discovered`].
pub fn discovered_file(name: &str, typed_config: &Value) -> String {
    json!({"resources": [{
        "@type": "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig",
        "name": name,
        "typed_config": typed_config,
    }]})
    .to_string()
}

/// A listener and its cluster.
#[derive(Clone, Debug)]
pub struct Listener {
    /// Its name.
    pub name: String,
    /// The address that it accepts on.
    pub accepts: Place,
    /// The address that it sends requests to.
    pub sends: Place,
    /// The HTTP filters before the router.
    pub filters: Vec<Value>,
    /// `per_connection_buffer_limit_bytes` of the listener and of its cluster.
    pub buffer_limit: Option<u32>,
    /// The time limit for the upstream.
    pub timeout: &'static str,
}

impl Listener {
    /// Returns a listener on a free port in front of the scripted upstream.
    pub fn new(name: &str, filters: Vec<Value>) -> Self {
        Self {
            name: name.to_owned(),
            accepts: Place::Outside,
            sends: Place::Outside,
            filters,
            buffer_limit: None,
            timeout: "30s",
        }
    }
}

/// Returns the whole configuration, as JSON text for [`crate::envoy::Envoy::start`].
///
/// Each response adds a line `CASE STATUS FILTER-STATE` to the file `access.log`.
pub fn bootstrap(upstream: SocketAddr, listeners: &[Listener]) -> String {
    let clusters: Vec<Value> = listeners.iter().map(|listener| cluster(upstream, listener)).collect();
    let listeners: Vec<Value> = listeners.iter().map(listener).collect();
    json!({
        // Envoy requires these for discovered configuration.
        "node": {"id": "test", "cluster": "test"},
        "admin": {"address": tcp(SocketAddr::from(([127, 0, 0, 1], 0)))},
        "static_resources": {"listeners": listeners, "clusters": clusters},
    })
    .to_string()
}

/// Returns the filter with a configuration. All of these filters share one VM, as in a real deployment.
pub fn nomos(module: &Path, configuration: &Value) -> Value {
    Plugin::shipped(module).filter(configuration)
}

/// Returns the filter with a configuration as text in a `StringValue`.
pub fn nomos_text(module: &Path, configuration: &str) -> Value {
    let mut filter = nomos(module, &json!({}));
    filter["typed_config"]["config"]["configuration"] =
        json!({"@type": "type.googleapis.com/google.protobuf.StringValue", "value": configuration});
    filter
}

/// Returns Envoy's gzip decompressor. Filters see responses in reverse order, so it goes after the filter that needs
/// plain text.
pub fn decompressor() -> Value {
    let gzip = "type.googleapis.com/envoy.extensions.compression.gzip.decompressor.v3.Gzip";
    json!({"name": "envoy.filters.http.decompressor", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.decompressor.v3.Decompressor",
        "decompressor_library": {"name": "gzip", "typed_config": {"@type": gzip}},
    }})
}

/// Returns Envoy's gzip compressor.
pub fn compressor() -> Value {
    let gzip = "type.googleapis.com/envoy.extensions.compression.gzip.compressor.v3.Gzip";
    json!({"name": "envoy.filters.http.compressor", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor",
        "compressor_library": {"name": "gzip", "typed_config": {"@type": gzip}},
    }})
}

/// Returns Envoy's Lua filter, which buffers the whole body of a response before it passes any of it on.
pub fn buffering() -> Value {
    json!({"name": "envoy.filters.http.lua", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
        "default_source_code": {"inline_string": "function envoy_on_response(handle) local body = handle:body() end"},
    }})
}

/// Returns Envoy's Lua filter, which writes each chunk of a body anew, as it is, and its length into content-length.
pub fn rewriting_chunks() -> Value {
    let source = "function envoy_on_response(handle)
        for chunk in handle:bodyChunks() do chunk:setBytes(chunk:getBytes(0, chunk:length())) end
    end";
    json!({"name": "envoy.filters.http.lua", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
        "default_source_code": {"inline_string": source},
    }})
}

/// Returns Envoy's fault filter, which hands out bodies at this rate in KiB per second.
pub fn rate_limit(rate: u32) -> Value {
    json!({"name": "envoy.filters.http.fault", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault",
        "response_rate_limit": {"fixed_limit": {"limit_kbps": rate}, "percentage": {"numerator": 100}},
    }})
}

/// Returns Envoy's transcoder from gRPC to JSON, which also makes JSON of errors, for a method that every GET calls:
///
/// ```proto
/// syntax = "proto3";
/// package t;
/// message Q { string a = 1; }
/// service S { rpc St(Q) returns (stream Q) { option (google.api.http) = {get: "/{a=**}"}; } }
/// ```
pub fn transcoder() -> Value {
    let descriptors = "Ck4KB3MucHJvdG8SAXQiDgoBURIJCgFhGAEgASgJMigKAVMSIwoCU3QSBC50LlEaBC50LlEi\
                       D4LT5JMCCRIHL3thPSoqfTABYgZwcm90bzM=";
    json!({"name": "envoy.filters.http.grpc_json_transcoder", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder",
        "proto_descriptor_bin": descriptors,
        "services": ["t.S"],
        "convert_grpc_status": true,
    }})
}

fn listener(listener: &Listener) -> Value {
    let mut filters = listener.filters.clone();
    filters.push(json!({"name": "envoy.filters.http.router", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
    }}));
    let inside = matches!(listener.accepts, Place::Inside(_));
    let manager = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": listener.name,
        // How long Envoy waits for the client to close a connection that Envoy has cut; the default is a second.
        "delayed_close_timeout": "0.1s",
        "codec_type": if inside { "HTTP2" } else { "AUTO" },
        "http_protocol_options": {"enable_trailers": true, "accept_http_10": true},
        "upgrade_configs": [{"upgrade_type": "websocket"}],
        "http_filters": filters,
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [
            {"match": {"prefix": "/"}, "route": {"cluster": listener.name, "timeout": listener.timeout}},
        ]}]},
        "http2_protocol_options": http2(listener),
        "access_log": [{"name": "file", "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
            "path": "{dir}/access.log",
            "log_format": {"text_format_source": {
                "inline_string": "%REQ(X-CASE)% %RESPONSE_CODE% %FILTER_STATE(wasm.nomos:PLAIN)%\n",
            }},
        }}],
    });
    let address = match listener.accepts {
        Place::Inside(name) => pipe(name),
        Place::Outside | Place::Http2(_) => tcp(SocketAddr::from(([127, 0, 0, 1], 0))),
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
        Place::Inside(name) => (pipe(name), json!({"http2_protocol_options": http2(listener)})),
        Place::Http2(address) => (tcp(address), json!({"http2_protocol_options": http2(listener)})),
    };
    let mut value = json!({
        "name": listener.name,
        "type": "STATIC",
        "connect_timeout": "5s",
        // Enough for all clients of a case. Envoy's default of 1,024 is tested elsewhere.
        "circuit_breakers": {"thresholds": [
            {"max_connections": 100_000, "max_pending_requests": 100_000, "max_requests": 100_000},
        ]},
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

/// Of an HTTP/2 response Envoy buffers as much as the stream window, whatever the buffer limit. So both are set, in the
/// proportion that Envoy Gateway ships.
fn http2(listener: &Listener) -> Value {
    let window = listener.buffer_limit.map(|bytes| (bytes * 2).max(65535));
    window.map_or(json!({}), |bytes| json!({"initial_stream_window_size": bytes}))
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
