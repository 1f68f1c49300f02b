//! Checks what a set of rules must satisfy before it is compiled.
//!
//! Rules are applied in one pass and never cascade. So a set is refused if a rule could undo, outrun or hide another
//! one: the outcome would then depend on order, and healing a healed body would change it again.

use crate::{
    model::{Case, MAX_PACKED},
    path::{Path, PathError},
};
use std::{collections::BTreeMap, fmt};

/// What a pack says of the engine that it needs. There has been only one.
pub const ENGINE: &str = ">=0.1";

/// Returns whether this is an id of the pack: its name and three digits, a number up to [`MAX_PACKED`].
pub fn is_id(pack: &str, id: &str) -> bool {
    let digits = id.strip_prefix(pack).and_then(|rest| rest.strip_prefix('-'));
    digits.is_some_and(|digits| {
        let is_number = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number && digits.parse().is_ok_and(|number: usize| number <= MAX_PACKED)
    })
}

/// A rule as its file states it.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The file, or the part of a configuration, that states the rule.
    pub place: &'a str,
    /// The id of the rule in messages.
    pub id: &'a str,
    /// What the rule states.
    pub says: Correspondence<'a>,
}

/// What corresponds to what.
#[derive(Debug, Clone, Copy)]
pub enum Correspondence<'a> {
    /// A name to a name.
    Rename {
        /// The drifted name.
        from: &'a str,
        /// The expected name.
        to: &'a str,
    },
    /// A path to a path, both as text.
    Move {
        /// The path at which the value is found.
        from: &'a str,
        /// The path at which the value is expected.
        to: &'a str,
    },
    /// Every name in one of some cases to the same name in another case.
    Convention {
        /// The cases of drifted names.
        from: &'a [Case],
        /// The case of expected names.
        to: Case,
    },
}

/// A refused rule, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place of the refused rule.
    pub place: String,
    /// The id of the refused rule.
    pub id: String,
    /// What is wrong with it.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { place, id, found, expected } = self;
        write!(f, "{place}: {id}: found {found}; expected {expected}")
    }
}

/// Returns every problem of a set of rules; none if the rules can be used together.
pub fn check(entries: &[Entry<'_>]) -> Vec<Problem> {
    let mut problems = repeated_ids(entries);
    let mut rules = Vec::new();
    for entry in entries {
        match parse(entry) {
            Ok(rule) => rules.extend(rule),
            Err(problem) => problems.push(problem),
        }
    }
    let set = Set::new(&rules);
    for rule in &rules {
        problems.extend(set.problem(rule));
    }
    problems
}

/// The number of steps of a cycle that are followed.
///
/// The rules of a longer cycle are still refused, as links of a chain. Without a limit, long chains would cost
/// quadratic time.
const LONGEST_CYCLE_TOLD: usize = 16;

/// A rename or move with parsed paths. A rename is stored as a path of one name.
struct Rule<'a> {
    entry: &'a Entry<'a>,
    is_rename: bool,
    from: Path,
    to: Path,
}

fn problem(entry: &Entry<'_>, found: impl Into<String>, expected: impl Into<String>) -> Problem {
    Problem { place: entry.place.to_owned(), id: entry.id.to_owned(), found: found.into(), expected: expected.into() }
}

fn repeated_ids(entries: &[Entry<'_>]) -> Vec<Problem> {
    let mut first: BTreeMap<&str, &Entry<'_>> = BTreeMap::new();
    let mut problems = Vec::new();
    for entry in entries {
        if let Some(other) = first.get(entry.id) {
            let found = format!("an id that a rule of {} has too", other.place);
            problems.push(problem(entry, found, "an id of its own"));
        } else {
            first.insert(entry.id, entry);
        }
    }
    problems
}

/// Reads an entry by itself. A correct convention gives no rule.
fn parse<'a>(entry: &'a Entry<'a>) -> Result<Option<Rule<'a>>, Problem> {
    let (is_rename, from, to) = match entry.says {
        Correspondence::Convention { from, to } => {
            return convention(entry, from, to).map(|()| None);
        }
        Correspondence::Rename { from, to } => (true, member(entry, "from", from)?, member(entry, "to", to)?),
        Correspondence::Move { from, to } => (false, path(entry, "from", from)?, path(entry, "to", to)?),
    };
    if from == to {
        let found = format!("`{from}` on both sides, a rule that changes nothing");
        return Err(problem(entry, found, "two different names or places"));
    }
    if from.scope() != to.scope() {
        let found = format!("a move from `{from}` to `{to}`, which crosses an array boundary");
        return Err(problem(entry, found, "the same text up to the last `[]` on both sides"));
    }
    Ok(Some(Rule { entry, is_rename, from, to }))
}

fn member(entry: &Entry<'_>, side: &str, name: &str) -> Result<Path, Problem> {
    if name.is_empty() {
        return Err(problem(entry, format!("an empty `{side}`"), "the name of a member"));
    }
    Ok(Path::member(name))
}

fn path(entry: &Entry<'_>, side: &str, text: &str) -> Result<Path, Problem> {
    Path::parse(text).map_err(|PathError { column, found, expected }| {
        let found = format!("{found} at column {column} of `{side}`, `{text}`");
        problem(entry, found, expected)
    })
}

fn convention(entry: &Entry<'_>, from: &[Case], to: Case) -> Result<(), Problem> {
    if from.is_empty() {
        return Err(problem(entry, "a convention from no case", "at least one case in `from`"));
    }
    if from.contains(&to) {
        let found = format!("`{}` on both sides", to.name());
        return Err(problem(entry, found, "a `to` that is not in `from`"));
    }
    for case in Case::ALL {
        if from.iter().filter(|other| **other == case).count() > 1 {
            let found = format!("`{}` twice in `from`", case.name());
            return Err(problem(entry, found, "each case once"));
        }
    }
    Ok(())
}

/// The rules by source and by target.
struct Set<'a> {
    /// The first rule with this source.
    sources: BTreeMap<&'a Path, &'a Rule<'a>>,
    /// The first rule whose target has this name anywhere in its path.
    targets: BTreeMap<&'a Path, &'a Rule<'a>>,
    /// The first rule that leads to, or through, a member with this name.
    names_in_targets: BTreeMap<&'a str, &'a Rule<'a>>,
}

impl<'a> Set<'a> {
    fn new(rules: &'a [Rule<'a>]) -> Self {
        let mut set = Set { sources: BTreeMap::new(), targets: BTreeMap::new(), names_in_targets: BTreeMap::new() };
        for rule in rules {
            set.sources.entry(&rule.from).or_insert(rule);
            set.targets.entry(&rule.to).or_insert(rule);
            for name in rule.to.segments() {
                set.names_in_targets.entry(name).or_insert(rule);
            }
        }
        set
    }

    fn problem(&self, rule: &Rule<'_>) -> Option<Problem> {
        self.second_for_source(rule)
            .or_else(|| self.cycle(rule))
            .or_else(|| self.chain(rule))
            .or_else(|| self.hidden(rule))
    }

    fn second_for_source(&self, rule: &Rule<'_>) -> Option<Problem> {
        let first = self.sources.get(&rule.from)?;
        if std::ptr::eq(first.entry, rule.entry) {
            return None;
        }
        let Rule { from, to, .. } = rule;
        let (id, place) = (first.entry.id, first.entry.place);
        let found = if first.to == *to {
            format!("`{from}` to `{to}` a second time, after {id} in {place}")
        } else {
            format!("`{from}` to `{to}`, but {id} in {place} leads it to `{}`", first.to)
        };
        Some(problem(rule.entry, found, "one rule for each source"))
    }

    /// Finds a cycle. It is reported at each of its rules, so that every file involved is named.
    fn cycle(&self, rule: &Rule<'_>) -> Option<Problem> {
        let mut way = vec![rule.from.to_string(), rule.to.to_string()];
        let mut at = &rule.to;
        for _ in 0..LONGEST_CYCLE_TOLD {
            at = &self.sources.get(at)?.to;
            way.push(at.to_string());
            if *at == rule.from {
                let found = format!("the cycle `{}`", way.join("` to `"));
                return Some(problem(rule.entry, found, "rules that lead one way"));
            }
        }
        None
    }

    fn chain(&self, rule: &Rule<'_>) -> Option<Problem> {
        let before = match self.targets.get(&rule.from) {
            Some(before) => before,
            None if rule.is_rename => self.names_in_targets.get(only_name(&rule.from)?)?,
            None => return None,
        };
        let Rule { from, to, .. } = rule;
        let (id, place) = (before.entry.id, before.entry.place);
        let found = format!("`{from}` to `{to}`, but {id} in {place} leads to `{}`", before.to);
        Some(problem(rule.entry, found, "a source that no rule leads to, for rules never cascade"))
    }

    /// Finds a source inside something that another rule takes or renames.
    fn hidden(&self, rule: &Rule<'_>) -> Option<Problem> {
        for container in rule.from.enclosing() {
            let name = Path::member(container.segments().last()?);
            let renamed = self.sources.get(&name).filter(|other| other.is_rename);
            let Some(other) = self.sources.get(&container).or(renamed) else {
                continue;
            };
            let (id, place) = (other.entry.id, other.entry.place);
            let found = format!("`{}` inside `{container}`, which {id} in {place} takes", rule.from);
            return Some(problem(rule.entry, found, "a source outside all other sources"));
        }
        None
    }
}

fn only_name(path: &Path) -> Option<&str> {
    path.segments().first().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Correspondence::{Convention, Move, Rename};

    /// Names the entries `r1`, `r2`, ... and joins the messages.
    fn messages(says: &[Correspondence<'_>]) -> String {
        let ids: Vec<String> = (1..=says.len()).map(|n| format!("r{n}")).collect();
        let entries: Vec<Entry<'_>> =
            ids.iter().zip(says).map(|(id, says)| Entry { place: "p", id, says: *says }).collect();
        let problems: Vec<String> = check(&entries).iter().map(Problem::to_string).collect();
        problems.join("\n")
    }

    fn rename<'a>(from: &'a str, to: &'a str) -> Correspondence<'a> {
        Rename { from, to }
    }

    fn moves<'a>(from: &'a str, to: &'a str) -> Correspondence<'a> {
        Move { from, to }
    }

    #[test]
    fn rules_that_work_together_pass() {
        let rows: &[&[Correspondence<'_>]] = &[
            &[],
            &[rename("a", "b"), rename("c", "b")],
            &[rename("a.b", "c"), moves("a.b", "d")],
            &[moves("a.b", "a"), moves("c", "c.d")],
            &[moves("a.b", "x"), moves("a.c", "y")],
            &[moves("a[].b", "a[].c"), moves("b", "c")],
            &[moves("p.mail", "email"), rename("mail", "email")],
            &[Convention { from: &[Case::Camel, Case::Kebab], to: Case::Snake }],
        ];
        for says in rows {
            assert_eq!(messages(says), "", "{says:?}");
        }
    }

    #[test]
    fn a_rule_that_cannot_fire_is_refused() {
        let rows = [
            (rename("a", "a"), "`a` on both sides, a rule that changes nothing"),
            (moves("a.b", "\"a\".b"), "`a.b` on both sides, a rule that changes nothing"),
            (rename("", "a"), "an empty `from`"),
            (rename("a", ""), "an empty `to`"),
            (moves("a..b", "c"), "`.` at column 3 of `from`, `a..b`"),
            (moves("a", "b[]"), "the end of the path at column 4 of `to`, `b[]`"),
            (moves("a[].b", "c"), "a move from `a[].b` to `c`, which crosses an array boundary"),
            (moves("a[].b", "c[].b"), "which crosses an array boundary"),
            (Convention { from: &[], to: Case::Snake }, "a convention from no case"),
            (Convention { from: &[Case::Snake], to: Case::Snake }, "`snake_case` on both sides"),
            (Convention { from: &[Case::Camel, Case::Camel], to: Case::Snake }, "`camelCase` twice in `from`"),
        ];
        for (says, expected) in rows {
            let message = messages(&[says]);
            assert!(message.contains(expected), "{says:?}: {message}");
            assert!(message.starts_with("p: r1: found "), "{message}");
        }
    }

    #[test]
    fn rules_that_clash_are_refused() {
        let rows: &[(&[Correspondence<'_>], &str)] = &[
            (&[rename("a", "b"), rename("a", "b")], "r2: found `a` to `b` a second time, after r1"),
            (&[rename("a", "b"), rename("a", "c")], "r2: found `a` to `c`, but r1 in p leads it to `b`"),
            (&[rename("a", "b"), moves("a", "c")], "r2: found `a` to `c`, but r1 in p leads it to `b`"),
            (&[rename("a", "b"), rename("b", "a")], "r1: found the cycle `a` to `b` to `a`"),
            (&[rename("a", "b"), rename("b", "c"), moves("c", "a")], "r2: found the cycle `b` to `c` to `a` to `b`"),
            (&[rename("a", "b"), rename("b", "c")], "r2: found `b` to `c`, but r1 in p leads to `b`"),
            (&[moves("a.b", "c.d"), rename("c", "e")], "r2: found `c` to `e`, but r1 in p leads to `c.d`"),
            (&[moves("a", "b.c"), moves("b.c", "d")], "r2: found `b.c` to `d`, but r1 in p leads to `b.c`"),
            (&[moves("a", "b"), moves("a.c", "d")], "r2: found `a.c` inside `a`, which r1 in p takes"),
            (&[rename("a", "b"), moves("x.a.c", "d")], "r2: found `x.a.c` inside `x.a`, which r1"),
            (&[moves("a", "b"), moves("a[].c", "a[].d")], "r2: found `a[].c` inside `a`, which r1"),
        ];
        for (says, expected) in rows {
            let message = messages(says);
            assert!(message.contains(expected), "{says:?}: {message}");
        }
    }

    #[test]
    fn an_id_is_used_once() {
        let says = rename("a", "b");
        let other = Convention { from: &[Case::Camel], to: Case::Snake };
        let entries = [Entry { place: "p", id: "x", says }, Entry { place: "q", id: "x", says: other }];
        let problems = check(&entries);
        let texts: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(texts, ["q: x: found an id that a rule of p has too; expected an id of its own"]);
    }
}
