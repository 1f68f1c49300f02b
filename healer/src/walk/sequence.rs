//! The members of known shapes in their order, with what the walk makes of each.
//!
//! The same API sends the same members in the same order. So the walk compares each member with the one that stood at its
//! place in a record of the shape that it expects: three words of its name, and a byte of what its value is. As long as
//! they are the same, the table of the state need not be asked, and nothing be hashed; and a record whose members all
//! are has that shape for certain, whatever collides with its hash.

use super::{Body, Cursor};
use crate::class::{classify, scalar_kind};
use crate::plan::automaton::{Action, Automaton, INERT, Id, NONE, State};
use crate::plan::case;
use crate::plan::spec::Kind;
use crate::plan::table::{Fingerprint, SHORT};

/// A member, or the end of an object or of the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    // The fields of a fingerprint, which as a struct of its own would make this one longer than 40 bytes.
    head: u64,
    tail: u64,
    len: u32,
    /// What it is to the plan; [`NONE`] if nothing.
    pub action: Id,
    /// Of a member that [`Item::stands`]: the slot of its name, and the state of its value.
    pub slot: Id,
    pub inside: Id,
    /// [`value_code`], or one of those below.
    pub value: u8,
    /// Whether the plan, similarity apart, knows it.
    pub is_known: bool,
    /// Whether all that is to be done is to note that it is there, as for most.
    pub stands: bool,
    /// Whether the items after it, up to its [`CLOSE`], are in its value.
    opens: bool,
}

/// What is asked of an item only where a record turns out to be another one, or the name is long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// The shape before it, to go on from.
    pub before: u64,
    /// Names before it, and those among them that the plan does not know.
    pub names: u32,
    pub unknown: u32,
    /// Where the whole name is in [`Sequences::names`], if it is longer than its fingerprint tells.
    long: u32,
}

/// The end of an object inside the record.
pub(super) const CLOSE: u8 = 0xfd;
/// The end of the record.
pub(super) const END: u8 = 0xfe;
/// Nothing is like it.
const NOTHING: u8 = 0xff;

/// Where a shape starts: the fraction of the golden ratio, as good as any odd number without pattern.
pub(super) const START: u64 = 0x9e37_79b9_7f4a_7c15;

/// The items of all shapes, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Sequences {
    pub items: Vec<Item>,
    /// One for each item.
    details: Vec<Detail>,
    /// Names of more than [`SHORT`] bytes.
    names: Vec<u8>,
}

/// A shape that was read off a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced {
    /// Its first item.
    pub first: Id,
    pub shape: u64,
}

impl Item {
    const UNFORESEEN: Item = Item {
        head: 0,
        tail: 0,
        len: Fingerprint::NO_NAME.len,
        action: NONE,
        slot: NONE,
        inside: INERT,
        value: NOTHING,
        is_known: false,
        stands: false,
        opens: false,
    };

    /// Whether it may have this name; it has, if the name is not longer than [`SHORT`].
    #[inline(always)]
    pub(super) fn resembles(&self, name: Fingerprint) -> bool {
        self.name().equals(name)
    }

    #[inline(always)]
    fn name(&self) -> Fingerprint {
        Fingerprint { head: self.head, tail: self.tail, len: self.len }
    }
}

impl Detail {
    pub(super) const START: Detail = Detail { before: START, names: 0, unknown: 0, long: 0 };
}

/// What goes into a shape for a name.
#[inline(always)]
pub(super) fn name_hash(name: Fingerprint, whole: &[u8]) -> u64 {
    let spread = name.spread();
    if name.len <= SHORT { spread } else { with_middle(spread, whole) }
}

/// Of a long name the fingerprint leaves out the middle.
#[inline(never)]
fn with_middle(spread: u64, name: &[u8]) -> u64 {
    name.as_chunks::<8>().0.iter().fold(spread, |hash, word| mix(hash, u64::from_le_bytes(*word)))
}

#[inline(always)]
pub(super) fn mix(shape: u64, word: u64) -> u64 {
    const ODD: u64 = 0xd6e8_feb8_6659_fd93;
    let mixed = (shape ^ word).wrapping_mul(ODD);
    mixed ^ (mixed >> 29)
}

/// What goes into a shape for a member.
#[inline(always)]
pub(super) fn member_word(name: u64, value: u8) -> u64 {
    name ^ u64::from(value)
}

const STRING: u8 = 1;
const OBJECT: u8 = 2;
const ARRAY: u8 = 3;
const NUMBER: u8 = 4;
/// Bits of a kind.
const KIND_BITS: u32 = 3;

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
fn kind(first: u8) -> u8 {
    KINDS.get(usize::from(first)).copied().unwrap_or(0)
}

/// What a shape tells of the value from `at` up to the token `after`: its kind, and that of an array's first element. If
/// the plan does not know its name, also the class of a string, and whether a number is whole.
#[inline(always)]
pub(super) fn value_code(body: &Body<'_>, at: u32, after: u32, is_known: bool) -> u8 {
    let kind = kind(body.byte(at));
    if is_known && kind != ARRAY {
        return kind;
    }
    kind | detail(body, kind, at, after) << KIND_BITS
}

#[inline(always)]
fn detail(body: &Body<'_>, kind_of_value: u8, at: u32, after: u32) -> u8 {
    match kind_of_value {
        ARRAY => kind(body.byte(after)),
        NUMBER if after.wrapping_sub(at) <= 8 => u8::from(is_short_integer(body.word(at), after.wrapping_sub(at))),
        STRING | NUMBER => class(body, at, after),
        _ => 0,
    }
}

#[inline(never)]
fn class(body: &Body<'_>, at: u32, after: u32) -> u8 {
    let end = body.end_before(after);
    if body.byte(at) == b'"' {
        let inside = body.span((at.wrapping_add(1), end.wrapping_sub(1)));
        return classify(inside).map_or(0, |class| (class as u8).wrapping_add(1));
    }
    u8::from(scalar_kind(body.span((at, end))) == Kind::Integer)
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

/// An object that is being traced.
#[derive(Clone, Copy)]
struct Open {
    state: Id,
    is_foreign: bool,
}

impl Sequences {
    /// The item that no member is like, to start from where nothing is foreseen.
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

    pub(super) fn detail(&self, item: Id) -> Detail {
        self.details.get(item as usize).copied().unwrap_or(Detail::START)
    }

    /// Whether the long name of an item is this one.
    #[inline(never)]
    pub(super) fn is_long(&self, item: Id, name: &[u8]) -> bool {
        let start = self.detail(item).long as usize;
        self.names.get(start..start.wrapping_add(name.len())) == Some(name)
    }

    /// What goes into the shape for the name of an item.
    pub(super) fn name_hash(&self, item: Id) -> u64 {
        let Some(name) = self.items.get(item as usize).map(Item::name) else { return 0 };
        let start = self.detail(item).long as usize;
        let long = if name.len > SHORT { self.names.get(start..start.wrapping_add(name.len as usize)) } else { None };
        with_middle(name.spread(), long.unwrap_or_default())
    }

    /// Adds the record whose opening brace is token number `token`, as it is walked in `state`. It is well formed.
    pub(crate) fn trace(&mut self, body: &Body<'_>, token: u32, automaton: &Automaton, state: Id) -> Traced {
        let first = self.items.len() as Id;
        let mut open = vec![Open { state, is_foreign: false }];
        let mut cursor = Cursor::inside(body, token);
        let mut detail = Detail::START;
        let mut key = Vec::new();
        while let Some(object) = open.last().copied() {
            match cursor.byte() {
                b'}' => {
                    cursor.step();
                    open.pop();
                    let value = if open.is_empty() { END } else { CLOSE };
                    self.push(Item { value, ..Item::UNFORESEEN }, detail);
                    detail.before = if open.is_empty() { detail.before } else { mix(detail.before, u64::from(CLOSE)) };
                }
                b'"' => {
                    let name = cursor.name(&mut key);
                    let item = member(body, &cursor, name, automaton, object);
                    let place = self.push(item, Detail { long: self.names.len() as u32, ..detail });
                    if name.len() > SHORT as usize {
                        self.names.extend_from_slice(name);
                    }
                    detail.before = mix(detail.before, member_word(self.name_hash(place), item.value));
                    detail.names = detail.names.saturating_add(1);
                    detail.unknown = detail.unknown.saturating_add(u32::from(!item.is_known));
                    if item.opens {
                        cursor.step();
                        open.push(Open { state: item.inside, is_foreign: !item.is_known });
                    } else {
                        cursor.skip();
                    }
                }
                b',' => cursor.step(),
                _ => break,
            }
        }
        Traced { first, shape: detail.before }
    }

    fn push(&mut self, item: Item, detail: Detail) -> Id {
        self.items.push(item);
        self.details.push(detail);
        (self.items.len() as Id).wrapping_sub(1)
    }

    /// Whether the record whose opening brace is token number `token` has the shape whose items begin at `first`.
    pub(crate) fn is(&self, first: Id, body: &Body<'_>, token: u32) -> bool {
        let mut cursor = Cursor::inside(body, token);
        let mut key = Vec::new();
        for (item, place) in self.items.get(first as usize..).unwrap_or_default().iter().zip(first..) {
            if cursor.byte() == b',' {
                cursor.step();
            }
            if cursor.byte() == b'}' {
                cursor.step();
                match item.value {
                    CLOSE => continue,
                    value => return value == END,
                }
            }
            let name = cursor.name(&mut key);
            let (at, after) = cursor.bounds();
            if !item.resembles(Fingerprint::of(name, 0, name.len()))
                || name.len() > SHORT as usize && !self.is_long(place, name)
                || value_code(body, at, after, item.is_known) != item.value
            {
                return false;
            }
            if item.opens { cursor.step() } else { cursor.skip() }
        }
        false
    }
}

/// The item of a member whose value comes next.
fn member(body: &Body<'_>, cursor: &Cursor<'_>, name: &[u8], automaton: &Automaton, object: Open) -> Item {
    let state = automaton.state(object.state);
    let action = automaton.action_id(state, name, 0, name.len());
    let found = action.and_then(|id| automaton.actions.get(id as usize));
    let is_known = !object.is_foreign && found.is_some_and(|action| !action.similar);
    let inside = found.map_or_else(|| unknown_inside(automaton, state, name), |action| action.next);
    let (at, after) = cursor.bounds();
    let value = value_code(body, at, after, is_known);
    let is_object = value & !(u8::MAX << KIND_BITS) == OBJECT;
    let inside = if is_object && !is_known { automaton.shaped(inside) } else { inside };
    let Fingerprint { head, tail, len } = Fingerprint::of(name, 0, name.len());
    Item {
        head,
        tail,
        len,
        action: action.unwrap_or(NONE),
        slot: found.map_or(NONE, |action| action.slot),
        inside,
        value,
        is_known,
        stands: stands(state, found),
        opens: is_object && automaton.state(inside).shaped,
    }
}

/// Whether all that a walk that keeps no positions does at a member is to note that it is there.
fn stands(state: &State, action: Option<&Action>) -> bool {
    match action {
        None => state.skips_unknown,
        Some(action) => action.rename == NONE && !state.converts && !(state.tracked && action.on_source_path),
    }
}

/// The state of the value of a member that no table knows.
fn unknown_inside(automaton: &Automaton, state: &State, name: &[u8]) -> Id {
    if state.canonical.is_empty() {
        return state.unknown;
    }
    let mut form = Vec::new();
    let action: Option<&Action> =
        case::canonical(name, &mut form).then(|| automaton.action_by_canonical(state, &form)).flatten();
    action.map_or(state.unknown, |action| action.next)
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
