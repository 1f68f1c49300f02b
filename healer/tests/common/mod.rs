//! What tests of similarity share.

use healer::config::Config;
use healer::{Healer, Limits, Memo, Plan, Summary};

/// A route with similarity, this contract, and more settings.
pub fn configured(contract: &str, more: &str) -> Plan {
    let text = format!(r#"{{"routes":[{{"match":{{"prefix":"/"}},"similarity":{{}},"contract":{contract}{more}}}]}}"#);
    Config::parse(text.as_bytes()).expect("a configuration").routes.remove(0).plan
}

/// A body as it is healed: read as a tape, and if `memo` knows its skeleton, by that. Both give the same.
pub fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> (String, Summary) {
    let mut healer = Healer::new();
    let mut once = |traces: bool| {
        let mut intake = healer.intake(Limits::default());
        if traces {
            intake.receive(body.as_bytes(), plan, memo);
        } else {
            intake.push(body.as_bytes());
        }
        intake.finish();
        let summary = healer.heal(plan, memo, &intake).expect("JSON");
        let output = if summary.changed { healer.output() } else { body.as_bytes() };
        (String::from_utf8(output.to_vec()).expect("UTF-8"), summary)
    };
    let read = once(false);
    for round in 0..2 {
        let traced = once(true);
        assert_eq!(traced, (read.0.clone(), Summary { new_shapes: 0, ..read.1 }), "in round {round}: {body}");
    }
    read
}
