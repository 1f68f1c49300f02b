//! What the value of a member has to be, so that it is renamed or moved.
//!
//! What similarity decides holds for every record of a shape, whatever its values are. Whether a word is one of the list
//! that clients know can only be seen at the value, so that is asked each time.

use super::automaton::Span;
use super::record::Record;
use crate::similarity::Id;
use crate::text::decoded;

/// Between the words of a list: no byte of UTF-8.
const BETWEEN: u8 = 0xff;

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// With a capital, and small letters.
    Capital,
    /// With a small letter.
    Small,
}

/// What is asked of a value before its member is renamed or moved. Of strings mostly: the kind was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Nothing.
    None,
    /// To be one of these words.
    Listed(Span),
    /// Not to be `null`: the contract allows that where it stands.
    NotNull,
    /// Not to be one word with this case, `Weekly` or `weekly`: the name changed to it, and words of lists are written as
    /// names are.
    Not(Case),
}

impl Guard {
    /// The guard of a field that stands under the name `found`. What it needs to know is appended to `text`.
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

    /// Whether a string passes, given what is between its quotes.
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
