//! Finds rules of a route that can never fire under its contract. Such a rule is a mistake, mostly a mistyped name.

use nomos_rules::path::{Path, Step};

use crate::plan::spec::{Contract, Property};

use super::cursor::{Cursor, Problems};
use super::index::Index;
use super::suggest::did_you_mean;

const SOURCE_EXPECTED: &str = "a source that the contract expects too, wherever it expects the target";
/// Behind so many problems no name is suggested: that takes a look at all names of the contract.
const MAX_SUGGESTIONS: usize = 16;

/// Refuses entries of `rename` that no record can use.
pub(super) fn refuse_dead_renames(cursor: &Cursor<'_>, contract: &Contract, problems: &mut Problems) {
    let members = Members::of(contract);
    for member in cursor.members(problems, "an object") {
        let Some(to) = member.node.as_str() else { continue };
        let expecting = members.records(to);
        if expecting.is_empty() {
            let known = if problems.len() < MAX_SUGGESTIONS { members.list.as_slice() } else { &[] };
            let names = known.iter().map(|(_, property)| property.name.as_str());
            let expected = format!("a target that the contract has{}", did_you_mean(to, names));
            member.expected(problems, &expected);
        } else if expecting.iter().all(|record| members.find(record, member.name()).is_some()) {
            member.refuse(problems, SOURCE_EXPECTED, "a source that is not expected");
        }
    }
}

/// Refuses entries of `move` whose whole target no record expects, or that only records expect which also expect the
/// source. A value that lacks a level (`a` to `a.b`) drifts although its source is expected.
pub(super) fn refuse_dead_moves(cursor: &Cursor<'_>, contract: &Contract, problems: &mut Problems) {
    let members = Members::of(contract);
    for member in cursor.members(problems, "an object") {
        let (Ok(from), Some(Ok(to))) = (Path::parse(member.name()), member.node.as_str().map(Path::parse)) else {
            continue;
        };
        let starts = match (to.scope().first(), to.segments().first()) {
            (Some(Step::Each), _) => vec![contract],
            (Some(Step::Name(first)), _) | (None, Some(first)) => members.records(first),
            (None, None) => Vec::new(),
        };
        let lacks = |start: &&Contract, path: &Path| !members.expects(start, path);
        if starts.iter().all(|start| lacks(start, &to)) {
            member.expected(problems, "a target path that the contract has, from a record on");
        } else if !to.segments().starts_with(from.segments())
            && starts.iter().all(|start| lacks(start, &to) || !lacks(start, &from))
        {
            member.refuse(problems, SOURCE_EXPECTED, "a source that is not expected");
        }
    }
}

/// The members of all objects that a contract describes, each with its object, in the order of the schema.
struct Members<'a> {
    list: Vec<(&'a Contract, &'a Property)>,
    names: Index<'a>,
}

impl<'a> Members<'a> {
    fn of(contract: &'a Contract) -> Self {
        let mut list = Vec::new();
        let mut open = vec![contract];
        while let Some(node) = open.pop() {
            match node {
                Contract::Object { properties, .. } => {
                    list.extend(properties.iter().map(|property| (node, property)));
                    open.extend(properties.iter().rev().map(|property| &property.node));
                }
                Contract::Array { items } => open.push(items),
                Contract::Any => (),
            }
        }
        let names = Index::new(list.iter().map(|(_, property)| property.name.as_str()));
        Members { list, names }
    }

    /// Returns the objects that have a member of this name.
    #[inline(never)]
    fn records(&self, name: &str) -> Vec<&'a Contract> {
        let places = self.names.all(name).iter();
        places.filter_map(|(_, place)| self.list.get(*place)).map(|(record, _)| *record).collect()
    }

    #[inline(never)]
    fn find(&self, record: &Contract, name: &str) -> Option<&'a Contract> {
        let mut named = self.names.all(name).iter().filter_map(|(_, place)| self.list.get(*place));
        named.find(|(around, _)| std::ptr::eq(*around, record)).map(|(_, property)| &property.node)
    }

    /// Whether the contract has this path, from `start` on.
    #[inline(never)]
    fn expects(&self, start: &'a Contract, path: &Path) -> bool {
        let record = path.scope().iter().try_fold(start, |node, step| match (node, step) {
            (Contract::Array { items }, Step::Each) => Some(&**items),
            (_, Step::Name(name)) => self.find(node, name),
            _ => None,
        });
        record.and_then(|record| path.segments().iter().try_fold(record, |node, name| self.find(node, name))).is_some()
    }
}
