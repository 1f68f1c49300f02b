use std::str::FromStr;

/// What is timed on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The engine's part while bytes arrive: copy them, and scan them into a tape.
    Scan,
    /// Of the engine's part once the value has closed, the first half: walk the tape, and decide.
    Walk,
    /// All of that part: walk, decide, and splice.
    Heal,
    /// Both, for a body that comes in one chunk and has another skeleton than those before.
    Whole,
    /// What the filter does for a body that comes in one chunk, where the bodies before had its skeleton.
    Traced,
    /// As above, with nothing known of the shapes of records; only with similarity another thing.
    First,
    /// Parse into `serde_json::Value`, edit, serialise. Nothing is serialised where there was nothing to edit.
    Dom,
}

impl Operation {
    /// Those that are timed on every body.
    pub const ALL: [Operation; 6] =
        [Operation::Scan, Operation::Walk, Operation::Heal, Operation::Whole, Operation::Traced, Operation::Dom];

    /// The name in requests and results.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Scan => "scan",
            Operation::Walk => "walk",
            Operation::Heal => "heal",
            Operation::Whole => "whole",
            Operation::Traced => "traced",
            Operation::First => "first",
            Operation::Dom => "dom",
        }
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Operation::ALL
            .into_iter()
            .chain([Operation::First])
            .find(|operation| operation.name() == name)
            .ok_or_else(|| format!("found operation `{name}`; expected scan, walk, heal, whole, traced, first or dom"))
    }
}
