//! The decisions of the engine about a body.

use healer::plan::spec::PlanSpec;
use healer::similarity::{Parts, Settings};
use healer::{Healer, Limits, Memo, Plan};
use serde_json::Value;

use crate::corpus::plain;
use crate::schema;

/// A leaf of the contract and the member of the body that is taken for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// The path of the leaf.
    pub expected: String,
    /// The path of the member.
    pub found: String,
    /// How sure it is.
    pub score: f32,
    /// The parts of the score.
    pub parts: Parts,
}

/// Returns all pairs of one body, by contract and similarity only.
///
/// # Panics
/// If the engine refuses the contract or the body, which means that the corpus is wrong.
pub fn predict(contract: &Value, body: &Value, settings: Settings) -> Vec<Predicted> {
    let contract = schema::contract(contract).unwrap_or_else(|why| panic!("contract {contract}: {why}"));
    let spec = PlanSpec { contract: Some(contract), similarity: Some(settings), ..PlanSpec::default() };
    let plan = Plan::compile(&spec).expect("a plan");
    let mut healer = Healer::new();
    let mut intake = healer.intake(Limits::default());
    intake.push(body.to_string().as_bytes());
    intake.finish();
    let mut memo = Memo::new(&plan);
    let matching = healer.matching(&plan, &mut memo, &intake).unwrap_or_else(|why| panic!("body {body}: {why}"));
    let pairs = matching.matches.into_iter();
    let predicted = |pair: healer::Match| {
        let (expected, found) = (plain(&pair.expected), plain(&pair.found));
        Predicted { expected, found, score: pair.score, parts: pair.parts }
    };
    pairs.map(predicted).collect()
}
