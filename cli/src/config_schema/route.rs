//! The schema of a route.

use healer::config::vocabulary::{MATCH, MAX_NAME_BYTES, PROFILES, ROUTE, SIMILARITY, UNMAPPED};
use healer::similarity::{MAX_UNKNOWN, Settings};
use nomos_rules::PACKS;
use serde_json::{Value, json};

use super::{field, pattern};

/// Returns the schema of an entry of `routes`.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": field::all(&ROUTE, property),
        "additionalProperties": false,
        "required": ["match"],
        "if": {"properties": {"similarity": {"type": "object"}}, "required": ["similarity"]},
        "then": {"required": ["contract"]},
    })
}

fn property(name: &str) -> Option<Value> {
    Some(match name {
        "name" => json!({
            "description": "Name in metrics, access logs and reports. Default: route- and the index.",
            "type": "string",
            // Counted in characters; the reader counts bytes.
            "maxLength": MAX_NAME_BYTES,
            "pattern": pattern::NAME,
        }),
        "match" => matcher(),
        "mode" => without_default(field::mode("For this route. Default: the setting of the whole configuration.")),
        "sample" => without_default(field::sample("For this route. Default: the setting of the whole configuration.")),
        "contract" => json!({"$ref": "#/$defs/contract"}),
        "packs" => packs(),
        "rename" => json!({
            "description": "drifted name: expected name, in the same object.",
            "type": "object",
            "propertyNames": {"minLength": 1},
            "additionalProperties": {"type": "string", "minLength": 1},
        }),
        "move" => json!({
            "description": "drifted path: expected path. Dotted, [] for each element, \"in quotes\" for a dot in a name.",
            "type": "object",
            "propertyNames": {"pattern": pattern::member_path()},
            "additionalProperties": {"type": "string", "pattern": pattern::member_path()},
        }),
        "similarity" => similarity(),
        "unmapped" => json!({
            "description": "What happens to members that neither the contract nor a rule knows.",
            "default": UNMAPPED[0].0,
            "enum": field::words(&UNMAPPED),
        }),
        _ => return None,
    })
}

fn matcher() -> Value {
    json!({
        "description": "The requests and responses that this route takes. Exactly one of path, prefix and template.",
        "type": "object",
        "properties": field::all(&MATCH, condition),
        "additionalProperties": false,
        "oneOf": [{"required": ["path"]}, {"required": ["prefix"]}, {"required": ["template"]}],
    })
}

fn condition(name: &str) -> Option<Value> {
    let list = |description: &str, items: &Value| json!({"description": description, "type": "array", "minItems": 1, "uniqueItems": true, "items": items});
    let text =
        |description: &str, pattern: &str| json!({"description": description, "type": "string", "pattern": pattern});
    Some(match name {
        "path" => text("This path only, without query.", &pattern::request_path()),
        "prefix" => text("Every path that begins with this text; / is every path.", &pattern::request_path()),
        "template" => text("/users/{id}/orders: each {name} is one segment.", &pattern::template()),
        "methods" => list(
            "Methods of requests. Default: any.",
            &json!({"type": "string", "pattern": pattern::METHOD, "examples": ["GET"]}),
        ),
        "status" => list(
            "Statuses and classes of responses, such as [2xx, 404]. Default: any.",
            &json!({
                "type": ["string", "integer"],
                "pattern": pattern::STATUS,
                "minimum": 200,
                "maximum": 599,
                "not": {"enum": [204, 205, 206, 226, 304]},
                "examples": ["2xx", "4xx"],
            }),
        ),
        "content_types" => list(
            "Media types of responses, without parameters. Default: any JSON type.",
            &json!({
                "type": "string",
                "pattern": pattern::MEDIA_TYPE,
                "not": {"pattern": pattern::framed()},
                "examples": ["application/json"],
            }),
        ),
        _ => return None,
    })
}

fn packs() -> Value {
    let names: Vec<&str> = PACKS.iter().map(|pack| pack.name).chain(["all"]).collect();
    json!({
        "description": "Rules that come with Nomos. Earlier packs win over later ones; [all] for every pack.",
        "type": "array",
        "uniqueItems": true,
        "items": {"enum": names},
        "anyOf": [{"maxItems": 1}, {"not": {"contains": {"const": "all"}}}],
    })
}

fn similarity() -> Value {
    json!({
        "description": "off, or how to find drift that no rule declares. Needs a contract.",
        "default": "off",
        "anyOf": [
            {"enum": ["off", false]},
            {"type": "object", "properties": field::all(&SIMILARITY, how), "additionalProperties": false},
        ],
    })
}

fn how(name: &str) -> Option<Value> {
    let Settings { threshold, margin, max_unknown, .. } = Settings::default();
    Some(match name {
        "profile" => json!({
            "description": "How names are scored.", "default": PROFILES[0].0, "enum": field::words(&PROFILES),
        }),
        "threshold" => field::share(threshold, "The lowest score that counts as a match."),
        "margin" => field::share(margin, "The least lead of the best score over the second best."),
        "max_unknown" => field::whole(
            1,
            MAX_UNKNOWN as usize,
            max_unknown as usize,
            "Most unknown names that are scored per response.",
        ),
        _ => return None,
    })
}

/// Removes the default: a route without the field takes the value of the whole configuration.
fn without_default(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("default");
    }
    schema
}
