//! A body of a skeleton that was seen before becomes what it becomes alone, in one piece and while it streams.

use super::bodies::{body, revalued};
use super::plans;
use super::tape::{Tape, cases};
use healer::plan::spec::PlanSpec;
use healer::{Healer, Limits, Plan};
use healer_oracle::agree::healed;
use healer_oracle::skeleton::{bodies_like, check_all, lists};
use healer_oracle::stream::{in_list, stream};
use proptest::prelude::*;

/// Whether each body becomes what it becomes alone.
fn agree(tape: &mut Tape<'_>, spec: &PlanSpec, bodies: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let plan = Plan::compile(spec).expect("a plan");
    let agreed = check_all(tape, &plan, bodies);
    prop_assert!(agreed.is_ok(), "{}\nplan {}", agreed.unwrap_err(), plans::line(spec));
    Ok(())
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn what_came_before_changes_nothing(tape in Tape::any(700)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let (first, second) = (body(&mut tape, &spec), body(&mut tape, &spec));
        let mut bodies = bodies_like(&mut tape, &first);
        bodies.extend(bodies_like(&mut tape, &second));
        bodies.extend(bodies_like(&mut tape, &first));
        agree(&mut tape, &spec, &bodies)?;
    }

    #[test]
    fn lists_are_what_they_are_alone(tape in Tape::any(4000)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let names: Vec<&str> = (0..tape.below(3)).map(|_| tape.of(&["a", "b", "c", "d", "userId", "list"])).collect();
        let bodies = lists(&mut tape, &spec, &names);
        // Rules are about the elements, or about anything: also about what is around the list.
        let spec = if tape.happens(1, 2) { in_list(&spec, &names) } else { spec };
        agree(&mut tape, &spec, &bodies)?;
    }

    #[test]
    fn elements_are_what_they_are_alone(tape in Tape::any(700)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let records = [body(&mut tape, &spec), body(&mut tape, &spec)];
        let count = 2 + tape.below(8);
        let mut elements: Vec<String> = Vec::new();
        for _ in 0..count {
            let record = &records[usize::from(tape.happens(1, 4))];
            elements.push(revalued(&mut tape, record));
        }
        let gap = tape.of(&["", " ", "\n  "]);
        let list = format!("[{gap}{}{gap}]", elements.join(&format!("{gap},{gap}")));
        let plan = Plan::compile(&in_list(&spec, &[])).expect("a plan");
        let (summary, whole) = healed(&mut Healer::new(), &plan, list.as_bytes()).expect("a list is JSON");
        let longest = elements.iter().map(String::len).max().unwrap_or(0);
        let limits = Limits { max_held_bytes: longest.max(8) + tape.below(60), ..Limits::default() };
        for size in [1, tape.of(&[2, 7, 63, 64, 65, 200]), list.len()] {
            let found = stream(&plan, limits, list.as_bytes().chunks(size));
            let what = || format!("in chunks of {size}: {list}\nplan {}", plans::line(&spec));
            prop_assert_eq!(found.text(), String::from_utf8_lossy(&whole), "{}", what());
            prop_assert_eq!(found.summary, healer::Summary { lacks: false, ..summary }, "{}", what());
            prop_assert_eq!(found.failure, None, "{}", what());
        }
    }
}
