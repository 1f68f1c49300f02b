//! What texts with one skeleton become.
//!
//! The skeleton of a text is the text without its values: names, brackets, separators, white space. What is done to a
//! text depends on its skeleton and on the kinds and classes of its values. It depends on the values themselves only if
//! a guard asks for them. So a text with the skeleton of one that was healed becomes what that became, with its own
//! values. It needs no tape, no walk and no edits. The skeleton was found to be JSON when it was drawn, so only the
//! values need to be checked. Forgetting a stencil changes no output, and neither does not having one.
//!
//! The parsers Mison (Li et al., VLDB 2017) and FAD.js (Bonetta and Brantner, VLDB 2017) also rely on records having
//! mostly the structure of the one before. Here the result of healing is remembered.

mod draw;
mod elements;
mod lists;
mod recent;
mod runs;
mod slot;
mod value;

use crate::healer::Summary;
use crate::limits::Limits;
use crate::plan::Automaton;
use crate::plan::automaton::Id;
use crate::plan::guard::Guard;
use crate::render::Output;
use crate::report::Op;
use crate::scan::{Masks, Wide};
use crate::walk::Body;

pub(crate) use draw::{Drawing, Mark, Marked};
pub(crate) use elements::Elements;
pub(crate) use lists::{List, MOST_ELEMENTS, MOST_LISTS, MOST_NESTING, Reading};
pub(crate) use recent::Stencils;
pub(crate) use runs::{ListPlace, Passed, Run, Runs};
use slot::{Left, Seen, Slot};
pub(crate) use value::white;
use value::{End, PAIR};

/// The longest text that is drawn. Longer ones are lists, whose elements have stencils of their own.
pub(crate) const MAX_BYTES: usize = 32 << 10;
/// Most values in it.
const MAX_SLOTS: usize = 2048;
/// Most looks at one text, each at more of it, before it is left to the walk. Each look reads the text from its start,
/// and the limit saves doing so with every chunk.
pub(crate) const MAX_LOOKS: u32 = 8;

/// A skeleton, and what texts with it become.
#[derive(Debug)]
pub(crate) struct Stencil {
    /// The skeleton, followed by what the output has that the text has not.
    text: Vec<u8>,
    slots: Vec<Slot>,
    /// Whether the class of any value counts.
    is_classed: bool,
    /// The skeleton after the last value.
    tail: Span,
    guarded: Vec<Guarded>,
    /// How the output is made. The first run of text begins where the text does, and the last one ends where it does.
    /// Empty if the text stays as it is.
    pieces: Vec<Piece>,
    /// Values that may be arrays of any length.
    lists: Vec<List>,
    /// The lists whose elements show in the output, in that order: how many ops show before, and the list's number.
    pub shown: Vec<(usize, Id)>,
    /// What was done, except to elements of lists.
    pub own: Summary,
    pub ops: Vec<Op>,
    /// Number of names in it and in elements of its lists, or the effort for its shapes if that is more; and the most
    /// that it may be.
    pub names: u32,
    most_names: u32,
    /// The limits under which the text was healed.
    max_depth: u32,
    max_keys: u32,
}

/// Bytes `.0 .. .1` of [`Stencil::text`].
type Span = (u32, u32);

/// A value that a guard asks for, and the answer that it must get.
#[derive(Clone, Copy, Debug)]
struct Guarded {
    slot: u32,
    guard: Guard,
    passes: bool,
}

/// Where a run of the text ends in the output, what follows it there, and where in the text the next run begins.
#[derive(Clone, Copy, Debug)]
struct Piece {
    to: Place,
    text: Span,
    from: Place,
}

/// An offset as so many bytes after the end of a value, by the value's number. Number 0 is the start of the text.
#[derive(Clone, Copy, Debug)]
struct Place {
    value: u32,
    bytes: u32,
}

impl Place {
    #[inline(always)]
    fn offset(self, ends: &[Seen]) -> u32 {
        ends.get(self.value as usize).map_or(0, |seen| seen.end).wrapping_add(self.bytes)
    }
}

/// Why a text does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// It fits so far, but ends too early.
    Short,
    Other,
}

impl Stencil {
    /// Returns where a text of this skeleton ends that starts at an offset. `reading`: receives what [`Stencil::write`]
    /// needs.
    pub(crate) fn fit(
        &self,
        plan: &Automaton,
        bytes: &[u8],
        from: usize,
        reading: &mut Reading,
    ) -> Result<usize, Miss> {
        if self.has_lists() {
            self.fit_with_lists(plan, bytes, from, reading)
        } else {
            self.fit_around(plan, bytes, from, reading)
        }
    }

    /// As [`Stencil::fit`], for what is around its lists.
    fn fit_around(&self, plan: &Automaton, bytes: &[u8], from: usize, reading: &mut Reading) -> Result<usize, Miss> {
        if self.is_classed {
            self.fit_slots::<true>(plan, bytes, from, reading)
        } else {
            self.fit_slots::<false>(plan, bytes, from, reading)
        }
    }

    /// As [`Stencil::fit_around`]. `CLASSED`: whether the class of any value counts.
    #[inline(never)]
    fn fit_slots<const CLASSED: bool>(
        &self,
        plan: &Automaton,
        bytes: &[u8],
        from: usize,
        reading: &mut Reading,
    ) -> Result<usize, Miss> {
        let Reading { ends, lists } = reading;
        let places = self.slots.len().wrapping_add(1);
        if ends.len() != places {
            ends.resize(places, Seen::default());
        }
        if let Some(start) = ends.first_mut() {
            start.end = from as u32;
        }
        let mut at = from;
        let mut slots = self.slots.iter().zip(ends.iter_mut().skip(1));
        // V8 creates a constant anew at each use, by three instructions. What is not known to be constant stays in
        // registers.
        let constants = std::hint::black_box(Wide::constants());
        // Values that need no calls are passed in a loop of their own, because WebAssembly compilers keep nothing in
        // registers around calls.
        while let Some((slot, seen, left)) = Slot::pass_run::<CLASSED>(&mut slots, bytes, &mut at, constants) {
            let place = match left {
                Left::All => self.pass(slot, plan, bytes, at, lists),
                Left::String(inside) => value::long_string(bytes, inside),
                Left::Class(end) => End::at(end),
            };
            let after = place.found()?;
            if CLASSED && !slot.has_class(bytes, at, after) {
                return Err(Miss::Other);
            }
            at = after;
            seen.end = at as u32;
        }
        at = match (self.piece(self.tail), bytes.get(at)) {
            ([own], Some(byte)) if own == byte => at.wrapping_add(1),
            (tail, _) => pass_slowly(tail, bytes, at)?,
        };
        let body = Body::plain(bytes);
        let answers = |guarded: &Guarded| {
            let (start, end) = self.value(ends, guarded.slot as usize);
            guarded.guard.admits(&plan.text, body.span((start, end))) == guarded.passes
        };
        if self.guarded.iter().all(answers) { Ok(at) } else { Err(Miss::Other) }
    }

    /// Whether texts of this skeleton are within these limits too.
    pub(crate) fn is_within(&self, limits: &Limits) -> bool {
        self.max_depth <= limits.max_depth && self.max_keys <= limits.max_keys
    }

    /// Appends what a text becomes, except for its last run, which may continue behind the text. Likewise the first run
    /// begins at `from`, at or before the text. Returns where the last run begins. `reading`: what [`Stencil::fit`]
    /// found.
    pub(crate) fn write(&self, bytes: &[u8], from: usize, reading: &Reading, out: &mut Output) -> usize {
        let mut from = from as u32;
        if self.has_lists() {
            return self.write_lists(bytes, from, reading, out);
        }
        let mut pen = out.pen();
        for piece in &self.pieces {
            pen.put_run(bytes, (from, piece.to.offset(&reading.ends)));
            pen.put_pair(&self.text, piece.text);
            from = piece.from.offset(&reading.ends);
        }
        from as usize
    }

    /// Returns how much longer than the text the output may be.
    pub(crate) fn growth(&self) -> usize {
        self.text.len()
    }

    /// Returns its size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let lists = size_of_val(self.slots.as_slice()).saturating_add(size_of_val(self.pieces.as_slice()));
        let asked = size_of_val(self.guarded.as_slice());
        let mut ops = size_of_val(self.ops.as_slice());
        for list in &self.lists {
            list.elements.iter().for_each(|element| ops = ops.saturating_add(element.memory()));
        }
        self.text.capacity().saturating_add(lists).saturating_add(asked).saturating_add(ops)
    }

    fn piece(&self, (start, end): Span) -> &[u8] {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Returns the span of a value.
    #[inline(always)]
    fn value(&self, ends: &[Seen], slot: usize) -> (u32, u32) {
        let text = self.slots.get(slot).map_or((0, 0), |slot| slot.text);
        let end = |place: usize| ends.get(place).map_or(0, |seen| seen.end);
        (end(slot).wrapping_add(text.1.wrapping_sub(text.0)), end(slot.wrapping_add(1)))
    }
}

/// Returns the end of a text, if it is at an offset.
#[inline(never)]
fn pass_slowly(text: &[u8], bytes: &[u8], at: usize) -> Result<usize, Miss> {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some(own) = rest.get(..text.len()) else {
        return Err(if text.starts_with(rest) { Miss::Short } else { Miss::Other });
    };
    // Compared in vectors and words, because WebAssembly compares bytes by a call.
    if let (Some(last), Some(own_last)) = (text.last_chunk(), own.last_chunk()) {
        let mut pairs = text.as_chunks().0.iter().zip(own.as_chunks().0);
        let is_same = Wide::same(last, own_last) == u32::MAX && pairs.all(|(a, b)| Wide::same(a, b) == u32::MAX);
        return if is_same { Ok(at.wrapping_add(text.len())) } else { Err(Miss::Other) };
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::walk::{KIND_MASK, value_code};

    /// Strings and numbers, of which many are nearly of a class.
    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            "\"[A-Za-z_:@. 0-9+/-]{0,70}\"",
            "\"[A-Z_]{0,3}[a-z0-9]{0,1}\"",
            "\"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-fg0-9]{4}-[a-f0-9]{12}\"",
            "\"[a-z1.]{0,3}@?[a-z.]{0,60}[@, /]?[a-z.]{1,2}\"",
            "\"2026[-/]1[12]-?[0-9]{2}[TZt ]?[0-9:]{0,8}(@a\\.b)?\"",
            "\"https?:(//|/a|\\\\/\\\\/)[a-z.]{0,70}\"",
            "\"[+-]?[0-9.]{0,8}\"",
            "\"([0-9]{1,3}\\.){3}[0-9]{1,3}\"",
            "\"[a-f0-9:]{0,12}\"",
            "\"[a-zé ]{240,270}\"",
            "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?",
            Just("true".to_owned()),
            Just("null".to_owned()),
        ]
    }

    proptest! {
        /// A value fits in the place of another if a shape says the same of both.
        #[test]
        fn what_fits_is_told_in_the_same_way(first in value(), second in value(), near_end in any::<bool>()) {
            let text = |value: &str| format!("{{\"a\":{value}}}{}", " ".repeat(if near_end { 0 } else { 80 }));
            let (first_text, second_text) = (text(&first), text(&second));
            let code = |text: &str, value: &str| {
                value_code(&Body::plain(text.as_bytes()), 5, 5 + value.len() as u32, false)
            };
            let (of_first, of_second) = (code(&first_text, &first), code(&second_text, &second));
            let mut slot = Slot::after(b"{\"a\":}", (0, 5), of_first & KIND_MASK, 0);
            slot.settle(of_first, first.as_bytes());
            let stencil = Stencil {
                text: b"{\"a\":}".to_vec(),
                slots: vec![slot],
                is_classed: slot.look != 0,
                tail: (5, 6),
                guarded: Vec::new(),
                pieces: Vec::new(),
                lists: Vec::new(),
                shown: Vec::new(),
                own: Summary::default(),
                ops: Vec::new(),
                names: 1,
                most_names: 1,
                max_depth: 1,
                max_keys: 1,
            };
            let config = crate::config::Config::parse(br#"{"routes":[{"match":{"prefix":"/"},"rename":{"a":"b"}}]}"#).unwrap();
            let plan = config.routes[0].plan.automaton();
            let mut reading = Reading::default();
            for _ in 0..2 {
                let fit = stencil.fit(plan, second_text.as_bytes(), 0, &mut reading);
                prop_assert_eq!(fit.is_ok(), of_first == of_second, "{} {}", first, second);
                prop_assert_eq!(stencil.fit(plan, first_text.as_bytes(), 0, &mut reading), Ok(6 + first.len()));
            }
        }
    }
}
