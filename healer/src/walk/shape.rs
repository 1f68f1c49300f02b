//! The shapes of records, told while they are walked.
//!
//! A shape is a hash over what a resolution depends on: the names in a record in their order, the kinds of their values,
//! where objects close, and for names that the plan does not know the class of a string and whether a number is whole.
//! What is inside arrays is not part of it: their elements are records of their own.

use super::Walk;
use crate::class::{classify, scalar_kind};
use crate::memo::{Instance, Memo};
use crate::plan::automaton::{Action, Id, NONE};
use crate::plan::spec::Kind;
use crate::text::trim_end;

/// What is known of a body's records before a walk.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    pub memo: Option<&'a Memo>,
    /// Records whose state is known, in the order in which they open.
    pub settled: &'a [Instance],
}

impl Records<'_> {
    /// Nothing is known, and nothing asked.
    pub(crate) const NONE: Records<'static> = Records { memo: None, settled: &[] };
}

/// Where a shape starts: the fraction of the golden ratio, as good as any odd number without pattern.
const START: u64 = 0x9e37_79b9_7f4a_7c15;
/// The end of an object.
const CLOSE: u64 = 0x7d;

impl<const TRACKS: bool, const SHAPES: bool> Walk<'_, '_, TRACKS, SHAPES> {
    /// Starts a shape where the object that opens is a record. Its state, its instance, and the shape around it.
    #[inline(always)]
    pub(super) fn enter_record(&mut self, state: Id) -> (Id, Id, u64) {
        if self.plan.state(state).record == NONE { (state, NONE, self.shape) } else { self.start_record(state) }
    }

    fn start_record(&mut self, state: Id) -> (Id, Id, u64) {
        let token = self.next.wrapping_sub(1) as u32;
        let mut settled = self.records.settled.get(self.settled).copied();
        while settled.is_some_and(|instance| instance.token < token) {
            self.settled = self.settled.wrapping_add(1);
            settled = self.records.settled.get(self.settled).copied();
        }
        let known = settled.filter(|instance| instance.token == token && instance.state == state);
        let guess = || self.records.memo.map_or(state, |memo| memo.guess(state));
        let over = known.map_or_else(guess, |instance| instance.over);
        let around = std::mem::replace(&mut self.shape, START);
        let id = self.scratch.instances.len() as Id;
        let names = std::mem::replace(&mut self.names, 0);
        self.scratch.instances.push(Instance { token, state, over, names, shape: 0 });
        (over, id, around)
    }

    #[inline(always)]
    pub(super) fn leave_object(&mut self) {
        if self.frame.instance == NONE {
            if self.plan.state(self.frame.state).shaped {
                self.mix(CLOSE);
            }
            return;
        }
        let shape = std::mem::replace(&mut self.shape, self.frame.shape);
        if let Some(instance) = self.scratch.instances.get_mut(self.frame.instance as usize) {
            instance.shape = shape;
            std::mem::swap(&mut instance.names, &mut self.names);
        }
    }

    #[inline(always)]
    pub(super) fn shape_name(&mut self, bytes: &[u8], start: usize, end: usize, action: Option<&Action>) {
        self.is_known = action.is_some_and(|action| !action.similar);
        self.names = self.names.wrapping_add(1);
        let name = bytes.get(start..end).unwrap_or_default();
        self.mix(name.len() as u64);
        let (words, rest) = name.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(rest.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte)));
    }

    /// Takes in the value from `at` up to the token `after`.
    #[inline(always)]
    pub(super) fn shape_value(&mut self, at: u32, after: u32) {
        let first = self.body.byte(at);
        let kind = match first {
            b'-' | b'0'..=b'9' => b'0',
            b'f' => b't',
            other => other,
        };
        let class = match kind {
            b'[' => u64::from(self.body.byte(after)),
            b'"' | b'0' if !self.is_known => self.class(at, after),
            _ => 0,
        };
        self.mix((class << 8) | u64::from(kind));
    }

    #[inline(never)]
    fn class(&self, at: u32, after: u32) -> u64 {
        let text = trim_end(self.body.span((at, after)));
        if let [b'"', inside @ .., b'"'] = text {
            return classify(inside).map_or(0, |class| (class as u64).wrapping_add(1));
        }
        u64::from(scalar_kind(text) == Kind::Integer)
    }

    #[inline(always)]
    fn mix(&mut self, word: u64) {
        const ODD: u64 = 0xd6e8_feb8_6659_fd93;
        let mixed = (self.shape ^ word).wrapping_mul(ODD);
        self.shape = mixed ^ (mixed >> 29);
    }
}
