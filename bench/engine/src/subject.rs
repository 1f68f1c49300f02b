use serde::{Deserialize, Serialize};

use crate::edit::Edit;

/// Bodies of one kind, and what heals them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// What it is called in results.
    pub name: String,
    /// The plugin's configuration: JSON with one route.
    pub config: String,
    /// Bodies of the same keys with other values. They are timed in turn, so that the branch predictor cannot learn
    /// one of them by heart, as it would a body of 1 KB that comes again and again.
    pub bodies: Vec<String>,
    /// Renames and moves in each body.
    pub ops: u32,
    /// The same change, for a tree.
    pub edit: Edit,
}

impl Subject {
    /// Bytes of a body, on average.
    pub fn bytes(&self) -> usize {
        self.bodies.iter().map(String::len).sum::<usize>() / self.bodies.len().max(1)
    }

    /// Members of a body at all depths; every body of a subject has the same.
    pub fn keys(&self) -> usize {
        let body = self.bodies.first().map(|body| serde_json::from_str(body).unwrap_or_default());
        body.as_ref().map_or(0, members)
    }
}

fn members(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        serde_json::Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}
