//! Words of API vocabulary: which of them mean the same, and which never do.
//!
//! `build.rs` reads `rules/dictionary/*.yaml`, checks the files together and writes them
//! here as static tables. Every word is held once, and all else is numbers. The large tables are
//! packed, so that they stay small in a wasm module, and unpacked where a process first asks them.
//! Senses and comments stay in the YAML.
//!
//! Words are in normal form: lower-case letters and digits, the tokens of a phrase separated
//! by one space, each token in the singular, closed compounds split (`user name`). A name is
//! brought to it by [`compound`] and [`singular`] on each of its tokens.
//!
//! The tables tell what is in a group, not in which groups a word is: [`synonymous`] and [`opposed`] look at all of
//! them. Who asks often makes an index of the tables first.

mod plural;
mod table;

use std::borrow::Cow;

use table::Order;
pub use table::{Lists, Texts};

/// A word or phrase: below the number of [`WORDS`] a word, above it a phrase.
pub type PhraseId = u16;

/// A word that can be added to a name or left out without naming other information.
#[derive(Debug)]
pub struct NeutralWord {
    /// A word or phrase.
    pub word: PhraseId,
    /// On which side of the rest of the name it stands.
    pub place: Place,
    /// The values for which it is neutral; none: any.
    pub kind: Option<ValueKind>,
    heads: u16,
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

/// No place in [`HEADS`].
const NO_HEADS: u16 = u16::MAX;

include!(concat!(env!("OUT_DIR"), "/dictionary.rs"));

impl NeutralWord {
    /// The words or phrases next to which it is neutral, sorted; none: next to any.
    pub fn heads(&self) -> &'static [PhraseId] {
        HEADS.get(usize::from(self.heads))
    }
}

/// The number of words and phrases.
pub fn phrase_count() -> usize {
    WORDS.iter().len().saturating_add(PHRASES.iter().len())
}

/// The places in [`WORDS`] of the words of a phrase.
pub fn word_ids(phrase: PhraseId) -> impl Iterator<Item = usize> + Clone {
    let place = usize::from(phrase);
    let (word, words) = match place.checked_sub(WORDS.iter().len()) {
        None => (Some(place), &[][..]),
        Some(place) => (None, PHRASES.get(place)),
    };
    word.into_iter().chain(words.iter().copied().map(usize::from))
}

/// The words of a phrase.
pub fn words(phrase: PhraseId) -> impl Iterator<Item = &'static str> + Clone {
    word_ids(phrase).map(|word| WORDS.get(word))
}

/// The word or phrase of that text.
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
    let slots = || OPPOSITE_SETS.iter().zip(OPPOSITES.iter()).enumerate();
    slots()
        .filter(|(_, (_, words))| words.contains(&a))
        .any(|(slot, (set, _))| slots().any(|(other, (of, words))| set == of && slot != other && words.contains(&b)))
}

/// Whether two words or phrases mean the same, and if so, whether [exactly](ARE_EXACT).
pub fn synonymous(a: &str, b: &str) -> Option<bool> {
    let (a, b) = (find(a)?, find(b)?);
    let groups = SYNONYMS.iter().zip(ARE_EXACT);
    groups.filter(|(words, _)| words.contains(&a) && words.contains(&b)).map(|(_, exact)| *exact).max()
}

/// What a short form may stand for, the likeliest first.
pub fn abbreviation(short: &str) -> &'static [PhraseId] {
    let at = SHORT_FORMS.binary_search_by_key(&short, |word| WORDS.get(usize::from(*word)));
    at.map_or(&[], |at| EXPANSIONS.get(at))
}

/// The words of a compound that is written as one.
pub fn compound(closed: &str) -> Option<PhraseId> {
    let letters = |phrase: &PhraseId| words(*phrase).flat_map(str::bytes);
    let at = COMPOUNDS.binary_search_by(|phrase| letters(phrase).cmp(closed.bytes())).ok()?;
    COMPOUNDS.get(at).copied()
}

/// The singular of a lower-case word; the word itself if it is none or has none.
pub fn singular(word: &str) -> Cow<'_, str> {
    plural::singular(word, |word| {
        let text = |id: PhraseId| WORDS.get(usize::from(id));
        let at = PLURALS.binary_search_by_key(&word, |(plural, _)| text(*plural));
        let irregular = at.ok().and_then(|at| PLURALS.get(at)).map(|(_, singular)| text(*singular));
        irregular.or_else(|| UNCOUNTABLE.find(word).map(|at| UNCOUNTABLE.get(at)))
    })
}
