//! A body with a known skeleton gives the same as alone, as a whole and as a stream.

use super::bodies::{body, revalued};
use super::plans;
use super::tape::{Tape, cases};
use super::tree::{Kind, Tree};
use healer::plan::spec::PlanSpec;
use healer::{Healer, Limits, Memo, Plan};
use healer_oracle::agree::healed;
use healer_oracle::skeleton::{bodies_like, check_all, lists};
use healer_oracle::stream::{in_list, stream};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

/// Asserts that each body gives the same as alone. How they come is read from a tape of its own: long bodies would leave
/// nothing of theirs, and then all would come alike.
fn agree(ways: &[u8], spec: &PlanSpec, bodies: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let plan = Plan::compile(spec).expect("a plan");
    let agreed = check_all(&mut Tape::new(ways), &plan, bodies);
    prop_assert!(agreed.is_ok(), "{}\nplan {}", agreed.unwrap_err(), plans::line(spec));
    Ok(())
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn what_came_before_changes_nothing(tape in Tape::any(1500), ways in Tape::any(300)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let (first, second) = (body(&mut tape, &spec), body(&mut tape, &spec));
        let mut bodies = bodies_like(&mut tape, &first);
        bodies.extend(bodies_like(&mut tape, &second));
        bodies.extend(bodies_like(&mut tape, &first));
        agree(&ways, &spec, &bodies)?;
    }

    #[test]
    fn lists_are_what_they_are_alone(tape in Tape::any(4000), ways in Tape::any(100)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let names: Vec<&str> = (0..tape.below(3)).map(|_| tape.of(&["a", "b", "c", "d", "userId", "list"])).collect();
        let bodies = lists(&mut tape, &spec, &names);
        // Rules are about the elements, or about anything, including members around the list.
        let spec = if tape.happens(1, 2) { in_list(&spec, &names) } else { spec };
        agree(&ways, &spec, &bodies)?;
    }

    #[test]
    fn elements_are_what_they_are_alone(tape in Tape::any(1500), ways in Tape::any(4)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let records = [body(&mut tape, &spec), body(&mut tape, &spec)];
        let count = 2 + tape.below(8);
        let mut elements: Vec<String> = Vec::new();
        for _ in 0..count {
            let record = &records[usize::from(tape.happens(1, 4))];
            elements.push(revalued(&mut tape, record));
        }
        let mut ways = Tape::new(&ways);
        let gap = ways.of(&["", " ", "\n  "]);
        let list = format!("[{gap}{}{gap}]", elements.join(&format!("{gap},{gap}")));
        let plan = Plan::compile(&in_list(&spec, &[])).expect("a plan");
        let (summary, whole) = healed(&mut Healer::new(), &plan, list.as_bytes()).expect("a list is JSON");
        let longest = elements.iter().map(String::len).max().unwrap_or(0);
        let limits = Limits { max_held_bytes: longest.max(8) + ways.below(60), ..Limits::default() };
        for size in [1, ways.of(&[2, 7, 63, 64, 65, 200]), list.len()] {
            let found = stream(&plan, limits, list.as_bytes().chunks(size));
            let what = || format!("in chunks of {size}: {list}\nplan {}", plans::line(&spec));
            prop_assert_eq!(found.text(), String::from_utf8_lossy(&whole), "{}", what());
            prop_assert_eq!(found.summary, healer::Summary { lacks: false, ..summary }, "{}", what());
            prop_assert_eq!(found.failure, None, "{}", what());
        }
    }
}

/// The random bodies would prove little if no body were known by its skeleton whose arrays have other lengths than
/// before.
#[test]
fn bodies_with_arrays_of_other_lengths_are_known() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut known, mut all) = (0, 0);
    for _ in 0..1000 {
        let tape = Tape::any(700).new_tree(&mut runner).expect("a tape").current();
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let first = body(&mut tape, &spec);
        let plan = Plan::compile(&spec).expect("a plan");
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let mut counts = Vec::new();
        for _ in 0..8 {
            let body = revalued(&mut tape, &first);
            let mut intake = healer.intake(Limits::default());
            intake.receive(body.as_bytes(), &plan, &mut memo);
            intake.finish();
            let Ok(summary) = healer.heal(&plan, &mut memo, &intake) else { continue };
            let Some(tree) = Tree::parse(&body) else { continue };
            let count = tree.nodes.iter().filter(|node| matches!(node.kind, Kind::Object(_))).count();
            // A body that was not read has no ops to report.
            if !counts.contains(&count) && summary.ops() > 0 && !counts.is_empty() {
                all += 1;
                known += u32::from(healer.report().is_empty());
            }
            counts.push(count);
        }
    }
    assert!(known * 10 > all && known > 60, "{known} of {all}");
}
