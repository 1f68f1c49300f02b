//! The contracts of this API, as JSON Schema.

use crate::user;
use serde_json::{Map, Value, json};

/// Returns the contract of `/api/user`.
pub fn user() -> Value {
    let fields = user::fields(0);
    let properties: Map<String, Value> = fields.iter().map(|(name, _)| ((*name).to_owned(), property(name))).collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// Returns the contract of `/api/users`.
pub fn users() -> Value {
    json!({
        "type": "object",
        "properties": {
            "users": {"type": "array", "items": user()},
            "total": {"type": "integer"},
            "page": {"type": "integer"},
        },
        "required": ["users", "total", "page"],
    })
}

fn property(name: &str) -> Value {
    match name {
        "user_id" => json!({"type": "integer"}),
        "email_address" => json!({"type": "string", "format": "email"}),
        "date_of_birth" => json!({"type": "string", "format": "date"}),
        "created_at" | "last_login" => json!({"type": "string", "format": "date-time"}),
        _ => json!({"type": "string"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, user_body};

    #[test]
    fn the_contract_describes_the_healthy_user() {
        let contract = user();
        let properties = contract["properties"].as_object().expect("properties");
        let body: Value = serde_json::from_str(&user_body(Mode::Healthy)).expect("JSON");
        let body = body.as_object().expect("an object");
        assert!(properties.keys().eq(body.keys()));
        for (name, value) in body {
            let expected = if value.is_u64() { "integer" } else { "string" };
            assert_eq!(properties[name]["type"], expected, "{name}");
        }
        assert_eq!(contract["required"].as_array().map(Vec::len), Some(21));
    }
}
