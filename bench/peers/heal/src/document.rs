//! The usual way: the whole document as a tree, edited and written again.

use serde_json::{Map, Value};

use crate::RENAMES;

/// The healed body; nothing where no name drifted, or where the body is no object.
#[must_use]
pub fn heal(body: &[u8]) -> Option<Vec<u8>> {
    let mut members: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let mut changed = false;
    for (drifted, expected) in RENAMES {
        if let Some(value) = members.remove(drifted) {
            members.insert(expected.to_owned(), value);
            changed = true;
        }
    }
    changed.then(|| serde_json::to_vec(&members).ok()).flatten()
}
