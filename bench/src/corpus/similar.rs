//! Records that only similarity, or rules made for them, can heal.

use serde_json::{Value, json};

use super::words::Words;
use super::{Edit, Subject, VARIANTS, config, ops, variants};

/// Expected names and their drifted forms: other cases, synonyms, abbreviations and a typo. Similarity finds all of
/// them.
const DRIFTED: &[(&str, &str)] = &[
    ("user_id", "userId"),
    ("full_name", "fullName"),
    ("email_address", "mail_address"),
    ("phone_number", "telephone_number"),
    ("postal_code", "zip_code"),
    ("department", "dept"),
    ("language", "lang"),
    ("created_at", "createdAt"),
    ("updated_at", "updatedAt"),
    ("company_name", "companyName"),
    ("job_title", "jobTitle"),
    ("quantity", "qty"),
    ("birth_date", "birthDate"),
    ("unit_price", "unitPrice"),
    ("avatar_url", "avatarUrl"),
    ("description", "desciption"),
    ("vat_number", "vatNumber"),
    ("last_seen_at", "lastSeenAt"),
];

/// Members that match no field.
const STRANGE: &[&str] = &["mystery_field", "unrelated"];

/// The other fields. With those above there are 64.
const STEADY: &[&str] = &[
    "age", "street", "city", "floor", "country", "role", "team", "level", "score", "rank", "plan", "tier", "theme",
    "nick", "site", "iban", "count", "limit", "used", "free", "open", "due", "rate", "grade", "color", "weight",
    "zone", "room", "desk", "badge", "shift", "alt", "lat", "lng", "kind", "flag", "ratio", "votes", "stars", "link",
    "region", "branch", "active", "source", "channel", "budget",
];

/// Returns the drifted record, healed only by similarity.
pub fn known() -> Subject {
    let route = json!({"contract": record(), "similarity": {"profile": "default"}});
    Subject {
        name: "similar-64".to_owned(),
        config: config(route),
        bodies: variants(VARIANTS, body),
        ops: ops(DRIFTED.len()),
        edit: Edit { renames: renames(), ..Edit::default() },
    }
}

/// Returns the same records, healed by rules for exactly these names.
pub fn plain() -> Subject {
    let renames: Value = DRIFTED.iter().map(|(name, drifted)| ((*drifted).to_owned(), json!(name))).collect();
    let route = json!({"contract": record(), "rename": renames});
    Subject { name: "renamed-64".to_owned(), config: config(route), ..known() }
}

/// Returns how many names of a record have drifted.
pub fn drifted() -> usize {
    DRIFTED.len()
}

/// Returns how many names of a record are not in the contract.
pub fn unknown() -> usize {
    DRIFTED.len() + STRANGE.len()
}

/// Returns the contract of a record.
pub fn record() -> Value {
    let drifted = DRIFTED.iter().map(|(name, _)| *name);
    let properties: Value = drifted.chain(STEADY.iter().copied()).map(|name| (name.to_owned(), schema(name))).collect();
    json!({"type": "object", "properties": properties})
}

/// Returns the contract of a value: its format, if it has one.
fn schema(name: &str) -> Value {
    match name {
        "created_at" | "updated_at" | "last_seen_at" => json!({"type": "string", "format": "date-time"}),
        "birth_date" => json!({"type": "string", "format": "date"}),
        "avatar_url" | "link" => json!({"type": "string", "format": "uri"}),
        "email_address" => json!({"type": "string", "format": "email"}),
        _ => json!({}),
    }
}

fn renames() -> Vec<(String, String)> {
    DRIFTED.iter().map(|(name, drifted)| ((*drifted).to_owned(), (*name).to_owned())).collect()
}

/// Returns a body. The order of members mixes all three lists; order and kinds are the same in every body.
fn body(words: &mut Words) -> String {
    let drifted = DRIFTED.iter().map(|(_, drifted)| *drifted);
    let mut names: Vec<&str> = drifted.chain(STEADY.iter().copied()).chain(STRANGE.iter().copied()).collect();
    names.sort_by_key(|name| name.bytes().rev().map(u32::from).sum::<u32>() % 17);
    let members: Vec<String> = names.into_iter().map(|name| format!("\"{name}\":{}", value(name, words))).collect();
    format!("{{{}}}", members.join(","))
}

/// Returns a value of the kind that fits a name.
fn value(name: &str, words: &mut Words) -> String {
    match name {
        "createdAt" | "updatedAt" | "lastSeenAt" => format!("\"2026-11-{:02}T10:00:00Z\"", words.number() % 28 + 1),
        "birthDate" => format!("\"19{:02}-04-12\"", words.number() % 100),
        "avatarUrl" | "link" => format!("\"https://example.com/{}\"", words.number() % 100_000),
        "mail_address" => format!("\"ada{}@example.com\"", words.number() % 100_000),
        "active" | "flag" | "open" => words.number().is_multiple_of(2).to_string(),
        "unitPrice" | "ratio" | "rate" => format!("{}.25", words.number() % 1000),
        name if name.len() % 3 == 0 => (words.number() % 1_000_000).to_string(),
        _ => format!("\"{}\"", words.text()),
    }
}
