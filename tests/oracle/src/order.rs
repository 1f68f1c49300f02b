//! Members of a body come in any order, and so do those of a contract: Envoy's `Struct` keeps none. What similarity finds
//! must not depend on it.

use crate::agree::healed;
use crate::bodies::{self, Doc};
use crate::drift;
use crate::plans;
use crate::tape::Tape;
use crate::tree::{Id, Kind, Tree};
use healer::plan::spec::{Contract, PlanSpec, Property, Settings};
use healer::{Healer, Plan};

/// Checks that a random body becomes the same if its members, or those of the contract, come in the opposite order.
pub fn check(tape: &mut Tape<'_>) -> Result<(), String> {
    // Three levels, so that something may move far inside what moves.
    let contract = Some(drift::record(tape, 3));
    let spec = PlanSpec { contract, similarity: Some(Settings::default()), ..PlanSpec::default() };
    let doc = drift::doc(tape, &spec);
    if repeats_a_name(&doc) {
        return Ok(());
    }
    let other_spec = PlanSpec { contract: spec.contract.as_ref().map(turned), ..spec.clone() };
    let expected = outcome(&spec, &doc)?;
    for (what, found) in [("body", outcome(&spec, &reversed(&doc))?), ("contract", outcome(&other_spec, &doc)?)] {
        if found != expected {
            let (body, plan) = (text(&doc), plans::line(&spec));
            return Err(format!("body {body}\nplan {plan}\nbecame {expected}\nwith a turned {what} {found}"));
        }
    }
    Ok(())
}

/// Returns what a body becomes, with members sorted.
fn outcome(spec: &PlanSpec, doc: &Doc) -> Result<String, String> {
    let plan = Plan::compile(spec).map_err(|error| error.to_string())?;
    let (_, healed) = healed(&mut Healer::new(), &plan, text(doc).as_bytes()).map_err(|failure| failure.to_string())?;
    let healed = String::from_utf8(healed).map_err(|error| error.to_string())?;
    let tree = Tree::parse(&healed).ok_or_else(|| format!("no JSON: {healed}"))?;
    Ok(sorted(&tree, 0))
}

fn text(doc: &Doc) -> String {
    bodies::write(&mut Tape::new(&[]), doc)
}

fn repeats_a_name(doc: &Doc) -> bool {
    match doc {
        Doc::Scalar(_) => false,
        Doc::Array(elements) => elements.iter().any(repeats_a_name),
        Doc::Object(members) => members
            .iter()
            .enumerate()
            .any(|(at, (name, value))| members[..at].iter().any(|(other, _)| other == name) || repeats_a_name(value)),
    }
}

fn reversed(doc: &Doc) -> Doc {
    match doc {
        Doc::Scalar(_) => doc.clone(),
        Doc::Array(elements) => Doc::Array(elements.iter().map(reversed).collect()),
        Doc::Object(members) => {
            Doc::Object(members.iter().rev().map(|(name, value)| (name.clone(), reversed(value))).collect())
        }
    }
}

fn turned(contract: &Contract) -> Contract {
    match contract {
        Contract::Any => Contract::Any,
        Contract::Array { items } => Contract::Array { items: Box::new(turned(items)) },
        Contract::Object { properties, open } => {
            let turned = |property: &Property| Property { node: turned(&property.node), ..property.clone() };
            Contract::Object { properties: properties.iter().rev().map(turned).collect(), open: *open }
        }
    }
}

fn sorted(tree: &Tree<'_>, node: Id) -> String {
    match &tree.nodes[node].kind {
        Kind::Scalar => tree.nodes[node].raw.to_owned(),
        Kind::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| sorted(tree, *element)).collect();
            format!("[{}]", elements.join(","))
        }
        Kind::Object(members) => {
            let member = |key: &str, value: Id| format!("{key}:{}", sorted(tree, value));
            let mut members: Vec<String> = members.iter().map(|known| member(known.key, known.value)).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
    }
}
