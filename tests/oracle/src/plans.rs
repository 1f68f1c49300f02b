//! Random plans over a small vocabulary, so that rules meet each other and the bodies.

use crate::tape::Tape;
use crate::words;
use healer::plan::spec::{
    Contract, ConventionRule, Expects, Kind, Kinds, MoveRule, PlanSpec, Property, RenameRule, RuleSource, Unmapped,
};
use nomos_rules::Case;
use nomos_rules::path::{Path, Step};

pub const NAMES: &[&str] = &["a", "b", "c", "d", "e", "f"];
const CASED: &[&str] = &["userId", "user_id", "UserId", "user-id", "userID", "lineOne1", "line_one1", "LineOne1"];
const ODD: &[&str] = &["", "x.y", "é", "q\"\\", "a name of more than sixteen bytes", "user__id", "a1B2", "\n", "😀"];

pub fn plan(tape: &mut Tape<'_>) -> PlanSpec {
    let contract = tape.happens(1, 2).then(|| root_contract(tape));
    let mut spec = PlanSpec { contract, ..PlanSpec::default() };
    for _ in 0..tape.below(5) {
        let rule = rename(tape, &spec);
        spec.renames.extend(rule);
    }
    for _ in 0..tape.below(5) {
        let rule = movement(tape, &spec);
        spec.moves.extend(rule);
    }
    for _ in 0..2 {
        let rule = beside(tape, &spec);
        spec.moves.extend(rule);
    }
    if tape.happens(1, 4) {
        for _ in 0..=tape.below(2) {
            spec.conventions.push(convention(tape));
        }
    }
    spec.unmapped = if tape.happens(1, 4) { Unmapped::Drop } else { Unmapped::Keep };
    spec
}

pub fn name(tape: &mut Tape<'_>) -> String {
    match tape.below(24) {
        0..20 => tape.of(NAMES),
        20..23 => tape.of(CASED),
        _ => tape.of(ODD),
    }
    .to_owned()
}

/// Returns a path as a route or pack writes it, with each name in quotes.
pub fn path(scope: &str, names: &[String]) -> Path {
    let quoted = names.iter().map(|name| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")));
    let names = quoted.collect::<Vec<_>>().join(".");
    let text = if scope.is_empty() { names } else { format!("{scope}.{names}") };
    Path::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Writes a plan in one line, as the examples do.
pub fn line(spec: &PlanSpec) -> String {
    let mut parts = Vec::new();
    parts.extend(spec.renames.iter().map(|r| format!("{}: {} -> {}", r.rank, r.from, r.to)));
    parts.extend(spec.moves.iter().map(|m| format!("{}: {} => {}", m.rank, m.from, m.to)));
    parts.extend(spec.conventions.iter().map(|c| format!("{}: {:?} into {:?}", c.rank, c.from, c.to)));
    parts.extend((spec.unmapped == Unmapped::Drop).then(|| "drop".to_owned()));
    parts.extend(spec.contract.as_ref().map(node_line));
    parts.join("; ")
}

fn node_line(node: &Contract) -> String {
    match node {
        Contract::Any => "0".to_owned(),
        Contract::Array { items } => format!("[{}]", node_line(items)),
        Contract::Object { properties, .. } => {
            let members: Vec<String> =
                properties.iter().map(|p| format!("{:?}:{}", p.name, node_line(&p.node))).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn root_contract(tape: &mut Tape<'_>) -> Contract {
    let record = record(tape, 3);
    if tape.happens(1, 4) { Contract::Array { items: Box::new(record) } } else { record }
}

fn record(tape: &mut Tape<'_>, depth: usize) -> Contract {
    let mut properties: Vec<Property> = Vec::new();
    for _ in 0..=tape.below(4) {
        let name = name(tape);
        let words = words::canonical(&name);
        // Conventions lead to neither of two names with the same words.
        let apart = tape.happens(3, 4);
        let alike = |p: &Property| p.name == name || (apart && words.is_some() && words::canonical(&p.name) == words);
        if !properties.iter().any(alike) {
            let (node, required) = (node(tape, depth - 1), tape.happens(1, 2));
            // Whether a null is wrapped depends on whether it is allowed.
            let nullable = matches!(node, Contract::Any) || tape.happens(1, 2);
            let kinds = if nullable { Kinds::ANY } else { Kinds::ANY.without(Kinds::of(Kind::Null)) };
            properties.push(Property { name, node, required, expects: Expects { kinds, ..Expects::default() } });
        }
    }
    Contract::Object { properties, open: tape.happens(1, 4) }
}

fn node(tape: &mut Tape<'_>, depth: usize) -> Contract {
    match tape.below(8) {
        0..4 => Contract::Any,
        4 => Contract::Object { properties: Vec::new(), open: false },
        _ if depth == 0 => Contract::Any,
        5 | 6 => record(tape, depth),
        _ => Contract::Array { items: Box::new(node(tape, depth - 1)) },
    }
}

fn rename(tape: &mut Tape<'_>, spec: &PlanSpec) -> Option<RenameRule> {
    let from = name(tape);
    let expected = spec.contract.as_ref().map(|contract| target(tape, contract).1);
    let to = match expected {
        Some(names) if tape.happens(7, 8) => names.last().cloned().unwrap_or_default(),
        _ => name(tape),
    };
    (from != to).then(|| RenameRule { from, to, rank: rank(tape), source: RuleSource::Route })
}

fn movement(tape: &mut Tape<'_>, spec: &PlanSpec) -> Option<MoveRule> {
    let (scope, to) = match &spec.contract {
        Some(contract) if tape.happens(7, 8) => target(tape, contract),
        _ => (scope(tape), names(tape)),
    };
    let from = match tape.below(8) {
        0..6 => names(tape),
        6 => [to.clone(), names(tape)].concat(),
        _ => to[..=tape.below(to.len())].to_vec(),
    };
    let rule = |to: &[String]| MoveRule {
        from: path(&scope, &from),
        to: path(&scope, to),
        rank: 0,
        source: RuleSource::Route,
    };
    (from != to).then(|| MoveRule { rank: rank(tape), ..rule(&to) })
}

/// Returns a move into a container that one of the plan's wraps makes.
fn beside(tape: &mut Tape<'_>, spec: &PlanSpec) -> Option<MoveRule> {
    let is_wrap = |rule: &&MoveRule| rule.to.segments().starts_with(rule.from.segments());
    let wraps: Vec<&MoveRule> = spec.moves.iter().filter(is_wrap).collect();
    if wraps.is_empty() || tape.happens(1, 4) {
        return None;
    }
    let wrap = tape.of(&wraps);
    let common = wrap.from.segments().len() + tape.of(&[0, 0, 0, 1]);
    let shared = wrap.to.segments().get(..common).unwrap_or(wrap.from.segments());
    let (from, to) = (names(tape), [shared, &[name(tape)]].concat());
    let scope = wrap.from.scope().iter().fold(String::new(), |scope, step| match step {
        Step::Each => scope + "[]",
        Step::Name(name) => enter(&scope, std::slice::from_ref(name)),
    });
    let (from, to) = (path(&scope, &from), path(&scope, &to));
    (from.segments() != to.segments()).then(|| MoveRule { from, to, rank: rank(tape), source: RuleSource::Route })
}

fn convention(tape: &mut Tape<'_>) -> ConventionRule {
    let to = tape.of(&[Case::Snake, Case::Snake, Case::Camel, Case::Kebab, Case::Pascal]);
    let from = Case::ALL.into_iter().filter(|case| *case != to && tape.happens(2, 3)).collect();
    ConventionRule { from, to, rank: rank(tape), source: RuleSource::Route }
}

fn rank(tape: &mut Tape<'_>) -> u16 {
    u16::try_from(tape.below(4)).unwrap_or_default()
}

fn names(tape: &mut Tape<'_>) -> Vec<String> {
    let len = tape.of(&[1, 1, 2, 2, 2, 3, 3, 4]);
    (0..len).map(|_| name(tape)).collect()
}

fn scope(tape: &mut Tape<'_>) -> String {
    let scopes = ["", "", "", "", "", "", "[]", "a[]", "a[]", "b.a[]", "[].a[]", "[][]"];
    tape.of(&scopes).to_owned()
}

/// Returns a path that a contract expects: scope and names.
fn target(tape: &mut Tape<'_>, contract: &Contract) -> (String, Vec<String>) {
    let (mut scope, mut names) = (String::new(), Vec::new());
    let mut node = contract;
    loop {
        match node {
            Contract::Array { items } => {
                scope = enter(&scope, &names) + "[]";
                names.clear();
                node = items;
            }
            Contract::Object { properties, .. } if !properties.is_empty() => {
                if !names.is_empty() && tape.happens(1, 4) {
                    break;
                }
                // A record of its own, with moves that start from it.
                if tape.happens(1, 4) {
                    scope.clear();
                    names.clear();
                }
                let property = &properties[tape.below(properties.len())];
                names.push(property.name.clone());
                node = &property.node;
            }
            _ => break,
        }
    }
    if names.is_empty() { (String::new(), self::names(tape)) } else { (scope, names) }
}

fn enter(scope: &str, names: &[String]) -> String {
    if names.is_empty() {
        return scope.to_owned();
    }
    path(scope, names).to_string()
}
