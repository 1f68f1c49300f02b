//! The numbers of words and phrases.

use super::file::{Dictionary, OneOrMore};
use std::collections::{BTreeMap, BTreeSet};

/// All words and phrases, numbered: first the single words, then the phrases, both sorted by their words.
pub struct Ids<'a> {
    words: BTreeMap<&'a str, usize>,
    phrases: BTreeMap<Vec<&'a str>, usize>,
}

impl<'a> Ids<'a> {
    /// Numbers all that stands in the dictionary, except what is no word but a spelling: closed compounds and
    /// uncountable words.
    pub fn of(dictionary: &'a Dictionary) -> Ids<'a> {
        let texts: Vec<&str> = texts(dictionary).collect();
        let words: BTreeSet<&str> = texts.iter().flat_map(|text| text.split(' ')).collect();
        let phrases: BTreeSet<Vec<&str>> =
            texts.iter().map(|text| text.split(' ').collect()).filter(|words: &Vec<&str>| words.len() > 1).collect();
        let words: BTreeMap<&str, usize> = words.into_iter().zip(0..).collect();
        let phrases = phrases.into_iter().zip(words.len()..).collect();
        Ids { words, phrases }
    }

    /// Every word, sorted.
    pub fn words(&self) -> impl Iterator<Item = &'a str> {
        self.words.keys().copied()
    }

    /// The words of every phrase, sorted.
    pub fn phrases(&self) -> impl Iterator<Item = Vec<usize>> {
        self.phrases.keys().map(|words| words.iter().map(|word| self.of_text(word)).collect())
    }

    /// The number of a word or phrase. All that [`Ids::of`] lists has one; what has none would not compile.
    pub fn of_text(&self, text: &str) -> usize {
        let phrase = || self.phrases.get(&text.split(' ').collect::<Vec<&str>>());
        self.words.get(text).or_else(phrase).copied().unwrap_or(usize::MAX)
    }

    /// Words of the longest phrase.
    pub fn longest(&self) -> usize {
        self.phrases.keys().map(Vec::len).max().unwrap_or(1)
    }
}

fn texts(dictionary: &Dictionary) -> impl Iterator<Item = &str> {
    let Dictionary { synonyms, opposites, abbreviations, compounds, neutral, wrappers, plurals, roles, words } =
        dictionary;
    let synonyms = synonyms.iter().flat_map(|group| &group.words);
    let opposites = opposites.iter().flat_map(|set| set.never.iter().flat_map(OneOrMore::words));
    let abbreviations = abbreviations.iter().flat_map(|(short, to)| [short].into_iter().chain(to.words()));
    let neutral = neutral.suffix.iter().chain(&neutral.prefix);
    let neutral = neutral.flat_map(|entry| entry.words.iter().chain(&entry.after).chain(&entry.before));
    let wrappers = wrappers.envelopes.iter().chain(&wrappers.groupings);
    let plurals = plurals.irregular.iter().flat_map(|(plural, singular)| [plural, singular]);
    let all = synonyms.chain(opposites).chain(abbreviations).chain(compounds.values());
    all.chain(neutral).chain(wrappers).chain(plurals).chain(roles.values().flatten()).chain(words).map(String::as_str)
}
