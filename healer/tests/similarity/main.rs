//! Decisions of similarity are carried out as rules would be, record by record.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

mod alike;
mod beside_rules;
#[path = "../common/mod.rs"]
mod common;
mod decisions;
mod described;
mod foreseen;
mod known;
mod left_alone;
mod names;
mod nothing_lost;
mod recorded;
mod telling;

use common::configured;
use healer::plan::spec::{
    Case, Contract, ConventionRule, Expects, Kind, Kinds, MoveRule, PlanSpec, Property, RenameRule, RuleSource,
    Settings, Unmapped,
};
use healer::similarity::Profile;
use healer::{Healer, Limits, Memo, OpKind, Plan, Summary};
use nomos_rules::path::Path;
use proptest::prelude::*;
use serde_json::Value;

/// Builds a contract from an example: every member of the example is expected and required.
fn contract_of(example: &Value) -> Contract {
    match example {
        Value::Object(members) => {
            let property = |(name, value): (&String, &Value)| {
                let node = contract_of(value);
                Property { name: name.clone(), node, required: true, expects: Expects::default() }
            };
            Contract::Object { properties: members.iter().map(property).collect(), open: false }
        }
        Value::Array(items) => Contract::Array { items: Box::new(items.first().map_or(Contract::Any, contract_of)) },
        _ => Contract::Any,
    }
}

fn plan(example: &str) -> Plan {
    plan_with(example, Settings::default())
}

fn plan_with(example: &str, settings: Settings) -> Plan {
    let contract = contract_of(&serde_json::from_str(example).expect("example"));
    let similarity = Some(settings);
    Plan::compile(&PlanSpec { contract: Some(contract), similarity, ..PlanSpec::default() }).expect("plan")
}

fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> String {
    common::heal(plan, memo, body).0
}

/// Returns the healed body, and the number of unknown names that were not scored.
fn heal_and_count(plan: &Plan, memo: &mut Memo, body: &str) -> (String, u32) {
    let (healed, summary) = common::heal(plan, memo, body);
    (healed, summary.unscored)
}
