//! The shapes of records, told while they are walked.
//!
//! A shape is what a resolution depends on: the names in a record in their order, the kinds of their values, where
//! objects close, and for names that the plan does not know the class of a string and whether a number is whole. What
//! is inside arrays is not part of it: their elements are records of their own.
//!
//! A record is taken for one of the shape that the last one had, until a member differs. From there on its shape is
//! hashed, and whoever looks up a shape by its hash compares before believing it.

use super::sequence::{CLOSE, Detail, END, Item, START, Sequences, member_word, mix, name_word, value_code};
use super::{Run, Stop, Walk, malformed};
use crate::memo::{Instance, Memo};
use crate::plan::automaton::{Action, Id, NONE};
use crate::plan::table::Fingerprint;
use crate::scratch::Frame;
use crate::survey::MAX_MEMBERS;

/// One member more than a record may have for similarity to look at it.
const TOO_MANY: u32 = MAX_MEMBERS as u32 + 1;

/// What is known of a body's records before a walk.
#[derive(Debug)]
pub(crate) struct Records<'a> {
    pub memo: Option<&'a Memo>,
    /// Records whose state is known, in the order in which they open.
    pub settled: &'a [Instance],
}

/// How far a record was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// The item that comes next, if the record has the shape that it is taken for. [`NONE`]: it has another shape,
    /// which is hashed.
    next: Id,
    /// The hash of its shape so far.
    shape: u64,
    /// The number of names so far, and of those that the plan does not know.
    names: u32,
    unknown: u32,
}

/// What a walk knows of the shape of the innermost open record.
pub(super) struct Shapes<'a> {
    records: &'a Records<'a>,
    sequences: Option<&'a Sequences>,
    /// The items of `sequences`.
    items: &'a [Item],
    /// Index of the first settled record that may be ahead.
    settled: usize,
    progress: Progress,
    /// What the current member's name adds to the shape.
    name: u64,
    /// Whether the plan, similarity apart, knows the current member's name.
    is_known: bool,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(records: &'a Records<'a>) -> Self {
        let sequences = records.memo.and_then(Memo::sequences);
        let items = sequences.map_or(&[][..], |sequences| sequences.items.as_slice());
        Shapes { records, sequences, items, settled: 0, progress: Progress::NONE, name: 0, is_known: false }
    }

    /// Whether the plan, similarity apart, knows the current member's name.
    pub(super) fn knows_member(&self) -> bool {
        self.is_known
    }

    /// Returns the item that comes next, as long as the record is what it is taken for.
    #[inline(always)]
    fn item(&self) -> Option<&'a Item> {
        self.items.get(self.progress.next as usize)
    }

    /// From the next item on, the record is not the one that it was taken for.
    #[cold]
    #[inline(never)]
    fn deviate(&mut self) {
        let detail = self.sequences.map(|sequences| sequences.detail(self.progress.next));
        let Detail { before, names, unknown, .. } = detail.unwrap_or(Detail::START);
        self.progress = Progress { next: NONE, shape: before, names, unknown };
    }

    /// As [`Shapes::deviate`], if the name of the item is right.
    #[cold]
    #[inline(never)]
    fn deviate_after_name(&mut self) {
        self.name = self.sequences.map_or(0, |sequences| sequences.name_word(self.progress.next));
        self.deviate();
        self.count_name();
    }

    #[inline(always)]
    fn step(&mut self) {
        self.progress.next = self.progress.next.wrapping_add(1);
    }

    #[inline(always)]
    fn count_name(&mut self) {
        self.progress.names = self.progress.names.wrapping_add(1);
        self.progress.unknown = self.progress.unknown.wrapping_add(u32::from(!self.is_known));
    }
}

impl Progress {
    const NONE: Progress = Progress { next: NONE, shape: START, names: 0, unknown: 0 };
}

impl Records<'_> {
    /// Nothing is known, and nothing is asked.
    pub(crate) const NONE: Records<'static> = Records { memo: None, settled: &[] };

    /// Whether the body is likely to have moves.
    pub(super) fn expect_moves(&self) -> bool {
        self.memo.is_some_and(Memo::expects_moves)
    }
}

impl<'a, const TRACKS: bool, const SHAPES: bool> Walk<'a, '_, TRACKS, SHAPES> {
    /// Starts a shape if the object that opens is a record. Returns its state and its instance.
    #[inline(always)]
    pub(super) fn enter_record(&mut self, state: Id) -> (Id, Id) {
        if self.plan.state(state).record == NONE { (state, NONE) } else { self.start_record(state) }
    }

    fn start_record(&mut self, state: Id) -> (Id, Id) {
        let token = self.next.wrapping_sub(1) as u32;
        let mut settled = self.shapes.records.settled.get(self.shapes.settled);
        while settled.is_some_and(|instance| instance.token < token) {
            self.shapes.settled = self.shapes.settled.wrapping_add(1);
            settled = self.shapes.records.settled.get(self.shapes.settled);
        }
        let memo = self.shapes.records.memo;
        let known = match settled.filter(|instance| instance.token == token && instance.state == state) {
            Some(instance) => instance.taken_for,
            None => memo.map_or(NONE, |memo| memo.guess(state)),
        };
        let (over, first) = memo.and_then(|memo| memo.known(known)).unwrap_or((state, Sequences::UNFORESEEN));
        let first = if self.scratch.draws { NONE } else { first };
        let id = self.scratch.instances.len() as Id;
        self.scratch.around.push(self.shapes.progress);
        self.shapes.progress = Progress { next: first, ..Progress::NONE };
        self.scratch.instances.push(Instance { token, state, over, taken_for: known, ..Instance::UNREAD });
        (over, id)
    }

    #[inline(always)]
    pub(super) fn leave_object(&mut self) {
        if self.frame.instance == NONE {
            if self.plan.state(self.frame.state).shaped {
                self.close_inside();
            }
            return;
        }
        self.leave_record();
    }

    #[inline(always)]
    fn close_inside(&mut self) {
        if let Some(item) = self.shapes.item() {
            if item.value == CLOSE {
                return self.shapes.step();
            }
            self.shapes.deviate();
        }
        self.shapes.progress.shape = mix(self.shapes.progress.shape, u64::from(CLOSE));
    }

    fn leave_record(&mut self) {
        let is_sure = match self.shapes.item() {
            Some(item) if item.value == END => true,
            Some(_) => {
                self.shapes.deviate();
                false
            }
            None => false,
        };
        let around = self.scratch.around.pop().unwrap_or(Progress::NONE);
        let Progress { shape, names, unknown, .. } = std::mem::replace(&mut self.shapes.progress, around);
        if let Some(instance) = self.scratch.instances.get_mut(self.frame.instance as usize) {
            *instance = Instance { end: self.next as u32, is_sure, shape, names, unknown, ..*instance };
        }
    }

    /// Reads members as long as they are the foreseen ones. Returns how the run ends, if it ends with one of these.
    ///
    /// Names, and what to do at them, come from the items alone: neither tables nor actions are consulted.
    #[inline(never)]
    pub(super) fn run_as_foreseen(&mut self) -> Result<Option<Run>, Stop> {
        let (body, items) = (self.body, self.shapes.items);
        let mut seen = 0u64;
        let (mut next, mut token) = (self.shapes.progress.next, self.next);
        self.frame.hit = NONE;
        let run = loop {
            let ahead = body.tokens.get(token..).and_then(<[u32]>::first_chunk::<4>);
            let (Some(item), Some(&[quote, _, value, after])) = (items.get(next as usize), ahead) else {
                break Ok(None);
            };
            if !item.is_at(&body, quote) || !item.fits(&body, value, after) {
                break Ok(None);
            }
            next = next.wrapping_add(1);
            if item.just_stands() {
                seen |= 1 << (item.slot & 63);
            } else {
                self.next = token.wrapping_add(2);
                let action = if item.renames() { self.plan.actions.get(item.action as usize) } else { None };
                if let Some(action) = action {
                    self.rename(action, quote, quote.wrapping_add(1).wrapping_add(item.len.into()));
                } else {
                    self.see(item.slot);
                }
                if item.holds() {
                    self.shapes.is_known = item.is_known();
                    token = token.wrapping_add(2);
                    break Ok(Some(Run::Value(item.inside)));
                }
                self.frame.hit = NONE;
            }
            token = token.wrapping_add(4);
            match body.byte(after) {
                b',' => (),
                b'}' => break Ok(Some(Run::Closed(after))),
                _ => break Err(malformed(after)),
            }
        };
        (self.shapes.progress.next, self.next) = (next, token);
        if let Some(word) = self.scratch.bits.get_mut(self.frame.bits as usize) {
            *word |= seen;
        }
        run
    }

    /// Whether the record is still what it is taken for.
    #[inline(always)]
    pub(super) fn foresees(&self) -> bool {
        self.shapes.item().is_some()
    }

    /// Returns the item of a member, if its name was foreseen.
    pub(super) fn foreseen(&mut self, name: Fingerprint, whole: &[u8]) -> Option<&'a Item> {
        let (item, sequences) = (self.shapes.item()?, self.shapes.sequences?);
        if !sequences.is_name(&sequences.detail(self.shapes.progress.next), name, whole) {
            self.shapes.deviate();
            return None;
        }
        self.shapes.is_known = item.is_known();
        Some(item)
    }

    /// Adds a name that was not foreseen to the shape. `action`: what the walk found for it.
    #[inline(always)]
    pub(super) fn shape_name(&mut self, name: Fingerprint, whole: &[u8], action: Option<&Action>) {
        self.shapes.is_known = !self.frame.foreign && action.is_some_and(|action| !action.similar);
        self.shapes.count_name();
        self.shapes.name = name_word(name, whole);
    }

    /// Notes that the current member's name is too long to be remembered. Its record then counts as one with too many
    /// members.
    #[cold]
    pub(super) fn is_too_long(&mut self) {
        let names = &mut self.shapes.progress.names;
        *names = (*names).max(TOO_MANY);
    }

    /// Whether the walk is in an array whose name the plan, similarity apart, does not know. What is in there is
    /// evidence about the array to the record around it, whatever names the plan knows inside.
    #[cold]
    #[inline(never)]
    fn is_evidence(&self) -> bool {
        let pairs = self.scratch.frames.windows(2);
        pairs.into_iter().any(|pair| matches!(pair, [around, array] if is_unknown_array(around, array)))
    }

    /// As [`Walk::is_evidence`], for what is in the innermost container.
    #[cold]
    #[inline(never)]
    pub(super) fn is_in_evidence(&self) -> bool {
        if self.shapes.records.memo.is_none() {
            return false;
        }
        self.is_evidence() || self.scratch.frames.last().is_some_and(|around| is_unknown_array(around, &self.frame))
    }

    /// Adds the value from `at` up to the token `after` to the shape.
    #[inline(always)]
    pub(super) fn shape_value(&mut self, at: u32, after: u32) {
        if self.scratch.draws && self.shapes.is_known && !self.is_evidence() {
            self.scratch.known_values.push(at);
        }
        let code = value_code(&self.body, at, after, self.shapes.is_known);
        if let Some(item) = self.shapes.item() {
            if code == item.value {
                return self.shapes.step();
            }
            self.shapes.deviate_after_name();
        }
        let shape = self.shapes.progress.shape;
        self.shapes.progress.shape = mix(shape, member_word(self.shapes.name, code));
    }
}

/// Whether a frame is that of an array in an object, under a name that the plan, similarity apart, does not know.
fn is_unknown_array(around: &Frame, array: &Frame) -> bool {
    around.is_object && !array.is_object && array.foreign
}
