//! Conditions on the value of a member that is renamed or moved.
//!
//! What similarity decides holds for every record of a shape, whatever its values. Whether a word is in the list that
//! clients know depends on the value, so each value is checked.

use super::automaton::Span;
use super::record::Record;
use crate::similarity::Id;
use crate::text::decoded;

/// Separates the words of a list. It never occurs in UTF-8.
const BETWEEN: u8 = 0xff;

/// A condition on a value before its member is renamed or moved. Mostly on strings: the kind was checked already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// No condition.
    None,
    /// The value must be one of these words.
    Listed(Span),
    /// The value must not be `null`, which the contract allows where it stands.
    NotNull,
    /// The value must not be one word that begins so, such as `Weekly` or `weekly`. The drifted name has come to begin
    /// so, and the words of a list follow the case of names.
    Not(Initial),
}

/// The first letter of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initial {
    Capital,
    Small,
}

impl Guard {
    /// Returns the guard of a field that stands under the name `found`. Appends what it needs to `text`.
    pub(crate) fn of(record: &Record, field: Id, found: &str, text: &mut Vec<u8>) -> Guard {
        let Some(expected) = record.model.fields().get(field as usize) else { return Guard::None };
        if !expected.expects.values.is_empty() {
            let start = text.len() as u32;
            for (place, word) in expected.expects.values.iter().enumerate() {
                text.extend(Some(BETWEEN).filter(|_| place > 0));
                text.extend_from_slice(word.as_bytes());
            }
            return Guard::Listed((start, text.len() as u32));
        }
        let initial = initial_of(found.as_bytes());
        let is_same = initial == initial_of(expected.name.as_bytes());
        if is_same || !record.model.names_a_list(field) { Guard::None } else { Guard::Not(initial) }
    }

    /// Whether a value passes.
    pub(crate) fn admits(self, text: &[u8], value: &[u8]) -> bool {
        match value {
            [b'"', inside @ .., b'"'] => self.passes(text, inside),
            b"null" => self != Guard::NotNull,
            _ => true,
        }
    }

    /// Whether a string passes. `inside`: the bytes between its quotes.
    fn passes(self, text: &[u8], inside: &[u8]) -> bool {
        match self {
            Guard::None | Guard::NotNull => true,
            Guard::Not(initial) => {
                let word = decoded(inside);
                let is_word = word.iter().all(u8::is_ascii_alphabetic) && word.iter().any(u8::is_ascii_lowercase);
                !is_word || initial_of(&word) != initial
            }
            Guard::Listed((start, end)) => {
                let word = decoded(inside);
                let list = text.get(start as usize..end as usize).unwrap_or_default();
                list.split(|byte| *byte == BETWEEN).any(|listed| *listed == *word)
            }
        }
    }
}

fn initial_of(name: &[u8]) -> Initial {
    let first = name.iter().find(|byte| byte.is_ascii_alphabetic());
    if first.is_some_and(u8::is_ascii_uppercase) { Initial::Capital } else { Initial::Small }
}
