//! A body as `serde_json` reads it, with everything that a `Value` would lose: order, duplicate members, the text of
//! numbers and strings, and the layout.

use nomos_rules::path::Step;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A parsed body. Nodes are in document order, the root first.
pub struct Tree<'a> {
    pub nodes: Vec<Node<'a>>,
}

pub type Id = usize;

pub struct Node<'a> {
    /// The text of the value, without the white space around it.
    pub raw: &'a str,
    pub kind: Kind<'a>,
    /// The id after the last node inside this one.
    pub end: Id,
    /// The container, and the name of the member if that is an object.
    pub parent: Option<(Id, Option<String>)>,
}

pub enum Kind<'a> {
    Scalar,
    Array(Vec<Id>),
    Object(Vec<Member<'a>>),
}

#[derive(Clone)]
pub struct Member<'a> {
    /// The text of the key, quotes included.
    pub key: &'a str,
    /// The decoded key; `None` if it has a lone surrogate, which no name can equal.
    pub name: Option<String>,
    pub value: Id,
}

impl<'a> Tree<'a> {
    /// Reads a body. Returns `None` if `serde_json` refuses it.
    pub fn parse(text: &'a str) -> Option<Tree<'a>> {
        let root: &RawValue = serde_json::from_str(text).ok()?;
        let mut tree = Tree { nodes: Vec::new() };
        tree.add(root.get());
        Some(tree)
    }

    pub fn members(&self, node: Id) -> Option<&[Member<'a>]> {
        match &self.nodes[node].kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    pub fn elements(&self, node: Id) -> Option<&[Id]> {
        match &self.nodes[node].kind {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns the node from which a path leads to `node`.
    pub fn above(&self, node: Id, path: &[Step]) -> Option<Id> {
        path.iter().rev().try_fold(node, |node, step| {
            let (parent, name) = self.nodes[node].parent.as_ref()?;
            let leads = match step {
                Step::Each => matches!(self.nodes[*parent].kind, Kind::Array(_)),
                Step::Name(step) => name.as_ref() == Some(step),
            };
            leads.then_some(*parent)
        })
    }

    /// Whether `node` is `root` or inside it.
    pub fn is_within(&self, node: Id, root: Id) -> bool {
        (root..self.nodes[root].end).contains(&node)
    }

    /// Returns the text of a container between its keys and values: brackets, commas, colons and white space.
    pub fn gaps(&self, node: Id) -> Vec<&'a str> {
        let raw = self.nodes[node].raw;
        let children: Vec<&str> = match &self.nodes[node].kind {
            Kind::Scalar => Vec::new(),
            Kind::Array(elements) => elements.iter().map(|&id| self.nodes[id].raw).collect(),
            Kind::Object(members) => members.iter().flat_map(|m| [m.key, self.nodes[m.value].raw]).collect(),
        };
        let mut from = 0;
        let mut gaps = Vec::new();
        for child in children {
            let start = offset(raw, child);
            gaps.push(&raw[from..start]);
            from = start + child.len();
        }
        gaps.push(&raw[from..]);
        gaps
    }

    fn add(&mut self, raw: &'a str) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node { raw, kind: Kind::Scalar, end: id + 1, parent: None });
        let kind = match raw.as_bytes().first() {
            Some(b'{') => Kind::Object(self.add_members(raw)),
            Some(b'[') => Kind::Array(self.add_elements(raw)),
            _ => Kind::Scalar,
        };
        let parts = match &kind {
            Kind::Scalar => Vec::new(),
            Kind::Array(elements) => elements.iter().map(|&e| (e, None)).collect(),
            Kind::Object(members) => members.iter().map(|m| (m.value, m.name.clone())).collect(),
        };
        for (part, name) in parts {
            self.nodes[part].parent = Some((id, name));
        }
        self.nodes[id].kind = kind;
        self.nodes[id].end = self.nodes.len();
        id
    }

    fn add_members(&mut self, raw: &'a str) -> Vec<Member<'a>> {
        let Entries(entries) = serde_json::from_str(raw).expect("a value that was read before");
        let member = |(key, value): (&'a RawValue, &'a RawValue)| {
            let name = serde_json::from_str(key.get()).ok();
            Member { key: key.get(), name, value: self.add(value.get()) }
        };
        entries.into_iter().map(member).collect()
    }

    fn add_elements(&mut self, raw: &'a str) -> Vec<Id> {
        let elements: Vec<&RawValue> = serde_json::from_str(raw).expect("a value that was read before");
        elements.into_iter().map(|element| self.add(element.get())).collect()
    }
}

/// Returns the offset of `part`, a slice of `whole`, in it.
pub fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// The members of one object, as texts.
struct Entries<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}
