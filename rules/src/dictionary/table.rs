//! Tables that are small in a wasm module: packed by the build script, and unpacked on first use.
//!
//! A packed text is what it adds to the text before it (front coding), with five bits for each letter. For sorted words
//! that is less than half of their size. A packed list consists of numbers of seven bits per byte (LEB128), with the last
//! number of each list marked. [`Texts::packed`] and [`Lists::packed`] describe the layouts, and
//! `build/dictionary/pack.rs` writes them.

use std::cmp::Ordering;
use std::sync::OnceLock;

/// A list of strings.
#[derive(Debug)]
pub struct Texts {
    packed: &'static [u8],
    unpacked: OnceLock<UnpackedTexts>,
}

#[derive(Debug, Default)]
struct UnpackedTexts {
    text: String,
    /// The end of each string in `text`.
    ends: Vec<u16>,
}

/// A list of lists of numbers, none of them empty.
#[derive(Debug)]
pub struct Lists {
    packed: &'static [u8],
    order: Order,
    unpacked: OnceLock<UnpackedLists>,
}

#[derive(Debug, Default)]
struct UnpackedLists {
    items: Vec<u16>,
    /// The end of each list in `items`.
    ends: Vec<u16>,
}

/// Says in packed texts that the next code is the value of a digit.
const DIGIT: u8 = 26;
/// Ends a packed text.
const END: u8 = 31;

/// The order of numbers, so that differences can replace some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each list is sorted: all of its numbers but the first are stored as differences.
    Inside,
    /// The lists are sorted: the first number of each is stored as the difference from the first number of the list
    /// before.
    Between,
}

impl Texts {
    /// Wraps packed texts.
    ///
    /// Texts are lower-case letters and digits, and become codes of five bits, the lowest first. Each text is the number
    /// of bytes that it shares with the text before, its own letters from 0 for `a`, and [`END`]. A digit is its value
    /// after [`DIGIT`].
    pub(super) const fn packed(packed: &'static [u8]) -> Self {
        Texts { packed, unpacked: OnceLock::new() }
    }

    /// Returns all texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.unpacked().ends.len()).map(|at| self.get(at))
    }

    /// Returns the text at this index; empty if there is none.
    pub fn get(&self, at: usize) -> &str {
        let UnpackedTexts { text, ends } = self.unpacked();
        let (from, to) = range(ends, at);
        text.get(from..to).unwrap_or_default()
    }

    /// Returns the index of a text, if the texts are sorted.
    pub fn find(&self, text: &str) -> Option<usize> {
        search(self.iter().len(), |at| self.get(at).cmp(text))
    }

    /// Returns the number of bytes that the packed texts take.
    pub fn packed_len(&self) -> usize {
        self.packed.len()
    }

    fn unpacked(&self) -> &UnpackedTexts {
        self.unpacked.get_or_init(|| unpack_texts(self.packed))
    }
}

impl Lists {
    /// Wraps packed lists.
    ///
    /// Each number is doubled, and the last of a list has 1 added. The result is stored in groups of seven bits, the
    /// lowest first, with the highest bit of a byte set if more follow.
    pub(super) const fn packed(packed: &'static [u8], order: Order) -> Self {
        Lists { packed, order, unpacked: OnceLock::new() }
    }

    /// Returns all lists, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        (0..self.unpacked().ends.len()).map(|at| self.get(at))
    }

    /// Returns the list at this index; empty if there is none.
    pub fn get(&self, at: usize) -> &[u16] {
        let UnpackedLists { items, ends } = self.unpacked();
        let (from, to) = range(ends, at);
        items.get(from..to).unwrap_or_default()
    }

    /// Returns the number of bytes that the packed lists take.
    pub fn packed_len(&self) -> usize {
        self.packed.len()
    }

    fn unpacked(&self) -> &UnpackedLists {
        self.unpacked.get_or_init(|| unpack_lists(self.packed, self.order))
    }
}

/// Returns the index of the element that compares as equal, among `len` sorted elements.
pub fn search(len: usize, compare: impl Fn(usize) -> Ordering) -> Option<usize> {
    let (mut from, mut to) = (0, len);
    while from < to {
        let middle = usize::midpoint(from, to);
        match compare(middle) {
            Ordering::Less => from = middle.saturating_add(1),
            Ordering::Equal => return Some(middle),
            Ordering::Greater => to = middle,
        }
    }
    None
}

fn unpack_texts(packed: &'static [u8]) -> UnpackedTexts {
    let (mut text, mut ends) = (Vec::new(), Vec::new());
    let (mut before, mut start) = (0usize, 0);
    let (mut is_start, mut is_digit) = (true, false);
    for code in codes(packed) {
        match code {
            shared if is_start => {
                start = text.len();
                text.extend_from_within(before..before.saturating_add(usize::from(shared)).min(start));
                is_start = false;
            }
            digit if is_digit => {
                text.push(b'0'.saturating_add(digit));
                is_digit = false;
            }
            DIGIT => is_digit = true,
            END => {
                ends.push(narrow(text.len()));
                before = start;
                is_start = true;
            }
            letter => text.push(b'a'.saturating_add(letter)),
        }
    }
    UnpackedTexts { text: String::from_utf8(text).unwrap_or_default(), ends }
}

/// Returns the numbers of five bits in these bytes. The last one may be no more than what fills the last byte.
fn codes(packed: &'static [u8]) -> impl Iterator<Item = u8> {
    let byte = |at: usize| packed.get(at).copied().unwrap_or(0);
    (0..packed.len().saturating_mul(8) / 5).map(move |at| {
        let bit = at.saturating_mul(5);
        let two = u16::from_le_bytes([byte(bit / 8), byte((bit / 8).saturating_add(1))]);
        let [code, _] = (two >> (bit % 8)).to_le_bytes();
        code & 31
    })
}

fn unpack_lists(packed: &'static [u8], order: Order) -> UnpackedLists {
    let (mut items, mut ends): (Vec<u16>, Vec<u16>) = (Vec::new(), Vec::new());
    // The number before in this list, if any, and the first number of the list before.
    let (mut before, mut first) = (None, 0u16);
    let (mut value, mut shift) = (0u32, 0u32);
    for byte in packed {
        value |= u32::from(byte & 0x7f).wrapping_shl(shift);
        shift = shift.wrapping_add(7);
        if byte & 0x80 != 0 {
            continue;
        }
        let (written, is_last) = (u16::try_from(value >> 1).unwrap_or(u16::MAX), value & 1 == 1);
        (value, shift) = (0, 0);
        let number = match (order, before) {
            (Order::Inside, Some(before)) => written.wrapping_add(before),
            (Order::Between, None) => written.wrapping_add(first),
            _ => written,
        };
        if before.is_none() {
            first = number;
        }
        items.push(number);
        before = Some(number);
        if is_last {
            ends.push(narrow(items.len()));
            before = None;
        }
    }
    UnpackedLists { items, ends }
}

/// Converts a length. The build refuses tables with more than `u16` can count.
fn narrow(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

fn range(ends: &[u16], at: usize) -> (usize, usize) {
    let end = |at: usize| ends.get(at).copied().map(usize::from);
    let from = at.checked_sub(1).map_or(Some(0), end);
    (from.unwrap_or(0), end(at).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_they_share_and_what_they_add() {
        // 0 a end, 1 c m e end, 2 t s end, 1 digit 2 z end.
        let texts = Texts::packed(b"\x00\xfc\x20\x18\xf9\x62\xca\x1f\xb4\xc8\x1f");
        let expected = ["a", "acme", "acts", "a2z"];
        assert_eq!(texts.iter().collect::<Vec<_>>(), expected);
        assert_eq!(texts.get(expected.len()), "");
    }

    #[test]
    fn lists_are_numbers_and_differences() {
        let read = |packed: &'static [u8], order| {
            let lists = Lists::packed(packed, order);
            assert_eq!(lists.get(lists.iter().len()), [0u16; 0]);
            lists.iter().map(<[u16]>::to_vec).collect::<Vec<_>>()
        };
        assert_eq!(read(b"", Order::Inside), [[0u16; 0]; 0]);
        assert_eq!(read(b"\x0e\x02\x03\x81\x10", Order::Inside), [&[7, 8, 9][..], &[1024]]);
        assert_eq!(read(b"\x0e\x02\x03\x81\x10", Order::Between), [&[7, 1, 1][..], &[1031]]);
    }

    #[test]
    fn every_text_is_found_and_no_other() {
        // 0 a b end, 0 c c end, 1 d end.
        static SORTED: Texts = Texts::packed(b"\x00\x84\x0f\x84\xf8\x61\x7c");
        for (at, text) in SORTED.iter().enumerate() {
            assert_eq!(SORTED.find(text), Some(at));
        }
        for text in ["", "aa", "abc", "ce", "x"] {
            assert_eq!(SORTED.find(text), None, "{text}");
        }
    }
}
