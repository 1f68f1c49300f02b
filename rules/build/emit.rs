//! Writes packs as Rust source. Examples are left behind: the module carries
//! what it applies, and nothing else.

use crate::{
    check::Correspondence,
    model::Case,
    pack_file::{ConventionEntry, PackFile, RuleEntry},
};

/// The source of `PACKS`.
pub fn source(packs: &[PackFile]) -> String {
    let packs: String = packs.iter().map(pack).collect();
    format!("/// Every embedded pack, in the order of [`PACK_NAMES`].\npub static PACKS: &[Pack] = &[\n{packs}];\n")
}

fn pack(pack: &PackFile) -> String {
    let rules: String = pack.rules.iter().filter_map(|entry| rule(&pack.pack, entry)).collect();
    let conventions: String = pack.conventions.iter().filter_map(|entry| convention(&pack.pack, entry)).collect();
    format!(
        "Pack {{ name: {:?}, about: {:?}, rules: &[\n{rules}], conventions: &[\n{conventions}] }},\n",
        pack.pack, pack.about
    )
}

/// The number in an id that was checked.
fn number(pack: &str, id: &str) -> Option<u16> {
    id.strip_prefix(pack)?.strip_prefix('-')?.parse().ok()
}

fn rule(pack: &str, rule: &RuleEntry) -> Option<String> {
    let (kind, from, to) = match rule.says()? {
        Correspondence::Rename { from, to } => ("Rename", from, to),
        Correspondence::Move { from, to } => ("Move", from, to),
        Correspondence::Convention { .. } => return None,
    };
    let number = number(pack, &rule.id)?;
    Some(format!("Rule {{ number: {number}, kind: Kind::{kind}, from: {from:?}, to: {to:?} }},\n"))
}

fn convention(pack: &str, convention: &ConventionEntry) -> Option<String> {
    let to = Case::parse(&convention.to)?;
    let from: Vec<String> = convention.cases().iter().map(|case| format!("Case::{case:?}")).collect();
    let number = number(pack, &convention.id)?;
    Some(format!("Convention {{ number: {number}, from: &[{}], to: Case::{to:?} }},\n", from.join(", ")))
}
