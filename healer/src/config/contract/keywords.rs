//! The keywords that a schema may have.

use super::super::cursor::{Cursor, Problems};
use super::super::node::Value;
use super::super::suggest::did_you_mean;
use super::values::kinds_of;
use crate::plan::spec::{Kind, Kinds};

/// Keywords that are read.
pub const UNDERSTOOD: [&str; 25] = [
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "dependentSchemas",
    "description",
    "else",
    "enum",
    "example",
    "examples",
    "format",
    "items",
    "nullable",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedProperties",
    "writeOnly",
];

/// Keywords of JSON Schema 2020-12 and OpenAPI 3 that do not say which names stand where. The exception is
/// `discriminator`, which is read in foreign documents.
pub const IGNORED: [&str; 38] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$schema",
    "$vocabulary",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependentRequired",
    "deprecated",
    "discriminator",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "if",
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
    "not",
    "pattern",
    "propertyNames",
    "readOnly",
    "unevaluatedItems",
    "uniqueItems",
    "xml",
];

/// Keywords that refer to schemas in ways that are not supported.
const NOT_READ: [&str; 2] = ["$dynamicRef", "additionalItems"];

/// Keywords with values of some kinds only, and what these are. Those not listed are checked where they are read.
const OF_KIND: [(&[&str], Kinds, &str); 4] = [
    (&["nullable", "writeOnly"], Kinds::of(Kind::Boolean), "true or false"),
    (&["format"], Kinds::of(Kind::String), "the name of a format, such as date"),
    (&["$defs", "definitions"], Kinds::of(Kind::Object), "an object: a schema under each name"),
    (
        &["additionalProperties", "patternProperties", "unevaluatedProperties"],
        Kinds::of(Kind::Object).with(Kinds::of(Kind::Boolean)),
        "a schema, true or false",
    ),
];

/// Refuses keywords that would be misread silently. In a foreign document, unknown keywords are extensions, and values of
/// the wrong kind say nothing.
pub(super) fn refuse_unknown(cursor: &Cursor<'_>, is_foreign: bool, problems: &mut Problems) {
    for member in cursor.members(problems, super::A_SCHEMA) {
        let name = member.name();
        // As a flag it says nothing about the content of elements.
        let is_flag = name == "additionalItems" && matches!(member.node.value, Value::Bool(_));
        if NOT_READ.contains(&name) && !is_flag {
            let found = format!("the keyword {name}, which is not followed");
            member.refuse(problems, found, "a schema written out in place, or behind a $ref");
        } else if !is_foreign && !UNDERSTOOD.contains(&name) && !IGNORED.contains(&name) && !name.starts_with("x-") {
            let known = UNDERSTOOD.into_iter().chain(IGNORED);
            let expected = format!("a keyword of JSON Schema 2020-12{}", did_you_mean(name, known));
            member.refuse(problems, "an unknown keyword", expected);
        } else if !is_foreign {
            refuse_other_kinds(&member, problems);
        }
    }
}

/// Refuses values that would count as if the keyword were not there, or was `true`.
fn refuse_other_kinds(keyword: &Cursor<'_>, problems: &mut Problems) {
    let row = OF_KIND.iter().find(|(names, ..)| names.contains(&keyword.name()));
    if let Some((_, kinds, expected)) = row
        && kinds_of(keyword.node).and(*kinds) == Kinds::NONE
    {
        keyword.expected(problems, expected);
    }
}
