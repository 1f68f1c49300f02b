//! Finds members in JSON documents such as Envoy's configuration dump.

use serde_json::Value;

/// Returns the values of all members with this name, at any depth.
pub fn members<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    match value {
        Value::Object(all) => all.get(name).into_iter().chain(all.values().flat_map(|v| members(v, name))).collect(),
        Value::Array(items) => items.iter().flat_map(|item| members(item, name)).collect(),
        _ => Vec::new(),
    }
}
