//! Contracts as compact JSON Schema.

use std::iter;

use healer::config::node::{Member, Node, Value};
use healer::plan::spec::{Contract, Expects, Kind, Kinds, Property};

/// Longer descriptions are cut to this many characters, because readers of a contract look for names.
const MAX_DESCRIPTION: usize = 80;

/// Returns a schema that the reader reads as this contract.
pub fn of(contract: &Contract) -> Node {
    schema(contract, &told_by(contract))
}

/// Returns the expectations that follow from the structure alone.
fn told_by(contract: &Contract) -> Expects {
    let items = match contract {
        Contract::Array { items } => kinds_of(items),
        _ => Kinds::ANY,
    };
    Expects { kinds: kinds_of(contract), items, ..Expects::default() }
}

/// Writes a schema. Recurses at most [`healer::config::contract::MAX_DEPTH`] deep.
fn schema(contract: &Contract, expects: &Expects) -> Node {
    let kinds = expects.kinds;
    if !expects.values.is_empty() && kinds.without(Kinds::of(Kind::Null)) != Kinds::of(Kind::String) {
        return texts_or_others(contract, expects);
    }
    let mut members = Vec::new();
    let mut set = |name: &str, value: Value| members.push(member(name, value));
    if kinds != Kinds::ANY || *contract != Contract::Any {
        set("type", types(kinds));
    }
    if let Some(format) = expects.format {
        set("format", text(format.name()));
    }
    if !expects.values.is_empty() {
        let null = kinds.has(Kind::Null).then_some(Value::Null);
        set("enum", list(expects.values.iter().map(|value| text(value)).chain(null)));
    }
    if let Some(description) = &expects.description {
        set("description", text(&shortened(description)));
    }
    match contract {
        Contract::Any => (),
        Contract::Array { items } => {
            set("items", schema(items, &Expects { kinds: expects.items, ..told_by(items) }).value);
        }
        Contract::Object { properties, open } => {
            set("properties", Value::Object(properties.iter().map(property).collect()));
            let required = properties.iter().filter(|property| property.required);
            let names: Vec<Value> = required.map(|property| text(&property.name)).collect();
            if !names.is_empty() {
                set("required", list(names));
            }
            if *open && !properties.is_empty() {
                set("additionalProperties", Value::Bool(true));
            }
        }
    }
    node(Value::Object(members))
}

/// Writes a list of texts that may also be other kinds, which a plain `enum` would exclude.
fn texts_or_others(contract: &Contract, expects: &Expects) -> Node {
    let Expects { kinds, items, format, values, description } = expects.clone();
    let texts = Expects { kinds: Kinds::of(Kind::String), format, values, ..Expects::default() };
    let others = Expects { kinds: kinds.without(texts.kinds), items, ..Expects::default() };
    let either = [schema(&Contract::Any, &texts), schema(contract, &others)];
    let mut members = vec![member("anyOf", Value::Array(either.into()))];
    members.extend(description.map(|description| member("description", text(&shortened(&description)))));
    node(Value::Object(members))
}

fn property(property: &Property) -> Member {
    member(&property.name, schema(&property.node, &property.expects).value)
}

fn kinds_of(contract: &Contract) -> Kinds {
    match contract {
        Contract::Object { .. } => Kinds::of(Kind::Object),
        Contract::Array { .. } => Kinds::of(Kind::Array),
        Contract::Any => Kinds::ANY,
    }
}

/// Returns one type, or an array of types.
fn types(kinds: Kinds) -> Value {
    let names: Vec<&str> = kinds
        .iter()
        .filter_map(|kind| match kind {
            Kind::Null => Some("null"),
            Kind::Boolean => Some("boolean"),
            Kind::Integer if kinds.has(Kind::Number) => None,
            Kind::Integer => Some("integer"),
            Kind::Number => Some("number"),
            Kind::String => Some("string"),
            Kind::Object => Some("object"),
            Kind::Array => Some("array"),
        })
        .collect();
    // `null` comes last, as people usually write it.
    match names.as_slice() {
        [one] => text(one),
        ["null", rest @ ..] => list(rest.iter().copied().chain(iter::once("null")).map(text)),
        all => list(all.iter().copied().map(text)),
    }
}

/// Returns the first line, cut at a word.
fn shortened(description: &str) -> String {
    let line = description.lines().next().unwrap_or_default().trim();
    if line.chars().count() <= MAX_DESCRIPTION {
        return line.to_owned();
    }
    let cut: String = line.chars().take(MAX_DESCRIPTION).collect();
    let words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{} ...", words.trim_end_matches([',', ';', ':', '.']))
}

fn member(name: &str, value: Value) -> Member {
    Member { name: name.to_owned(), offset: 0, node: node(value) }
}

fn node(value: Value) -> Node {
    Node { offset: 0, value }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(items.into_iter().map(node).collect())
}

#[cfg(test)]
mod tests {
    use healer::config::contract;
    use healer::config::cursor::{Cursor, Problems};
    use healer::config::json;
    use proptest::prelude::*;

    use super::{Contract, Node, of, shortened};
    use crate::json_text::{compact, pretty};

    fn read(schema: &Node) -> Option<Contract> {
        contract::read(&Cursor::root(schema), &mut Problems::new())
    }

    /// Schemas with every keyword that is read, including contradictory ones.
    fn schemas() -> impl Strategy<Value = String> {
        let types = r#""(object|array|string|number|integer|boolean|null)""#;
        let leaf = (
            prop::option::of(prop_oneof![
                types.prop_map(|one| format!("\"type\":{one}")),
                prop::collection::vec(types, 1..4).prop_map(|all| format!("\"type\":[{}]", all.join(","))),
            ]),
            prop::option::of(prop_oneof![
                Just(r#""enum":["a","b",null]"#),
                Just(r#""enum":[1,2.5]"#),
                Just(r#""const":"x""#),
                Just(r#""const":[1]"#),
            ]),
            prop::option::of(Just(r#""nullable":true"#)),
            prop::option::of("\"format\":\"(date|email|uuid|int32)\""),
            prop::option::of("\"description\":\"[a-z]{0,5}\""),
        );
        let leaf = leaf.prop_map(|(types, listed, nullable, format, description)| {
            let listed = listed.into_iter().chain(nullable).map(str::to_owned);
            types.into_iter().chain(listed).chain(format).chain(description).collect::<Vec<String>>()
        });
        let whole = |keywords: Vec<String>| format!("{{{}}}", keywords.join(","));
        leaf.clone().prop_map(whole).prop_recursive(4, 24, 3, move |inner| {
            let members = prop::collection::btree_map("[a-d]", inner.clone(), 0..3).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(name, schema)| format!("\"{name}\":{schema}")).collect();
                format!("\"properties\":{{{}}}", members.join(","))
            });
            let required =
                prop::collection::vec("\"[a-d]\"", 0..3).prop_map(|n| format!("\"required\":[{}]", n.join(",")));
            let items = inner.clone().prop_map(|item| format!("\"items\":{item}"));
            let parts = ("allOf|anyOf|oneOf", prop::collection::vec(inner, 1..3))
                .prop_map(|(keyword, parts)| format!("\"{keyword}\":[{}]", parts.join(",")));
            let some = |all: Vec<Option<String>>| all.into_iter().flatten().collect::<Vec<String>>();
            let structure = prop_oneof![
                3 => (prop::option::of(members), prop::option::of(required), prop::option::of(parts.clone()))
                    .prop_map(move |(a, b, c)| some(vec![a, b, c])),
                1 => items.prop_map(|items| vec![items]),
                1 => (leaf.clone(), parts).prop_map(|(mut all, parts)| { all.push(parts); all }),
            ];
            structure.prop_map(whole)
        })
    }

    fn check(schema: &str) -> Result<(), TestCaseError> {
        let node = json::read(schema.as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        if let Some(contract) = read(&node) {
            let written = of(&contract);
            for text in [compact(&written), pretty(&written)] {
                let again = json::read(text.as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert_eq!(read(&again), Some(contract.clone()), "{}", text);
            }
        }
        Ok(())
    }

    proptest! {
        /// A schema that is written from a contract is read as the same contract.
        #[test]
        fn a_contract_is_read_as_it_was_written(schema in schemas()) {
            check(&schema)?;
        }
    }

    #[test]
    fn elements_that_contradict_one_another_are_read_as_they_were_written() {
        let object = r#"{"properties":{"c":{"items":{"type":["object"],"nullable":true}}}}"#;
        let schema = format!(r#"{{"properties":{{"c":{{"items":{{"type":["null"]}}}}}},"allOf":[{object}]}}"#);
        assert!(check(&schema).is_ok());
    }

    #[test]
    fn descriptions_are_cut_at_words() {
        let rows = [("A user.", "A user.".to_owned()), ("One.\nTwo.", "One.".to_owned()), ("", String::new())];
        for (text, expected) in rows {
            assert_eq!(shortened(text), expected);
        }
        assert_eq!(shortened(&"word, ".repeat(20)), format!("{}word ...", "word, ".repeat(12)));
    }
}
