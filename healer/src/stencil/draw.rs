//! Draws a stencil from a text that was healed: from its tape, and from the origin of each byte of its output.

use super::slot::{ANY, LIST, MOST_ARRAYS, NESTING, PLAIN};
use super::{Guarded, List, MAX_SLOTS, PAIR, Piece, Place, Slot, Span, Stencil};
use crate::healer::Summary;
use crate::plan::guard::Guard;
use crate::render::Output;
use crate::report::Op;
use crate::walk::{Body, kind, value_code};

/// A text that was healed, and what is known of it.
pub(crate) struct Drawing<'a> {
    /// The body. Its tokens are those of the text, the first of which starts the text or follows white space.
    pub body: Body<'a>,
    /// Where the text is in the body. It has at most [`super::MAX_BYTES`] bytes, so two bytes of a mark can hold an
    /// offset.
    pub from: usize,
    pub to: usize,
    /// If kinds and classes of values count: the offsets of values of which only the kind does, ascending.
    pub known_values: Option<&'a [u32]>,
    /// What guards asked: the token of the value, the guard and the answer.
    pub asked: &'a [(usize, Guard, bool)],
    pub summary: Summary,
    pub ops: Vec<Op>,
    /// Arrays that may be of any length, in their order.
    pub lists: Vec<List>,
    /// The effort for the shapes in the text.
    pub effort: u32,
    /// The most names that there may be, with those in elements of lists.
    pub most_names: u32,
}

/// The output, rendered three times from bodies of marks instead of text: the low bytes of offsets, the high bytes, and
/// the low bytes inverted. What does not come from the body is the same in all three.
#[derive(Default)]
pub(crate) struct Marked(pub [Output; 3]);

/// How an offset is marked: eight of its bits, which may be inverted.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    shift: u32,
    inverted: u8,
}

impl Mark {
    pub(crate) fn of(self, place: u32) -> u8 {
        (place >> (self.shift & 31)) as u8 ^ self.inverted
    }
}

impl Marked {
    pub(crate) const MARKS: [Mark; 3] =
        [Mark { shift: 0, inverted: 0 }, Mark { shift: 8, inverted: 0 }, Mark { shift: 0, inverted: u8::MAX }];

    /// Returns for each byte of the output its offset in the text, or the byte itself if it does not come from the
    /// text.
    fn origins(&self) -> impl Iterator<Item = Result<u32, u8>> {
        let [low, high, inverse] = &self.0;
        let marks = low.as_slice().iter().zip(high.as_slice()).zip(inverse.as_slice());
        marks.map(
            |((low, high), inverse)| {
                if low == inverse { Err(*low) } else { Ok(u32::from(u16::from_le_bytes([*low, *high]))) }
            },
        )
    }
}

/// A value of the text. Offsets are relative to the start of the text.
#[derive(Clone, Copy)]
struct Value {
    token: usize,
    start: u32,
    end: u32,
    /// As in [`Slot::array`].
    array: u8,
}

impl Drawing<'_> {
    /// Draws the stencil, unless it becomes too large. `marked`: the output, if it is not the text.
    pub(crate) fn draw(self, marked: Option<&Marked>) -> Option<Stencil> {
        let values = self.values();
        if values.len() > MAX_SLOTS {
            return None;
        }
        let mut text = Vec::new();
        let (mut slots, mut after) = (Vec::with_capacity(values.len()), 0);
        for value in &values {
            let span = append(&mut text, self.text(after, value.start));
            // A body that is a scalar is never healed.
            let counts = self.known_values.is_some() || value.token == 0;
            let kind = if counts { self.kind(value) } else { 0 };
            let mut slot = Slot::after(&text, span, kind, value.array);
            if let Some(code) = self.code_that_counts(value) {
                slot.settle(code, self.text(value.start, value.end));
            }
            slots.push(slot);
            after = value.end;
        }
        let tail = append(&mut text, self.text(after, self.len()));
        let pieces = match marked {
            Some(marked) => pieces(marked, &values, self.len(), &mut text)?,
            None => Vec::new(),
        };
        // So that the output's own bytes can be read in vectors.
        text.resize(text.len().saturating_add(PAIR), 0);
        let guarded = self.guarded(&values)?;
        let mut names = self.names().max(self.effort);
        for list in &self.lists {
            list.elements.iter().for_each(|element| names = names.saturating_add(element.names));
        }
        let stencil = Stencil {
            text,
            is_classed: slots.iter().any(|slot| slot.look != 0),
            slots,
            tail,
            guarded,
            pieces,
            lists: self.lists,
            shown: Vec::new(),
            own: self.summary,
            ops: self.ops,
            names,
            most_names: self.most_names,
            max_depth: self.body.max_depth,
            max_keys: self.body.max_keys,
        };
        stencil.is_small().then_some(stencil)
    }

    fn names(&self) -> u32 {
        let colons = |at: &&u32| self.body.bytes.get(**at as usize) == Some(&b':');
        self.body.tokens.iter().filter(colons).count() as u32
    }

    fn len(&self) -> u32 {
        self.to.saturating_sub(self.from) as u32
    }

    fn text(&self, start: u32, end: u32) -> &[u8] {
        let text = self.body.bytes.get(self.from..self.to).unwrap_or_default();
        text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn values(&self) -> Vec<Value> {
        let tokens = self.body.tokens;
        let byte = |token: usize| tokens.get(token).and_then(|at| self.body.bytes.get(*at as usize)).copied();
        let end = self.body.bytes.len() as u32;
        let (mut values, mut token) = (Vec::new(), 0);
        let mut lists = self.lists.iter().zip(LIST..).peekable();
        while let (Some(at), Some(first)) = (tokens.get(token), byte(token)) {
            let next = token.wrapping_add(1);
            let (after, array) = match lists.next_if(|(list, _)| list.brackets.0 == *at) {
                Some((list, number)) => (tokens.partition_point(|at| *at <= list.brackets.1), number),
                None if first == b'[' => {
                    // Similarity asks for the kind of the first element.
                    let kind = kind(byte(next).unwrap_or(0));
                    let array = if self.known_values.is_some() { PLAIN.wrapping_add(kind) } else { ANY };
                    let plain = end_of_plain_array(&byte, next);
                    plain.map_or((next, 0), |(after, inside)| (after, array | inside << NESTING))
                }
                None => (next, 0),
            };
            let is_key = first == b'"' && byte(next) == Some(b':');
            if array != 0 || !(is_key || matches!(first, b'{' | b'}' | b'[' | b']' | b':' | b',')) {
                let following = tokens.get(after).copied().unwrap_or(end);
                let place = |at: u32| at.wrapping_sub(self.from as u32);
                let (start, end) = (place(*at), place(self.body.end_before(following)));
                values.push(Value { token, start, end, array });
            }
            token = after;
        }
        values
    }

    fn kind(&self, value: &Value) -> u8 {
        kind(self.text(value.start, value.end).first().copied().unwrap_or(0))
    }

    /// Returns what a value must be like, if its class counts.
    fn code_that_counts(&self, value: &Value) -> Option<u8> {
        let place = |at: u32| at.wrapping_add(self.from as u32);
        let (start, end) = (place(value.start), place(value.end));
        let counts = self.known_values?.binary_search(&start).is_err();
        counts.then(|| value_code(&self.body, start, end, false))
    }

    /// Returns what guards asked, by number of value. `None` if a refusal was not about a value.
    fn guarded(&self, values: &[Value]) -> Option<Vec<Guarded>> {
        let mut guarded = Vec::new();
        for (token, guard, passes) in self.asked {
            match values.binary_search_by_key(token, |value| value.token) {
                Ok(slot) => guarded.push(Guarded { slot: slot as u32, guard: *guard, passes: *passes }),
                // Containers pass, whatever is in them.
                Err(_) if *passes => (),
                Err(_) => return None,
            }
        }
        Some(guarded)
    }
}

/// Returns the output as runs of the text, which has `len` bytes, and what is between them. `None` if a run begins or
/// ends inside a value.
fn pieces(marked: &Marked, values: &[Value], len: u32, text: &mut Vec<u8>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let (mut to, mut between) = (0, text.len());
    for origin in marked.origins() {
        match origin {
            Ok(at) if at == to && between == text.len() => to = at.wrapping_add(1),
            Ok(at) => {
                pieces.push(piece(values, to, (between, text.len()), at)?);
                (to, between) = (at.wrapping_add(1), text.len());
            }
            Err(byte) => text.push(byte),
        }
    }
    // The last run ends with the text, even if it is empty.
    if (to, between) != (len, text.len()) {
        pieces.push(piece(values, to, (between, text.len()), len)?);
    }
    Some(pieces)
}

#[inline(never)]
fn piece(values: &[Value], to: u32, (start, end): (usize, usize), from: u32) -> Option<Piece> {
    Some(Piece { to: place(values, to)?, text: (start as u32, end as u32), from: place(values, from)? })
}

/// Returns the place of an offset at which a run of the text starts or ends. `None` if it is inside a value.
#[inline(never)]
fn place(values: &[Value], at: u32) -> Option<Place> {
    let before = values.partition_point(|value| value.end <= at);
    let is_inside = values.get(before).is_some_and(|value| value.start < at);
    let end = before.checked_sub(1).and_then(|last| values.get(last)).map_or(0, |value| value.end);
    (!is_inside).then_some(Place { value: before as u32, bytes: at.wrapping_sub(end) })
}

/// Returns the token after an array of strings, scalars and such arrays, and how deep these are nested in it. `token`:
/// the one after the array's bracket. `None` if there is an object in it, or it is nested too deeply.
fn end_of_plain_array(byte: &impl Fn(usize) -> Option<u8>, mut token: usize) -> Option<(usize, u8)> {
    let (mut open, mut most) = (0u8, 0);
    loop {
        match byte(token)? {
            b']' if open == 0 => return Some((token.wrapping_add(1), most)),
            b']' => open = open.wrapping_sub(1),
            b'[' => open = open.wrapping_add(1),
            b'{' => return None,
            _ => (),
        }
        most = most.max(open);
        if most >= MOST_ARRAYS {
            return None;
        }
        token = token.wrapping_add(1);
    }
}

#[inline(never)]
fn append(text: &mut Vec<u8>, more: &[u8]) -> Span {
    let start = text.len() as u32;
    text.extend_from_slice(more);
    (start, text.len() as u32)
}
