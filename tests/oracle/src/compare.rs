//! Whether a healed body is what the oracle expects, and where it differs.

use crate::heal::{Expected, Key, Layout};
use crate::tree::{Id, Kind, Member, Tree};

/// Returns the first difference as the error.
pub fn difference(expected: &Expected, tree: &Tree<'_>) -> Result<(), String> {
    value(expected, tree, 0, "$")
}

fn value(expected: &Expected, tree: &Tree<'_>, id: Id, at: &str) -> Result<(), String> {
    let node = &tree.nodes[id];
    match (expected, &node.kind) {
        (Expected::Text(text), _) => same(at, node.raw, text),
        (Expected::Moved(expected), _) => value(expected, tree, id, at),
        (Expected::Array(expected, layout), Kind::Array(elements)) => {
            same(&format!("{at}: elements"), &elements.len(), &expected.len())?;
            for (i, (expected, &element)) in expected.iter().zip(elements).enumerate() {
                value(expected, tree, element, &format!("{at}[{i}]"))?;
            }
            gaps(layout, tree, id, at)
        }
        (Expected::Object(expected, layout), Kind::Object(members)) => {
            same(&format!("{at}: members"), &keys(members), &expected.iter().map(|p| text(&p.key)).collect())?;
            let found = tree.gaps(id);
            for (i, (part, member)) in expected.iter().zip(members).enumerate() {
                let at = format!("{at}.{}", member.key);
                key(&part.key, member, &at)?;
                if let Some(colon) = &part.colon {
                    same(&format!("{at}: colon"), found[2 * i + 1], colon)?;
                }
                value(&part.value, tree, member.value, &at)?;
            }
            gaps(layout, tree, id, at)
        }
        _ => Err(format!("{at}: found {}; expected {expected:?}", node.raw)),
    }
}

fn key(expected: &Key, member: &Member<'_>, at: &str) -> Result<(), String> {
    match expected {
        Key::Text(text) => same(&format!("{at}: key"), member.key, text),
        Key::Name(name) => same(&format!("{at}: name"), &member.name, &Some(name.clone())),
    }
}

fn gaps(layout: &Layout, tree: &Tree<'_>, id: Id, at: &str) -> Result<(), String> {
    match layout {
        Some(layout) => same(&format!("{at}: layout"), &tree.gaps(id), &layout.iter().map(String::as_str).collect()),
        None => Ok(()),
    }
}

fn keys(members: &[Member<'_>]) -> Vec<String> {
    members.iter().map(|m| m.name.clone().unwrap_or_else(|| m.key.to_owned())).collect()
}

fn text(key: &Key) -> String {
    match key {
        Key::Text(text) => serde_json::from_str(text).unwrap_or_else(|_| text.clone()),
        Key::Name(name) => name.clone(),
    }
}

fn same<T: PartialEq + std::fmt::Debug + ?Sized>(at: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{at}: found {found:?}; expected {expected:?}")) }
}
