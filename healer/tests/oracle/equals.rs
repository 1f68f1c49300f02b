//! The engine and the oracle agree on what fires and on the output, with every other byte unchanged.

use super::bodies;
use super::heal;
use super::plans;
use super::tape::{Tape, cases};
use super::tree::Tree;
use healer::{Healer, Plan};
pub use healer_oracle::agree::{check, healed, invariants};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn engine_and_oracle_agree(tape in Tape::any(400)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        let agreed = check(&spec, &body);
        prop_assert!(agreed.is_ok(), "{}\nbody {body}\nplan {}", agreed.unwrap_err(), plans::line(&spec));
    }

    #[test]
    fn the_oracle_loses_nothing(tape in Tape::any(400)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        let input = Tree::parse(&body).expect("a body is JSON");
        if let Some(healed) = heal::heal(&spec, &input) {
            let text = healed.expected.text();
            let output = Tree::parse(&text).expect("the oracle writes JSON");
            let found = invariants(&spec, &input, &output);
            prop_assert!(found.is_ok(), "{}\nbody {body}\noutput {text}\nplan {}", found.unwrap_err(), plans::line(&spec));
        }
    }

    #[test]
    fn a_body_without_drift_stays(tape in Tape::any(400)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        let input = Tree::parse(&body).expect("a body is JSON");
        if let Some(heal::Healed { expected: heal::Expected::Text(_), .. }) = heal::heal(&spec, &input) {
            let plan = Plan::compile(&spec).expect("a plan");
            let mut healer = Healer::new();
            let (summary, bytes) = healed(&mut healer, &plan, body.as_bytes()).expect("a body is JSON");
            prop_assert!(!summary.changed);
            prop_assert_eq!(bytes, body.into_bytes());
        }
    }

    #[test]
    fn what_was_healed_before_leaves_no_trace(tapes in proptest::collection::vec(Tape::any(300), 1..6)) {
        let mut used = Healer::new();
        for tape in &tapes {
            let mut tape = Tape::new(tape);
            let spec = plans::plan(&mut tape);
            let mut body = bodies::body(&mut tape, &spec);
            body.truncate(body.len() - usize::from(tape.happens(1, 4)));
            let plan = Plan::compile(&spec).expect("a plan");
            prop_assert_eq!(
                healed(&mut used, &plan, body.as_bytes()),
                healed(&mut Healer::new(), &plan, body.as_bytes())
            );
        }
    }
}

/// The random plans and bodies would prove little if rules seldom matched the bodies.
#[test]
fn plans_and_bodies_meet() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut met = [0; 7];
    for _ in 0..2000 {
        let tape = Tape::any(400).new_tree(&mut runner).expect("a tape").current();
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        let input = Tree::parse(&body).expect("a body is JSON");
        let Some(healed) = heal::heal(&spec, &input) else { continue };
        met[0] += 1;
        let with_contract = u32::from(spec.contract.is_some());
        let ops = [1, healed.renames, healed.moves, healed.dropped, healed.renames * healed.moves];
        for (count, ops) in met[1..].iter_mut().zip(&ops[1..]) {
            *count += u32::from(*ops > 0);
        }
        met[5] += u32::from(healed.renames > 0) * with_contract;
        met[6] += u32::from(healed.moves > 0) * with_contract;
    }
    assert!(met.iter().all(|&count| count >= 60), "{met:?}");
}
