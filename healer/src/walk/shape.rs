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
use crate::plan::table::{Fingerprint, SHORT};
use crate::text::trim_end;

/// What is known of a body's records before a walk.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    pub memo: Option<&'a Memo>,
    /// Records whose state is known, in the order in which they open.
    pub settled: &'a [Instance],
}

/// What a walk knows of the shape of the innermost open record.
pub(super) struct Shapes<'a> {
    records: &'a Records<'a>,
    /// Index of the first settled record that may be ahead.
    settled: usize,
    /// Its shape so far.
    shape: u64,
    /// Names in it so far.
    names: u32,
    /// The current member's name.
    name: u64,
    /// Whether the plan, similarity apart, knows the current member's name.
    is_known: bool,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(records: &'a Records<'a>) -> Self {
        Shapes { records, settled: 0, shape: 0, names: 0, name: 0, is_known: false }
    }

    /// Whether the plan, similarity apart, knows the current member's name.
    pub(super) fn knows_member(&self) -> bool {
        self.is_known
    }
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
        if self.plan.state(state).record == NONE { (state, NONE, 0) } else { self.start_record(state) }
    }

    fn start_record(&mut self, state: Id) -> (Id, Id, u64) {
        let token = self.next.wrapping_sub(1) as u32;
        let mut settled = self.shapes.records.settled.get(self.shapes.settled).copied();
        while settled.is_some_and(|instance| instance.token < token) {
            self.shapes.settled = self.shapes.settled.wrapping_add(1);
            settled = self.shapes.records.settled.get(self.shapes.settled).copied();
        }
        let known = settled.filter(|instance| instance.token == token && instance.state == state);
        let guess = || self.shapes.records.memo.map_or(state, |memo| memo.guess(state));
        let over = known.map_or_else(guess, |instance| instance.over);
        let around = std::mem::replace(&mut self.shapes.shape, START);
        let id = self.scratch.instances.len() as Id;
        let names = std::mem::replace(&mut self.shapes.names, 0);
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
        let shape = std::mem::replace(&mut self.shapes.shape, self.frame.shape);
        if let Some(instance) = self.scratch.instances.get_mut(self.frame.instance as usize) {
            instance.shape = shape;
            std::mem::swap(&mut instance.names, &mut self.shapes.names);
        }
    }

    /// Takes in a name, and what the walk makes of it.
    #[inline(always)]
    pub(super) fn shape_name(&mut self, bytes: &[u8], start: usize, end: usize, action: Option<&Action>) {
        self.shapes.is_known = !self.frame.foreign && action.is_some_and(|action| !action.similar);
        self.shapes.names = self.shapes.names.wrapping_add(1);
        self.shapes.name = Fingerprint::of(bytes, start, end).spread();
        if end.wrapping_sub(start) > SHORT as usize {
            self.shape_middle(bytes.get(start..end).unwrap_or_default());
        }
    }

    /// Of a long name the fingerprint leaves out the middle.
    #[inline(never)]
    fn shape_middle(&mut self, name: &[u8]) {
        for word in name.as_chunks::<8>().0 {
            self.mix(u64::from_le_bytes(*word));
        }
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
            b'0' if !self.shapes.is_known && after.wrapping_sub(at) <= 8 => {
                u64::from(is_short_integer(self.body.word(at), after.wrapping_sub(at)))
            }
            b'"' | b'0' if !self.shapes.is_known => self.class(at, after),
            _ => 0,
        };
        self.mix(self.shapes.name ^ (class << 8) ^ u64::from(kind));
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
        let mixed = (self.shapes.shape ^ word).wrapping_mul(ODD);
        self.shapes.shape = mixed ^ (mixed >> 29);
    }
}

/// Whether a number of up to eight bytes, in the low bytes of `word`, has neither fraction nor exponent.
#[inline(always)]
fn is_short_integer(word: u64, len: u32) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let keep = if len < 8 { !(u64::MAX << (len.wrapping_mul(8) & 63)) } else { u64::MAX };
    // Case folded, so that `E` is `e`; the bytes of numbers stay apart, and white space is neither.
    let has = |word: u64, byte: u64| {
        let zeros = word ^ ONES.wrapping_mul(byte);
        zeros.wrapping_sub(ONES) & !zeros & (ONES << 7) != 0
    };
    let text = word & keep;
    !has(text, 0x2e) && !has(text | ONES.wrapping_mul(0x20), 0x65)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_integers_are_told_as_long_ones_are() {
        for text in ["0", "-1", "12345678", "1.5", "1e5", "1E5", "0.25", "-1.0e3", "7 ", "12\n", "9999.999"] {
            let mut bytes = [b'.'; 8];
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            let short = is_short_integer(u64::from_le_bytes(bytes), text.len() as u32);
            assert_eq!(short, scalar_kind(text.trim_end().as_bytes()) == Kind::Integer, "{text}");
        }
    }
}
