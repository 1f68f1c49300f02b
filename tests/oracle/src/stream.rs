//! Heals a body while it streams.

use crate::tape::Tape;
use healer::plan::spec::{Contract, Expects, MoveRule, PlanSpec, Property};
use healer::{Failure, Healer, Incremental, Limits, Memo, Plan, Summary};
use nomos_rules::path::{Path, Step};

/// The result for a body.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub bytes: Vec<u8>,
    pub summary: Summary,
    pub failure: Option<Failure>,
}

impl Outcome {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Pushes chunks, and asserts that no more is held than the limit allows.
pub fn stream<'c>(plan: &Plan, limits: Limits, chunks: impl Iterator<Item = &'c [u8]>) -> Outcome {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut body = healer.incremental(limits);
    let mut bytes = Vec::new();
    for chunk in chunks {
        push(&mut healer, plan, &mut memo, &mut body, chunk, &mut bytes);
        assert!(body.held().len() <= limits.max_held_bytes + 8, "{} bytes held", body.held().len());
    }
    healer.clear_output();
    body.finish(&mut healer, &mut memo);
    bytes.extend_from_slice(healer.output());
    Outcome { bytes, summary: body.summary(), failure: body.failure() }
}

fn push(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &mut Incremental, chunk: &[u8], into: &mut Vec<u8>) {
    healer.clear_output();
    body.push(healer, plan, memo, chunk);
    into.extend_from_slice(healer.output());
}

/// Returns a plan whose rules apply to the elements of `list`; of the root if that is empty.
pub fn in_list(spec: &PlanSpec, list: &[&str]) -> PlanSpec {
    let any = |name: &str| Property {
        name: name.to_owned(),
        required: false,
        expects: Expects::default(),
        node: Contract::Any,
    };
    let mut contract = spec.contract.clone().map(|items| Contract::Array { items: Box::new(items) });
    for name in list.iter().rev() {
        contract = contract.map(|node| {
            let list = Property { node, ..any(name) };
            Contract::Object { properties: vec![any("n"), list, any("total")], open: false }
        });
    }
    let inside = |path: &Path| {
        let scope: String = path.scope().iter().map(step).collect();
        let names = path.segments().iter().map(|name| format!(".{}", quoted(name)));
        let text = format!("{}[]{scope}{}", list.join("."), names.collect::<String>());
        Path::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let moves =
        spec.moves.iter().map(|rule| MoveRule { from: inside(&rule.from), to: inside(&rule.to), ..rule.clone() });
    PlanSpec { contract, moves: moves.collect(), ..spec.clone() }
}

fn step(step: &Step) -> String {
    match step {
        Step::Each => "[]".to_owned(),
        Step::Name(name) => format!(".{}", quoted(name)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns names of an envelope that no rule of the random plans knows. There are none if a convention would change
/// even those.
pub fn envelope(tape: &mut Tape<'_>, spec: &PlanSpec) -> &'static [&'static str] {
    let capitalises = spec.conventions.iter().any(|rule| rule.to == nomos_rules::Case::Pascal);
    if capitalises { &[] } else { tape.of(&[&[][..], &["list"], &["w", "list"]]) }
}
