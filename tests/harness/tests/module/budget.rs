use nomos_harness::budget::{self, Finding};

use super::module;

/// The cost of responses must not change. A change that makes them more expensive on purpose updates the budget.
#[test]
fn responses_stay_within_their_budget() {
    let costs = budget::measure(module()).expect("a count");
    let budgets = budget::read().expect("a budget");
    println!("{}", budget::table(&costs, &budgets));
    let findings = budget::compare(&costs, &budgets);
    for finding in &findings {
        println!("{finding:?}");
    }
    let over: Vec<_> = findings.iter().filter(|finding| matches!(finding, Finding::Over(_))).collect();
    assert!(over.is_empty(), "{over:#?}");
}

/// Counts must be repeatable, or they could not be compared with a budget.
#[test]
fn counts_are_exact() {
    assert_eq!(budget::measure(module()), budget::measure(module()));
}
