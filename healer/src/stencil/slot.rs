//! One value of a skeleton: what is before it, and what it may be.

use super::value::{self, End, Guess, PAIR, Window};
use super::{Miss, Span, pass_slowly, white};
use crate::class::{LOOKS, Look, is_surely, looks_like_email, scalar_kind};
use crate::plan::spec::{Format, Kind};
use crate::scan::{Block, Constants, Masks, Pair, Wide};
use crate::text::unquoted;
use crate::walk::{self, Body, KIND_MASK, class_of, fits_in_detail, kind, string_code};

/// A value, and the text before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// That text, a mask of its bytes that count, where it is, and its length. If it has [`PAIR`] bytes or more,
    /// nothing equals `head`.
    head: Pair,
    counts: u32,
    pub text: Span,
    len: u8,
    /// The kinds that the value may have, one bit each. The bit of numbers is for whole ones; other numbers have
    /// [`FRACTION`].
    pub kinds: u8,
    /// If the value is a string whose class counts: one more than the number of its look in [`LOOKS`]. The value then
    /// has no kind.
    pub look: u8,
    /// Whether it is an array of any length, and which: [`ANY`], a number from [`PLAIN`] on, or from [`LIST`] on one of
    /// the lists. The bits from [`NESTING`] on tell how many levels of arrays may be inside it.
    pub array: u8,
}

/// Where a value ended, and how long the next one there is likely to be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub end: u32,
    pub guess: Guess,
}

/// An array without objects, of any length. If the kind of its first element counts, that is added.
pub(super) const PLAIN: u8 = 8;
/// An array without objects, whatever its first element is.
pub(super) const ANY: u8 = 1;
/// The first of the lists.
pub(super) const LIST: u8 = 16;
/// How many bits of [`Slot::array`] tell which array it is.
pub(super) const NESTING: u32 = 6;
/// Most arrays inside each other that are passed as one value: as many as a `MultiPolygon` of `GeoJSON` has (RFC 7946).
pub(super) const MOST_ARRAYS: u8 = 1 << (u8::BITS - NESTING);

/// The bit of numbers that are not whole, which no kind has.
const FRACTION: u8 = 1 << 7;

/// What a glance at a value leaves open.
#[derive(Clone, Copy, Debug)]
pub(super) enum Left {
    /// Whether the value is there at all.
    All,
    /// The rest of a string, from an offset on.
    String(usize),
    /// The class of a string that ends there.
    Class(usize),
}

impl Slot {
    /// Creates the slot of a value after `span` of a text. `kind`: 0 if any will do. `array`: as in [`Slot::array`].
    pub(super) fn after(text: &[u8], span: Span, kind: u8, array: u8) -> Slot {
        let before = text.get(span.0 as usize..span.1 as usize).unwrap_or_default();
        let mut slot = Slot { head: [0; PAIR], counts: u32::MAX, len: 0, text: span, kinds: u8::MAX, look: 0, array };
        // If the text is longer, only zeros equal the head, and they are no value.
        if before.len() < PAIR {
            slot.head.get_mut(..before.len()).unwrap_or_default().copy_from_slice(before);
            slot.len = before.len() as u8;
            slot.counts = !u32::MAX.unbounded_shl(u32::from(slot.len));
        }
        if kind != 0 {
            slot.kinds = 1 << kind | if kind == walk::NUMBER { FRACTION } else { 0 };
        }
        if slot.list().is_some() {
            // No glance tells where a list ends.
            slot.kinds = 0;
        }
        slot
    }

    /// Sets what the value must be like. `text`: a value that is.
    pub(super) fn settle(&mut self, code: u8, text: &[u8]) {
        match code & KIND_MASK {
            walk::NUMBER => self.kinds = if code == walk::WHOLE { 1 << walk::NUMBER } else { FRACTION },
            walk::STRING => {
                self.look = Look::number_of(unquoted(text), class_of(code)).wrapping_add(1) as u8;
                self.kinds = 0;
            }
            _ => (),
        }
    }

    /// Passes values as long as a glance tells where they end. Returns the first value that needs more.
    #[inline(always)]
    pub(super) fn pass_run<'a, const CLASSED: bool>(
        slots: &mut impl Iterator<Item = (&'a Slot, &'a mut Seen)>,
        bytes: &[u8],
        at: &mut usize,
        constants: Constants,
    ) -> Option<(&'a Slot, &'a mut Seen, Left)> {
        for (slot, seen) in slots {
            match slot.glance::<CLASSED>(bytes, *at, &mut seen.guess, constants) {
                Ok(next) => {
                    *at = next;
                    seen.end = next as u32;
                }
                Err(left) => return Some((slot, seen, left)),
            }
        }
        None
    }

    /// Returns the end of the value whose preceding text is at an offset.
    #[inline(always)]
    fn glance<const CLASSED: bool>(
        &self,
        bytes: &[u8],
        at: usize,
        guess: &mut Guess,
        constants: Constants,
    ) -> Result<usize, Left> {
        let window: Option<&Window> = bytes.get(at..).and_then(<[u8]>::first_chunk);
        let Some((window, start)) = window.and_then(|window| Some((window, window.first_chunk()?))) else {
            return Err(Left::All);
        };
        if !Wide::same(start, &self.head) & self.counts != 0 {
            return Err(Left::All);
        }
        // The text is shorter than a pair, so the mask changes nothing and only proves the bound.
        let len = usize::from(self.len) & (PAIR - 1);
        self.glance_at_value::<CLASSED>(window, len, at.wrapping_add(len), guess, constants)
    }

    /// Returns the end of the value at an offset, which is `len` bytes after the start of a window.
    #[inline(always)]
    fn glance_at_value<const CLASSED: bool>(
        &self,
        window: &Window,
        len: usize,
        at: usize,
        guess: &mut Guess,
        constants: Constants,
    ) -> Result<usize, Left> {
        let value: Option<&Pair> = window.get(len..).and_then(<[u8]>::first_chunk);
        let Some(value) = value else { return Err(Left::All) };
        let [first, ..] = value;
        if *first == b'"' && self.may_be(b'"') {
            let inside = at.wrapping_add(1);
            let Some(pair) = window.get(len.wrapping_add(1)..).and_then(<[u8]>::first_chunk) else {
                return Err(Left::All);
            };
            return value::string_in(pair, constants, inside, guess).ok_or(Left::String(inside));
        }
        if CLASSED
            && *first == b'"'
            && let Some(look) = self.look()
        {
            let inside = at.wrapping_add(1);
            let Some(pair) = window.get(len.wrapping_add(1)..).and_then(<[u8]>::first_chunk) else {
                return Err(Left::All);
            };
            let end = value::string_without(pair, constants, inside, guess, look.without);
            let end = end.ok_or(Left::String(inside))?;
            let is_like = pair.first_chunk().is_some_and(|first| Wide::are_within(first, &look.lowest, &look.span));
            let len = end.wrapping_sub(inside).wrapping_sub(1) as u32;
            let is_so = is_like || look.class == Some(Format::Email) && looks_like_email(pair, len);
            return if is_so { Ok(end) } else { Err(Left::Class(end)) };
        }
        // From `-` to `9`. No number starts with the bytes between the sign and the digits.
        if first.wrapping_sub(b'-') <= b'9'.wrapping_sub(b'-') {
            let (end, is_whole) = value::number_in(value, constants, at, guess).ok_or(Left::All)?;
            return if self.may_be_number(is_whole) { Ok(end) } else { Err(Left::All) };
        }
        let end = if self.may_be(*first) { value::literal_in(value, at) } else { None };
        end.ok_or(Left::All)
    }

    /// As [`Slot::glance`], after any text and for any value.
    pub(super) fn pass(&self, text: &[u8], bytes: &[u8], at: usize) -> End {
        let text = text.get(self.text.0 as usize..self.text.1 as usize).unwrap_or_default();
        let at = match pass_slowly(text, bytes, at) {
            Ok(at) => at,
            Err(Miss::Short) => return End::SHORT,
            Err(Miss::Other) => return End::OTHER,
        };
        // Only the text before the value may have been too much for a glance.
        let window = bytes.get(at..).and_then(<[u8]>::first_chunk);
        let glance = |window| self.glance_at_value::<true>(window, 0, at, &mut Guess::default(), Wide::constants());
        match window.map_or(Err(Left::All), glance) {
            Ok(end) | Err(Left::Class(end)) => return End::at(end),
            Err(Left::String(inside)) => return value::long_string(bytes, inside),
            Err(Left::All) => (),
        }
        let Some(first) = bytes.get(at) else { return End::SHORT };
        let is_number = kind(*first) == walk::NUMBER;
        let may_be_string = *first == b'"' && self.look != 0;
        let may_be = self.may_be(*first) || may_be_string || is_number && self.may_be_number(false);
        // This comes first because more bytes would not make the value fit. A number has no end of its own to wait for.
        if !may_be {
            return End::OTHER;
        }
        let array = self.which_array();
        let nesting = if array == 0 { 0 } else { (self.array >> NESTING).wrapping_add(1) };
        let end = value::skip(bytes, at, nesting);
        let Ok(to) = end.found() else { return end };
        let of_first = || bytes.get(white(bytes, at.wrapping_add(1))).map(|first| kind(*first));
        let is_whole = || scalar_kind(bytes.get(at..to).unwrap_or_default()) == Kind::Integer;
        if array >= PLAIN && of_first() != Some(array.wrapping_sub(PLAIN))
            || is_number && !self.may_be_number(is_whole())
        {
            return End::OTHER;
        }
        end
    }

    /// Returns which of the lists its value is, if it is one.
    pub(super) fn list(&self) -> Option<usize> {
        self.which_array().checked_sub(LIST).map(usize::from)
    }

    /// Returns [`Slot::array`] without the bits about arrays inside.
    fn which_array(&self) -> u8 {
        self.array & !(u8::MAX << NESTING)
    }

    /// Returns what its value mostly looks like, if it is a string whose class counts.
    #[inline(always)]
    fn look(&self) -> Option<&'static Look> {
        LOOKS.get(usize::from(self.look).wrapping_sub(1))
    }

    /// Whether its value, whose preceding text is at an offset, is of the class that counts, if one does.
    #[inline(always)]
    pub(super) fn has_class(&self, bytes: &[u8], at: usize, end: usize) -> bool {
        let start = at.wrapping_add(self.text.1.wrapping_sub(self.text.0) as usize);
        self.look().is_none_or(|look| is_of(look.class, bytes, start, end))
    }

    /// Whether its value may be a number that is whole or not, as told.
    #[inline(always)]
    fn may_be_number(&self, is_whole: bool) -> bool {
        let bit = if is_whole { 1 << walk::NUMBER } else { FRACTION };
        self.kinds & bit != 0
    }

    /// Whether its value may be of the kind that starts with this byte.
    #[inline(always)]
    fn may_be(&self, first: u8) -> bool {
        self.kinds & 1 << kind(first) != 0
    }
}

/// Whether a string that starts and ends at these offsets is of a class.
#[inline(never)]
fn is_of(class: Option<Format>, bytes: &[u8], start: usize, end: usize) -> bool {
    let inside = start.wrapping_add(1);
    let len = end.wrapping_sub(inside).wrapping_sub(1) as u32;
    let text: Option<&Block> = bytes.get(inside..).and_then(<[u8]>::first_chunk);
    let is_surely = text.is_some_and(|text| is_surely(text, len, class));
    is_surely || fits_in_detail(&Body::plain(bytes), start as u32, end as u32, string_code(class))
}
