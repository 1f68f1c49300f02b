//! Nomos's configuration inside resources of Kubernetes: Istio's `WasmPlugin` and Envoy Gateway's
//! `EnvoyExtensionPolicy`.

use healer::config::ConfigError;
use healer::config::node::{Node, Value};

/// A Wasm plugin in a resource.
#[derive(Clone, Copy)]
pub struct Plugin<'a> {
    /// The block that sets it up: the source of the module, and everything else.
    pub block: &'a Node,
    /// Its configuration, if there is one.
    pub configuration: Option<&'a Node>,
    /// Whether its filter can be allowed to hold response headers, possibly by another resource.
    pub may_hold_headers: bool,
    /// Its name, and the source of the module.
    names: [Option<&'a str>; 3],
}

/// The kinds of resource that `nomos check` accepts, for messages.
pub const EXPECTED: &str =
    "a WasmPlugin, EnvoyExtensionPolicy or EnvoyFilter that sets up Nomos: `nomos` in its name or the module's";

/// Returns the Wasm plugins.
pub fn plugins(documents: &[Node]) -> Vec<Plugin<'_>> {
    documents.iter().flat_map(each).flat_map(of_resource).collect()
}

/// Returns whether a document is a resource of Kubernetes, of any kind.
pub fn is_one(document: &Node) -> bool {
    ["apiVersion", "kind"].iter().all(|field| document.get(field).and_then(Node::as_str).is_some())
}

impl Plugin<'_> {
    /// Returns whether the plugin or its module is named after Nomos.
    pub fn is_nomos(&self) -> bool {
        self.names.into_iter().flatten().any(|name| name.to_ascii_lowercase().contains("nomos"))
    }
}

/// Returns the problems with `wasm` where it is no array, so that no plugin is found in it.
pub fn refuse_wasm(documents: &[Node]) -> Vec<ConfigError> {
    let policies = documents.iter().flat_map(each).filter(|resource| kind(resource) == Some("EnvoyExtensionPolicy"));
    let wasm = policies.filter_map(|policy| policy.get("spec")?.get("wasm"));
    let refused = wasm.filter(|wasm| !matches!(wasm.value, Value::Array(_) | Value::Null));
    let refuse = |wasm: &Node| ConfigError {
        at: "spec.wasm".to_owned(),
        offset: wasm.offset,
        found: wasm.describe(),
        expected: "an array of plugins, such as [{name: nomos, code: {...}, config: {...}}]".to_owned(),
    };
    refused.map(refuse).collect()
}

/// Returns the resources of a document: those of a `List`, which `kubectl get` prints, or else the document itself.
fn each(document: &Node) -> &[Node] {
    match document.get("items").map(|items| &items.value) {
        Some(Value::Array(items)) if kind(document) == Some("List") => items,
        _ => std::slice::from_ref(document),
    }
}

fn of_resource(resource: &Node) -> Vec<Plugin<'_>> {
    let Some(spec) = resource.get("spec") else { return Vec::new() };
    match kind(resource) {
        Some("WasmPlugin") => vec![Plugin {
            block: spec,
            configuration: spec.get("pluginConfig"),
            may_hold_headers: false,
            names: [text(resource, &["metadata", "name"]), text(spec, &["url"]), None],
        }],
        Some("EnvoyExtensionPolicy") => match spec.get("wasm").map(|list| &list.value) {
            Some(Value::Array(items)) => items.iter().map(of_entry).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn of_entry(entry: &Node) -> Plugin<'_> {
    Plugin {
        block: entry,
        configuration: entry.get("config"),
        may_hold_headers: true,
        names: [text(entry, &["name"]), text(entry, &["code", "image", "url"]), text(entry, &["code", "http", "url"])],
    }
}

fn kind(resource: &Node) -> Option<&str> {
    resource.get("kind").and_then(Node::as_str)
}

fn text<'a>(node: &'a Node, path: &[&str]) -> Option<&'a str> {
    path.iter().try_fold(node, |node, field| node.get(field)).and_then(Node::as_str)
}
