//! Rule packs as files: checks them as the build checks those in `rules/`, and runs their examples.

mod examples;

use healer::config::ConfigError;
use healer::config::cursor::{Cursor, Problems, refuse_duplicates};
use healer::config::node::Node;
use nomos_rules::check::{self, Correspondence, ENGINE, Entry};
use nomos_rules::{Case, MAX_PACKED, PACK_NAMES};

/// The name of the checked pack in messages.
const OWN: &str = "this pack";

const FIELDS: [&str; 5] = ["pack", "about", "engine", "rules", "conventions"];
const RULE_FIELDS: [&str; 5] = ["id", "rename", "move", "valid", "invalid"];
const CONVENTION_FIELDS: [&str; 5] = ["id", "from", "to", "valid", "invalid"];

/// Returns the name of the pack if the document is a pack file.
pub fn name(document: &Node) -> Option<&str> {
    document.get("pack").and_then(Node::as_str)
}

/// Returns all problems of a pack.
pub fn check(document: &Node) -> Vec<ConfigError> {
    let mut problems = Problems::new();
    let root = Cursor::root(document);
    refuse_duplicates(&root, &mut problems);
    read(&root, &mut problems);
    problems
}

/// Returns the number of rules and conventions of a pack.
pub fn count(document: &Node) -> usize {
    let rules = Cursor::root(document);
    let of = |field| rules.field(field).map_or(0, |list| list.items(&mut Problems::new(), "").count());
    of("rules") + of("conventions")
}

/// A rule, as far as it could be read.
struct Rule<'a> {
    cursor: Cursor<'a>,
    id: String,
    says: Says,
}

enum Says {
    Rename(String, String),
    Move(String, String),
    Convention(Vec<Case>, Case),
}

impl Says {
    fn correspondence(&self) -> Correspondence<'_> {
        match self {
            Says::Rename(from, to) => Correspondence::Rename { from, to },
            Says::Move(from, to) => Correspondence::Move { from, to },
            Says::Convention(from, to) => Correspondence::Convention { from, to: *to },
        }
    }
}

fn read(root: &Cursor<'_>, problems: &mut Problems) {
    root.only_fields(problems, "a rule pack", &FIELDS);
    let pack = read_text(root, "pack", "the name of the pack, which is that of its file", problems);
    read_text_that(root, "about", "one line on the sense of the pack", problems, |about| {
        !about.trim().is_empty() && !about.contains('\n')
    });
    let expected = format!("the engine that it needs, {ENGINE}");
    read_text_that(root, "engine", &expected, problems, |engine| engine == ENGINE);
    let (rules, conventions) = (root.field("rules"), root.field("conventions"));
    let mut read = Vec::new();
    if let Some(list) = &rules {
        read_list(list, &pack, problems, &mut read, read_rule);
    }
    if let Some(list) = &conventions {
        read_list(list, &pack, problems, &mut read, read_convention);
    }
    if rules.is_none() && conventions.is_none() {
        root.refuse(problems, "a pack without rules", "rules or conventions");
    }
    check_together(&pack, &read, problems);
    if problems.is_empty() {
        for rule in &read {
            examples::run(&rule.cursor, &rule.says, problems);
        }
    }
}

fn read_list<'a>(
    list: &'a Cursor<'a>,
    pack: &str,
    problems: &mut Problems,
    rules: &mut Vec<Rule<'a>>,
    read_one: fn(&Cursor<'_>, &mut Problems) -> Option<Says>,
) {
    for cursor in list.items(problems, "a list") {
        let id = read_text(&cursor, "id", "an id", problems);
        if !check::is_id(pack, &id) && !id.is_empty() {
            cursor.refuse(problems, format!("the id {id}"), format!("{pack}- and three digits, up to {MAX_PACKED}"));
        }
        for field in ["valid", "invalid"] {
            if cursor.field(field).is_none_or(|examples| examples.items(problems, "examples").next().is_none()) {
                cursor.refuse(problems, format!("no example under {field}"), "at least one");
            }
        }
        if let Some(says) = read_one(&cursor, problems) {
            rules.push(Rule { cursor, id, says });
        }
    }
}

fn read_rule(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Says> {
    cursor.only_fields(problems, "a rule", &RULE_FIELDS)?;
    match (cursor.field("rename"), cursor.field("move")) {
        (Some(pair), None) => read_pair(&pair, problems).map(|(from, to)| Says::Rename(from, to)),
        (None, Some(pair)) => read_pair(&pair, problems).map(|(from, to)| Says::Move(from, to)),
        _ => {
            cursor.refuse(
                problems,
                "both or neither of rename and move",
                "one of them, such as {from: mail, to: email}",
            );
            None
        }
    }
}

fn read_pair(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<(String, String)> {
    cursor.only_fields(problems, "an object such as {from: mail, to: email}", &["from", "to"])?;
    let before = problems.len();
    let from = read_text(cursor, "from", "the drifted name or path", problems);
    let to = read_text(cursor, "to", "the expected name or path", problems);
    for (field, text) in [("from", &from), ("to", &to)] {
        if text.len() > MAX_PACKED
            && let Some(cursor) = cursor.field(field)
        {
            cursor.refuse(problems, format!("{} bytes", text.len()), format!("at most {MAX_PACKED}"));
        }
    }
    (problems.len() == before).then_some((from, to))
}

fn read_convention(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Says> {
    cursor.only_fields(problems, "a convention", &CONVENTION_FIELDS)?;
    let choices = Case::ALL.map(|case| (case.name(), case));
    let mut from = Vec::new();
    if let Some(list) = cursor.field("from") {
        for item in list.items(problems, "a list of cases") {
            from.extend(item.choice(problems, &choices));
        }
    }
    let Some(to) = cursor.field("to") else {
        cursor.refuse(problems, "a convention without to", "the case that clients expect");
        return None;
    };
    Some(Says::Convention(from, to.choice(problems, &choices)?))
}

/// Reads a required text. Returns an empty text if it is refused.
fn read_text(cursor: &Cursor<'_>, name: &str, expected: &str, problems: &mut Problems) -> String {
    let Some(field) = cursor.field(name) else {
        cursor.refuse(problems, format!("no {name}"), expected);
        return String::new();
    };
    field.text(problems, expected).unwrap_or_default().to_owned()
}

/// Reads a text, and refuses one that is not as it must be.
fn read_text_that(
    cursor: &Cursor<'_>,
    name: &str,
    expected: &str,
    problems: &mut Problems,
    is_good: impl Fn(&str) -> bool,
) {
    let text = read_text(cursor, name, expected, problems);
    if let Some(field) = cursor.field(name).filter(|field| field.node.as_str().is_some() && !is_good(&text)) {
        field.expected(problems, expected);
    }
}

/// Checks the rules of this pack against each other, and against the embedded packs except one of the same name.
fn check_together(pack: &str, rules: &[Rule<'_>], problems: &mut Problems) {
    // The embedded ones come first, because of two clashing rules the later one is reported.
    let others = embedded(pack);
    let mut entries: Vec<Entry<'_>> = others.iter().map(|(place, id, says)| Entry { place, id, says: *says }).collect();
    entries.extend(rules.iter().map(|rule| Entry { place: OWN, id: &rule.id, says: rule.says.correspondence() }));
    for problem in check::check(&entries).iter().filter(|problem| problem.place == OWN) {
        let Some(rule) = rules.iter().find(|rule| rule.id == problem.id) else { continue };
        rule.cursor.refuse(problems, problem.found.clone(), problem.expected.clone());
    }
}

/// The rules of all embedded packs except one: place, id, and correspondence.
fn embedded(except: &str) -> Vec<(&'static str, String, Correspondence<'static>)> {
    let packs = PACK_NAMES.into_iter().filter(|name| *name != except).filter_map(nomos_rules::pack);
    let entry = |pack: &nomos_rules::Pack, rule: nomos_rules::Rule<'static>| {
        let (from, to) = (rule.from, rule.to);
        let says = match rule.kind {
            nomos_rules::Kind::Rename => Correspondence::Rename { from, to },
            nomos_rules::Kind::Move => Correspondence::Move { from, to },
        };
        (pack.name, pack.id(rule.number).to_string(), says)
    };
    packs.flat_map(|pack| pack.rules.iter().map(move |rule| entry(pack, rule))).collect()
}
