//! Whether engine and oracle agree on what fires and on the output, with every other byte unchanged.

use crate::compare;
use crate::heal;
use crate::names::has;
use crate::tree::{Kind, Member, Node, Tree};
use healer::plan::spec::{PlanSpec, Unmapped};
use healer::{Healer, Plan, Summary};

/// Returns the healed body, or the body itself if nothing changed.
pub fn healed(healer: &mut Healer, plan: &Plan, body: &[u8]) -> Result<(Summary, Vec<u8>), healer::Failure> {
    let summary = healer.heal_bytes(plan, body)?;
    let bytes = if summary.changed { healer.output().to_vec() } else { body.to_vec() };
    Ok((summary, bytes))
}

/// Heals `body` with the engine and the oracle. The error says where they differ.
pub fn check(spec: &PlanSpec, body: &str) -> Result<(Summary, String), String> {
    let plan = Plan::compile(spec).map_err(|error| error.to_string())?;
    let mut healer = Healer::new();
    let (summary, bytes) = healed(&mut healer, &plan, body.as_bytes()).map_err(|failure| failure.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let output = Tree::parse(&text).ok_or_else(|| format!("the output is not JSON: {text}"))?;
    let input = Tree::parse(body).ok_or("the input is not JSON")?;
    invariants(spec, &input, &output).map_err(|found| format!("{found}\noutput {text}"))?;
    let Some(oracle) = heal::heal(spec, &input) else { return Ok((summary, text)) };
    let found = Found { summary, text: &text, output: &output, ops: healer.report().len() };
    let others = || [heal::heal_in_hope(spec, &input), heal::heal_warily(spec, &input)].into_iter().flatten();
    let agreed = found.agrees(spec, body, &oracle).or_else(|difference| {
        let is_other = others().any(|other| found.agrees(spec, body, &other).is_ok());
        if is_other { Ok(()) } else { Err(difference) }
    });
    agreed.map(|()| (summary, text))
}

/// The result of the engine for a body.
struct Found<'a> {
    summary: Summary,
    text: &'a str,
    output: &'a Tree<'a>,
    /// The number of reported ops.
    ops: usize,
}

impl Found<'_> {
    fn agrees(&self, spec: &PlanSpec, body: &str, oracle: &heal::Healed) -> Result<(), String> {
        let Found { summary, text, output, ops } = *self;
        compare::difference(&oracle.expected, output).map_err(|difference| format!("{difference}\noutput {text}"))?;
        let ends = |text: &str| (text.len() - text.trim_start().len(), text.len() - text.trim_end().len());
        let counts = |renames, moves| format!("{renames} renames, {moves} moves");
        let rows = [
            ("ops", counts(summary.renames, summary.moves), counts(oracle.renames, oracle.moves)),
            ("report", format!("{ops} ops"), format!("{} ops", oracle.renames + oracle.moves)),
            ("white space around", format!("{:?}", ends(text)), format!("{:?}", ends(body))),
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
        Ok(())
    }
}

/// Checks what holds for every plan.
pub fn invariants(spec: &PlanSpec, input: &Tree<'_>, output: &Tree<'_>) -> Result<(), String> {
    if spec.unmapped == Unmapped::Keep && scalars(input) != scalars(output) {
        return Err("a value is lost or doubled".to_owned());
    }
    if duplicates(output) > duplicates(input) {
        return Err("a member is now a duplicate".to_owned());
    }
    Ok(())
}

/// Returns the text of every value but containers, sorted.
fn scalars<'a>(tree: &Tree<'a>) -> Vec<&'a str> {
    let is_scalar = |node: &&Node<'a>| matches!(node.kind, Kind::Scalar);
    let mut scalars: Vec<&str> = tree.nodes.iter().filter(is_scalar).map(|node| node.raw).collect();
    scalars.sort_unstable();
    scalars
}

/// Returns the number of members that repeat a name of their object.
fn duplicates(tree: &Tree<'_>) -> usize {
    let repeats = |members: &[Member<'_>]| {
        let is_repeat = |(i, m): &(usize, &Member<'_>)| m.name.as_deref().is_some_and(|name| has(&members[..*i], name));
        members.iter().enumerate().filter(is_repeat).count()
    };
    (0..tree.nodes.len()).filter_map(|id| tree.members(id)).map(repeats).sum()
}
