//! Reads YAML into the tree of configurations, as Envoy reads it.

mod scalar;

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, ScalarStyle, Tag};
use healer::config::ConfigError;
use healer::config::node::{Member, Node, Value};

/// The maximum number of values. An anchor keeps a copy of the node that it names, and each alias adds another one, so
/// a few lines can stand for billions of values. No configuration has this many; the largest API descriptions come
/// near.
const MAX_NODES: usize = 2_000_000;

/// In copies, this many bytes of text count as one value: they take about as much memory.
const TEXT_OF_A_VALUE: usize = 64;

/// How unquoted words are read, and whether merge keys take effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// As Envoy reads them: `y` and `off` are booleans, and `<<` is an ordinary name.
    #[default]
    Envoy,
    /// The core schema of YAML 1.2: only `true` and `false` are booleans. `<<` merges the members of other maps, as in
    /// YAML 1.1, because most readers of such documents still do that.
    Core,
}

/// Reads every document of a text.
pub fn read(text: &str, dialect: Dialect) -> Result<Vec<Node>, ConfigError> {
    let mut builder = Builder { dialect, ..Builder::default() };
    for item in Parser::new_from_str(text) {
        let (event, span) = item.map_err(|error| {
            let marker = error.marker();
            let at = format!("line {} column {}", marker.line(), marker.col() + 1);
            let found = format!("what YAML does not allow here ({})", error.info());
            refusal(at, marker.byte_offset().unwrap_or_default(), found, expected(text))
        })?;
        let start = span.start;
        builder.take(event, start.byte_offset().unwrap_or_default()).map_err(|(found, expected)| {
            let at = format!("line {} column {}", start.line(), start.col() + 1);
            refusal(at, start.byte_offset().unwrap_or_default(), found, expected)
        })?;
    }
    Ok(builder.documents)
}

/// Returns what is expected of a text that is no YAML. A reference without quotes hides the rest of its line, and the
/// parser then misses a bracket far from there.
fn expected(text: &str) -> &'static str {
    if text.contains(": #/") {
        "YAML, where # begins a comment: a reference such as '#/a' needs quotes"
    } else {
        "YAML"
    }
}

fn refusal(at: String, offset: usize, found: impl Into<String>, expected: &str) -> ConfigError {
    ConfigError { at, offset, found: found.into(), expected: expected.to_owned() }
}

/// What was found, and what was expected.
type Complaint = (String, &'static str);

#[derive(Default)]
struct Builder {
    dialect: Dialect,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    documents: Vec<Node>,
}

/// A container whose end has not been read.
struct Open {
    offset: usize,
    anchor: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    members: Vec<Member>,
    /// The members from merge keys. Earlier ones win, and the map's own members win over all of them.
    merged: Vec<Member>,
    key: Option<Key>,
}

struct Key {
    name: String,
    offset: usize,
    role: Role,
}

#[derive(Clone, Copy)]
enum Role {
    Name,
    /// Envoy ignores members whose key is tagged `!ignore`, which people use to hold anchors.
    Ignored,
    Merge,
}

impl Mapping {
    fn add(&mut self, node: Node) -> Result<(), Complaint> {
        match self.key.take() {
            Some(Key { name, offset, role: Role::Name }) => self.members.push(Member { name, offset, node }),
            Some(Key { role: Role::Merge, .. }) => self.merge(node)?,
            Some(Key { role: Role::Ignored, .. }) | None => (),
        }
        Ok(())
    }

    /// Merges the members of a map, or of each map of a list.
    fn merge(&mut self, node: Node) -> Result<(), Complaint> {
        let maps = match node.value {
            Value::Array(items) => items,
            _ => vec![node],
        };
        for map in maps {
            let Value::Object(members) = map.value else {
                return Err((format!("{} behind the merge key <<", map.describe()), "a map or a list of maps"));
            };
            self.merged.extend(members);
        }
        Ok(())
    }

    fn finish(self) -> Vec<Member> {
        let Mapping { mut members, merged, .. } = self;
        let mut known: HashSet<String> = HashSet::new();
        if !merged.is_empty() {
            known.extend(members.iter().map(|member| member.name.clone()));
        }
        members.extend(merged.into_iter().filter(|member| known.insert(member.name.clone())));
        members
    }
}

impl Builder {
    fn take(&mut self, event: Event<'_>, offset: usize) -> Result<(), Complaint> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), offset),
            Event::SequenceStart(_, anchor, _) => self.open(Content::Sequence(Vec::new()), anchor, offset),
            Event::MappingStart(_, anchor, _) => self.open(Content::Mapping(Mapping::default()), anchor, offset),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, offset),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        offset: usize,
    ) -> Result<(), Complaint> {
        let has_tag = |suffix| tag.is_some_and(|tag| tag.suffix() == suffix);
        let dialect = self.dialect;
        let key = self.missing_key();
        let is_text = key.is_some() || style != ScalarStyle::Plain || has_tag("!");
        let value = if is_text { Value::String(text.to_owned()) } else { scalar::value(text, dialect) };
        let node = Node { offset, value };
        if let Some(key) = key {
            let role = match text {
                _ if has_tag("ignore") => Role::Ignored,
                "<<" if dialect == Dialect::Core && style == ScalarStyle::Plain => Role::Merge,
                _ => Role::Name,
            };
            *key = Some(Key { name: text.to_owned(), offset, role });
            return self.name(anchor, &node);
        }
        self.name(anchor, &node)?;
        self.add(node)
    }

    fn open(&mut self, content: Content, anchor: usize, offset: usize) -> Result<(), Complaint> {
        if self.missing_key().is_some() {
            return Err(("a list or map as a key".to_owned(), "a text as the key"));
        }
        if self.open.len() >= Node::MAX_DEPTH {
            return Err(("a value inside 160 lists and maps".to_owned(), "at most 160 inside each other"));
        }
        self.open.push(Open { offset, anchor, content });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Complaint> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let value = match open.content {
            Content::Sequence(items) => Value::Array(items),
            Content::Mapping(mapping) => Value::Object(mapping.finish()),
        };
        let node = Node { offset: open.offset, value };
        self.name(open.anchor, &node)?;
        self.add(node)
    }

    fn alias(&mut self, anchor: usize, offset: usize) -> Result<(), Complaint> {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            return Err(("an alias inside what it names".to_owned(), "an alias of something that is complete"));
        };
        if depth(&node) + self.open.len() > Node::MAX_DEPTH {
            return Err(("an alias of something deep".to_owned(), "at most 160 lists and maps inside each other"));
        }
        self.count(size(&node))?;
        if let Some(key) = self.missing_key() {
            let Value::String(name) = node.value else {
                return Err(("an alias of something else as a key".to_owned(), "a text as the key"));
            };
            *key = Some(Key { name, offset, role: Role::Name });
            return Ok(());
        }
        self.add(node)
    }

    /// Stores a node for its aliases. An anchor of 0 means that there is none.
    fn name(&mut self, anchor: usize, node: &Node) -> Result<(), Complaint> {
        if anchor != 0 {
            self.count(size(node))?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize) -> Result<(), Complaint> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(("more than 2,000,000 values, anchors and aliases counted in full".to_owned(), "fewer"));
        }
        Ok(())
    }

    /// Returns the place for the next key if the innermost container is a map that waits for one.
    fn missing_key(&mut self) -> Option<&mut Option<Key>> {
        match &mut self.open.last_mut()?.content {
            Content::Mapping(Mapping { key, .. }) if key.is_none() => Some(key),
            _ => None,
        }
    }

    fn add(&mut self, node: Node) -> Result<(), Complaint> {
        self.count(1)?;
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.documents.push(node),
            Some(Content::Sequence(items)) => items.push(node),
            Some(Content::Mapping(mapping)) => mapping.add(node)?,
        }
        Ok(())
    }
}

fn depth(node: &Node) -> usize {
    1 + children(node).map(depth).max().unwrap_or_default()
}

/// Returns how many values a copy of a node counts as.
fn size(node: &Node) -> usize {
    let text = match &node.value {
        Value::String(text) | Value::Number(text) => text.len(),
        Value::Object(members) => members.iter().map(|member| member.name.len()).sum(),
        _ => 0,
    };
    1 + text / TEXT_OF_A_VALUE + children(node).map(size).sum::<usize>()
}

fn children(node: &Node) -> Box<dyn Iterator<Item = &Node> + '_> {
    match &node.value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.iter().map(|member| &member.node)),
        _ => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tree as JSON text, without offsets.
    fn show(node: &Node) -> String {
        let list = |parts: Vec<String>| parts.join(",");
        match &node.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) => text.clone(),
            Value::String(text) => format!("{text:?}"),
            Value::Array(items) => format!("[{}]", list(items.iter().map(show).collect())),
            Value::Object(members) => {
                let members = members.iter().map(|member| format!("{:?}:{}", member.name, show(&member.node)));
                format!("{{{}}}", list(members.collect()))
            }
        }
    }

    fn read_all(text: &str) -> String {
        read_as(text, Dialect::Envoy)
    }

    fn read_as(text: &str, dialect: Dialect) -> String {
        match read(text, dialect) {
            Ok(documents) => documents.iter().map(show).collect::<Vec<_>>().join(" --- "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn yaml_is_read_as_envoy_reads_it() {
        let rows = [
            ("", ""),
            ("a: 1\na: 2", r#"{"a":1,"a":2}"#),
            ("a: &x {b: [1]}\nc: *x", r#"{"a":{"b":[1]},"c":{"b":[1]}}"#),
            ("m: &x {a: 1}\nn: {<<: *x}", r#"{"m":{"a":1},"n":{"<<":{"a":1}}}"#),
            ("y: y\n'n': 'n'\n1: one", r#"{"y":true,"n":"n","1":"one"}"#),
            ("&k a: 1\nb: *k\n*k : 2", r#"{"a":1,"b":"a","a":2}"#),
            ("a: !!str 12\nb: ! 12\nc:", r#"{"a":12,"b":"12","c":null}"#),
            ("!ignore a: &x {b: off}\nc: *x", r#"{"c":{"b":false}}"#),
            ("a: |\n  off\nb: >-\n  on", r#"{"a":"off\n","b":"on"}"#),
            ("a: 1\n---\n- 2", r#"{"a":1} --- [2]"#),
            ("{\"a\": [1, null, true]}", r#"{"a":[1,null,true]}"#),
        ];
        for (text, expected) in rows {
            assert_eq!(read_all(text), expected, "{text:?}");
        }
    }

    #[test]
    fn merge_keys_are_carried_out() {
        let rows = [
            ("m: &x {a: 1, b: 2}\nn: {<<: *x}", r#"{"m":{"a":1,"b":2},"n":{"a":1,"b":2}}"#),
            ("m: &x {a: 1, b: 2}\nn: {<<: *x, a: 3}", r#"{"m":{"a":1,"b":2},"n":{"a":3,"b":2}}"#),
            ("n: {a: 3, <<: {a: 1, b: 2}}", r#"{"n":{"a":3,"b":2}}"#),
            ("n: {<<: [{a: 1}, {a: 2, b: 3}]}", r#"{"n":{"a":1,"b":3}}"#),
            ("n: {<<: {a: 1}, <<: {a: 2, b: 3}}", r#"{"n":{"a":1,"b":3}}"#),
            ("x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: *y}", r#"{"x":{"a":1},"y":{"b":2,"a":1},"z":{"b":2,"a":1}}"#),
            ("n: {<<: {}, a: 1, a: 2}", r#"{"n":{"a":1,"a":2}}"#),
            ("n: {'<<': {a: 1}}", r#"{"n":{"<<":{"a":1}}}"#),
            ("n: [<<]", r#"{"n":["<<"]}"#),
        ];
        for (text, expected) in rows {
            assert_eq!(read_as(text, Dialect::Core), expected, "{text:?}");
        }
        for (text, found) in [("a:\n  <<: 1", "1"), ("a:\n  <<: [{}, x]", "\"x\""), ("a:\n  <<:", "null")] {
            let expected = format!("found {found} behind the merge key <<; expected a map or a list of maps");
            let said = read_as(text, Dialect::Core);
            assert!(said.starts_with("line 2 column ") && said.ends_with(&expected), "{said}");
        }
    }

    #[test]
    fn what_is_no_yaml_is_refused_with_its_place() {
        let rows = [
            ("a: [1,\n", "line 1 column 4: found what YAML does not allow here (unclosed bracket '['); expected YAML"),
            (
                "a: {$ref: #/b}",
                "line 1 column 4: found what YAML does not allow here (unclosed bracket '{'); expected YAML, where # begins \
                 a comment: a reference such as '#/a' needs quotes",
            ),
            ("? [a]\n: 1", "line 1 column 3: found a list or map as a key; expected a text as the key"),
            (
                "a: &x\n  b: *x",
                "line 2 column 6: found an alias inside what it names; expected an alias of something that is complete",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(read_all(text), expected, "{text:?}");
        }
    }

    #[test]
    fn neither_depth_nor_aliases_run_away() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(read_all(&deep).contains("at most 160"), "{}", read_all(&deep));
        let level = |level: usize| {
            let aliases = vec![format!("*a{}", level - 1); 10].join(",");
            format!("a{level}: &a{level} [{aliases}]\n")
        };
        let levels: Vec<String> = (1..12).map(level).collect();
        let laughs = format!("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n{}", levels.concat());
        assert!(read_all(&laughs).contains("more than 2,000,000 values"));
        let merging = |level: usize| {
            let aliases: Vec<String> = (0..10).map(|name| format!("n{name}: {{<<: *a{}}}", level - 1)).collect();
            format!("a{level}: &a{level} {{{}}}\n", aliases.join(","))
        };
        let levels: Vec<String> = (1..12).map(merging).collect();
        let laughs = format!("a0: &a0 {{x: 1, y: 2}}\n{}", levels.concat());
        assert!(read_as(&laughs, Dialect::Core).contains("more than 2,000,000 values"));
        // Anchors inside each other, around many values and around one long text.
        let open = (0..150).map(|name| format!("&n{name} [")).collect::<Vec<_>>().concat();
        for inner in ["x,".repeat(20_000), "x".repeat(1_000_000)] {
            let named = format!("{open}{inner}{}", "]".repeat(150));
            assert!(read_all(&named).contains("more than 2,000,000 values"));
        }
        let texts = format!("a: &a {}\nb: [{}]", "x".repeat(1_000_000), "*a,".repeat(200));
        assert!(read_all(&texts).contains("more than 2,000,000 values"));
        let keys = format!("&a {}: 1\n{}", "x".repeat(1000), "*a : 1\n".repeat(200_000));
        assert!(read_all(&keys).contains("more than 2,000,000 values"));
    }

    #[test]
    fn places_are_those_of_names_and_values() {
        let documents = read("é: 1\nb:\n  - x", Dialect::Envoy).unwrap_or_default();
        let Some(Value::Object(members)) = documents.first().map(|node| &node.value) else { panic!("no map") };
        let places: Vec<_> = members.iter().map(|member| (member.offset, member.node.offset)).collect();
        assert_eq!(places, [(0, 4), (6, 11)]);
    }
}
