//! Words of API vocabulary: which of them mean the same, and which never do.
//!
//! `build.rs` reads `rules/dictionary/*.yaml`, checks the files together and writes them
//! here as sorted static tables, so that nothing is set up at run time. Senses and
//! comments stay in the YAML.
//!
//! Words are in normal form: lower-case letters and digits, the tokens of a phrase separated
//! by one space, each token in the singular, closed compounds split (`user name`). A name is
//! brought to it by [`compound`] and [`singular`] on each of its tokens.

mod plural;

use plural::Irregular;
use std::borrow::Cow;

/// Words that API designers use for the same field.
#[derive(Debug)]
pub struct SynonymGroup {
    /// Whether they are interchangeable in nearly any record. Otherwise they mean the same
    /// only where the record, the type and the siblings agree.
    pub exact: bool,
    /// Words and phrases.
    pub words: &'static [&'static str],
}

/// A word or phrase of [`SYNONYMS`] or [`OPPOSITES`].
#[derive(Debug)]
pub struct Word {
    /// In normal form.
    pub text: &'static str,
    /// Where it stands in [`SYNONYMS`].
    pub synonyms: &'static [u16],
    /// Where it stands in [`OPPOSITES`]: set and slot.
    pub opposites: &'static [(u16, u8)],
}

/// A word that can be added to a name or left out without naming other information.
#[derive(Debug)]
pub struct NeutralWord {
    /// A word or phrase.
    pub word: &'static str,
    /// On which side of the rest of the name it stands.
    pub place: Place,
    /// The words next to which it is neutral; none: next to any.
    pub heads: &'static [&'static str],
    /// The values for which it is neutral; none: any.
    pub kind: Option<ValueKind>,
}

/// The side of a name.
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
    /// With or without a fraction.
    Number,
    /// In quotes.
    String,
    /// In brackets.
    Array,
    /// In braces.
    Object,
}

include!(concat!(env!("OUT_DIR"), "/dictionary.rs"));

/// The entry of that word or phrase.
pub fn word(text: &str) -> Option<&'static Word> {
    let at = WORDS.binary_search_by_key(&text, |word| word.text).ok()?;
    WORDS.get(at)
}

/// Whether two words or phrases must never match.
pub fn opposed(a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (word(a), word(b)) else {
        return false;
    };
    a.opposites.iter().any(|(set, slot)| b.opposites.iter().any(|(other, at)| set == other && slot != at))
}

/// Whether two words or phrases mean the same, and if so, whether [exactly](SynonymGroup::exact).
pub fn synonymous(a: &str, b: &str) -> Option<bool> {
    let (a, b) = (word(a)?, word(b)?);
    let shared = a.synonyms.iter().filter(|group| b.synonyms.contains(group));
    shared.filter_map(|group| SYNONYMS.get(usize::from(*group))).map(|group| group.exact).max()
}

/// What a short form may stand for, the likeliest first.
pub fn abbreviation(short: &str) -> &'static [&'static str] {
    lookup(ABBREVIATIONS, short).unwrap_or_default()
}

/// The words of a compound that is written as one.
pub fn compound(closed: &str) -> Option<&'static str> {
    lookup(COMPOUNDS, closed)
}

/// The singular of a lower-case word; the word itself if it is none or has none.
pub fn singular(word: &str) -> Cow<'_, str> {
    plural::singular(word, Irregular { plurals: PLURALS, uncountable: UNCOUNTABLE })
}

fn lookup<V: Copy>(table: &[(&str, V)], key: &str) -> Option<V> {
    let at = table.binary_search_by_key(&key, |(key, _)| key).ok()?;
    table.get(at).map(|(_, value)| *value)
}
