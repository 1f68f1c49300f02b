//! The committed schema is the printed one, and agrees with the reader.

use std::fs;
use std::path::{Path, PathBuf};

use healer::config::node::{Node, Value};
use healer::config::{Config, json};
use healer_oracle::schema::{UNSEEN, disagreement};
use proptest::prelude::*;

use super::{schema, text};
use crate::envoy::{self, Configuration};
use crate::json_text::compact;
use crate::kind::Kind;
use crate::yaml::{self, Dialect};

#[test]
fn the_committed_schema_is_what_is_printed() {
    let committed = fs::read_to_string(root().join("docs/nomos.schema.json")).unwrap_or_default();
    assert!(committed == text(), "docs/nomos.schema.json: expected what `nomos schema` prints now");
}

/// The schema takes its fields from the reader's lists. This test checks that each field has a description.
#[test]
fn every_field_is_told_of() {
    let schema = schema();
    let settings = &schema["properties"];
    let route = &schema["$defs"]["route"]["properties"];
    let similarity = &route["similarity"]["anyOf"][1]["properties"];
    let mut told = 0;
    for (names, fields) in [
        (&healer::config::vocabulary::SETTINGS[..], settings),
        (&healer::config::vocabulary::ROUTE[..], route),
        (&healer::config::vocabulary::MATCH[..], &route["match"]["properties"]),
        (&healer::config::vocabulary::SIMILARITY[..], similarity),
    ] {
        for name in names {
            let field = &fields[name];
            assert!(field["description"].is_string() || field["$ref"].is_string(), "{name}: {field}");
            told += 1;
        }
    }
    assert_eq!(told, 31);
}

#[test]
fn the_reference_tells_what_only_the_reader_sees() {
    let reference = fs::read_to_string(root().join("docs/configuration.md")).unwrap_or_default();
    let missing: Vec<&str> =
        UNSEEN.iter().map(|(words, _)| *words).filter(|words| !reference.contains(words)).collect();
    assert_eq!(missing, [""; 0]);
}

/// Both with the words of YAML 1.1, which Envoy reads, and with those of YAML 1.2, which most editors read.
#[test]
fn documented_configurations_are_seen_alike() {
    let mut seen = 0;
    for dialect in [Dialect::Envoy, Dialect::Core] {
        for text in documented() {
            let documents = yaml::read(&text, dialect).unwrap_or_default();
            let nodes: Vec<&Node> = match Kind::of(&documents) {
                Kind::Envoy { filters, .. } if !filters.is_empty() => filters.iter().filter_map(tree).collect(),
                _ => documents.iter().collect(),
            };
            for node in nodes {
                assert_seen_alike(node);
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen}");
}

/// Applies every change to every place by itself, so that each run covers all values at the edges.
#[test]
fn each_change_alone_is_seen_alike() {
    let changes: Vec<Change> = VALUES
        .into_iter()
        .map(Change::Value)
        .chain(NAMES.into_iter().map(Change::Name))
        .chain([Change::Gone])
        .collect();
    for text in STARTS {
        let start = read(text);
        assert_eq!(Config::check(&start).err(), None, "{text}");
        assert_seen_alike(&start);
        for place in 0..count(&start) {
            for change in &changes {
                let mut node = start.clone();
                assert!(apply(&mut node, &mut { place }, change));
                assert_seen_alike(&node);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// Configurations with two random changes.
    #[test]
    fn what_is_changed_is_seen_alike(
        start in 0..STARTS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 2..=2),
    ) {
        let mut node = json::read(STARTS[start].as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        for (at, change) in changes {
            let mut at = at.index(count(&node).max(1));
            apply(&mut node, &mut at, &change);
        }
        prop_assert_eq!(difference(&node), None);
    }
}

/// A change of one place.
#[derive(Clone, Debug)]
enum Change {
    /// Replaces the value.
    Value(&'static str),
    /// Renames a member.
    Name(&'static str),
    /// Removes a member or element.
    Gone,
}

const STARTS: [&str; 6] = [
    r#"{"mode":"observe","sample":12.5,"route_metadata":true,"response_headers":"held","filter_state":false,"max_held_bytes":2048,
        "max_depth":9,"max_keys":9,"max_tokens":99,"max_shapes":99,"routes":[]}"#,
    r#"{"routes":[{"name":"a","match":{"path":"/a","methods":["GET","POST"],"status":["2xx",404],
        "content_types":["application/json","application/problem+json"]},"mode":"off","sample":1,"unmapped":"drop"}]}"#,
    r#"{"routes":[{"match":{"template":"/a/{b}/c"},"packs":["typos","legacy"],"rename":{"a":"b","c":"d"},
        "move":{"a.b":"c","x[].y":"x[].z","\"q.r\".s":"t"}},{"match":{"prefix":"/"}}]}"#,
    r#"{"routes":[{"match":{"prefix":"/"},"packs":["all"]}]}"#,
    r##"{"routes":[{"match":{"path":"/"},"similarity":{"profile":"default","threshold":0.9,"margin":0.1,
        "max_unknown":7},"contract":{"type":"object","properties":{"a":{"type":"string","format":"date"},
        "b":{"type":["array","null"],"items":{"$ref":"#/$defs/c"}},"w":{"writeOnly":true}},"required":["a"],
        "$defs":{"c":{"oneOf":[{"type":"integer"},{"properties":{"d":{"enum":[1,"x"]}}}]}}}}]}"##,
    r#"{"routes":[{"match":{"path":"/"},"similarity":"off","contract":{"allOf":[{"required":["x"]},true],
        "anyOf":[{"prefixItems":[{}],"items":false}],"if":{},"then":{"const":1},"else":{"x-y":1,"nullable":true},
        "dependentSchemas":{"x":{"not":{},"title":"t"}}}}]}"#,
];

/// Values and names at the edges of what the reader accepts.
const VALUES: [&str; 54] = [
    "16",
    "100",
    "101",
    "1024",
    "4097",
    "8192",
    "65536",
    "65537",
    "8388608",
    "8388609",
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "15",
    "1.5",
    "1e3",
    "1023",
    "4096",
    "8193",
    "67108864",
    "67108865",
    "204",
    "200",
    "600",
    "\"\"",
    "\"off\"",
    "\"on\"",
    "\"all\"",
    "\"GET\"",
    "\"get\"",
    "\"/\"",
    "\"/a b\"",
    "\"/{a}\"",
    "\"/{}\"",
    "\"a.b\"",
    "\"a..b\"",
    "\"[].a\"",
    "\" a\"",
    "\"a\\u0085\"",
    "\"1e3\"",
    "\"1.\"",
    "\".\"",
    "\"5xx\"",
    "\"x/y+JSON\"",
    "\"application/json; a=b\"",
    "\"string\"",
    "\"#/x\"",
    "[]",
    "[\"all\",\"all\"]",
    "{}",
    "{\"type\":\"object\"}",
];
const NAMES: [&str; 18] = [
    "",
    "a",
    "a.b",
    "a.",
    "[]",
    "[].x",
    "mode",
    "path",
    "prefix",
    "packs",
    "items",
    "properties",
    "required",
    "type",
    "x-a",
    "$ref",
    "default",
    "$dynamicRef",
];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => prop::sample::select(&VALUES[..]).prop_map(Change::Value),
        2 => prop::sample::select(&NAMES[..]).prop_map(Change::Name),
        1 => Just(Change::Gone),
    ]
}

/// The number of members and elements below a node.
fn count(node: &Node) -> usize {
    match &node.value {
        Value::Array(items) => items.iter().map(|item| 1 + count(item)).sum(),
        Value::Object(members) => members.iter().map(|member| 1 + count(&member.node)).sum(),
        _ => 0,
    }
}

/// Changes the place with this number, counted in the order of the text. Returns whether there is such a place.
fn apply(node: &mut Node, at: &mut usize, change: &Change) -> bool {
    for index in 0..children(node).len() {
        let Some(rest) = at.checked_sub(1) else {
            apply_here(node, index, change);
            return true;
        };
        *at = rest;
        if children(node).into_iter().nth(index).is_some_and(|child| apply(child, at, change)) {
            return true;
        }
    }
    false
}

fn children(node: &mut Node) -> Vec<&mut Node> {
    match &mut node.value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(members) => members.iter_mut().map(|member| &mut member.node).collect(),
        _ => Vec::new(),
    }
}

fn apply_here(node: &mut Node, index: usize, change: &Change) {
    match (&mut node.value, change) {
        (Value::Object(members), Change::Name(name)) => (*name).clone_into(&mut members[index].name),
        (Value::Object(members), Change::Gone) => drop(members.remove(index)),
        (Value::Object(members), Change::Value(text)) => members[index].node = read(text),
        (Value::Array(items), Change::Gone) => drop(items.remove(index)),
        (Value::Array(items), Change::Value(text)) => items[index] = read(text),
        _ => (),
    }
}

fn read(text: &str) -> Node {
    json::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn assert_seen_alike(node: &Node) {
    assert_eq!(difference(node), None);
}

fn difference(node: &Node) -> Option<String> {
    let text = compact(node);
    let refusal = Config::parse(text.as_bytes()).err().map(|error| error.to_string());
    disagreement(&text, refusal.as_deref())
}

/// The configuration of a filter in an Envoy configuration, if it is a tree.
fn tree<'a>(filter: &envoy::Filter<'a>) -> Option<&'a Node> {
    match filter.configuration() {
        Configuration::Tree(node) => Some(node),
        _ => None,
    }
}

/// The valid and invalid configurations in the documents, and the examples.
fn documented() -> Vec<String> {
    let mut texts = vec![fs::read_to_string(root().join("envoy.yaml")).unwrap_or_default()];
    for directory in ["", "docs", "docs/examples", "docs/examples/ecds"] {
        for entry in fs::read_dir(root().join(directory)).into_iter().flatten().flatten() {
            let path = entry.path();
            let text = fs::read_to_string(&path).unwrap_or_default();
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("md") => texts.extend(blocks(&text)),
                Some("yaml") if directory.starts_with("docs/examples") && !text.starts_with("openapi:") => {
                    texts.push(text);
                }
                _ => (),
            }
        }
    }
    texts
}

/// The text of blocks whose first line is "```yaml config" or "```yaml refused".
fn blocks(text: &str) -> impl Iterator<Item = String> {
    text.split("```").skip(1).step_by(2).filter_map(|block| {
        let (kind, text) = block.split_once('\n')?;
        matches!(kind, "yaml config" | "yaml refused").then(|| text.to_owned())
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
