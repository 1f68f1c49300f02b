//! The members of known shapes in order, with what the walk makes of each.
//!
//! The same API sends the same members in the same order. So the walk compares each member with the one at its place in
//! a record of the foreseen shape: three words of its text, and one byte about its value. As long as they are equal,
//! the state's table is not searched and nothing is hashed. A record whose members are all equal has that shape for
//! certain, even if another shape has the same hash.

use super::{Body, Cursor};
use crate::class::{at_a_glance, classes, classify, scalar_kind};
use crate::hash::{GOLDEN, ODD};
use crate::plan::automaton::{Action, Automaton, INERT, Id, NONE, State};
use crate::plan::spec::{Format, Kind};
use crate::plan::table::{Fingerprint, SHORT};
use crate::text::EACH;
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher as _};

/// A member, or the end of an object or of the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Its key as in minified JSON, with quotes and colon, and a mask of the bits that count. It equals no text if the
    /// name is too long or needs escapes, or if more is to be done than to rename the member.
    text: [u64; TEXT_WORDS],
    counts: [u64; TEXT_WORDS],
    /// The slot of its name, and the state of its value.
    pub slot: Id,
    pub inside: Id,
    /// Its action; [`NONE`] if the name means nothing.
    pub action: Id,
    /// [`value_code`] of its value, or [`CLOSE`], [`END`] or [`NOTHING`].
    pub value: u8,
    /// The kind of its value, which is part of `value`.
    kind: u8,
    /// Length of the name in bytes, if there is a text.
    pub len: u8,
    flags: u8,
}

/// The plan, similarity apart, knows the member.
const KNOWN: u8 = 1;
/// `value` tells more than the first byte of the value does.
const LOOKS: u8 = 2;
/// Its value is an object or array.
const HOLDS: u8 = 4;
/// It is to be renamed.
const RENAMES: u8 = 8;
/// Its name has none of the first 64 slots.
const FAR: u8 = 16;

/// What is needed of an item only if a member differs from the text, or a record turns out to have another shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    name: Fingerprint,
    /// Whether the items after it, up to their [`CLOSE`], are in its value.
    opens: bool,
    /// The hash of the shape before it, to go on from.
    pub before: u64,
    /// The number of names before it, and of those that the plan does not know.
    pub names: u32,
    pub unknown: u32,
    /// Where the whole name is in [`Sequences::names`], if the fingerprint is not all of it.
    long: u32,
}

/// Words of a key's text: enough for names of 21 bytes, and most are no longer.
const TEXT_WORDS: usize = 3;
const TEXT_BYTES: usize = TEXT_WORDS * 8;

/// The end of an object inside the record.
pub(super) const CLOSE: u8 = 0xfd;
/// The end of the record.
pub(super) const END: u8 = 0xfe;
/// Equals no value.
const NOTHING: u8 = 0xff;

/// The hash of an empty shape, as good as any other.
pub(super) const START: u64 = GOLDEN;

/// The items of all shapes, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Sequences {
    pub items: Vec<Item>,
    /// One for each item.
    details: Vec<Detail>,
    /// Names of more than [`SHORT`] bytes.
    names: Vec<u8>,
}

/// A shape that was read from a record.
#[derive(Clone, Debug)]
pub(crate) struct Traced {
    /// Its first item.
    pub first: Id,
    pub shape: u64,
    /// What its members add to its seal.
    pub seal: DefaultHasher,
}

impl Item {
    const UNFORESEEN: Item = Item {
        // No byte of JSON is zero.
        text: [0; TEXT_WORDS],
        counts: [u64::MAX; TEXT_WORDS],
        slot: NONE,
        inside: INERT,
        action: NONE,
        value: NOTHING,
        kind: NOTHING,
        len: 0,
        flags: 0,
    };

    /// Whether its key, without escapes and directly followed by its colon, is at an offset. `false` near the very end
    /// of the body.
    #[inline(always)]
    pub(super) fn is_at(&self, body: &Body<'_>, at: u32) -> bool {
        let text: Option<&[u8; TEXT_BYTES]> = body.bytes.get(at as usize..).and_then(<[u8]>::first_chunk);
        let Some(text) = text else { return false };
        let words = text.as_chunks::<8>().0.iter().zip(self.text.iter().zip(&self.counts));
        words.fold(0, |other, (word, (own, counts))| other | (u64::from_le_bytes(*word) ^ own) & counts) == 0
    }

    /// Whether the value from `at` up to the token `after` is like its value.
    #[inline(always)]
    pub(super) fn fits(&self, body: &Body<'_>, at: u32, after: u32) -> bool {
        kind(body.byte(at)) == self.kind && (self.flags & LOOKS == 0 || fits_in_detail(body, at, after, self.value))
    }

    /// Whether the plan, similarity apart, knows it.
    #[inline(always)]
    pub(super) fn is_known(&self) -> bool {
        self.flags & KNOWN != 0
    }

    /// Whether all there is to do is to note that a name with one of the first 64 slots stands, and its value has
    /// nothing inside.
    #[inline(always)]
    pub(super) fn just_stands(&self) -> bool {
        self.flags & (HOLDS | RENAMES | FAR) == 0
    }

    /// Whether it is to be renamed.
    #[inline(always)]
    pub(super) fn renames(&self) -> bool {
        self.flags & RENAMES != 0
    }

    /// Whether its value is an object or array.
    #[inline(always)]
    pub(super) fn holds(&self) -> bool {
        self.flags & HOLDS != 0
    }

    /// Adds the text of its key, by which alone it is recognised.
    fn with_text(mut self, name: &[u8]) -> Item {
        if name.len() > TEXT_BYTES - 3 || name.iter().any(|byte| matches!(byte, b'"' | b'\\')) {
            return self;
        }
        let mut text = [0; TEXT_BYTES];
        let [quote, rest @ ..] = &mut text;
        let (own, rest) = rest.split_at_mut_checked(name.len()).unwrap_or_default();
        own.copy_from_slice(name);
        rest.iter_mut().zip(b"\":").for_each(|(to, from)| *to = *from);
        *quote = b'"';
        let mut ends = name.len().wrapping_add(3) as u32;
        let words = self.text.iter_mut().zip(&mut self.counts).zip(text.as_chunks().0);
        for ((text, counts), bytes) in words {
            *text = u64::from_le_bytes(*bytes);
            *counts = u64::MAX.unbounded_shr(64u32.saturating_sub(ends.wrapping_mul(8)));
            ends = ends.saturating_sub(8);
        }
        self.len = name.len() as u8;
        self
    }
}

impl Detail {
    pub(super) const START: Detail =
        Detail { name: Fingerprint::NO_NAME, opens: false, before: START, names: 0, unknown: 0, long: 0 };
}

/// Returns what a name adds to a shape.
#[inline(always)]
pub(super) fn name_word(name: Fingerprint, whole: &[u8]) -> u64 {
    let spread = name.spread();
    if name.len <= SHORT { spread } else { with_middle(spread, whole) }
}

/// The fingerprint of a long name leaves out its middle.
#[inline(never)]
fn with_middle(spread: u64, name: &[u8]) -> u64 {
    name.as_chunks::<8>().0.iter().fold(spread, |hash, word| mix(hash, u64::from_le_bytes(*word)))
}

#[inline(always)]
pub(super) fn mix(shape: u64, word: u64) -> u64 {
    let mixed = (shape ^ word).wrapping_mul(ODD);
    mixed ^ (mixed >> 29)
}

/// Returns what a member adds to a shape.
#[inline(always)]
pub(super) fn member_word(name: u64, value: u8) -> u64 {
    name ^ u64::from(value)
}

pub(crate) const STRING: u8 = 1;
const OBJECT: u8 = 2;
const ARRAY: u8 = 3;
pub(crate) const NUMBER: u8 = 4;
/// The number of bits that hold the kind, also in a [`value_code`].
const KIND_BITS: u32 = 3;
pub(crate) const KIND_MASK: u8 = (1 << KIND_BITS) - 1;
/// The [`value_code`] of a whole number under an unknown name.
pub(crate) const WHOLE: u8 = NUMBER | 1 << KIND_BITS;

/// Kinds by the first byte of a value.
static KINDS: [u8; 256] = kinds();

#[expect(clippy::indexing_slicing, reason = "at compile time")]
const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = b'0';
    while byte <= b'9' {
        kinds[byte as usize] = NUMBER;
        byte = byte.wrapping_add(1);
    }
    kinds[b'-' as usize] = NUMBER;
    kinds[b'"' as usize] = STRING;
    kinds[b'{' as usize] = OBJECT;
    kinds[b'[' as usize] = ARRAY;
    kinds[b't' as usize] = 5;
    kinds[b'f' as usize] = 5;
    kinds[b'n' as usize] = 6;
    kinds
}

#[inline(always)]
pub(crate) fn kind(first: u8) -> u8 {
    KINDS.get(usize::from(first)).copied().unwrap_or(0)
}

/// Returns what a shape says of the value from `at` up to the token `after`: its kind, and the kind of an array's first
/// element. If the plan does not know the name, also the class of a string, and whether a number is whole.
#[inline(always)]
pub(crate) fn value_code(body: &Body<'_>, at: u32, after: u32, is_known: bool) -> u8 {
    let kind = kind(body.byte(at));
    if is_known && kind != ARRAY {
        return kind;
    }
    kind | detail(body, kind, at, after) << KIND_BITS
}

#[inline(always)]
fn detail(body: &Body<'_>, kind_of_value: u8, at: u32, after: u32) -> u8 {
    let len = after.wrapping_sub(at);
    match kind_of_value {
        ARRAY => kind(body.byte(after)),
        NUMBER
            if len <= 8
                && let Some(word) = body.word(at) =>
        {
            u8::from(is_short_integer(word, len))
        }
        STRING | NUMBER => class(body, at, after),
        _ => 0,
    }
}

#[inline(never)]
fn class(body: &Body<'_>, at: u32, after: u32) -> u8 {
    if body.byte(at) != b'"' {
        return u8::from(scalar_kind(body.span((at, body.end_before(after)))) == Kind::Integer);
    }
    let inside = at.wrapping_add(1);
    let text = body.bytes.get(inside as usize..).and_then(<[u8]>::first_chunk);
    let text = text.filter(|_| body.byte(after.wrapping_sub(1)) == b'"');
    let class = match text.and_then(|text| at_a_glance(text, after.wrapping_sub(inside).wrapping_sub(1))) {
        Some(class) => class,
        None => classify(body.span((inside, body.quote_before(after)))),
    };
    class.map_or(0, |class| (class as u8).wrapping_add(1))
}

/// Returns the [`value_code`] of a string of a class.
pub(crate) fn string_code(class: Option<Format>) -> u8 {
    STRING | class.map_or(0, |class| (class as u8).wrapping_add(1)) << KIND_BITS
}

/// Whether the value from `at` up to the token `after`, under an unknown name, has this [`value_code`].
#[inline(never)]
pub(crate) fn fits_in_detail(body: &Body<'_>, at: u32, after: u32, value: u8) -> bool {
    value_code(body, at, after, false) == value
}

/// Returns the class of a string from its [`value_code`].
pub(crate) fn class_of(value: u8) -> Option<Format> {
    (value >> KIND_BITS).checked_sub(1).and_then(|number| classes().find(|class| *class as u8 == number))
}

/// Whether a number of up to eight bytes, in the low bytes of `word`, has neither fraction nor exponent.
#[inline(always)]
fn is_short_integer(word: u64, len: u32) -> bool {
    let keep = if len < 8 { !(u64::MAX << (len.wrapping_mul(8) & 63)) } else { u64::MAX };
    // The case is folded, so that `E` is `e`. The other bytes of numbers stay different from both, and so does white
    // space.
    let has = |word: u64, byte: u64| {
        let zeros = word ^ EACH.wrapping_mul(byte);
        zeros.wrapping_sub(EACH) & !zeros & (EACH << 7) != 0
    };
    let text = word & keep;
    !has(text, 0x2e) && !has(text | EACH.wrapping_mul(0x20), 0x65)
}

/// An object that is being traced.
#[derive(Clone, Copy)]
struct Open {
    state: Id,
    is_foreign: bool,
}

impl Sequences {
    /// The item that no member equals, to start from where nothing is foreseen.
    pub(crate) const UNFORESEEN: Id = 0;

    pub(crate) fn new() -> Self {
        Sequences { items: vec![Item::UNFORESEEN], details: vec![Detail::START], names: Vec::new() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.items.truncate(1);
        self.details.truncate(1);
        self.names.clear();
    }

    /// Returns the size in memory of the items that were added, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let items =
            self.items.len().saturating_sub(1).saturating_mul(size_of::<Item>().saturating_add(size_of::<Detail>()));
        items.saturating_add(self.names.len())
    }

    pub(super) fn detail(&self, item: Id) -> Detail {
        self.details.get(item as usize).copied().unwrap_or(Detail::START)
    }

    /// Whether the item that `detail` belongs to has that name.
    pub(super) fn is_name(&self, detail: &Detail, name: Fingerprint, whole: &[u8]) -> bool {
        let start = detail.long as usize;
        let is_long = || self.names.get(start..start.wrapping_add(whole.len())) == Some(whole);
        detail.name.equals(name) && (name.len <= SHORT || is_long())
    }

    /// Returns what the name of an item adds to the shape.
    pub(super) fn name_word(&self, item: Id) -> u64 {
        let Detail { name, long, .. } = self.detail(item);
        let start = long as usize;
        let long = if name.len > SHORT { self.names.get(start..start.wrapping_add(name.len as usize)) } else { None };
        with_middle(name.spread(), long.unwrap_or_default())
    }

    /// Adds the items of the record whose opening brace is token number `token`, as it is walked in `state`. The record
    /// is well formed.
    pub(crate) fn trace(&mut self, body: &Body<'_>, token: u32, automaton: &Automaton, state: Id) -> Traced {
        let first = self.items.len() as Id;
        let mut open = vec![Open { state, is_foreign: false }];
        let mut cursor = Cursor::inside(body, token);
        let mut detail = Detail::START;
        let mut key = Vec::new();
        let mut seal = DefaultHasher::new();
        while let Some(object) = open.last().copied() {
            match cursor.byte() {
                b'}' => {
                    cursor.step();
                    open.pop();
                    seal.write_u8(CLOSE);
                    let value = if open.is_empty() { END } else { CLOSE };
                    let Detail { before, names, unknown, .. } = detail;
                    self.push(Item { value, ..Item::UNFORESEEN }, Detail { before, names, unknown, ..Detail::START });
                    detail.before = if open.is_empty() { detail.before } else { mix(detail.before, u64::from(CLOSE)) };
                }
                b'"' => {
                    let name = cursor.name(&mut key);
                    let (item, known) = member(body, &cursor, name, automaton, object);
                    let Detail { before, names, unknown, .. } = detail;
                    let long = self.names.len() as u32;
                    let place = self.push(item, Detail { before, names, unknown, long, ..known });
                    if name.len() > SHORT as usize {
                        self.names.extend_from_slice(name);
                    }
                    detail.before = mix(detail.before, member_word(self.name_word(place), item.value));
                    seal.write(name);
                    // No name contains this byte, which ends it.
                    seal.write(&[u8::MAX, item.value]);
                    detail.names = detail.names.saturating_add(1);
                    detail.unknown = detail.unknown.saturating_add(u32::from(!item.is_known()));
                    if known.opens {
                        cursor.step();
                        open.push(Open { state: item.inside, is_foreign: !item.is_known() });
                    } else {
                        cursor.skip();
                    }
                }
                b',' => cursor.step(),
                _ => break,
            }
        }
        Traced { first, shape: detail.before, seal }
    }

    /// As [`Sequences::trace`], without adding anything. Returns what the members add to a seal.
    pub(crate) fn seal(&mut self, body: &Body<'_>, token: u32, automaton: &Automaton, state: Id) -> DefaultHasher {
        let names = self.names.len();
        let Traced { first, seal, .. } = self.trace(body, token, automaton, state);
        self.items.truncate(first as usize);
        self.details.truncate(first as usize);
        self.names.truncate(names);
        seal
    }

    fn push(&mut self, item: Item, detail: Detail) -> Id {
        self.items.push(item);
        self.details.push(detail);
        (self.items.len() as Id).wrapping_sub(1)
    }

    /// Compares the shape whose items begin at `first` with the record whose opening brace is token number `token`, by
    /// the first member in which they differ. For records in one state, this is an order.
    pub(crate) fn compare(&self, first: Id, body: &Body<'_>, token: u32) -> Ordering {
        let mut cursor = Cursor::inside(body, token);
        let mut key = Vec::new();
        for (item, place) in self.items.get(first as usize..).unwrap_or_default().iter().zip(first..) {
            if cursor.byte() == b',' {
                cursor.step();
            }
            let ends = matches!(item.value, CLOSE | END);
            if cursor.byte() == b'}' {
                cursor.step();
                match item.value {
                    CLOSE => continue,
                    END => return Ordering::Equal,
                    _ => return Ordering::Greater,
                }
            }
            if ends {
                return Ordering::Less;
            }
            let name = cursor.name(&mut key);
            let (at, after) = cursor.bounds();
            let detail = self.detail(place);
            let value = || item.value.cmp(&value_code(body, at, after, item.is_known()));
            let order = self.compare_name(&detail, Fingerprint::of(name), name).then_with(value);
            if order.is_ne() {
                return order;
            }
            if detail.opens { cursor.step() } else { cursor.skip() }
        }
        Ordering::Less
    }

    fn compare_name(&self, detail: &Detail, name: Fingerprint, whole: &[u8]) -> Ordering {
        let start = detail.long as usize;
        let long = || self.names.get(start..start.wrapping_add(whole.len())).cmp(&Some(whole));
        detail.name.cmp(&name).then_with(|| if name.len <= SHORT { Ordering::Equal } else { long() })
    }
}

/// Returns the item of a member whose value comes next.
fn member(body: &Body<'_>, cursor: &Cursor<'_>, name: &[u8], automaton: &Automaton, object: Open) -> (Item, Detail) {
    let state = automaton.state(object.state);
    let action = automaton.action_id(state, name);
    let found = action.and_then(|id| automaton.actions.get(id as usize));
    let is_known = !object.is_foreign && found.is_some_and(|action| !action.similar);
    let by_convention = || automaton.action_by_convention(state, name);
    let inside = found.or_else(by_convention).map_or(state.unknown, |action| action.next);
    let (at, after) = cursor.bounds();
    let value = value_code(body, at, after, is_known);
    let kind = kind(body.byte(at));
    let is_object = kind == OBJECT;
    let inside = if is_object && !is_known { automaton.shaped(inside) } else { inside };
    let (rename, slot) = found.map_or((NONE, NONE), |action| (action.rename, action.slot));
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = flag(is_known, KNOWN)
        | flag(kind == ARRAY || (!is_known && matches!(kind, STRING | NUMBER)), LOOKS)
        | flag(matches!(kind, OBJECT | ARRAY), HOLDS)
        | flag(rename != NONE, RENAMES)
        | flag(slot >= u64::BITS, FAR);
    let action = action.unwrap_or(NONE);
    let item = Item { slot, inside, action, value, kind, flags, ..Item::UNFORESEEN };
    let detail =
        Detail { name: Fingerprint::of(name), opens: is_object && automaton.state(inside).shaped, ..Detail::START };
    (if is_plain(state, found) { item.with_text(name) } else { item }, detail)
}

/// Whether a walk that keeps no positions has nothing to do at a member except note its name and rename it.
fn is_plain(state: &State, action: Option<&Action>) -> bool {
    match action {
        None => state.skips_unknown,
        Some(action) => !(state.converts || (state.tracked && action.on_source_path)),
    }
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
