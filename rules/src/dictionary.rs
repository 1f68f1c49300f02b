//! Words of API vocabulary: which of them mean the same, and which never do.
//!
//! `build.rs` reads `rules/dictionary/*.yaml`, checks the files together and writes them here as static tables. Every
//! word is stored once, and everything else as numbers. The large tables are packed, so that they stay small in a wasm
//! module, and unpacked when a process first uses them. Descriptions of senses and comments stay in the YAML.
//!
//! Words are in normal form: lower-case letters and digits, the tokens of a phrase separated by one space, each token
//! in the singular, closed compounds split (`zip code`). To normalize a name, apply [`compound`] and [`singular`] to
//! each of its tokens.
//!
//! The tables list the members of a group, not the groups of a word: [`synonymous`] and [`opposed`] search all groups.
//! Frequent callers should build an index of the tables first.

mod plural;
mod role;
mod table;

use std::borrow::Cow;
use std::iter;

pub use role::Role;
use table::Order;
pub use table::{Lists, Texts};

/// The number of a word or phrase. Numbers below the length of [`WORDS`] are words, the others phrases.
pub type PhraseId = u16;

/// Words that can be added to a name or left out without changing what the name stands for.
#[derive(Debug)]
pub struct NeutralWords {
    /// The words and phrases, sorted.
    pub words: &'static [PhraseId],
    /// The side of the rest of the name on which they stand.
    pub place: Place,
    /// The kind of values for which they are neutral; `None` for any.
    pub kind: Option<ValueKind>,
    /// The words or phrases next to which they are neutral, sorted; empty for any.
    pub heads: &'static [PhraseId],
}

/// A side of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the rest.
    Prefix,
    /// After the rest.
    Suffix,
}

/// The kind of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `true` or `false`.
    Boolean,
    /// A number, with or without a fraction.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// The kinds of values by their numbers in [`NEUTRAL`].
const KINDS: [Option<ValueKind>; 6] = [
    None,
    Some(ValueKind::Boolean),
    Some(ValueKind::Number),
    Some(ValueKind::String),
    Some(ValueKind::Array),
    Some(ValueKind::Object),
];

include!(concat!(env!("OUT_DIR"), "/dictionary.rs"));

/// Returns the number of words and phrases.
pub fn phrase_count() -> usize {
    WORDS.iter().len().saturating_add(PHRASES.iter().len())
}

/// Returns the indices in [`WORDS`] of the words of a phrase.
pub fn word_ids(phrase: PhraseId) -> impl Iterator<Item = usize> + Clone {
    let place = usize::from(phrase);
    let (word, words) = match place.checked_sub(WORDS.iter().len()) {
        None => (Some(place), &[][..]),
        Some(place) => (None, PHRASES.get(place)),
    };
    word.into_iter().chain(words.iter().copied().map(usize::from))
}

/// Returns the words of a phrase.
pub fn words(phrase: PhraseId) -> impl Iterator<Item = &'static str> + Clone {
    word_ids(phrase).map(|word| WORDS.get(word))
}

/// Returns the word or phrase with this text.
pub fn find(text: &str) -> Option<PhraseId> {
    let id = if text.contains(' ') {
        let order = |at| PHRASES.get(at).iter().map(|word| WORDS.get(usize::from(*word))).cmp(text.split(' '));
        table::search(PHRASES.iter().len(), order)?.checked_add(WORDS.iter().len())?
    } else {
        WORDS.find(text)?
    };
    id.try_into().ok()
}

/// Whether two words or phrases must never match.
pub fn opposed(a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (find(a), find(b)) else {
        return false;
    };
    let slots = || slot_sets().zip(OPPOSITES.iter()).enumerate();
    slots()
        .filter(|(_, (_, words))| words.contains(&a))
        .any(|(slot, (set, _))| slots().any(|(other, (of, words))| set == of && slot != other && words.contains(&b)))
}

/// Returns the set of each of the slots in [`OPPOSITES`].
pub fn slot_sets() -> impl Iterator<Item = usize> {
    SLOTS_OF_SETS.iter().enumerate().flat_map(|(set, slots)| iter::repeat_n(set, usize::from(*slots)))
}

/// Returns whether two words or phrases are [exact](EXACT_GROUPS) synonyms (`true`) or near ones (`false`); `None` if
/// they are neither.
pub fn synonymous(a: &str, b: &str) -> Option<bool> {
    let (a, b) = (find(a)?, find(b)?);
    let group = SYNONYMS.iter().position(|words| words.contains(&a) && words.contains(&b));
    group.map(|group| group < EXACT_GROUPS)
}

/// Returns what a short form may stand for.
pub fn abbreviation(short: &str) -> &'static [PhraseId] {
    let short = WORDS.find(short);
    let row = ABBREVIATIONS.iter().find(|row| row.first().copied().map(usize::from) == short);
    row.and_then(|row| row.get(1..)).unwrap_or_default()
}

/// Returns the words of a compound that is written as one word.
pub fn compound(closed: &str) -> Option<PhraseId> {
    compounds().iter().copied().find(|phrase| words(*phrase).flat_map(str::bytes).eq(closed.bytes()))
}

/// Returns the compounds that are also written as one word, sorted.
pub fn compounds() -> &'static [PhraseId] {
    SETS.get(0)
}

/// Returns names of objects that only hold the record, sorted.
pub fn envelopes() -> &'static [PhraseId] {
    SETS.get(1)
}

/// Returns names of objects that group members of a record and say little of them, sorted.
pub fn groupings() -> &'static [PhraseId] {
    SETS.get(2)
}

/// Returns the words that a name can do without.
pub fn neutral() -> impl Iterator<Item = NeutralWords> {
    NEUTRAL.iter().filter_map(|row| {
        let (about, words) = row.split_first()?;
        let about = usize::from(*about);
        let place = if about & 8 == 0 { Place::Suffix } else { Place::Prefix };
        let heads = (about >> 4).checked_sub(1).map_or(&[][..], |at| HEADS.get(at));
        Some(NeutralWords { words, place, kind: KINDS.get(about & 7).copied().flatten(), heads })
    })
}

/// Returns the singular of a lower-case word; the word itself if it is no plural.
pub fn singular(word: &str) -> Cow<'_, str> {
    plural::singular(word, |word| {
        let text = |id: PhraseId| WORDS.get(usize::from(id));
        let at = PLURALS.binary_search_by_key(&word, |(plural, _)| text(*plural));
        let irregular = at.ok().and_then(|at| PLURALS.get(at)).map(|(_, singular)| text(*singular));
        irregular.or_else(|| UNCOUNTABLE.find(word).map(|at| UNCOUNTABLE.get(at)))
    })
}
