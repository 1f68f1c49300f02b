//! What stands in a body, as the engine lists it.
//!
//! A stand-in for the engine's own survey, over parsed values: to be replaced by it.

use healer::plan::spec::{Contract, Format, Kind, Property};
use healer::similarity::{Alignment, Found, Id, Model, NONE, Scratch, Settings, Standing};
use serde_json::{Map, Value};

/// A leaf of the contract and the member of the body that is taken for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// Path of the leaf.
    pub expected: String,
    /// Path of the member.
    pub found: String,
    /// How sure it is.
    pub score: f32,
    /// Of what the score is made.
    pub parts: healer::similarity::Parts,
}

/// How one record is decided.
pub type Decide<'a> = dyn FnMut(&Model, &[Found<'_>], &mut Vec<Alignment>) + 'a;

/// The engine's own way of deciding.
pub fn engine(settings: Settings) -> impl FnMut(&Model, &[Found<'_>], &mut Vec<Alignment>) {
    let mut scratch = Scratch::default();
    move |model, found, out| model.align(found, &settings, &mut scratch, out)
}

/// All pairs of one body.
pub fn predict(contract: &Contract, body: &Value, decide: &mut Decide<'_>) -> Vec<Predicted> {
    let mut survey = Survey { decide, pairs: Vec::new() };
    survey.value("", contract, "", "", body, 1.0);
    survey.pairs
}

struct Survey<'d, 'a> {
    decide: &'d mut Decide<'a>,
    pairs: Vec<Predicted>,
}

/// A list of found members and what they stand for.
#[derive(Default)]
struct Members<'a> {
    found: Vec<Found<'a>>,
    values: Vec<&'a Value>,
    paths: Vec<String>,
}

impl Survey<'_, '_> {
    fn value(&mut self, name: &str, contract: &Contract, expected: &str, found: &str, value: &Value, score: f32) {
        match (contract, value) {
            (Contract::Object { properties }, Value::Object(members)) if !properties.is_empty() => {
                self.record(name, properties, expected, found, members, score);
            }
            (Contract::Array { items }, Value::Array(elements)) => {
                for element in elements {
                    self.value(name, items, &format!("{expected}[]"), &format!("{found}[]"), element, score);
                }
            }
            _ => (),
        }
    }

    fn record(
        &mut self,
        name: &str,
        properties: &[Property],
        expected: &str,
        found: &str,
        members: &Map<String, Value>,
        score: f32,
    ) {
        let model = Model::named(name, properties);
        let nodes = nodes(properties);
        let expected_paths = expected_paths(&model, expected);
        let mut list = Members::default();
        enter(&model, NONE, NONE, true, found, members, &mut list);
        let mut alignments = Vec::new();
        (self.decide)(&model, &list.found, &mut alignments);
        self.inside_standing(&model, &nodes, &expected_paths, &list, score);
        for alignment in &alignments {
            let (to, from) = (alignment.expected as usize, alignment.found as usize);
            let of = (to, from);
            self.taken(&model, &nodes, &expected_paths, &list, of, alignment);
        }
        self.inside_aligned(&model, &nodes, &expected_paths, &list, &alignments);
    }

    /// Arrays that stand: their elements are records of their own.
    fn inside_standing(
        &mut self,
        model: &Model,
        nodes: &[&Contract],
        expected: &[String],
        list: &Members<'_>,
        score: f32,
    ) {
        for (from, member) in list.found.iter().enumerate() {
            let Standing::Expected(to) = member.standing else { continue };
            let to = to as usize;
            if matches!(list.values[from], Value::Array(_)) {
                let name = &model.fields()[to].name;
                self.value(name, nodes[to], &expected[to], &list.paths[from], list.values[from], score);
            }
        }
    }

    fn taken(
        &mut self,
        model: &Model,
        nodes: &[&Contract],
        expected: &[String],
        list: &Members<'_>,
        (to, from): (usize, usize),
        alignment: &Alignment,
    ) {
        let field = &model.fields()[to];
        if field.is_object {
            return;
        }
        if field.is_records {
            self.value(&field.name, nodes[to], &expected[to], &list.paths[from], list.values[from], alignment.score);
            self.equal_leaves(nodes[to], &expected[to], &list.paths[from], list.values[from], alignment);
            return;
        }
        self.add(&expected[to], &list.paths[from], alignment);
    }

    /// Members of aligned objects that have the expected names.
    fn inside_aligned(
        &mut self,
        model: &Model,
        nodes: &[&Contract],
        expected: &[String],
        list: &Members<'_>,
        alignments: &[Alignment],
    ) {
        for alignment in alignments {
            let to = alignment.expected as usize;
            if !model.fields()[to].is_object {
                continue;
            }
            let from = alignment.found as usize;
            self.equal_leaves(nodes[to], &expected[to], &list.paths[from], list.values[from], alignment);
        }
    }

    /// Leaves that have the same path inside an aligned object or array.
    fn equal_leaves(&mut self, contract: &Contract, expected: &str, found: &str, value: &Value, alignment: &Alignment) {
        match (contract, value) {
            (Contract::Object { properties }, Value::Object(members)) if !properties.is_empty() => {
                for property in properties {
                    let Some(value) = members.get(&property.name) else { continue };
                    let (expected, found) = (join(expected, &property.name), join(found, &property.name));
                    self.equal_leaves(&property.node, &expected, &found, value, alignment);
                }
            }
            (Contract::Array { items }, Value::Array(elements)) if !is_leaf(items) => {
                for element in elements {
                    self.equal_leaves(items, &format!("{expected}[]"), &format!("{found}[]"), element, alignment);
                }
            }
            _ => self.add(expected, found, alignment),
        }
    }

    fn add(&mut self, expected: &str, found: &str, alignment: &Alignment) {
        let is_new = !self.pairs.iter().any(|pair| pair.expected == expected && pair.found == found);
        if expected != found && is_new {
            let (expected, found) = (expected.to_owned(), found.to_owned());
            self.pairs.push(Predicted { expected, found, score: alignment.score, parts: alignment.parts });
        }
    }
}

fn is_leaf(contract: &Contract) -> bool {
    match contract {
        Contract::Object { properties } => properties.is_empty(),
        Contract::Array { items } => is_leaf(items),
        Contract::Any => true,
    }
}

/// The contracts of all fields of a record, in the order of [`Model::fields`].
fn nodes(properties: &[Property]) -> Vec<&Contract> {
    let mut all = Vec::new();
    for property in properties {
        all.push(&property.node);
        if let Contract::Object { properties } = &property.node {
            all.extend(nodes(properties));
        }
    }
    all
}

fn expected_paths(model: &Model, record: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for field in model.fields() {
        let above = paths.get(field.parent as usize).map_or(record, String::as_str);
        paths.push(join(above, &field.name));
    }
    paths
}

fn enter<'a>(
    model: &Model,
    object: Id,
    parent: Id,
    is_expected: bool,
    path: &str,
    members: &'a Map<String, Value>,
    list: &mut Members<'a>,
) {
    for (name, value) in members {
        let field = model.fields().iter().position(|field| field.parent == object && field.name == *name);
        let field = field.filter(|_| is_expected);
        let standing = field.map_or(Standing::Unknown, |field| Standing::Expected(field as Id));
        let id = list.found.len() as Id;
        let item = value.as_array().and_then(|items| items.first()).map(kind);
        list.found.push(Found {
            name,
            parent,
            kind: kind(value),
            class: value.as_str().and_then(class),
            item,
            standing,
        });
        list.values.push(value);
        list.paths.push(join(path, name));
        let is_data = field.is_some_and(|field| !model.fields()[field].is_object);
        if let (Value::Object(members), false) = (value, is_data) {
            let path = join(path, name);
            enter(model, field.map_or(NONE, |field| field as Id), id, field.is_some(), &path, members, list);
        }
    }
}

/// A path one step longer.
pub fn join(path: &str, name: &str) -> String {
    let name = if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() };
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(number) if number.is_f64() => Kind::Number,
        Value::Number(_) => Kind::Integer,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}

/// The class of a string, by its look.
fn class(text: &str) -> Option<Format> {
    let bytes = text.as_bytes();
    let pattern = |pattern: &[u8]| {
        bytes.len() >= pattern.len()
            && bytes
                .iter()
                .zip(pattern)
                .all(|(byte, like)| if *like == b'0' { byte.is_ascii_digit() } else { byte == like })
    };
    let is_uuid = || {
        bytes.len() == 36
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => *byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    };
    let is_email = || {
        let (user, host) = text.split_once('@')?;
        (!user.is_empty() && host.contains('.') && !host.contains('@') && !text.contains([' ', '/', ':'])).then_some(())
    };
    let is_uri = || {
        let (scheme, rest) = text.split_once("://")?;
        (!rest.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)))
            .then_some(())
    };
    let is_decimal = || {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && digits.bytes().filter(|byte| *byte == b'.').count() <= 1
            && digits.bytes().any(|byte| byte.is_ascii_digit())
    };
    match () {
        () if pattern(b"0000-00-00T00:00") || pattern(b"0000-00-00 00:00") => Some(Format::DateTime),
        () if bytes.len() == 10 && pattern(b"0000-00-00") => Some(Format::Date),
        () if is_uuid() => Some(Format::Uuid),
        () if is_email().is_some() => Some(Format::Email),
        () if is_uri().is_some() => Some(Format::Uri),
        () if text.parse::<std::net::IpAddr>().is_ok() => Some(Format::Ip),
        () if is_decimal() => Some(Format::Decimal),
        () if (bytes.len() == 8 && pattern(b"00:00:00")) || (bytes.len() == 5 && pattern(b"00:00")) => {
            Some(Format::Time)
        }
        () => None,
    }
}
