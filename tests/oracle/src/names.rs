//! Decides which members of one object are renamed, by rules and conventions that may conflict.

use crate::tree::{Id, Member, Tree};
use crate::words;
use healer::plan::spec::{Contract, PlanSpec, Property};

/// A rename that fires.
#[derive(Clone, Debug, PartialEq)]
pub struct Rename {
    pub from: String,
    pub to: String,
}

/// Returns the renames that fire in `object`. `expected` has the members that its contract expects, if it has one.
pub fn renames(spec: &PlanSpec, tree: &Tree<'_>, object: Id, expected: Option<&[Property]>) -> Vec<Rename> {
    let members = tree.members(object).unwrap_or_default();
    let mut wanted: Vec<(u16, usize, Rename)> = Vec::new();
    for (at, member) in members.iter().enumerate() {
        let Some(from) = &member.name else { continue };
        if wanted.iter().any(|(_, _, rename)| rename.from == *from) {
            continue;
        }
        let Some((rank, to)) = target(spec, from, expected) else { continue };
        if !has(members, &to) {
            wanted.push((rank, at, Rename { from: from.clone(), to }));
        }
    }
    let beaten = |(rank, at, rename): &(u16, usize, Rename)| {
        wanted.iter().any(|(r, a, other)| other.to == rename.to && (r, a) < (rank, at))
    };
    wanted.iter().filter(|w| !beaten(w)).map(|w| w.2.clone()).collect()
}

/// Whether a rule or convention leads from the name of a member to an expected one.
pub fn is_ruled(spec: &PlanSpec, member: &Member<'_>, expected: &[Property]) -> bool {
    member.name.as_ref().is_some_and(|name| target(spec, name, Some(expected)).is_some())
}

pub fn has(members: &[Member<'_>], name: &str) -> bool {
    members.iter().any(|m| m.name.as_deref() == Some(name))
}

pub fn property<'c>(expected: &'c [Property], name: &str) -> Option<&'c Property> {
    expected.iter().find(|p| p.name == name)
}

/// Returns the members that a contract node expects of an object; `None` if it describes no record.
pub fn expected(node: &Contract) -> Option<&[Property]> {
    match node {
        Contract::Object { properties, .. } if !properties.is_empty() => Some(properties),
        _ => None,
    }
}

/// Returns the one name that `from` leads to in an object, with the rank of its rule.
fn target(spec: &PlanSpec, from: &str, expected: Option<&[Property]>) -> Option<(u16, String)> {
    if expected.is_some_and(|e| property(e, from).is_some()) {
        return None;
    }
    let applies = |to: &str| expected.is_none_or(|e| property(e, to).is_some());
    let rules = spec.renames.iter().filter(|rule| rule.from == from && applies(&rule.to));
    let rule = rules.min_by_key(|rule| rule.rank).map(|rule| (rule.rank, rule.to.clone()));
    rule.or_else(|| match expected {
        Some(expected) => by_contract(spec, from, expected),
        None => by_convention(spec, from),
    })
}

/// With a contract, a convention leads to the one expected name with the same words.
fn by_contract(spec: &PlanSpec, from: &str, expected: &[Property]) -> Option<(u16, String)> {
    let rank = spec.conventions.iter().map(|c| c.rank).min()?;
    let canonical = words::canonical(from)?;
    let mut alike = expected.iter().filter(|p| words::canonical(&p.name).as_ref() == Some(&canonical));
    let to = alike.next().filter(|_| alike.next().is_none())?;
    Some((rank, to.name.clone()))
}

fn by_convention(spec: &PlanSpec, from: &str) -> Option<(u16, String)> {
    let mut conventions: Vec<_> = spec.conventions.iter().collect();
    conventions.sort_by_key(|c| c.rank);
    let to = conventions.iter().find_map(|c| Some((c.rank, words::convert(from, &c.from, c.to)?)))?;
    (to.1 != from).then_some(to)
}
