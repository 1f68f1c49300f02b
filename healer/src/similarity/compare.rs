//! The metrics of two names side by side, as `nomos compare` prints them, and the score of the reference profile.

use super::metrics::{jaro, levenshtein, synonym, trigrams::Vocabulary};

/// The metrics of two names, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Levenshtein, relative to the length of the longer name.
    pub levenshtein: f32,
    /// Jaro.
    pub jaro: f32,
    /// Jaro-Winkler.
    pub jaro_winkler: f32,
    /// Cosine of character trigrams.
    pub tfidf: f32,
    /// 1 for the same words, above 0.9 for exact synonyms, about 0.8 for near ones, else 0.
    pub synonym: f32,
    /// 0.35 synonym + 0.25 Jaro-Winkler + 0.20 Levenshtein + 0.20 TF-IDF.
    pub reference: f32,
    /// The score of the default profile for the two names alone, before values, places and rivals.
    pub combined: f32,
}

/// Above this, the reference profile counts a synonym as the same word.
const SURE_SYNONYM: f32 = 0.9;

/// Compares two names, with these two as the vocabulary.
pub fn compare(a: &str, b: &str) -> Comparison {
    compare_in(&Vocabulary::of([a, b]), a, b)
}

/// Compares the first name with the second, the third with the fourth, and so on, with all of them as the vocabulary.
pub fn compare_all(names: &[&str]) -> Vec<Comparison> {
    let vocabulary = Vocabulary::of(names.iter().copied());
    let pairs = names.as_chunks::<2>().0;
    pairs.iter().map(|[a, b]| compare_in(&vocabulary, a, b)).collect()
}

/// Compares two names in a vocabulary.
pub(crate) fn compare_in(vocabulary: &Vocabulary, a: &str, b: &str) -> Comparison {
    let (words, jaro) = (synonym::words(a, b), jaro::jaro(a, b));
    let made = Comparison {
        levenshtein: levenshtein::similarity(a, b),
        jaro,
        jaro_winkler: jaro::winkler(jaro, a, b),
        tfidf: vocabulary.cosine(a, b),
        synonym: synonym::of_words(&words),
        reference: 0.0,
        combined: words.score,
    };
    let reference = made.summands().iter().map(|(_, weight, metric)| weight * metric).sum();
    Comparison { reference, ..made }
}

impl Comparison {
    /// Returns what the reference profile adds up: names, weights and metrics. A sure synonym counts as 1.
    pub fn summands(&self) -> [(&'static str, f32, f32); 4] {
        [
            ("synonym", 0.35, if self.synonym > SURE_SYNONYM { 1.0 } else { self.synonym }),
            ("jaro_winkler", 0.25, self.jaro_winkler),
            ("levenshtein", 0.20, self.levenshtein),
            ("tfidf", 0.20, self.tfidf),
        ]
    }
}
