//! Writes packs as Rust source. Examples are left behind: the module carries
//! what it applies, and nothing else.

use crate::{
    check::Correspondence,
    model::{Case, Kind, MAX_PACKED, Rule},
    pack_file::{ConventionEntry, PackFile, RuleEntry},
};

/// The source of `PACKS`, or what is too large for it.
pub fn source(packs: &[PackFile]) -> Result<String, String> {
    let packs: String = packs.iter().map(pack).collect::<Result<_, _>>()?;
    Ok(format!("/// Every embedded pack, in the order of [`PACK_NAMES`].\npub static PACKS: &[Pack] = &[\n{packs}];\n"))
}

fn pack(pack: &PackFile) -> Result<String, String> {
    let rules: String = pack.rules.iter().map(|entry| rule(&pack.pack, entry)).collect::<Result<_, _>>()?;
    let conventions: String = pack.conventions.iter().filter_map(|entry| convention(&pack.pack, entry)).collect();
    Ok(format!("Pack {{ name: {:?}, rules: Rules::packed({rules:?}), conventions: &[\n{conventions}] }},\n", pack.pack))
}

/// The number in an id that was checked.
fn number(pack: &str, id: &str) -> Option<u16> {
    id.strip_prefix(pack)?.strip_prefix('-')?.parse().ok()
}

fn rule(pack: &str, rule: &RuleEntry) -> Result<String, String> {
    let (kind, from, to) = match rule.says() {
        Some(Correspondence::Rename { from, to }) => (Kind::Rename, from, to),
        Some(Correspondence::Move { from, to }) => (Kind::Move, from, to),
        _ => return Err(format!("rules/{pack}.yaml: {}: found no rule; expected rename or move", rule.id)),
    };
    packed(pack, rule, kind, from, to).ok_or_else(|| {
        let found = format!("names or paths of {} and {} bytes", from.len(), to.len());
        format!("rules/{pack}.yaml: {}: found {found}; expected at most {MAX_PACKED} bytes each", rule.id)
    })
}

fn packed(pack: &str, rule: &RuleEntry, kind: Kind, from: &str, to: &str) -> Option<String> {
    Rule { number: number(pack, &rule.id)?, kind, from, to }.pack()
}

fn convention(pack: &str, convention: &ConventionEntry) -> Option<String> {
    let to = Case::parse(&convention.to)?;
    let from: Vec<String> = convention.cases().iter().map(|case| format!("Case::{case:?}")).collect();
    let number = number(pack, &convention.id)?;
    Some(format!("Convention {{ number: {number}, from: &[{}], to: Case::{to:?} }},\n", from.join(", ")))
}
