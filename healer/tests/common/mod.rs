//! Helpers that tests of similarity share.

use std::sync::Arc;

use healer::config::Config;
use healer::{Healer, Limits, Memo, Plan, Summary};

/// Builds the plan of a route with similarity, this contract, and more settings.
pub fn configured(contract: &str, more: &str) -> Arc<Plan> {
    let text = format!(r#"{{"routes":[{{"match":{{"prefix":"/"}},"similarity":{{}},"contract":{contract}{more}}}]}}"#);
    Config::parse(text.as_bytes()).expect("a configuration").routes.remove(0).plan
}

/// Heals a body in several ways and asserts that all give the same: read as a tape, and by a known skeleton of the body
/// or of elements, in any chunks.
pub fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> (String, Summary) {
    let mut healer = Healer::new();
    let mut once = |chunks: Option<usize>| {
        let mut intake = healer.intake(Limits::default());
        for chunk in body.as_bytes().chunks(chunks.unwrap_or(body.len()).max(1)) {
            if chunks.is_some() {
                intake.receive(chunk, plan, memo);
            } else {
                intake.push(chunk);
            }
        }
        intake.finish();
        let summary = healer.heal(plan, memo, &intake).expect("JSON");
        let output = if summary.changed { healer.output() } else { body.as_bytes() };
        let output = String::from_utf8(output.to_vec()).expect("UTF-8");
        let used: Vec<_> = memo.last_used().cloned().collect();
        if chunks.is_some() {
            healer.learn(plan, memo, &intake);
        }
        (output, summary, used)
    };
    let read = once(None);
    let again = (read.0.clone(), Summary { new_shapes: 0, ..read.1 }, read.2);
    for size in [body.len(), body.len(), 7, 50, body.len()] {
        let (output, summary, used) = once(Some(size));
        // Shapes may have been forgotten.
        let found = (output, Summary { new_shapes: 0, ..summary }, used);
        assert_eq!(found, again, "in chunks of {size}: {body}");
    }
    (read.0, read.1)
}
