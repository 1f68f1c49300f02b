//! What the plan says of the members of an envelope. Rules for them are not carried out, but counted.

use super::tape::Tape;
use crate::plan::Plan;
use crate::plan::automaton::{Automaton, INERT, Id, NONE, Others, State};
use crate::text::decoded;

/// What a member of an envelope is to the plan, by its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnvelopeMember {
    /// The state of its value. With a contract, what a rule would do inside the value is undone with the rule.
    pub state: Id,
    /// Whether a rule is not carried out.
    pub ruled: bool,
    /// Whether similarity would have looked at the name.
    pub unscored: bool,
}

impl EnvelopeMember {
    /// Looks up a name. `name`: the bytes between its quotes.
    pub(super) fn of(plan: &Automaton, level: &State, name: &[u8]) -> Self {
        let name = decoded(name);
        let action = plan.action(level, &name);
        let sources = action.map_or(&[][..], |action| plan.sources_of(action));
        let is_expected = action.is_some_and(|action| action.expected);
        let by_convention = || plan.action_by_convention(level, &name).is_some();
        let is_renamed = action.map_or_else(by_convention, |action| action.rename != NONE);
        let is_dropped = level.others == Others::Dropped && !is_expected;
        let is_judged = is_renamed || sources.iter().any(|end| end.judges);
        let state = if plan.contract && !is_expected && is_judged {
            INERT
        } else {
            action.map_or(level.unknown, |action| action.next)
        };
        let ruled = is_renamed
            || !sources.is_empty()
            || is_dropped
            || level.converts && plan.convert(&name, &mut Vec::new(), &mut Vec::new()).is_some();
        let unscored = level.record != NONE && !ruled && action.is_none_or(|action| action.similar);
        EnvelopeMember { state, ruled, unscored }
    }
}

/// Returns the state in which an object of an envelope is healed. If a path from the envelope leads through it, what
/// rules do inside may depend on a move that is not made.
pub(super) fn held_state(plan: &Plan, state: Id) -> Id {
    if plan.automaton().contract && is_passed(plan.automaton(), state) { INERT } else { state }
}

/// Returns how many moves would lead out of an object of an envelope. `first`: the token of its brace. All of it is
/// there, and known to be JSON.
pub(super) fn moves_out(plan: &Automaton, tape: &Tape<'_>, state: Id, first: usize) -> u32 {
    let (mut found, mut around) = (0u32, Vec::new());
    if !is_passed(plan, state) {
        return found;
    }
    around.push(plan.state(state));
    let mut token = first.wrapping_add(1);
    while let Some(level) = around.last() {
        let value = token.wrapping_add(2);
        match tape.byte(token) {
            b'"' => {
                let name = decoded(tape.name(token));
                let action = plan.action(level, &name);
                let ends = action.map_or(&[][..], |action| plan.sources_of(action));
                found =
                    found.saturating_add(ends.iter().filter(|end| end.depth as usize > around.len()).count() as u32);
                let inside = action.map_or(level.unknown, |action| action.next);
                token = match tape.byte(value) {
                    b'{' if is_passed(plan, inside) => {
                        around.push(plan.state(inside));
                        value.wrapping_add(1)
                    }
                    b'{' | b'[' => tape.leave(value, 0).0,
                    _ => value.wrapping_add(1),
                };
            }
            b',' => token = token.wrapping_add(1),
            b'}' => {
                around.pop();
                token = token.wrapping_add(1);
            }
            _ => break,
        }
    }
    found
}

/// Whether a path from further out leads through an object.
fn is_passed(plan: &Automaton, state: Id) -> bool {
    let known = plan.state(state);
    known.tracked && !known.tree_root
}
