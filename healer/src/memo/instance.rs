//! Records of one body, as a walk comes across them.

use crate::plan::automaton::{Id, NONE};

/// A record that a walk came across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// Its opening brace, as a number of token.
    pub token: u32,
    /// The token after its closing brace.
    pub end: u32,
    /// The plan's state of it.
    pub state: Id,
    /// The state that it was walked in.
    pub over: Id,
    /// The remembered shape that it was taken for; [`NONE`]: none.
    pub taken_for: Id,
    /// Whether it has that shape, member by member; then the fields below say nothing.
    pub is_sure: bool,
    /// Names in it.
    pub names: u32,
    /// Names that the plan does not know.
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
