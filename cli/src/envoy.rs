//! Nomos's configuration inside an Envoy configuration.

use healer::config::ConfigError;
use healer::config::node::{Node, Value};

use crate::proto::{self, text};

const WASM: &str = "envoy.extensions.filters.http.wasm.v3.Wasm";
const DECOMPRESSOR: Kind = Kind { name: "envoy.filters.http.decompressor", ends: "decompressor.v3.Decompressor" };
/// Filters that Envoy accepts as the end of a list of filters, in a listener and in a cluster.
const LAST: [Kind; 2] = [
    Kind { name: "envoy.filters.http.router", ends: "router.v3.Router" },
    Kind { name: "envoy.filters.http.upstream_codec", ends: "upstream_codec.v3.UpstreamCodec" },
];
const TYPED_STRUCT: &str = "TypedStruct";
/// The options of a cluster, which may contain a list of filters.
const CLUSTER_OPTIONS: &str = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
/// Filters that hand out a body after its upstream has ended: the end of their type, the path of the field that
/// decides, and what it says then.
const LATE: [(&str, &[&str], Says); 5] = [
    ("bandwidth_limit.v3.BandwidthLimit", &["enable_mode"], Says::OneOf(&["RESPONSE", "REQUEST_AND_RESPONSE"])),
    ("bandwidth_share.v3.BandwidthShare", &["response_limit"], Says::Anything),
    (
        "ext_proc.v3.ExternalProcessor",
        &["processing_mode", "response_body_mode"],
        Says::OneOf(&["STREAMED", "FULL_DUPLEX_STREAMED"]),
    ),
    ("fault.v3.HTTPFault", &["response_rate_limit"], Says::Anything),
    ("file_system_buffer.v3.FileSystemBufferFilterConfig", &["response", "behavior", "bypass"], Says::Nothing),
];

/// What a field says.
enum Says {
    Anything,
    Nothing,
    OneOf(&'static [&'static str]),
}

/// How to recognise a filter: by the end of its type, or by its usual name if its configuration comes from elsewhere.
struct Kind {
    name: &'static str,
    ends: &'static str,
}

/// A Wasm HTTP filter.
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    /// The offset of the filter.
    pub offset: usize,
    /// The node under `typed_config.config`, if there is one.
    pub plugin: Option<&'a Node>,
    /// Whether the filter belongs to a cluster.
    pub is_upstream: bool,
    /// The name of a filter behind it that hands out bodies late.
    pub late: Option<&'a str>,
    /// The decompressor in front of it, if none is behind it.
    pub decompressor_in_front: Option<&'a str>,
    /// The router in front of it.
    pub router_in_front: Option<&'a str>,
    /// Its name in the chain of filters.
    name: Option<&'a str>,
}

/// A Wasm HTTP filter whose configuration Envoy gets from elsewhere at run time.
#[derive(Clone, Copy, Debug)]
pub struct Discovered<'a> {
    /// Its name in the chain of filters.
    pub name: &'a str,
    /// The file, or `None` if the configuration comes from a server.
    pub file: Option<&'a str>,
}

/// The configuration of the plugin, in one of the forms that Envoy passes on.
pub enum Configuration<'a> {
    /// There is none: every response passes.
    Missing,
    /// A `Struct`, which is part of the file.
    Tree(&'a Node),
    /// A `StringValue`, which is JSON text inside the file.
    Text(&'a str, &'a Node),
    /// The message, if it has another form, which cannot be checked here.
    Unknown(&'a Node),
}

/// Says what a message is instead of one of the forms that contain a configuration.
pub fn refuse_unknown(any: &Node) -> ConfigError {
    let value = proto::get(any, "value");
    let found = match (text(any, "@type"), value) {
        (None, _) => format!("{} without @type", any.describe()),
        (Some(kind), None) => format!("@type {} without value", short(kind)),
        (Some(kind), Some(value)) => format!("@type {} with {} under value", short(kind), value.describe()),
    };
    let expected = "a google.protobuf.Struct with an object under value, or a google.protobuf.StringValue with a text";
    let offset = value.map_or(any.offset, |value| value.offset);
    ConfigError { at: "configuration".to_owned(), offset, found, expected: expected.to_owned() }
}

/// Returns the name of a type without the host in front of it, which is the same for all.
fn short(kind: &str) -> &str {
    kind.rsplit('/').next().unwrap_or(kind)
}

/// Returns the Wasm filters, wherever they are in the file.
pub fn filters(documents: &[Node]) -> Vec<Filter<'_>> {
    let mut found = Vec::new();
    for document in documents {
        collect(document, None, &mut found);
    }
    found
}

/// Returns the Wasm filters that are elsewhere, by `config_discovery`.
pub fn discovered(documents: &[Node]) -> Vec<Discovered<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<&Node> = documents.iter().rev().collect();
    while let Some(node) = open.pop() {
        found.extend(discovered_at(node));
        match &node.value {
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(members) => open.extend(members.iter().rev().map(|member| &member.node)),
            _ => (),
        }
    }
    found
}

fn discovered_at(node: &Node) -> Option<Discovered<'_>> {
    let discovery = proto::get(node, "config_discovery")?;
    let Value::Array(kinds) = &proto::get(discovery, "type_urls")?.value else { return None };
    let is_wasm = kinds.iter().filter_map(Node::as_str).any(|kind| kind.ends_with(WASM));
    let name = text(node, "name").filter(|_| is_wasm)?;
    let path = |path: &[&str]| proto::at(discovery, path).and_then(Node::as_str);
    let file = path(&["config_source", "path_config_source", "path"]).or_else(|| path(&["config_source", "path"]));
    Some(Discovered { name, file })
}

impl Discovered<'_> {
    /// Returns whether the filter or its file is named after Nomos.
    pub fn is_nomos(&self) -> bool {
        [Some(self.name), self.file].into_iter().flatten().any(names_nomos)
    }
}

fn names_nomos(name: &str) -> bool {
    name.to_ascii_lowercase().contains("nomos")
}

/// Returns whether a document is an Envoy configuration, with or without a Wasm filter.
pub fn is_envoy(document: &Node) -> bool {
    let fields = ["static_resources", "dynamic_resources", "admin", "node", "resources", "typed_config"];
    let is_message = |node: &Node| !matches!(node.value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    fields.iter().any(|field| proto::get(document, field).is_some_and(is_message))
}

impl Kind {
    fn is_of(&self, filter: &Node) -> bool {
        let kind = proto::get(filter, "typed_config").and_then(kind_of);
        kind.map_or_else(|| text(filter, "name") == Some(self.name), |kind| kind.ends_with(self.ends))
    }
}

impl<'a> Filter<'a> {
    fn new(offset: usize, plugin: Option<&'a Node>, name: Option<&'a str>) -> Self {
        let (is_upstream, late, decompressor_in_front, router_in_front) = (false, None, None, None);
        Filter { offset, plugin, is_upstream, late, decompressor_in_front, router_in_front, name }
    }

    /// Notes the neighbours of this filter in a list: the list of filters, or a list around that one, which has no
    /// filters.
    fn see(&mut self, in_front: &'a [Node], behind: &'a [Node]) {
        self.late = self.late.or_else(|| behind.iter().find_map(handing_out_late));
        let last = in_front.iter().find(|filter| LAST.iter().any(|kind| kind.is_of(filter)));
        self.router_in_front = self.router_in_front.or(last.map(called));
        if !behind.iter().any(decompresses) {
            let decompressor = in_front.iter().find(|filter| decompresses(filter));
            self.decompressor_in_front = self.decompressor_in_front.or(decompressor.map(called));
        }
    }

    /// Returns the configuration of the plugin.
    pub fn configuration(&self) -> Configuration<'a> {
        let Some(any) = self.plugin.and_then(|plugin| proto::get(plugin, "configuration")) else {
            return Configuration::Missing;
        };
        let kind = text(any, "@type").unwrap_or_default();
        match proto::get(any, "value") {
            Some(value) if kind.ends_with("google.protobuf.Struct") => Configuration::Tree(value),
            Some(value) if kind.ends_with("google.protobuf.StringValue") => match &value.value {
                Value::String(text) => Configuration::Text(text, value),
                _ => Configuration::Unknown(any),
            },
            _ => Configuration::Unknown(any),
        }
    }

    /// Returns whether Envoy lets this filter hold response headers.
    pub fn may_hold_headers(&self) -> bool {
        let flag = self.plugin.and_then(|plugin| proto::get(plugin, "allow_on_headers_stop_iteration"));
        flag.is_some_and(|flag| flag.value == Value::Bool(true))
    }

    /// Returns whether the filter, the plugin, its root or the module's file is named after Nomos.
    pub fn is_nomos(&self) -> bool {
        let own = |field| self.plugin.and_then(|plugin| text(plugin, field));
        let file = self.plugin.and_then(|plugin| proto::at(plugin, &["vm_config", "code", "local", "filename"]));
        let names = [self.name, own("name"), own("root_id"), file.and_then(Node::as_str)];
        names.into_iter().flatten().any(names_nomos)
    }
}

/// Collects Wasm filters. Recurses at most as deep as the file was read: [`Node::MAX_DEPTH`].
fn collect<'a>(node: &'a Node, name: Option<&'a str>, found: &mut Vec<Filter<'a>>) {
    if let Some(wasm) = wasm_of(node) {
        found.push(Filter::new(node.offset, proto::get(wasm, "config"), name));
        return;
    }
    match &node.value {
        Value::Array(items) => {
            for (item, behind) in items.iter().zip(1..) {
                let first = found.len();
                collect(item, None, found);
                let (in_front, behind) = items.split_at(behind);
                found.iter_mut().skip(first).for_each(|filter| filter.see(in_front, behind));
            }
        }
        Value::Object(members) => {
            let (first, name) = (found.len(), text(node, "name"));
            for member in members {
                collect(&member.node, name, found);
            }
            if text(node, "@type").is_some_and(|kind| kind.ends_with(CLUSTER_OPTIONS)) {
                found.iter_mut().skip(first).for_each(|filter| filter.is_upstream = true);
            }
        }
        _ => (),
    }
}

/// Returns the name of a filter if it hands out bodies late.
fn handing_out_late(filter: &Node) -> Option<&str> {
    let config = proto::get(filter, "typed_config")?;
    let kind = text(config, "@type")?;
    let (_, path, says) = LATE.iter().find(|(late, ..)| kind.ends_with(late))?;
    let said = proto::at(config, path);
    let is_late = match says {
        Says::Anything => said.is_some(),
        Says::Nothing => said.is_none(),
        Says::OneOf(words) => said.and_then(Node::as_str).is_some_and(|said| words.contains(&said)),
    };
    is_late.then(|| text(filter, "name").unwrap_or(kind))
}

/// Returns whether a filter decompresses responses. A decompressor may be for requests only.
fn decompresses(filter: &Node) -> bool {
    let switch = ["typed_config", "response_direction_config", "common_config", "enabled", "default_value"];
    let switch = proto::at(filter, &switch);
    let is_off = |node: &Node| node.value == Value::Bool(false);
    let is_disabled = proto::get(filter, "disabled").is_some_and(|flag| flag.value == Value::Bool(true));
    DECOMPRESSOR.is_of(filter) && !is_disabled && !switch.is_some_and(is_off)
}

/// Returns the name of a filter in its list.
fn called(filter: &Node) -> &str {
    text(filter, "name").unwrap_or("a filter without a name")
}

/// Returns the type of a message: its own, or that of the message in a `TypedStruct`.
fn kind_of(config: &Node) -> Option<&str> {
    let kind = text(config, "@type")?;
    if kind.ends_with(TYPED_STRUCT) { text(config, "type_url") } else { Some(kind) }
}

/// Returns the message of a Wasm filter: the node itself, or the message in a `TypedStruct`.
fn wasm_of(node: &Node) -> Option<&Node> {
    let kind = text(node, "@type")?;
    if kind.ends_with(WASM) {
        return Some(node);
    }
    let inner = text(node, "type_url").filter(|_| kind.ends_with(TYPED_STRUCT))?;
    proto::get(node, "value").filter(|_| inner.ends_with(WASM))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind as File;
    use crate::yaml;

    fn names(text: &str) -> Vec<String> {
        let documents = yaml::read(text, yaml::Dialect::Envoy).unwrap_or_default();
        let (filters, _) = nomos_in(&documents);
        filters.iter().map(|filter| filter.name.unwrap_or("-").to_owned()).collect()
    }

    fn nomos_in(documents: &[Node]) -> (Vec<Filter<'_>>, Vec<Discovered<'_>>) {
        match File::of(documents) {
            File::Envoy { filters, discovered, .. } => (filters, discovered),
            _ => (Vec::new(), Vec::new()),
        }
    }

    fn wasm(name: &str, config: &str) -> String {
        format!("- {{name: {name}, typed_config: {{'@type': type.googleapis.com/{WASM}, config: {{{config}}}}}}}\n")
    }

    #[test]
    fn filters_are_told_by_their_names() {
        let rows = [
            ("- {name: router}\n".to_owned(), vec![]),
            (wasm("any", ""), vec!["any"]),
            (wasm("a", "") + &wasm("b", ""), vec![]),
            (wasm("a", "") + &wasm("my-Nomos", ""), vec!["my-Nomos"]),
            (wasm("a", "root_id: nomos") + &wasm("b", "name: x"), vec!["a"]),
            (wasm("a", "vm_config: {code: {local: {filename: /x/nomos_filter.wasm}}}") + &wasm("b", ""), vec!["a"]),
            (wasm("nomos", "") + &wasm("nomos2", ""), vec!["nomos", "nomos2"]),
        ];
        for (text, expected) in rows {
            assert_eq!(names(&text), expected, "{text}");
        }
    }

    #[test]
    fn filters_that_stand_elsewhere_are_told_by_name_or_file() {
        let one = |name: &str, kind: &str, source: &str| {
            format!("- {{name: {name}, config_discovery: {{config_source: {source}, type_urls: ['x/{kind}']}}}}\n")
        };
        let file = "{path_config_source: {path: /etc/nomos.yaml}}";
        let rows = [
            (one("a", WASM, file), vec![("a", Some("/etc/nomos.yaml"))]),
            (one("nomos", WASM, "{ads: {}}"), vec![("nomos", None)]),
            (one("nomos", "envoy.extensions.filters.http.lua.v3.Lua", file), vec![]),
            (one("a", WASM, "{ads: {}}") + &one("nomos", WASM, "{path: x}"), vec![("nomos", Some("x"))]),
            (one("a", WASM, "{ads: {}}") + &one("b", WASM, "{ads: {}}"), vec![]),
        ];
        for (text, expected) in rows {
            let documents = yaml::read(&text, yaml::Dialect::Envoy).unwrap_or_default();
            let found: Vec<_> = nomos_in(&documents).1.iter().map(|filter| (filter.name, filter.file)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_is_behind_and_around_a_filter_is_told() {
        let other = |name: &str, kind: &str, config: &str| {
            format!(
                "- {{name: {name}, typed_config: {{'@type': type.googleapis.com/envoy.extensions.filters.http.{kind}, {config}}}}}\n"
            )
        };
        let processor = |mode: &str| {
            other("ext", "ext_proc.v3.ExternalProcessor", &format!("processing_mode: {{response_body_mode: {mode}}}"))
        };
        let limit = |mode: &str| other("limit", "bandwidth_limit.v3.BandwidthLimit", &format!("enable_mode: {mode}"));
        let fault = |config: &str| other("fault", "fault.v3.HTTPFault", config);
        let share = |config: &str| other("share", "bandwidth_share.v3.BandwidthShare", config);
        let disk = |config: &str| other("disk", "file_system_buffer.v3.FileSystemBufferFilterConfig", config);
        let nomos = wasm("nomos", "");
        let rows = [
            (nomos.clone() + &processor("STREAMED"), Some("ext")),
            (nomos.clone() + &processor("FULL_DUPLEX_STREAMED"), Some("ext")),
            (nomos.clone() + &processor("BUFFERED"), None),
            (processor("STREAMED") + &nomos, None),
            (nomos.clone() + &limit("RESPONSE"), Some("limit")),
            (nomos.clone() + &limit("REQUEST"), None),
            (nomos.clone() + &fault("response_rate_limit: {fixed_limit: {limit_kbps: 1}}"), Some("fault")),
            (nomos.clone() + &fault("abort: {http_status: 500}"), None),
            (nomos.clone() + &share("response_limit: {bucket_id: b, kbps: {default_value: 1}}"), Some("share")),
            (nomos.clone() + &share("request_limit: {bucket_id: b, kbps: {default_value: 1}}"), None),
            (nomos.clone() + &disk("request: {behavior: {bypass: {}}}"), Some("disk")),
            (nomos.clone() + &disk("response: {behavior: {fully_buffer: {}}}"), Some("disk")),
            (nomos.clone() + &disk("response: {behavior: {bypass: {}}}"), None),
        ];
        for (text, expected) in rows {
            let documents = yaml::read(&text, yaml::Dialect::Envoy).unwrap_or_default();
            let found: Vec<_> = filters(&documents).iter().map(|filter| (filter.late, filter.is_upstream)).collect();
            assert_eq!(found, [(expected, false)], "{text}");
        }
        let text = format!("'@type': type.googleapis.com/{CLUSTER_OPTIONS}\nhttp_filters:\n{nomos}");
        let documents = yaml::read(&text, yaml::Dialect::Envoy).unwrap_or_default();
        assert!(filters(&documents).iter().all(|filter| filter.is_upstream) && !documents.is_empty());
    }

    #[test]
    fn a_typed_struct_is_looked_into() {
        let text = format!(
            "name: nomos\ntyped_config:\n  '@type': type.googleapis.com/xds.type.v3.TypedStruct\n  \
             type_url: type.googleapis.com/{WASM}\n  value: {{config: {{name: nomos}}}}\n"
        );
        assert_eq!(names(&text), ["nomos"]);
    }
}
