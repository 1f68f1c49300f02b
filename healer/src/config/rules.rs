//! The rules of a route: its own `rename` and `move`, and those of its packs.

use nomos_rules::path::Path;
use nomos_rules::{Kind, PACKS, Pack};

use crate::plan::spec::{ConventionRule, MoveRule, RenameRule, RuleSource};

use super::cursor::{Cursor, Problems};
use super::cycles;
use super::index::Index;
use super::suggest::did_you_mean;

/// The rank of the route's own rules, which come before those of any pack. They all share it, because a map loses its
/// order when Envoy turns YAML into a protobuf `Struct`. Between them the order of the body decides.
const OWN_RANK: u16 = 0;
/// So many renames are followed from all moves together, which takes a tenth of a second. To follow thousands from each
/// of thousands of moves would take half a minute, and no names drift so.
const MAX_FOLLOWED: usize = 1 << 20;

/// Reads `rename`: drifted names to expected ones.
pub(super) fn renames(cursor: &Cursor<'_>, problems: &mut Problems) -> Vec<RenameRule> {
    let mut rules = Vec::new();
    let mut entries = Vec::new();
    for member in cursor.members(problems, "an object: drifted name to expected name, such as {mail: email_address}") {
        let Some(to) = member.text(problems, "the name that clients expect") else { continue };
        if member.name().is_empty() {
            member.refuse(problems, "an empty name", "the drifted name");
            continue;
        }
        entries.push(Entry { from: member.name().to_owned(), to: to.to_owned(), cursor: member });
        let (from, to) = (member.name().to_owned(), to.to_owned());
        rules.push(RenameRule { from, to, rank: OWN_RANK, source: RuleSource::Route });
    }
    refuse_circles(&entries, problems);
    rules
}

/// Reads `move`: drifted paths to expected ones. `renames` are the renames that fire wherever their source stands.
pub(super) fn moves(cursor: &Cursor<'_>, renames: &[RenameRule], problems: &mut Problems) -> Vec<MoveRule> {
    let mut rules: Vec<MoveRule> = Vec::new();
    let mut entries = Vec::new();
    for member in cursor.members(problems, "an object: drifted path to expected path, such as {data.user.id: user_id}")
    {
        let Some((from, to)) = read_paths(&member, problems) else { continue };
        entries.push(Entry { from: from.to_string(), to: to.to_string(), cursor: member });
        rules.push(MoveRule { from, to, rank: OWN_RANK, source: RuleSource::Route });
    }
    refuse_same_source(&entries, problems);
    refuse_circles(&entries, problems);
    refuse_mixed_circles(renames, &rules, &entries, problems);
    rules
}

/// Rules and conventions of packs, ranked in the order in which they are listed.
#[derive(Debug, Default)]
pub(super) struct Packed {
    pub renames: Vec<RenameRule>,
    pub moves: Vec<MoveRule>,
    pub conventions: Vec<ConventionRule>,
}

/// Reads `packs`: names of embedded packs, or `all`.
pub(super) fn packs(cursor: &Cursor<'_>, problems: &mut Problems) -> Packed {
    let mut chosen: Vec<&'static Pack> = Vec::new();
    for item in cursor.items(problems, "an array of packs, such as [api-v2, camel-case], or [all]") {
        let Some(name) = item.text(problems, "the name of a pack") else { continue };
        let named = named_packs(name);
        if named.is_empty() {
            item.expected(problems, &known_packs(name));
        } else if named.iter().any(|pack| chosen.iter().any(|known| known.name == pack.name)) {
            item.expected(problems, "each pack once; all is every pack");
        }
        chosen.extend(named);
    }
    let mut packed = Packed::default();
    for pack in chosen {
        packed.add(pack);
    }
    packed
}

fn named_packs(name: &str) -> Vec<&'static Pack> {
    PACKS.iter().filter(|pack| pack.name == name || name == "all").collect()
}

fn known_packs(name: &str) -> String {
    let names: Vec<&str> = PACKS.iter().map(|pack| pack.name).chain(["all"]).collect();
    format!("one of {}{}", names.join(", "), did_you_mean(name, names.iter().copied()))
}

impl Packed {
    fn add(&mut self, pack: &'static Pack) {
        for rule in pack.rules.iter() {
            let (rank, source) = (self.next_rank(), RuleSource::Pack(pack.id(rule.number)));
            match rule.kind {
                Kind::Rename => {
                    let (from, to) = (rule.from.to_owned(), rule.to.to_owned());
                    self.renames.push(RenameRule { from, to, rank, source });
                }
                // Packs are checked at build time, so their paths are well-formed.
                Kind::Move => {
                    if let (Ok(from), Ok(to)) = (Path::parse(rule.from), Path::parse(rule.to)) {
                        self.moves.push(MoveRule { from, to, rank, source });
                    }
                }
            }
        }
        for convention in pack.conventions {
            let (rank, source) = (self.next_rank(), RuleSource::Pack(pack.id(convention.number)));
            self.conventions.push(ConventionRule { from: convention.from.to_vec(), to: convention.to, rank, source });
        }
    }

    /// Returns the rank of the next rule. Every rule of a pack has its own, behind the route's own rules.
    fn next_rank(&self) -> u16 {
        let rules = self.renames.len().saturating_add(self.moves.len()).saturating_add(self.conventions.len());
        u16::try_from(rules.saturating_add(1)).unwrap_or(u16::MAX)
    }
}

/// A rule as text, for comparisons.
struct Entry<'a> {
    from: String,
    to: String,
    cursor: Cursor<'a>,
}

fn read_paths(member: &Cursor<'_>, problems: &mut Problems) -> Option<(Path, Path)> {
    let target = member.text(problems, "the path that clients expect")?;
    let from = read_path("source", member.name(), member, problems);
    let to = read_path("target", target, member, problems);
    let (from, to) = (from?, to?);
    if from.scope() != to.scope() {
        let found = format!("a move from {from} to {to}, which crosses an array boundary");
        member.refuse(problems, found, "the same path up to the last [] on both sides");
        return None;
    }
    Some((from, to))
}

fn read_path(side: &str, text: &str, member: &Cursor<'_>, problems: &mut Problems) -> Option<Path> {
    match Path::parse(text) {
        Ok(path) => Some(path),
        Err(error) => {
            let found = format!("{} at column {} of the {side} path", error.found, error.column);
            member.refuse(problems, found, error.expected);
            None
        }
    }
}

/// Refuses two spellings of one source, such as `a.b` and `a."b"`, or `a` and `[].a`, which are the same in elements of
/// a root array. The same spelling twice is refused as a duplicate name.
fn refuse_same_source(entries: &[Entry<'_>], problems: &mut Problems) {
    let sources = Index::new(entries.iter().map(|entry| entry.from.strip_prefix("[].").unwrap_or(entry.from.as_str())));
    for (first, second) in sources.repeats() {
        let (Some(first), Some(second)) = (entries.get(first), entries.get(second)) else { continue };
        if first.cursor.name() != second.cursor.name() {
            let found = format!("a second target for {}, which also goes to {}", second.from, first.to);
            second.cursor.refuse(problems, found, "one target for each source");
        }
    }
}

/// Refuses rules that lead back to where they start: the outcome would depend on their order.
fn refuse_circles(entries: &[Entry<'_>], problems: &mut Problems) {
    let pairs: Vec<(&str, &str)> = entries.iter().map(|entry| (entry.from.as_str(), entry.to.as_str())).collect();
    for circle in cycles::find(&pairs) {
        let members: Vec<&Entry<'_>> = circle.iter().filter_map(|index| entries.get(*index)).collect();
        let Some(first) = members.first() else { continue };
        if members.len() == 1 {
            first.cursor.refuse(problems, "a rule from its source to itself", "a target other than the source");
            continue;
        }
        let names: Vec<&str> = members.iter().map(|entry| entry.from.as_str()).chain([first.from.as_str()]).collect();
        refuse_circle(&first.cursor, &names, problems);
    }
}

/// Refuses the first circle of renames and one move within an object, which is a rename too.
fn refuse_mixed_circles(renames: &[RenameRule], moves: &[MoveRule], entries: &[Entry<'_>], problems: &mut Problems) {
    let sources = Index::new(renames.iter().map(|rename| rename.from.as_str()));
    let mut followed = 0..MAX_FOLLOWED;
    for (rule, entry) in moves.iter().zip(entries) {
        let Some((from, to)) = names_within(rule) else { continue };
        let mut names = vec![from, to];
        for _ in renames {
            let Some(at) = names.last().and_then(|last| sources.first(last)) else { break };
            if followed.next().is_none() {
                let expected = "fewer renames that lead from one to the next";
                return entry.cursor.refuse(problems, "more renames behind moves than can be followed", expected);
            }
            names.extend(renames.get(at).map(|rename| rename.to.as_str()));
            if names.last() == Some(&from) {
                return refuse_circle(&entry.cursor, &names, problems);
            }
        }
    }
}

/// Returns the names between which a move leads, if it stays in one object.
fn names_within(rule: &MoveRule) -> Option<(&str, &str)> {
    let (from, before) = rule.from.segments().split_last()?;
    let (to, behind) = rule.to.segments().split_last()?;
    (before == behind).then_some((from, to))
}

fn refuse_circle(cursor: &Cursor<'_>, names: &[&str], problems: &mut Problems) {
    cursor.refuse(problems, format!("a circle: {}", names.join(" -> ")), "rules that do not lead back");
}
