//! JSON Schema to the engine's properties, for the keywords that the corpus uses.

use healer::plan::spec::{Contract, Expects, Format, Kind, Kinds, Property};
use serde_json::Value;

/// What a schema describes.
pub fn contract(schema: &Value) -> Contract {
    if let Some(properties) = schema["properties"].as_object() {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let property = |(name, schema): (&String, &Value)| Property {
            name: name.clone(),
            node: contract(schema),
            expects: expects(schema),
            required: required.contains(&name.as_str()),
        };
        return Contract::Object { properties: properties.iter().map(property).collect() };
    }
    if schema["items"].is_object() {
        return Contract::Array { items: Box::new(contract(&schema["items"])) };
    }
    match schema["type"].as_str() {
        Some("object") => Contract::Object { properties: Vec::new() },
        Some("array") => Contract::Array { items: Box::new(Contract::Any) },
        _ => Contract::Any,
    }
}

fn expects(schema: &Value) -> Expects {
    let strings = |values: &Value| {
        values.as_array().map(|all| all.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect())
    };
    Expects {
        kinds: kinds(&schema["type"]),
        items: kinds(&schema["items"]["type"]),
        format: schema["format"].as_str().and_then(format),
        values: strings(&schema["enum"]).unwrap_or_default(),
        description: schema["description"].as_str().map(str::to_owned),
    }
}

fn kinds(types: &Value) -> Kinds {
    let names: Vec<&str> = match types {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return Kinds::ANY,
    };
    names.into_iter().fold(Kinds::NONE, |kinds, name| {
        kinds.with(match name {
            "null" => Kinds::of(Kind::Null),
            "boolean" => Kinds::of(Kind::Boolean),
            "integer" => Kinds::of(Kind::Integer),
            "number" => Kinds::of(Kind::Integer).with(Kinds::of(Kind::Number)),
            "string" => Kinds::of(Kind::String),
            "object" => Kinds::of(Kind::Object),
            "array" => Kinds::of(Kind::Array),
            _ => Kinds::ANY,
        })
    })
}

fn format(name: &str) -> Option<Format> {
    Some(match name {
        "date-time" => Format::DateTime,
        "date" => Format::Date,
        "time" => Format::Time,
        "email" => Format::Email,
        "uuid" => Format::Uuid,
        "uri" | "url" => Format::Uri,
        "ipv4" | "ipv6" | "ip" => Format::Ip,
        "decimal" => Format::Decimal,
        _ => return None,
    })
}
