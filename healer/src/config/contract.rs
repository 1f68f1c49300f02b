//! JSON Schema to [`Contract`].
//!
//! The subset is what says which names stand where: `type`, `properties`, `required`, `items`. Keywords that only
//! narrow values are accepted and ignored. Keywords that put schemas together are refused: a schema that is
//! understood in part would leave expected names out, and a name that is not expected may be renamed away.

use crate::plan::spec::{Contract, Expects, Property};

use super::cursor::{Cursor, Problems};
use super::index::Index;
use super::node::Value;
use super::suggest::did_you_mean;

/// Objects and arrays inside each other at most. Three times as deep as the deepest response schemas of public APIs.
pub const MAX_DEPTH: usize = 64;

const UNDERSTOOD: [&str; 4] = ["type", "properties", "required", "items"];
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Keywords of JSON Schema 2020-12 and `OpenAPI` 3 that say nothing about which names stand where.
const IGNORED: [&str; 42] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "$vocabulary",
    "additionalProperties",
    "const",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependentRequired",
    "deprecated",
    "description",
    "discriminator",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "propertyNames",
    "readOnly",
    "title",
    "uniqueItems",
    "writeOnly",
];

/// Keywords that put schemas together or choose between them.
const COMPOSING: [&str; 17] = [
    "$dynamicAnchor",
    "$dynamicRef",
    "$ref",
    "additionalItems",
    "allOf",
    "anyOf",
    "contains",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Reads a schema.
pub fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Contract> {
    let before = problems.len();
    let contract = schema(cursor, 0, problems);
    (problems.len() == before).then_some(contract)
}

/// One schema and those inside it. Calls itself, at most [`MAX_DEPTH`] deep.
fn schema(cursor: &Cursor<'_>, depth: usize, problems: &mut Problems) -> Contract {
    if depth > MAX_DEPTH {
        cursor.refuse(problems, "a schema inside 64 others", "at most 64 objects and arrays inside each other");
        return Contract::Any;
    }
    if cursor.node.value == Value::Bool(true) {
        return Contract::Any;
    }
    let before = problems.len();
    refuse_keywords(cursor, problems);
    let types = Types::read(cursor, problems);
    if problems.len() > before {
        return Contract::Any;
    }
    let depth = depth.saturating_add(1);
    let properties = cursor.field("properties").or_else(|| cursor.field("required"));
    match (properties, cursor.field("items")) {
        (Some(field), _) if !types.allows("object") => types.refuse(&field, "object", problems),
        (_, Some(field)) if !types.allows("array") => types.refuse(&field, "array", problems),
        (Some(_), Some(items)) => {
            items.refuse(problems, "items beside properties", "a schema of an object or of an array, not of both");
            Contract::Any
        }
        (Some(_), None) => Contract::Object { properties: properties_of(cursor, depth, problems) },
        (None, Some(items)) => Contract::Array { items: Box::new(schema(&items, depth, problems)) },
        (None, None) if types.is_only("object") => Contract::Object { properties: Vec::new() },
        (None, None) if types.is_only("array") => Contract::Array { items: Box::new(Contract::Any) },
        (None, None) => Contract::Any,
    }
}

fn refuse_keywords(cursor: &Cursor<'_>, problems: &mut Problems) {
    for member in cursor.members(problems, "a JSON Schema: an object, such as {type: object, properties: {...}}") {
        let name = member.name();
        if COMPOSING.contains(&name) {
            let found = format!("the keyword {name}, which this version does not read");
            member.refuse(problems, found, "type, properties, required and items, written out in place");
        } else if !UNDERSTOOD.contains(&name) && !IGNORED.contains(&name) && !name.starts_with("x-") {
            let known = UNDERSTOOD.into_iter().chain(IGNORED);
            let expected = format!("a keyword of JSON Schema{}", did_you_mean(name, known));
            member.refuse(problems, "an unknown keyword", expected);
        }
    }
}

fn properties_of(cursor: &Cursor<'_>, depth: usize, problems: &mut Problems) -> Vec<Property> {
    let names = required_of(cursor, problems);
    let required = Index::new(names.iter().map(String::as_str));
    let mut properties: Vec<Property> = Vec::new();
    if let Some(field) = cursor.field("properties") {
        for member in field.members(problems, "an object: a schema under each name") {
            let node = schema(&member, depth, problems);
            let name = member.name().to_owned();
            properties.push(Property {
                required: required.first(&name).is_some(),
                name,
                node,
                expects: Expects::default(),
            });
        }
    }
    properties.extend(undescribed(&names, &properties));
    properties
}

/// The names that `required` lists.
fn required_of(cursor: &Cursor<'_>, problems: &mut Problems) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(field) = cursor.field("required") {
        for item in field.items(problems, "an array of names") {
            names.extend(item.text(problems, "the name of a property").map(str::to_owned));
        }
    }
    names
}

/// Names that are required and not under `properties`: clients expect them, with any value.
fn undescribed(required: &[String], properties: &[Property]) -> Vec<Property> {
    let described = Index::new(properties.iter().map(|property| property.name.as_str()));
    let names = Index::new(required.iter().map(String::as_str));
    let missing = required.iter().enumerate().filter(|(place, name)| {
        let is_first = names.first(name) == Some(*place);
        is_first && described.first(name).is_none()
    });
    missing
        .map(|(_, name)| Property {
            name: name.clone(),
            node: Contract::Any,
            expects: Expects::default(),
            required: true,
        })
        .collect()
}

/// What `type` says; nothing: any.
struct Types(Vec<&'static str>);

impl Types {
    fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Self {
        let mut types = Vec::new();
        let Some(field) = cursor.field("type") else { return Types(types) };
        match &field.node.value {
            Value::Array(items) if !items.is_empty() => {
                for item in field.items(problems, "an array of types") {
                    types.extend(read_type(&item, problems));
                }
            }
            _ => types.extend(read_type(&field, problems)),
        }
        Types(types)
    }

    fn allows(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.contains(&name)
    }

    /// Whether this is the one type, null aside.
    fn is_only(&self, name: &str) -> bool {
        self.0.contains(&name) && self.0.iter().all(|other| *other == name || *other == "null")
    }

    fn refuse(&self, field: &Cursor<'_>, needed: &str, problems: &mut Problems) -> Contract {
        let found = format!("{} beside type {}", field.name(), self.0.join(", "));
        field.refuse(problems, found, format!("type {needed} beside it, or no {}", field.name()));
        Contract::Any
    }
}

fn read_type(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<&'static str> {
    cursor.choice(problems, &TYPES.map(|name| (name, name)))
}
