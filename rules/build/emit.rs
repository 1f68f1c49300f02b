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
    let rules: String = pack.rules.iter().filter_map(rule).collect();
    let conventions: String = pack.conventions.iter().filter_map(convention).collect();
    format!(
        "Pack {{ name: {:?}, about: {:?}, rules: &[\n{rules}], conventions: &[\n{conventions}] }},\n",
        pack.pack, pack.about
    )
}

fn rule(rule: &RuleEntry) -> Option<String> {
    let (kind, from, to) = match rule.says()? {
        Correspondence::Rename { from, to } => ("Rename", from, to),
        Correspondence::Move { from, to } => ("Move", from, to),
        Correspondence::Convention { .. } => return None,
    };
    let id = &rule.id;
    Some(format!("Rule {{ id: {id:?}, kind: Kind::{kind}, from: {from:?}, to: {to:?} }},\n"))
}

fn convention(convention: &ConventionEntry) -> Option<String> {
    let to = Case::parse(&convention.to)?;
    let from: Vec<String> = convention.cases().iter().map(|case| format!("Case::{case:?}")).collect();
    let id = &convention.id;
    Some(format!("Convention {{ id: {id:?}, from: &[{}], to: Case::{to:?} }},\n", from.join(", ")))
}
