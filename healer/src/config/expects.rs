//! Finds rules of a route that can never fire under its contract. Such a rule is a mistake, mostly a mistyped name.

use nomos_rules::path::{Path, Step};

use crate::plan::spec::{Contract, Property};

use super::cursor::{Cursor, Problems};
use super::suggest::did_you_mean;

const SOURCE_EXPECTED: &str = "a source that the contract expects too, wherever it expects the target";

/// Refuses entries of `rename` that no record can use.
pub(super) fn refuse_dead_renames(cursor: &Cursor<'_>, contract: &Contract, problems: &mut Problems) {
    let records = records(contract);
    for member in cursor.members(problems, "an object") {
        let Some(to) = member.node.as_str() else { continue };
        let mut expecting = records.iter().filter(|record| find(record, to).is_some()).peekable();
        if expecting.peek().is_none() {
            let names = records.iter().flat_map(|record| properties(record)).map(|property| property.name.as_str());
            let expected = format!("a target that the contract has{}", did_you_mean(to, names));
            member.expected(problems, &expected);
        } else if expecting.all(|record| find(record, member.name()).is_some()) {
            member.refuse(problems, SOURCE_EXPECTED, "a source that is not expected");
        }
    }
}

/// Refuses entries of `move` whose whole target no record expects, or that only records expect which also expect the
/// source. A value that lacks a level (`a` to `a.b`) drifts although its source is expected.
pub(super) fn refuse_dead_moves(cursor: &Cursor<'_>, contract: &Contract, problems: &mut Problems) {
    let records = records(contract);
    for member in cursor.members(problems, "an object") {
        let (Ok(from), Some(Ok(to))) = (Path::parse(member.name()), member.node.as_str().map(Path::parse)) else {
            continue;
        };
        let starts = if to.scope().first() == Some(&Step::Each) { &[contract] } else { records.as_slice() };
        let mut expecting = starts.iter().filter(|start| expects(start, &to)).peekable();
        if expecting.peek().is_none() {
            member.expected(problems, "a target path that the contract has, from a record on");
        } else if !to.segments().starts_with(from.segments()) && expecting.all(|start| expects(start, &from)) {
            member.refuse(problems, SOURCE_EXPECTED, "a source that is not expected");
        }
    }
}

/// Returns every object that the contract describes, in the order of the schema.
fn records(contract: &Contract) -> Vec<&Contract> {
    let mut records = Vec::new();
    let mut open = vec![contract];
    while let Some(node) = open.pop() {
        match node {
            Contract::Object { properties, .. } => {
                records.push(node);
                open.extend(properties.iter().rev().map(|property| &property.node));
            }
            Contract::Array { items } => open.push(items),
            Contract::Any => (),
        }
    }
    records
}

/// Whether the contract has this path, from `start` on.
fn expects(start: &Contract, path: &Path) -> bool {
    let record = path.scope().iter().try_fold(start, |node, step| match (node, step) {
        (Contract::Array { items }, Step::Each) => Some(&**items),
        (_, Step::Name(name)) => find(node, name),
        _ => None,
    });
    record.and_then(|record| path.segments().iter().try_fold(record, |node, name| find(node, name))).is_some()
}

fn find<'a>(node: &'a Contract, name: &str) -> Option<&'a Contract> {
    properties(node).iter().find(|property| property.name == name).map(|property| &property.node)
}

fn properties(node: &Contract) -> &[Property] {
    match node {
        Contract::Object { properties, .. } => properties,
        _ => &[],
    }
}
