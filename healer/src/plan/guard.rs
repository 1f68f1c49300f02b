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

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// With a capital first.
    Capital,
    /// With a small letter first.
    Small,
}

/// A condition on a value before its member is renamed or moved. Mostly on strings: the kind was checked already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// No condition.
    None,
    /// The value must be one of these words.
    Listed(Span),
    /// The value must not be `null`, which the contract allows where it stands.
    NotNull,
    /// The value must not be one word in this case, such as `Weekly` or `weekly`. The drifted name has changed to this
    /// case, and the words of a list follow the case of names.
    Not(Case),
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
        let case = case_of(found.as_bytes());
        let is_same = case == case_of(expected.name.as_bytes());
        if is_same || !record.model.names_a_list(field) { Guard::None } else { Guard::Not(case) }
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
    pub(crate) fn passes(self, text: &[u8], inside: &[u8]) -> bool {
        match self {
            Guard::None | Guard::NotNull => true,
            Guard::Not(case) => {
                let word = decoded(inside);
                let is_word = word.iter().all(u8::is_ascii_alphabetic) && word.iter().any(u8::is_ascii_lowercase);
                !is_word || case_of(&word) != case
            }
            Guard::Listed((start, end)) => {
                let word = decoded(inside);
                let list = text.get(start as usize..end as usize).unwrap_or_default();
                list.split(|byte| *byte == BETWEEN).any(|listed| *listed == *word)
            }
        }
    }
}

fn case_of(name: &[u8]) -> Case {
    let first = name.iter().find(|byte| byte.is_ascii_alphabetic());
    if first.is_some_and(u8::is_ascii_uppercase) { Case::Capital } else { Case::Small }
}
