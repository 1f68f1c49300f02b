//! Negatives without labels: two members beside each other in one record are two things.
//!
//! The body is described as its own contract. Then one of its members is missing, and another one is the only member
//! that the contract does not know. That one is tempting, but taking it for the missing member is wrong, whatever the
//! two names are.

use healer::plan::spec::PlanSpec;
use healer::similarity::Settings;
use healer::{Healer, Limits, Memo, Plan};
use serde_json::{Map, Value, json};

use crate::corpus::Api;
use crate::schema;

/// Returns the number of pairs of values tried, and a line for each where something was wrongly taken.
///
/// # Panics
/// If the engine refuses a contract or a body.
pub fn taken_for_another(api: &Api, settings: Settings) -> (usize, Vec<String>) {
    taken(api, settings, leaves)
}

/// The same for objects and lists of objects. They are tempting if they have the same members.
///
/// # Panics
/// If the engine refuses a contract or a body.
pub fn object_taken_for_another(api: &Api, settings: Settings) -> (usize, Vec<String>) {
    taken(api, settings, objects)
}

fn taken(api: &Api, settings: Settings, members: fn(&Value) -> Vec<Vec<String>>) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    let mut healer = Healer::new();
    for case in api.cases.iter().filter(|case| case.body.is_object()) {
        let members = members(&case.body);
        for unlisted in &members {
            let contract = schema::contract(&described(&without(&case.body, unlisted))).expect("a contract");
            let spec = PlanSpec { contract: Some(contract), similarity: Some(settings), ..PlanSpec::default() };
            let plan = Plan::compile(&spec).expect("a plan");
            for missing in
                members.iter().filter(|missing| !missing.starts_with(unlisted) && !unlisted.starts_with(missing))
            {
                tried += 1;
                let body = without(&case.body, missing).to_string();
                let mut intake = healer.intake(Limits::default());
                intake.push(body.as_bytes());
                let matching = healer.matching(&plan, &mut Memo::new(&plan), &intake).expect("JSON");
                healer.recycle(intake);
                if let Some(pair) = matching.matches.first() {
                    wrong.push(format!("{}: {} ~ {} ({:.3})", api.file, pair.expected, pair.found, pair.score));
                }
            }
        }
    }
    (tried, wrong)
}

/// Returns the paths of all objects and of all lists of objects, through objects alone.
fn objects(value: &Value) -> Vec<Vec<String>> {
    let Value::Object(members) = value else { return Vec::new() };
    let is_one = |value: &Value| value.is_object() || value.get(0).is_some_and(Value::is_object);
    let mut paths = Vec::new();
    for (name, value) in members {
        if is_one(value) {
            paths.push(vec![name.clone()]);
        }
        paths.extend(objects(value).into_iter().map(|path| [vec![name.clone()], path].concat()));
    }
    paths
}

/// Returns the paths of all values that are no objects, through objects alone.
pub(crate) fn leaves(value: &Value) -> Vec<Vec<String>> {
    let Value::Object(members) = value else { return vec![Vec::new()] };
    let inside = members
        .iter()
        .flat_map(|(name, value)| leaves(value).into_iter().map(move |path| [vec![name.clone()], path].concat()));
    inside.collect()
}

pub(crate) fn without(value: &Value, path: &[String]) -> Value {
    let mut value = value.clone();
    let (Some((last, above)), mut at) = (path.split_last(), &mut value) else { return value };
    for name in above {
        at = &mut at[name];
    }
    if let Value::Object(members) = at {
        members.shift_remove(last);
    }
    value
}

/// Returns a schema with the kinds of the values.
pub(crate) fn described(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let properties: Map<_, _> = members.iter().map(|(name, value)| (name.clone(), described(value))).collect();
            json!({"type": "object", "properties": properties})
        }
        Value::Array(items) => {
            items.first().map_or(json!({"type": "array"}), |first| json!({"type": "array", "items": described(first)}))
        }
        Value::String(_) => json!({"type": "string"}),
        Value::Number(number) if number.is_i64() || number.is_u64() => json!({"type": "integer"}),
        Value::Number(_) => json!({"type": "number"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Null => json!({}),
    }
}
