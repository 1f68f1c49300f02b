//! No input makes the engine panic, and it leaves alone what it cannot heal.

use super::bodies;
use super::json;
use super::plans;
use super::tape::{Tape, cases};
use healer::{Healer, Plan};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn arbitrary_bytes(body in proptest::collection::vec(any::<u8>(), 0..300), tape in Tape::any(60)) {
        let plan = Plan::compile(&plans::plan(&mut Tape::new(&tape))).expect("a plan");
        let _ = Healer::new().heal_bytes(&plan, &body);
    }

    #[test]
    fn mutated_bodies(tape in Tape::any(200)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let mut body = bodies::body(&mut tape, &spec).into_bytes();
        json::mutate(&mut tape, &mut body);
        let plan = Plan::compile(&spec).expect("a plan");
        let mut healer = Healer::new();
        match healer.heal_bytes(&plan, &body) {
            Ok(summary) if summary.changed => {
                let output = std::str::from_utf8(healer.output()).expect("UTF-8");
                prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(output).is_ok(), "{}", output);
            }
            Ok(_) => {}
            Err(failure) => prop_assert!(failure.offset <= body.len()),
        }
        for op in healer.report() {
            let _ = format!("{op:?}");
        }
    }
}

#[test]
fn bodies_that_are_large_in_one_way() {
    let plan = Plan::compile(&plans::plan(&mut Tape::new(&[255; 99]))).expect("a plan");
    let key = format!("{{\"{}\":1}}", "k".repeat(900_000));
    let keys: Vec<String> = (0..80_000).map(|i| format!("\"{i}\":1")).collect();
    let duplicates = ",\"a\":1".repeat(100_000);
    let bodies = [
        key,
        format!("{{{}}}", keys.join(",")),
        format!("{{{}}}", &duplicates[1..]),
        format!("[{}1]", "{},".repeat(200_000)),
        "[".repeat(1_000_000),
        "\"".repeat(999_999),
        "\\".repeat(1_000_000),
        format!("[\"{}\"]", "\\\\".repeat(400_000)),
    ];
    for body in bodies {
        let _ = Healer::new().heal_bytes(&plan, body.as_bytes());
    }
}
