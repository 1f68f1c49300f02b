//! The schema of contracts, that is of the JSON Schemas that the reader accepts as contracts.

use healer::config::contract::{IGNORED, TYPES, UNDERSTOOD};
use healer::plan::spec::Format;
use serde_json::{Map, Value, json};

/// Returns the schema of a schema.
pub fn schema() -> Value {
    let names = UNDERSTOOD.iter().chain(&IGNORED);
    let keywords: Map<String, Value> = names.map(|name| ((*name).to_owned(), keyword(name))).collect();
    json!({
        "description": "JSON Schema (2020-12, or a schema of OpenAPI 3.0): the fields that clients expect.",
        "type": ["object", "boolean"],
        "not": {"const": false},
        "properties": keywords,
        "patternProperties": {"^x-": true},
        "additionalProperties": false,
        "dependentSchemas": {
            "properties": of_type("object"),
            "required": of_type("object"),
            "items": array_alone(),
            "prefixItems": array_alone(),
        },
    })
}

/// Returns the schema of a schema under `properties`. A member that is only written, or must not exist, is in no
/// response, so its schema is not read.
pub fn property() -> Value {
    let only_written =
        json!({"type": "object", "required": ["writeOnly"], "properties": {"writeOnly": {"const": true}}});
    json!({
        "if": {"anyOf": [only_written, {"const": false}]},
        "else": {"$ref": "#/$defs/contract"},
    })
}

fn keyword(name: &str) -> Value {
    let one = json!({"$ref": "#/$defs/contract"});
    let list = json!({"type": "array", "items": one});
    match name {
        "$ref" => {
            json!({"description": "A reference within this document, such as '#/$defs/user'.", "type": "string", "pattern": "^#"})
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => list,
        "then" | "else" => one,
        "additionalItems" | "nullable" | "writeOnly" => json!({"type": "boolean"}),
        "items" => json!({"anyOf": [one, {"const": false}]}),
        "properties" => json!({
            "description": "The members that clients expect.",
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/property"},
        }),
        "dependentSchemas" => json!({"type": "object", "additionalProperties": one}),
        "required" => json!({
            "description": "Members that are reported if a healed response still lacks them.",
            "type": "array",
            "items": {"type": "string"},
        }),
        "type" => json!({"anyOf": [types(), {"type": "array", "minItems": 1, "items": types()}]}),
        "enum" => json!({"type": "array"}),
        // The reader ignores other formats.
        "format" => json!({"anyOf": [{"enum": Format::ALL.map(|(_, name)| name)}, {"type": "string"}]}),
        "example" | "examples" => json!({"description": "Tells the format of a string where `format` does not."}),
        // Read only if a `$ref` leads to it. Editors offer the first alternative.
        "$defs" | "definitions" => {
            json!({"anyOf": [{"type": "object", "additionalProperties": one}, {"type": "object"}]})
        }
        "additionalProperties" | "patternProperties" | "unevaluatedProperties" => {
            json!({
                "description": "Members that it allows beside the expected ones stay, even with `unmapped: drop`.",
                "type": ["object", "boolean"],
            })
        }
        _ if IGNORED.contains(&name) => json!({"description": "Accepted; has no effect on healing."}),
        _ => Value::Bool(true),
    }
}

fn types() -> Value {
    json!({"enum": TYPES.map(|(name, _)| name)})
}

/// Returns a schema that accepts no `type`, this type, or a list with this type.
fn of_type(name: &str) -> Value {
    json!({"properties": {"type": {"anyOf": [{"const": name}, {"type": "array", "contains": {"const": name}}]}}})
}

/// Returns the schema of a keyword of arrays, which excludes the keywords of objects.
fn array_alone() -> Value {
    let mut schema = of_type("array");
    schema["not"] = json!({"anyOf": [{"required": ["properties"]}, {"required": ["required"]}]});
    schema
}
