//! Schemas of fields, by the type of their value.

use healer::config::vocabulary::{BOUNDS, MODES, RESPONSE_HEADERS};
use serde_json::{Map, Value, json};

use super::pattern;

/// Returns the schemas of all these fields.
pub fn all(names: &[&str], schema: impl Fn(&str) -> Option<Value>) -> Value {
    let fields = names.iter().filter_map(|name| Some(((*name).to_owned(), schema(name)?)));
    Value::Object(fields.collect::<Map<String, Value>>())
}

/// Returns the schema of `mode`.
pub fn mode(description: &str) -> Value {
    json!({"description": description, "default": MODES[0].0, "enum": words(&MODES)})
}

/// Returns the schema of `sample`.
pub fn sample(description: &str) -> Value {
    number(&json!({"description": description, "default": 100, "minimum": 0, "maximum": 100}), "number")
}

/// Returns the schema of `response_headers`.
pub fn response_headers(description: &str) -> Value {
    json!({"description": description, "default": RESPONSE_HEADERS[0].0, "enum": words(&RESPONSE_HEADERS)})
}

/// Returns the schema of a boolean.
pub fn flag(description: &str, default: bool) -> Value {
    json!({"description": description, "default": default, "type": "boolean"})
}

/// Returns the schema of a setting that is a whole number.
pub fn bound(name: &str, default: usize, description: &str) -> Value {
    let bounds = BOUNDS.iter().find(|bound| bound.name == name).map(|bound| (bound.least, bound.most));
    let (least, most) = bounds.unwrap_or_default();
    whole(least, most, default, description)
}

/// Returns the schema of a whole number.
pub fn whole(least: usize, most: usize, default: usize, description: &str) -> Value {
    let known = json!({"description": description, "default": default, "minimum": least, "maximum": most});
    number(&known, "integer")
}

/// Returns the schema of a number from 0 to 1.
pub fn share(default: f32, description: &str) -> Value {
    // Converted through text: 0.85 as an f32 is not quite 0.85 as an f64.
    let default: Value = default.to_string().parse::<f64>().map_or(Value::Null, Value::from);
    number(&json!({"description": description, "default": default, "minimum": 0, "maximum": 1}), "number")
}

/// Returns the words of a choice. If one of them is `off`, `false` is added, because YAML 1.1 reads `off` as `false`.
pub fn words<T>(choices: &[(&str, T)]) -> Vec<Value> {
    let words = choices.iter().map(|(word, _)| Value::from(*word));
    let has_off = choices.iter().any(|(word, _)| *word == "off");
    words.chain(has_off.then_some(Value::Bool(false))).collect()
}

/// Returns the schema of a number, which may be in quotes: Envoy hands fractions and large numbers over that way.
/// `minimum` and `maximum` do not apply to texts, nor `pattern` to numbers.
fn number(known: &Value, kind: &str) -> Value {
    let mut schema = known.clone();
    schema["type"] = json!([kind, "string"]);
    schema["pattern"] = Value::from(pattern::NUMBER);
    schema
}
