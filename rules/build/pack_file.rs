//! A pack as its YAML file states it.

use crate::{
    check::{Correspondence, ENGINE, Entry, check, is_id},
    model::{Case, MAX_PACKED},
};
use serde::Deserialize;
use serde_json::Value;

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    pub pack: String,
    pub about: String,
    /// The oldest engine that reads the pack rightly, such as `>=0.1`.
    pub engine: String,
    #[serde(default)]
    pub rules: Vec<RuleEntry>,
    #[serde(default)]
    pub conventions: Vec<ConventionEntry>,
}

/// A correspondence and its examples. Exactly one of `rename` and `move`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    pub id: String,
    pub rename: Option<Pair>,
    #[serde(rename = "move")]
    pub moves: Option<Pair>,
    pub valid: Vec<Healed>,
    pub invalid: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    pub from: String,
    pub to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConventionEntry {
    pub id: String,
    pub from: Vec<String>,
    pub to: String,
    pub valid: Vec<Healed>,
    pub invalid: Vec<Value>,
}

/// A body that the rule alone changes, and what it changes it to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Healed {
    pub before: Value,
    pub after: Value,
}

/// Reads a file and checks it alone.
pub fn parse(file: &str, text: &str) -> Result<PackFile, Vec<String>> {
    let pack: PackFile = serde_saphyr::from_str(text).map_err(|error| vec![format!("rules/{file}: {error}")])?;
    let problems = check_alone(file, &pack);
    if problems.is_empty() { Ok(pack) } else { Err(problems) }
}

/// Checks the rules of all files as one set: `[all]` must work.
pub fn check_together(packs: &[PackFile]) -> Vec<String> {
    let files: Vec<String> = packs.iter().map(|p| format!("rules/{}.yaml", p.pack)).collect();
    let cases: Vec<Vec<Case>> = packs.iter().flat_map(|pack| &pack.conventions).map(ConventionEntry::cases).collect();
    let mut cases = cases.iter();
    let mut entries = Vec::new();
    for (pack, place) in packs.iter().zip(&files) {
        entries.extend(pack.rules.iter().filter_map(|rule| Some(Entry { place, id: &rule.id, says: rule.says()? })));
        for convention in &pack.conventions {
            let (Some(from), Some(to)) = (cases.next(), Case::parse(&convention.to)) else {
                continue;
            };
            entries.push(Entry { place, id: &convention.id, says: Correspondence::Convention { from, to } });
        }
    }
    check(&entries).iter().map(ToString::to_string).collect()
}

impl RuleEntry {
    /// What the rule states; nothing if it states both kinds or neither.
    pub fn says(&self) -> Option<Correspondence<'_>> {
        match (&self.rename, &self.moves) {
            (Some(Pair { from, to }), None) => Some(Correspondence::Rename { from, to }),
            (None, Some(Pair { from, to })) => Some(Correspondence::Move { from, to }),
            _ => None,
        }
    }
}

impl ConventionEntry {
    /// The cases of `from` that exist.
    pub fn cases(&self) -> Vec<Case> {
        self.from.iter().filter_map(|name| Case::parse(name)).collect()
    }
}

fn check_alone(file: &str, pack: &PackFile) -> Vec<String> {
    let mut problems = Vec::new();
    if format!("{}.yaml", pack.pack) != file {
        let found = &pack.pack;
        problems.push(format!("rules/{file}: pack: found `{found}`; expected the name of the file"));
    }
    if pack.about.trim().is_empty() || pack.about.contains('\n') {
        problems.push(format!("rules/{file}: about: expected one line on the sense of the pack"));
    }
    if pack.engine != ENGINE {
        let found = &pack.engine;
        problems.push(format!("rules/{file}: engine: found `{found}`; expected `{ENGINE}`"));
    }
    for rule in &pack.rules {
        let mut tell = |what| problems.push(format!("rules/{file}: {}: {what}", rule.id));
        check_common(&pack.pack, &rule.id, &rule.valid, &rule.invalid, &mut tell);
        if rule.says().is_none() {
            tell("found both or neither of `rename` and `move`; expected one".to_owned());
        }
    }
    for convention in &pack.conventions {
        let mut tell = |what| problems.push(format!("rules/{file}: {}: {what}", convention.id));
        check_common(&pack.pack, &convention.id, &convention.valid, &convention.invalid, &mut tell);
        for name in convention.from.iter().chain([&convention.to]) {
            if Case::parse(name).is_none() {
                let known = Case::ALL.map(Case::name).join(", ");
                tell(format!("found the case `{name}`; expected one of {known}"));
            }
        }
    }
    problems
}

fn check_common(pack: &str, id: &str, valid: &[Healed], invalid: &[Value], tell: &mut dyn FnMut(String)) {
    if !is_id(pack, id) {
        tell(format!("found the id `{id}`; expected `{pack}-` and three digits, up to {MAX_PACKED}"));
    }
    if valid.is_empty() || invalid.is_empty() {
        tell("found no example; expected at least one in `valid` and one in `invalid`".to_owned());
    }
    if valid.iter().any(|example| example.before == example.after) {
        tell("found a `valid` example that changes nothing; expected `before` to drift".to_owned());
    }
}
