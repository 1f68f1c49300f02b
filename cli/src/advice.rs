//! Warnings of `nomos check` about valid settings in a configuration or contract that are hardly meant.

use healer::config::ConfigError;
use healer::config::contract;
use healer::config::cursor::{Cursor, Problems};
use healer::config::node::Node;
use serde_json::Value;

use crate::members::emptiness;
use crate::routes;
use crate::source::said_of;
use crate::warning::Warning;

/// Warns of contracts that expect nothing, of rules that look like another notation for paths, and of routes without
/// any effect.
pub fn in_settings(configuration: &Node) -> Vec<Warning> {
    let mut doubts = Problems::new();
    let root = Cursor::root(configuration);
    routes::doubt_absence(&root, &mut doubts);
    if let Some(list) = root.field("routes") {
        // If `routes` is no array, that is reported as a problem already.
        let all: Vec<Cursor<'_>> = list.items(&mut Problems::new(), "routes").collect();
        for route in &all {
            in_route(route, &mut doubts);
            routes::doubt(route, &mut doubts);
        }
        routes::doubt_order(&all, &mut doubts);
    }
    doubts.sort_by_key(|doubt| doubt.offset);
    doubts.into_iter().map(Warning::from).collect()
}

/// Warns about a contract that is a file of its own.
pub fn in_contract(document: &Node) -> Vec<Warning> {
    let mut doubts = Problems::new();
    doubt_contract(&Cursor::root(document), &mut doubts);
    said_of("contract", document, doubts).into_iter().map(Warning::from).collect()
}

fn in_route(route: &Cursor<'_>, doubts: &mut Problems) {
    let contract = route.field("contract");
    if let Some(contract) = &contract {
        doubt_contract(contract, doubts);
    }
    for (field, doubt) in [("rename", doubt_rename as Doubt), ("move", doubt_move)] {
        let Some(rules) = route.field(field).filter(Cursor::is_object) else { continue };
        for rule in rules.members(&mut Problems::new(), "rules") {
            let to = rule.node.as_str().unwrap_or_default();
            if let Some((found, expected)) = doubt(rule.name(), to, contract.is_some()) {
                rule.refuse(doubts, found, expected);
            }
        }
    }
}

fn doubt_contract(cursor: &Cursor<'_>, doubts: &mut Problems) {
    let contract = contract::read(cursor, &mut Problems::new());
    if let Some((found, expected)) = contract.as_ref().and_then(emptiness) {
        cursor.refuse(doubts, found, expected);
    }
}

/// Returns what was found and what is expected if a rule with this source and target is hardly meant. With a contract
/// the target is one of its names.
type Doubt = fn(from: &str, to: &str, has_contract: bool) -> Option<(String, String)>;

/// A rename is about one name, which may contain dots. If names of the contract contain dots, other names may too.
fn doubt_rename(from: &str, to: &str, has_contract: bool) -> Option<(String, String)> {
    let is_path = |name: &str| name.contains(['.', '*']) || name.contains("[]") || name.starts_with('/');
    let name = match (is_path(from), is_path(to)) {
        (true, true) if has_contract => return None,
        (true, _) => from,
        (false, true) if !has_contract => to,
        (false, _) => return None,
    };
    let found = format!("{}, which is one name in rename, and no path", Value::from(name));
    Some((found, "a name; paths are for move".to_owned()))
}

/// A path begins with a name, with dots between names and `[]` after those of arrays. In quotes anything is a name.
fn doubt_move(from: &str, to: &str, has_contract: bool) -> Option<(String, String)> {
    let sides = if has_contract { &[from][..] } else { &[from, to] };
    sides.iter().find_map(|path| {
        let why = foreign_notation(path)?;
        Some((
            format!("{}, {why}", Value::from(*path)),
            "names with dots between them, such as data.items[].id".to_owned(),
        ))
    })
}

fn foreign_notation(path: &str) -> Option<&'static str> {
    if path.contains('"') {
        return None;
    }
    let mut names = path.split('.').map(|step| step.trim_end_matches("[]"));
    match path {
        _ if names.clone().next() == Some("$") => Some("where $ is a name like others"),
        _ if path.starts_with('/') => Some("where / is part of a name"),
        _ => names.any(|name| name == "*").then_some("where * is a name like others"),
    }
}

impl From<ConfigError> for Warning {
    fn from(doubt: ConfigError) -> Self {
        let ConfigError { at, offset, found, expected } = doubt;
        Warning::unexpected(offset, at, found, expected)
    }
}

#[cfg(test)]
mod tests {
    use super::{doubt_move, doubt_rename};

    #[test]
    fn rules_in_other_notations_are_doubted() {
        let renames = [
            ("data.mail", "email", true, true),
            ("data.mail", "user.email", true, false),
            ("data.mail", "user.email", false, true),
            ("mail", "user.email", true, false),
            ("mail", "user.email", false, true),
            ("$.mail", "email", false, true),
            ("/mail", "email", false, true),
            ("*", "email", false, true),
            ("items[]", "items", false, true),
            ("$ref", "ref", false, false),
            ("a/b", "ab", false, false),
            ("e-mail", "email", false, false),
        ];
        for (from, to, has_contract, expected) in renames {
            assert_eq!(doubt_rename(from, to, has_contract).is_some(), expected, "{from} {to} {has_contract}");
        }
        let moves = [
            ("$.id", "id", true, true),
            ("$[].id", "id", true, true),
            ("/a/id", "id", true, true),
            ("a.*.id", "id", true, true),
            ("a.*[].id", "id", true, true),
            ("id", "$.id", false, true),
            ("id", "$.id", true, false),
            ("\"$\".id", "id", true, false),
            ("\"/a\".id", "id", true, false),
            ("\"a.*.b\"", "id", true, false),
            ("$id.a", "id", false, false),
            ("data.items[].id", "items[].id", false, false),
        ];
        for (from, to, has_contract, expected) in moves {
            assert_eq!(doubt_move(from, to, has_contract).is_some(), expected, "{from} {to} {has_contract}");
        }
    }
}
