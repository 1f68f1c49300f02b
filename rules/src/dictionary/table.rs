//! Tables that hold no pointers: in a wasm module a `&str` takes eight bytes, which is more than most words have.

use std::cmp::Ordering;

/// Strings, one behind the other.
#[derive(Debug)]
pub struct Texts {
    pub(super) text: &'static str,
    /// Where each of them ends.
    pub(super) ends: &'static [u16],
}

/// Lists of numbers, one behind the other.
#[derive(Debug)]
pub struct Lists {
    pub(super) items: &'static [u16],
    /// Where each of them ends.
    pub(super) ends: &'static [u16],
}

impl Texts {
    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static str> {
        (0..self.ends.len()).map(|at| self.get(at))
    }

    /// The one at that place; empty, if there is none.
    pub fn get(&self, at: usize) -> &'static str {
        let (from, to) = range(self.ends, at);
        self.text.get(from..to).unwrap_or_default()
    }

    /// The place of that text, if they are sorted.
    pub fn find(&self, text: &str) -> Option<usize> {
        search(self.ends.len(), |at| self.get(at).cmp(text))
    }
}

impl Lists {
    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static [u16]> {
        (0..self.ends.len()).map(|at| self.get(at))
    }

    /// The one at that place; empty, if there is none.
    pub fn get(&self, at: usize) -> &'static [u16] {
        let (from, to) = range(self.ends, at);
        self.items.get(from..to).unwrap_or_default()
    }
}

/// The place among `len` sorted elements of the one that compares as equal.
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

fn range(ends: &[u16], at: usize) -> (usize, usize) {
    let end = |at: usize| ends.get(at).copied().map(usize::from);
    let from = at.checked_sub(1).map_or(Some(0), end);
    (from.unwrap_or(0), end(at).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_comes_out() {
        let texts = Texts { text: "abcde", ends: &[1, 1, 3, 5] };
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["a", "", "bc", "de"]);
        assert_eq!(texts.get(4), "");
        let lists = Lists { items: &[7, 8, 9], ends: &[0, 2, 3] };
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&[][..], &[7, 8], &[9]]);
        assert_eq!(lists.get(3), [0u16; 0]);
    }

    #[test]
    fn every_text_is_found_and_no_other() {
        let texts = Texts { text: "abcccd", ends: &[2, 4, 6] };
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(texts.find(text), Some(at));
        }
        for text in ["", "aa", "abc", "ce", "x"] {
            assert_eq!(texts.find(text), None, "{text}");
        }
    }
}
