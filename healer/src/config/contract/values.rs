//! What a schema says of a value beside its structure: `type`, `nullable`, `enum`, `const`, `format`, `example`,
//! `description`.

use super::super::cursor::{Cursor, Problems};
use super::super::node::{Node, Value};
use crate::class::classify;
use crate::plan::spec::{Expects, Format, Kind, Kinds};

/// The types of JSON Schema. Every integer is a number too.
pub const TYPES: [(&str, Kinds); 7] = [
    ("object", Kinds::of(Kind::Object)),
    ("array", Kinds::of(Kind::Array)),
    ("string", Kinds::of(Kind::String)),
    ("number", Kinds::of(Kind::Integer).with(Kinds::of(Kind::Number))),
    ("integer", Kinds::of(Kind::Integer)),
    ("boolean", Kinds::of(Kind::Boolean)),
    ("null", Kinds::of(Kind::Null)),
];

/// Other names of formats, beside those of [`Format::ALL`].
const OTHER_NAMES: [(Format, &str); 7] = [
    (Format::Email, "idn-email"),
    (Format::Uuid, "guid"),
    (Format::Uri, "iri"),
    (Format::Uri, "url"),
    (Format::Ip, "ipv4"),
    (Format::Ip, "ipv6"),
    (Format::DateTime, "datetime"),
];

/// What `type` says. No names stand for any type.
pub(super) struct Types {
    names: Vec<&'static str>,
    kinds: Kinds,
}

impl Types {
    /// Reads `type`. Unknown types are refused, except in a foreign document, where they say nothing.
    pub fn read(cursor: &Cursor<'_>, is_foreign: bool, problems: &mut Problems) -> Self {
        let mut types = Types { names: Vec::new(), kinds: Kinds::NONE };
        let mut refusals = Problems::new();
        if let Some(field) = cursor.field("type") {
            match &field.node.value {
                Value::Array(items) if !items.is_empty() => {
                    for item in field.items(&mut refusals, "an array of types") {
                        types.read_one(&item, &mut refusals);
                    }
                }
                _ => types.read_one(&field, &mut refusals),
            }
        }
        if types.names.is_empty() || !refusals.is_empty() {
            types = Types { names: Vec::new(), kinds: Kinds::ANY };
        }
        if !is_foreign {
            problems.append(&mut refusals);
        }
        types
    }

    fn read_one(&mut self, cursor: &Cursor<'_>, problems: &mut Problems) {
        let choices = TYPES.map(|(name, kinds)| (name, (name, kinds)));
        if let Some((name, kinds)) = cursor.choice(problems, &choices) {
            self.names.push(name);
            self.kinds = self.kinds.with(kinds);
        }
    }

    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Whether nothing is said of the type.
    pub fn are_open(&self) -> bool {
        self.names.is_empty()
    }

    pub fn allow(&self, kind: Kind) -> bool {
        self.kinds.has(kind)
    }

    /// Refuses a keyword that belongs to another type.
    pub fn refuse(&self, field: &Cursor<'_>, needed: Kind, problems: &mut Problems) {
        let needed = TYPES.iter().find(|(_, kinds)| *kinds == Kinds::of(needed)).map_or("", |(name, _)| name);
        let found = format!("{} beside type {}", field.name(), self.names.join(", "));
        field.refuse(problems, found, format!("type {needed} beside it, or no {}", field.name()));
    }
}

/// Returns what the keywords of a schema say of its value, which is of one of these kinds.
pub(super) fn expects(cursor: &Cursor<'_>, kinds: Kinds, is_foreign: bool, problems: &mut Problems) -> Expects {
    let no_list = |field: &Cursor<'_>| !is_foreign && !matches!(field.node.value, Value::Array(_));
    if let Some(field) = cursor.field("enum").filter(no_list) {
        field.expected(problems, "an array of values");
    }
    let listed = listed(cursor.node);
    let declared = kinds;
    let kinds = narrowed(declared, &listed);
    let description = ["description", "title"].iter().find_map(|name| cursor.node.get(name)?.as_str());
    let may_be_text = kinds.has(Kind::String);
    Expects {
        kinds,
        items: Kinds::ANY,
        format: format_of(cursor.node).filter(|_| may_be_text),
        values: if may_be_text { texts(&listed, declared) } else { Vec::new() },
        description: description.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
    }
}

/// Whether `null` is allowed too, in the way of OpenAPI 3.0.
pub(super) fn is_nullable(cursor: &Cursor<'_>) -> bool {
    cursor.node.get("nullable").is_some_and(|node| node.value == Value::Bool(true))
}

/// Returns the format that a schema declares, or else that of its example. Many documents have `example` in place of
/// `format`.
fn format_of(schema: &Node) -> Option<Format> {
    let text = |keyword| schema.get(keyword).and_then(Node::as_str);
    text("format").and_then(format).or_else(|| shown(text("example").or_else(|| first_example(schema))?))
}

fn format(name: &str) -> Option<Format> {
    Format::ALL.iter().chain(&OTHER_NAMES).find(|(_, known)| *known == name).map(|(format, _)| *format)
}

/// Returns the format of an example, if all values of the field have it. Where one is a number (`"12"`), another may be
/// text.
fn shown(example: &str) -> Option<Format> {
    let tells = [Format::Date, Format::DateTime, Format::Email, Format::Uri, Format::Uuid];
    classify(example.as_bytes()).filter(|class| tells.contains(class))
}

fn first_example(schema: &Node) -> Option<&str> {
    match &schema.get("examples")?.value {
        Value::Array(items) => items.first()?.as_str(),
        _ => None,
    }
}

/// Returns the values of `enum`, or that of `const`.
fn listed(schema: &Node) -> Vec<&Node> {
    match (schema.get("const"), schema.get("enum").map(|node| &node.value)) {
        (Some(node), _) => vec![node],
        (None, Some(Value::Array(items))) => items.iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the kinds of the listed values. YAML may turn bare words (`on`, `1.5`) into values of none of the declared
/// kinds. Then the list says nothing of kinds.
fn narrowed(kinds: Kinds, listed: &[&Node]) -> Kinds {
    if listed.is_empty() {
        return kinds;
    }
    let found = listed.iter().fold(Kinds::NONE, |found, node| found.with(kinds_of(node)));
    match kinds.and(found) {
        Kinds::NONE => kinds,
        both => both,
    }
}

/// Returns the kind of a value. A number with a fraction or an exponent may be whole.
pub(super) fn kinds_of(node: &Node) -> Kinds {
    let kind = match &node.value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(text) if text.contains(['.', 'e', 'E']) => {
            return Kinds::of(Kind::Integer).with(Kinds::of(Kind::Number));
        }
        Value::Number(_) => Kind::Integer,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    };
    Kinds::of(kind)
}

/// Returns the strings of a list.
///
/// If only strings are allowed, numbers in the list are bare words of YAML (`1.5`, `2`) and count as strings. Booleans
/// there have lost their spelling (`on`, `yes`), so such a list is dropped.
fn texts(listed: &[&Node], kinds: Kinds) -> Vec<String> {
    let only_texts = kinds.without(Kinds::of(Kind::Null)) == Kinds::of(Kind::String);
    if only_texts && listed.iter().any(|node| matches!(node.value, Value::Bool(_))) {
        return Vec::new();
    }
    let text = |node: &&Node| match &node.value {
        Value::String(text) => Some(text.clone()),
        Value::Number(text) if only_texts => Some(text.clone()),
        _ => None,
    };
    listed.iter().filter_map(text).collect()
}
