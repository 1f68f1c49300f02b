//! The engine and the oracle agree: what fires, what comes out, and that every other byte stays.

use super::bodies;
use super::compare;
use super::heal;
use super::names::has;
use super::plans;
use super::tape::{Tape, cases};
use super::tree::{Kind, Member, Node, Tree};
use healer::plan::spec::{PlanSpec, Unmapped};
use healer::{Healer, Plan, Summary};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

/// A healed body, or the body where nothing changed.
pub fn healed(healer: &mut Healer, plan: &Plan, body: &[u8]) -> Result<(Summary, Vec<u8>), healer::Failure> {
    let summary = healer.heal_bytes(plan, body)?;
    let bytes = if summary.changed { healer.output().to_vec() } else { body.to_vec() };
    Ok((summary, bytes))
}

/// Heals `body` with the engine and the oracle; the error says where they differ.
pub fn check(spec: &PlanSpec, body: &str) -> Result<(Summary, String), String> {
    let plan = Plan::compile(spec).map_err(|error| error.to_string())?;
    let mut healer = Healer::new();
    let (summary, bytes) = healed(&mut healer, &plan, body.as_bytes()).map_err(|failure| failure.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let output = Tree::parse(&text).ok_or_else(|| format!("the output is not JSON: {text}"))?;
    let input = Tree::parse(body).ok_or("the input is not JSON")?;
    invariants(spec, &input, &output).map_err(|found| format!("{found}\noutput {text}"))?;
    let Some(oracle) = heal::heal(spec, &input) else { return Ok((summary, text)) };
    compare::difference(&oracle.expected, &output).map_err(|difference| format!("{difference}\noutput {text}"))?;
    let ends = |text: &str| (text.len() - text.trim_start().len(), text.len() - text.trim_end().len());
    let counts = |renames, moves| format!("{renames} renames, {moves} moves");
    let rows = [
        ("ops", counts(summary.renames, summary.moves), counts(oracle.renames, oracle.moves)),
        ("report", format!("{} ops", healer.report().len()), format!("{} ops", oracle.renames + oracle.moves)),
        ("white space around", format!("{:?}", ends(&text)), format!("{:?}", ends(body))),
        ("changed", summary.changed.to_string(), (text != body).to_string()),
    ];
    for (what, found, expected) in rows {
        if found != expected {
            return Err(format!("{what}: found {found}; expected {expected}\noutput {text}"));
        }
    }
    if spec.contract.is_some() && summary.dropped != oracle.dropped {
        return Err(format!("dropped: found {}; expected {}\noutput {text}", summary.dropped, oracle.dropped));
    }
    Ok((summary, text))
}

/// What holds whatever the plan is.
pub fn invariants(spec: &PlanSpec, input: &Tree<'_>, output: &Tree<'_>) -> Result<(), String> {
    if spec.unmapped == Unmapped::Keep && scalars(input) != scalars(output) {
        return Err("a value is lost or doubled".to_owned());
    }
    if duplicates(output) > duplicates(input) {
        return Err("a member is now a duplicate".to_owned());
    }
    Ok(())
}

/// The text of every value but containers, sorted.
fn scalars<'a>(tree: &Tree<'a>) -> Vec<&'a str> {
    let is_scalar = |node: &&Node<'a>| matches!(node.kind, Kind::Scalar);
    let mut scalars: Vec<&str> = tree.nodes.iter().filter(is_scalar).map(|node| node.raw).collect();
    scalars.sort_unstable();
    scalars
}

/// How many members repeat a name of their object.
fn duplicates(tree: &Tree<'_>) -> usize {
    let repeats = |members: &[Member<'_>]| {
        let is_repeat = |(i, m): &(usize, &Member<'_>)| m.name.as_deref().is_some_and(|name| has(&members[..*i], name));
        members.iter().enumerate().filter(is_repeat).count()
    };
    (0..tree.nodes.len()).filter_map(|id| tree.members(id)).map(repeats).sum()
}

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

/// The random plans and bodies would prove little if they seldom met.
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
