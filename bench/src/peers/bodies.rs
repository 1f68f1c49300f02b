//! The bodies that peers get, and those that clients expect.

use drifting_upstream::{Mode, drift, user};
use serde_json::Value;

/// The number of variants of the timed body: enough that a branch predictor does not learn all of them.
const VARIANTS: usize = 16;

/// The tolerated relative difference of numbers: the weakest peer prints 14 digits. The fidelity table shows that it
/// changes numbers; here the tolerance lets it be timed anyway.
const DIGITS: f64 = 1e-12;

/// Fields beside the drifting ones that no rule names, so that the body has 1 KB.
const OTHERS: [(&str, &str); 11] = [
    ("plan", r#""team-annual""#),
    ("tier", r#""gold""#),
    ("theme", r#""high-contrast-dark""#),
    ("locale", r#""en-US""#),
    ("verified", "true"),
    ("visits", "1289"),
    ("rating", "4.25"),
    ("referrer", r#""https://www.example.com/campaigns/autumn?source=newsletter&medium=email""#),
    ("team", r#""Data Platform and Tooling""#),
    ("desk", r#""B4-117""#),
    ("terms", r#""Net 30, purchase order required; dispatch on weekdays before noon""#),
];

/// A body that the upstream sends, and the body that clients expect.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The body with the upstream's second version of the names.
    pub drifted: String,
    /// The body with the names that clients know.
    pub healed: String,
}

/// Returns the flat records of 1 KB that are timed.
pub fn records() -> Vec<Pair> {
    (0..VARIANTS).map(|number| pair(number, &[])).collect()
}

/// Returns a record with a history, of about this many bytes.
pub fn large(bytes: usize) -> Pair {
    const ENTRY: &str =
        r#"{"at":"2026-11-20T08:42:07.120Z","action":"document.update","address":"203.0.113.7","pages":17,"ok":true}"#;
    let entries = vec![ENTRY; bytes / ENTRY.len()];
    pair(0, &[("history", format!("[{}]", entries.join(",")))])
}

/// Returns whether a body is the healed one, in any order of fields and spelling of numbers.
pub fn is_healed(body: &[u8], expected: &str) -> bool {
    let values = (serde_json::from_slice::<Value>(body), serde_json::from_str::<Value>(expected));
    matches!(values, (Ok(found), Ok(expected)) if alike(&found, &expected))
}

fn pair(number: usize, more: &[(&'static str, String)]) -> Pair {
    let others = OTHERS.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let fields: Vec<(&'static str, String)> =
        user::fields(number).into_iter().chain(others).chain(more.iter().cloned()).collect();
    Pair { drifted: object(&fields, drifted), healed: object(&fields, |name| name) }
}

fn object(fields: &[(&'static str, String)], name: fn(&'static str) -> &'static str) -> String {
    let members: Vec<String> = fields.iter().map(|(field, value)| format!("\"{}\":{value}", name(field))).collect();
    format!("{{{}}}", members.join(","))
}

fn drifted(name: &'static str) -> &'static str {
    drift(Mode::V2).iter().find(|(expected, _)| *expected == name).map_or(name, |(_, drifted)| drifted)
}

fn alike(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(name, value)| a.get(name).is_some_and(|own| alike(own, value)))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= b.abs() * DIGITS,
            _ => false,
        },
        _ => found == expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_a_kilobyte_and_thirteen_drifted_names() {
        for pair in records() {
            assert!((950..=1_100).contains(&pair.drifted.len()), "{} bytes", pair.drifted.len());
            let (drifted, healed): (Value, Value) =
                (pair.drifted.parse().expect("JSON"), pair.healed.parse().expect("JSON"));
            let names = drifted.as_object().expect("an object").keys();
            assert_eq!(names.filter(|name| healed.get(*name).is_none()).count(), 13);
            assert!(is_healed(pair.healed.as_bytes(), &pair.healed));
            assert!(!is_healed(pair.drifted.as_bytes(), &pair.healed));
        }
    }

    #[test]
    fn numbers_may_lose_digits_but_nothing_else_may_change() {
        let expected = r#"{"n":1183452904732131329,"a":[1]}"#;
        assert!(is_healed(br#"{"a":[1.0],"n":1.1834529047321e18}"#, expected));
        for other in [r#"{"n":1.18e18,"a":[1]}"#, r#"{"n":1183452904732131329}"#, r#"{"n":1183452904732131329,"a":{}}"#]
        {
            assert!(!is_healed(other.as_bytes(), expected), "{other}");
        }
    }

    #[test]
    fn large_bodies_are_as_large_as_asked() {
        let pair = large(2 << 20);
        assert!((2 << 20..(2 << 20) + 60_000).contains(&pair.drifted.len()), "{} bytes", pair.drifted.len());
    }
}
