//! What texts of one skeleton become.
//!
//! The skeleton of a text is what it is without its values: names, brackets, separators, white space. What is done to a
//! text depends on its skeleton and on the kinds and classes of its values; on the values themselves only where a guard
//! asks for them. So a text with the skeleton of one that was healed becomes what that became, with its own values: it
//! needs no tape, no walk and no edits. Its skeleton was found to be JSON then, so that its values are all there is to
//! check. Forgetting a stencil changes no output, and neither does not having one.
//!
//! That the structure of a record is mostly that of the one before is what the parsers Mison (Li et al., VLDB 2017) and
//! FAD.js (Bonetta and Brantner, VLDB 2017) live on; here it is what healing does that is remembered.

mod draw;
mod elements;
mod known;
mod runs;
mod value;

use crate::healer::Summary;
use crate::limits::Limits;
use crate::plan::Automaton;
use crate::plan::guard::Guard;
use crate::render::Output;
use crate::report::Op;
use crate::walk::{Body, kind, value_code};

pub(crate) use draw::{Drawing, Marked};
pub(crate) use elements::Elements;
pub(crate) use known::Stencils;
pub(crate) use runs::{ListPlace, Passed, Run, Runs};
pub(crate) use value::white;

/// A text that is drawn is no longer. Longer ones are lists, whose elements have stencils of their own.
pub(crate) const MAX_BYTES: usize = 32 << 10;
/// Values in it at most.
const MAX_SLOTS: usize = 2048;
/// Looks at one text, of which each time more is there, before it is left to the walk: then what a look costs, which is to
/// read it from its start, is not spent again with every chunk.
pub(crate) const MAX_LOOKS: u32 = 8;

/// A skeleton, and what texts with it become.
#[derive(Debug)]
pub(crate) struct Stencil {
    /// The skeleton, and after it what the output has that the text has not.
    text: Vec<u8>,
    slots: Vec<Slot>,
    /// The skeleton after the last value.
    tail: Span,
    /// Values whose class counts, by number, and what they must be like.
    classed: Vec<(u32, u8)>,
    guarded: Vec<Guarded>,
    /// None where the text stays as it is.
    pieces: Vec<Piece>,
    pub summary: Summary,
    pub ops: Vec<Op>,
    /// Names in it.
    pub names: u32,
    /// The limits that it is within.
    max_depth: u32,
    max_keys: u32,
}

/// Bytes `.0 .. .1` of [`Stencil::text`].
type Span = (u32, u32);

/// A value, and the text before it.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The first bytes of that text, and which bits of them count.
    head: [u64; 2],
    counts: [u64; 2],
    text: Span,
    /// The kind that it must be of; 0 where any will do.
    kind: u8,
    /// Whether it is an array without containers, of any length.
    is_array: bool,
}

const HEAD: usize = 16;

/// A value that a guard asks for, and the answer that it must have.
#[derive(Clone, Copy, Debug)]
struct Guarded {
    slot: u32,
    guard: Guard,
    passes: bool,
}

/// A run of the text, and what the output has after it.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: Place,
    to: Place,
    text: Span,
}

/// So many bytes after the end of a value, by number; number 0 is the start of the text.
#[derive(Clone, Copy, Debug)]
struct Place {
    value: u32,
    bytes: u32,
}

/// Why a text does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// It fits so far, and ends.
    Short,
    Other,
}

impl Stencil {
    /// Whether the bytes from an offset on begin with a text of this skeleton, and where it ends. `ends`: where its values
    /// end, for [`Stencil::write`].
    pub(crate) fn fit(&self, plan: &Automaton, bytes: &[u8], from: usize, ends: &mut Vec<u32>) -> Result<usize, Miss> {
        ends.resize(self.slots.len().wrapping_add(1), 0);
        if let Some(start) = ends.first_mut() {
            *start = from as u32;
        }
        let mut at = from;
        for (slot, end) in self.slots.iter().zip(ends.iter_mut().skip(1)) {
            at = slot.pass(&self.text, bytes, at)?;
            if slot.kind != 0 && bytes.get(at).is_some_and(|first| kind(*first) != slot.kind) {
                return Err(Miss::Other);
            }
            at = value::skip(bytes, at, slot.is_array)?;
            *end = at as u32;
        }
        at = pass_slowly(self.piece(self.tail), bytes, at)?;
        let body = Body::plain(bytes);
        let is_like = |(slot, code): &(u32, u8)| {
            let (start, end) = self.value(ends, *slot as usize);
            value_code(&body, start, end, false) == *code
        };
        let are_like = self.classed.iter().all(is_like);
        let answers = |guarded: &Guarded| {
            let (start, end) = self.value(ends, guarded.slot as usize);
            guarded.guard.admits(&plan.text, body.span((start, end))) == guarded.passes
        };
        if are_like && self.guarded.iter().all(answers) { Ok(at) } else { Err(Miss::Other) }
    }

    /// Whether texts of this skeleton are within these limits too.
    pub(crate) fn is_within(&self, limits: &Limits) -> bool {
        self.max_depth <= limits.max_depth && self.max_keys <= limits.max_keys
    }

    /// Appends what a text becomes. `ends`: what [`Stencil::fit`] found.
    pub(crate) fn write(&self, bytes: &[u8], ends: &[u32], out: &mut Output) {
        let place = |place: Place| ends.get(place.value as usize).copied().unwrap_or(0).wrapping_add(place.bytes);
        for piece in &self.pieces {
            out.put(bytes, (place(piece.from), place(piece.to)));
            out.put(&self.text, piece.text);
        }
    }

    /// How much longer than the text the output may be.
    pub(crate) fn growth(&self) -> usize {
        self.text.len()
    }

    /// Bytes of memory that it takes.
    pub(crate) fn memory(&self) -> usize {
        let lists = size_of_val(self.slots.as_slice()).saturating_add(size_of_val(self.pieces.as_slice()));
        let asked = size_of_val(self.classed.as_slice()).saturating_add(size_of_val(self.guarded.as_slice()));
        let ops = size_of_val(self.ops.as_slice());
        self.text.capacity().saturating_add(lists).saturating_add(asked).saturating_add(ops)
    }

    fn piece(&self, (start, end): Span) -> &[u8] {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Where a value is.
    fn value(&self, ends: &[u32], slot: usize) -> (u32, u32) {
        let text = self.slots.get(slot).map_or((0, 0), |slot| slot.text);
        let end = |place: usize| ends.get(place).copied().unwrap_or(0);
        (end(slot).wrapping_add(text.1.wrapping_sub(text.0)), end(slot.wrapping_add(1)))
    }
}

impl Slot {
    /// A value after so much of a text.
    fn after(text: &[u8], span: Span, kind: u8, is_array: bool) -> Slot {
        let (mut head, mut counts) = ([0; HEAD], [0; HEAD]);
        let before = text.get(span.0 as usize..span.1 as usize).unwrap_or_default();
        for ((byte, counts), from) in head.iter_mut().zip(&mut counts).zip(before) {
            (*byte, *counts) = (*from, u8::MAX);
        }
        let words = |bytes: [u8; HEAD]| {
            let word = u128::from_le_bytes(bytes);
            [word as u64, (word >> 64) as u64]
        };
        Slot { head: words(head), counts: words(counts), text: span, kind, is_array }
    }

    /// The end of the text before the value, if it is at an offset.
    #[inline(always)]
    fn pass(&self, text: &[u8], bytes: &[u8], at: usize) -> Result<usize, Miss> {
        let len = self.text.1.wrapping_sub(self.text.0) as usize;
        let window: Option<&[u8; HEAD]> = bytes.get(at..).and_then(<[u8]>::first_chunk);
        if let (Some(window), true) = (window, len <= HEAD) {
            let words = window.as_chunks::<8>().0.iter().zip(self.head.iter().zip(&self.counts));
            let other =
                words.fold(0, |other, (word, (own, counts))| other | (u64::from_le_bytes(*word) ^ own) & counts);
            return if other == 0 { Ok(at.wrapping_add(len)) } else { Err(Miss::Other) };
        }
        pass_slowly(text.get(self.text.0 as usize..self.text.1 as usize).unwrap_or_default(), bytes, at)
    }
}

/// The end of a text, if it is at an offset.
#[inline(never)]
fn pass_slowly(text: &[u8], bytes: &[u8], at: usize) -> Result<usize, Miss> {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some(own) = rest.get(..text.len()) else {
        return Err(if text.starts_with(rest) { Miss::Short } else { Miss::Other });
    };
    // Word by word: bytes are compared by a call in WebAssembly.
    let word = |word: &[u8; 8]| u64::from_le_bytes(*word);
    let is_same = match (text.last_chunk(), own.last_chunk()) {
        (Some(last), Some(own_last)) => {
            let words = text.as_chunks().0.iter().zip(own.as_chunks().0);
            word(last) == word(own_last) && words.fold(0, |other, (a, b)| other | (word(a) ^ word(b))) == 0
        }
        _ => text == own,
    };
    if is_same { Ok(at.wrapping_add(text.len())) } else { Err(Miss::Other) }
}
