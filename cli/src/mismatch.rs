//! Places where a body has a value of another kind than its contract, so that the contract is about nothing in it.

use std::collections::{BTreeMap, HashMap};

use healer::config::json;
use healer::config::node::{Node, Value};
use healer::plan::spec::{Contract, Kind, Kinds};
use nomos_rules::path::Path;

/// Says that contract and body as a whole differ in kind.
pub fn of_whole(contract: &Contract, body: &[u8]) -> Option<&'static str> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    match (contract, first) {
        (Contract::Object { .. }, Some(b'[')) => Some("the contract is of an object, and the body is an array"),
        (Contract::Array { .. }, Some(b'{')) => Some("the contract is of an array, and the body is an object"),
        _ => None,
    }
}

/// Returns what stands below the root where the contract has an object or an array, by path, in words. A body that is
/// too deep for the reader of configurations is not looked into.
pub fn inside(contract: &Contract, body: &[u8]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Ok(node) = json::read(body) {
        Expected::of(contract, Kinds::ANY, of_elements(contract)).compare(&node, &mut String::new(), &mut found);
    }
    found
}

/// What a contract says of kinds. Members are found by name, because records may be many and large.
struct Expected<'a> {
    kinds: Kinds,
    members: HashMap<&'a str, Expected<'a>>,
    element: Option<Box<Expected<'a>>>,
}

impl<'a> Expected<'a> {
    fn of(contract: &'a Contract, kinds: Kinds, elements: Kinds) -> Self {
        let (mut members, mut element) = (HashMap::new(), None);
        match contract {
            Contract::Object { properties, .. } => members.extend(properties.iter().map(|property| {
                let said = &property.expects;
                (property.name.as_str(), Expected::of(&property.node, said.kinds, said.items))
            })),
            Contract::Array { items } => element = Some(Box::new(Expected::of(items, elements, of_elements(items)))),
            Contract::Any => (),
        }
        Expected { kinds, members, element }
    }

    /// Recurses at most as deep as the contract is.
    fn compare(&self, node: &Node, path: &mut String, found: &mut BTreeMap<String, String>) {
        if let Some(words) = difference(self.kinds, kind_of(node)) {
            found.entry(path.clone()).or_insert(words);
            return;
        }
        let length = path.len();
        match &node.value {
            Value::Object(members) => {
                for member in members {
                    let Some(expected) = self.members.get(member.name.as_str()) else { continue };
                    Path::push_member(path, &member.name);
                    expected.compare(&member.node, path, found);
                    path.truncate(length);
                }
            }
            Value::Array(items) => {
                let Some(expected) = &self.element else { return };
                path.push_str("[]");
                for item in items {
                    expected.compare(item, path, found);
                }
                path.truncate(length);
            }
            _ => (),
        }
    }
}

/// Returns the kinds of an array's elements as far as their structure says them: it says nothing of other values.
fn of_elements(contract: &Contract) -> Kinds {
    match contract {
        Contract::Array { items } => match **items {
            Contract::Object { .. } => Kinds::ANY.without(Kinds::of(Kind::Array)),
            Contract::Array { .. } => Kinds::ANY.without(Kinds::of(Kind::Object)),
            Contract::Any => Kinds::ANY,
        },
        _ => Kinds::ANY,
    }
}

/// Says how a kind differs from the expected ones, if these are kinds of containers. A null stands for what is not
/// there.
fn difference(expected: Kinds, found: Kind) -> Option<String> {
    let wanted = match (expected.has(Kind::Object), expected.has(Kind::Array)) {
        (true, true) => "an object or an array",
        (true, false) => "an object",
        (false, true) => "an array",
        (false, false) => return None,
    };
    let found_words = match found {
        Kind::Null => return None,
        Kind::Object => "an object",
        Kind::Array => "an array",
        Kind::String => "a string",
        Kind::Boolean => "a boolean",
        Kind::Integer | Kind::Number => "a number",
    };
    (!expected.has(found)).then(|| format!("{found_words}; expected {wanted}"))
}

/// Returns the kind of a value. Which numbers are integers is of no interest here.
fn kind_of(node: &Node) -> Kind {
    match &node.value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(_) => Kind::Integer,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use healer::config::contract;
    use healer::config::cursor::{Cursor, Problems};

    const SCHEMA: &[u8] = br#"{"type":"object","properties":{
        "list":{"type":"array","items":{"type":"object","properties":{"tags":{"type":"array"}}}},
        "a.b":{"type":"object","properties":{"c":{"type":["object","string"]}}},
        "grid":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"x":{}}}}},
        "name":{"type":"string"}, "any":{}}}"#;

    #[test]
    fn places_of_another_kind_are_found() {
        let rows: [(&str, &[&str]); 9] = [
            (r#"{"list":[],"a.b":{},"grid":[],"name":"x","any":[]}"#, &[]),
            (r#"{"list":null,"name":{},"any":{},"other":[]}"#, &[]),
            (r#"{"list":{}}"#, &["list: an object; expected an array"]),
            (
                r#"{"list":[{"tags":"x"},{"tags":{}},[]]}"#,
                &["list[]: an array; expected an object", "list[].tags: a string; expected an array"],
            ),
            (r#"{"a.b":[]}"#, &["\"a.b\": an array; expected an object"]),
            (r#"{"a.b":{"c":"x"}}"#, &[]),
            (r#"{"a.b":{"c":[]}}"#, &["\"a.b\".c: an array; expected an object"]),
            (r#"{"grid":[[1],[[]]]}"#, &["grid[][]: an array; expected an object"]),
            (r#"{"grid":true}"#, &["grid: a boolean; expected an array"]),
        ];
        let schema = json::read(SCHEMA).unwrap_or_else(|error| panic!("{error}"));
        let contract = contract::read(&Cursor::root(&schema), &mut Problems::new()).unwrap_or_default();
        for (body, expected) in rows {
            let found: Vec<String> =
                inside(&contract, body.as_bytes()).iter().map(|(path, words)| format!("{path}: {words}")).collect();
            assert_eq!(found, expected, "{body}");
        }
    }
}
