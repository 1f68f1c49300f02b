//! Required members that are missing.
//!
//! The walk knows which expected names stand in every object, so it notices at next to no cost that something may be
//! missing. It cannot be certain: a move from further out may still bring the member, or the object may turn out not to
//! be the contract's. What is certainly missing is searched for in the output, by its expected names alone.

use crate::plan::Automaton;
use crate::plan::automaton::{INERT, Id, Required, State};
use crate::scratch::{Frame, Scratch, claimed, stands};
use crate::text::{decode, trim_end, unquoted};

/// Required names tested per body at most. Without this bound a list of empty objects under a large contract would cost
/// seconds. A list of a thousand records that each require a thousand names is still searched to its end.
const MAX_TESTS: usize = 1 << 20;

/// Notes whether something may be missing from an object that closes and whose renames and moves are decided. A name
/// that a rename claims counts as present: unless it stands already, one of the members that claim it gets it.
#[inline(always)]
pub(crate) fn note(plan: &Automaton, state: &State, frame: &Frame, scratch: &mut Scratch) {
    let pair = scratch.bits.get(frame.bits as usize..).and_then(<[u64]>::first_chunk::<2>);
    let come = pair.map_or(0, |[stand, claimed]| stand | claimed);
    if (state.words > 1 || state.required_slots & !come != 0) && !scratch.lacks {
        scratch.lacks = may_lack(plan, state, frame, scratch);
    }
}

#[inline(never)]
fn may_lack(plan: &Automaton, state: &State, frame: &Frame, scratch: &Scratch) -> bool {
    let is_set = |word: u32, slot: Id| is_set(scratch.bits.get(word as usize).copied().unwrap_or(0), slot);
    let comes = |required: &Required| {
        is_set(stands(frame.bits, required.slot), required.slot)
            || is_set(claimed(frame.bits, required.slot), required.slot)
            || is_moved_in(plan, state, frame, required, scratch)
    };
    !required_of(plan, state).iter().all(comes)
}

/// Whether a move that starts in this object puts something at that name, or below it.
fn is_moved_in(plan: &Automaton, state: &State, frame: &Frame, required: &Required, scratch: &Scratch) -> bool {
    let leads_there = |mv: Id| {
        let first = plan.moves.get(mv as usize).and_then(|mv| mv.path.first());
        first.and_then(|step| plan.steps.get(*step as usize)).is_some_and(|step| step.text == required.text)
    };
    let inside = |member: Id| scratch.member(member).is_some_and(|member| member.key > frame.open);
    state.anchor
        && scratch
            .sources
            .iter()
            .rev()
            .take_while(|hit| inside(hit.member))
            .any(|hit| hit.accepted && hit.anchor == frame.container && leads_there(hit.mv))
}

/// Returns the numbers of all required members that are missing from an object that stands under its expected name,
/// ascending and without repetition. `tokens`: the tape of a well-formed body.
pub(crate) fn missing(body: &[u8], tokens: &[u32], plan: &Automaton) -> Vec<usize> {
    let mut search = Search { plan, open: Vec::new(), bits: Vec::new(), missing: Vec::new(), tests: 0 };
    let mut tape = tokens.iter().map(|at| *at as usize);
    let (mut state, mut before) = (plan.root, 0);
    while let Some(at) = tape.next().filter(|_| search.tests < MAX_TESTS) {
        let byte = body.get(at).copied().unwrap_or(0);
        match byte {
            b'{' => search.enter(state, true),
            b'[' => state = search.enter_array(state),
            b'}' | b']' => search.leave(),
            b'"' if search.is_in_object() && matches!(before, b'{' | b',') => {
                let end = tape.next().unwrap_or(at);
                state = search.member(body.get(at..end).unwrap_or_default());
            }
            b',' if !search.is_in_object() => state = search.element(),
            _ => (),
        }
        before = byte;
    }
    let missing = search.missing.iter().enumerate().filter(|(_, is_missing)| **is_missing);
    missing.map(|(number, _)| number).collect()
}

struct Search<'a> {
    plan: &'a Automaton,
    open: Vec<Open>,
    /// The slots of expected names that stand in each open object, as bit sets one after the other.
    bits: Vec<u64>,
    /// Whether the required member of each number is missing.
    missing: Vec<bool>,
    tests: usize,
}

#[derive(Clone, Copy)]
struct Open {
    state: Id,
    is_object: bool,
    bits: usize,
}

impl Search<'_> {
    fn enter(&mut self, state: Id, is_object: bool) {
        let bits = self.bits.len();
        self.open.push(Open { state, is_object, bits });
        if is_object {
            self.bits.resize(bits.saturating_add(self.plan.state(state).words as usize), 0);
        }
    }

    /// Returns the state of the elements.
    fn enter_array(&mut self, state: Id) -> Id {
        self.enter(state, false);
        self.element()
    }

    fn element(&self) -> Id {
        self.open.last().map_or(INERT, |open| self.plan.state(open.state).element)
    }

    fn is_in_object(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_object)
    }

    /// Takes a quoted key. Returns the state of its value, which is [`INERT`] under a name that is not expected.
    fn member(&mut self, key: &[u8]) -> Id {
        let Some(open) = self.open.last().copied() else { return INERT };
        let state = self.plan.state(open.state);
        let mut name = Vec::new();
        decode(unquoted(trim_end(key)), &mut name);
        let action = self.plan.action(state, &name).filter(|action| action.expected);
        let Some(action) = action else { return INERT };
        if let Some(word) = self.bits.get_mut(open.bits.saturating_add((action.slot >> 6) as usize)) {
            *word |= 1 << (action.slot & 63);
        }
        action.next
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if !open.is_object {
            return;
        }
        let bits = self.bits.get(open.bits..).unwrap_or_default();
        let required = required_of(self.plan, self.plan.state(open.state));
        self.tests = self.tests.saturating_add(required.len());
        let word = |slot: Id| bits.get((slot >> 6) as usize).copied().unwrap_or(0);
        for required in required.iter().filter(|required| !is_set(word(required.slot), required.slot)) {
            let number = required.number as usize;
            if self.missing.len() <= number {
                self.missing.resize(number.saturating_add(1), false);
            }
            if let Some(is_missing) = self.missing.get_mut(number) {
                *is_missing = true;
            }
        }
        self.bits.truncate(open.bits);
    }
}

fn required_of<'a>(plan: &'a Automaton, state: &State) -> &'a [Required] {
    plan.required.get(state.required.0 as usize..state.required.1 as usize).unwrap_or_default()
}

fn is_set(word: u64, slot: Id) -> bool {
    word >> (slot & 63) & 1 == 1
}
