//! Any configuration either is refused with a sentence, or works.

use healer::config::Config;
use healer::{Healer, Plan};
use nomos_filter::configuration::as_json;

/// Bodies with the names that the seeds use.
const BODIES: [&str; 4] = [
    r#"{"mail":"a@b.c","userId":1,"data":{"user":{"id":"x","tags":[{"a":1},{"b":2}]}},"n":1.50}"#,
    r#"[{"mail":1,"a":{"b":{"c":[1,{"mail":null}]}}},{"mail":2,"created_at":"2020-01-01T00:00:00Z"}]"#,
    r#"{"users":[{"id":1,"mail":"x"},{"id":2,"email":"y"}],"total":2}"#,
    "[]",
];

pub fn run(data: &[u8]) {
    match Config::parse(&as_json(data)) {
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && text.len() < 10_000 + 4 * data.len(), "{text}");
        }
        Ok(config) => {
            for route in &config.routes {
                BODIES.iter().for_each(|body| works(&route.plan, body));
            }
            let _ = config.route(b"GET", b"/api/user?x=y");
        }
    }
}

/// Asserts that JSON stays JSON, and that healing the body again gives the same result.
fn works(plan: &Plan, body: &str) {
    let mut healer = Healer::new();
    let summary = healer.heal_bytes(plan, body.as_bytes()).expect("a body that may be healed");
    let output = if summary.changed { healer.output().to_vec() } else { body.as_bytes().to_vec() };
    let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(&output);
    assert!(parsed.is_ok(), "{parsed:?}: {}", String::from_utf8_lossy(&output));
    assert_eq!(healer.heal_bytes(plan, body.as_bytes()), Ok(summary));
    assert!(!summary.changed || healer.output() == output, "healed in two ways: {body}");
}
