//! Records of one body, as a walk meets them.

use crate::plan::automaton::{Id, NONE};

/// A record that a walk met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// The number of the token that is its opening brace.
    pub token: u32,
    /// The number of the token after its closing brace.
    pub end: u32,
    /// The plan's state for it.
    pub state: Id,
    /// The state that it was walked in.
    pub over: Id,
    /// The remembered shape that it was taken for; [`NONE`] for no shape.
    pub taken_for: Id,
    /// Whether it has that shape, member by member. If so, the fields below mean nothing.
    pub is_sure: bool,
    /// Number of names in it.
    pub names: u32,
    /// Number of names that the plan does not know.
    pub unknown: u32,
    pub shape: u64,
    /// Whether similarity may look at it, once that is settled.
    pub is_scored: bool,
}

impl Instance {
    /// Nothing is known yet.
    pub(crate) const UNREAD: Instance = Instance {
        token: 0,
        end: 0,
        state: 0,
        over: 0,
        taken_for: NONE,
        is_sure: false,
        names: 0,
        unknown: 0,
        shape: 0,
        is_scored: false,
    };
}
