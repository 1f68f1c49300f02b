//! The members that the engine reports as missing are those that a reader of the healed body misses.

use super::bodies;
use super::plans;
use super::tape::{Tape, cases};
use super::tree::{Id, Kind, Tree};
use healer::plan::spec::{Contract, PlanSpec};
use healer::{Healer, Limits, Memo, Plan};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Collects the paths of required members that are missing from objects at the places of the contract.
fn missed(contract: &Contract, tree: &Tree<'_>, id: Id, at: &str, found: &mut BTreeSet<String>) {
    match (contract, &tree.nodes[id].kind) {
        (Contract::Object { properties, .. }, Kind::Object(members)) => {
            for property in properties {
                // Node 0 is the body itself, which has no name.
                let at = if id == 0 { property.name.clone() } else { format!("{at}.{}", property.name) };
                let mut values =
                    members.iter().filter(|member| member.name.as_ref() == Some(&property.name)).peekable();
                if property.required && values.peek().is_none() {
                    found.insert(at.clone());
                }
                values.for_each(|member| missed(&property.node, tree, member.value, &at, found));
            }
        }
        (Contract::Array { items }, Kind::Array(elements)) => {
            for element in elements {
                missed(items, tree, *element, &format!("{at}[]"), found);
            }
        }
        _ => (),
    }
}

/// Returns the reported paths, and those that are really missing from the output.
fn told_and_true(spec: &PlanSpec, body: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let plan = Plan::compile(spec).expect("a plan");
    let mut healer = Healer::new();
    let mut intake = healer.intake(Limits::default());
    intake.push(body.as_bytes());
    intake.finish();
    let summary = healer.heal(&plan, &mut Memo::new(&plan), &intake).expect("JSON");
    let output = if summary.changed { std::str::from_utf8(healer.output()).expect("UTF-8") } else { body };
    let mut found = BTreeSet::new();
    if let Some(contract) = &spec.contract {
        missed(contract, &Tree::parse(output).expect("JSON"), 0, "", &mut found);
    }
    let numbers = if summary.lacks { healer.missing(&plan, &intake) } else { Vec::new() };
    assert!(numbers.is_sorted());
    (numbers.into_iter().map(|number| plan.required()[number].clone()).collect(), found)
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn what_is_told_is_true(tape in Tape::any(400)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        let (told, found) = told_and_true(&spec, &body);
        prop_assert_eq!(told, found, "body {}\nplan {}", body, plans::line(&spec));
    }
}
