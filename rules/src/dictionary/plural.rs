//! The singular of an English noun, for names: rules of spelling, and tables for what they miss.
//!
//! Both sides of a comparison are folded by the same function, so that a wrong singular
//! (`shoe` from `shoes` and from nothing else) does no harm as long as two nouns do not share it.

use std::borrow::Cow;

/// What the rules of spelling cannot know. Both tables are sorted.
#[derive(Debug, Clone, Copy)]
pub struct Irregular<'a> {
    /// Plural and singular.
    pub plurals: &'a [(&'a str, &'a str)],
    /// Words that look like plurals and are none.
    pub uncountable: &'a [&'a str],
}

/// The singular of a lower-case word; the word itself if it is none or has none.
pub fn singular<'a>(word: &'a str, irregular: Irregular<'a>) -> Cow<'a, str> {
    if let Ok(at) = irregular.plurals.binary_search_by_key(&word, |(plural, _)| plural) {
        return Cow::Borrowed(irregular.plurals.get(at).map_or(word, |(_, singular)| singular));
    }
    if irregular.uncountable.binary_search(&word).is_ok() {
        return Cow::Borrowed(word);
    }
    regular(word)
}

/// The rules alone.
pub fn regular(word: &str) -> Cow<'_, str> {
    let is_too_short = word.len() < SHORTEST;
    let is_no_plural = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if is_too_short || is_no_plural || !word.is_ascii() {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Cow::Owned(format!("{stem}y"));
    }
    let sibilant = ["sses", "shes", "ches", "xes", "zzes"].iter().any(|end| word.ends_with(end));
    let stem = if sibilant { word.strip_suffix("es") } else { word.strip_suffix('s') };
    Cow::Borrowed(stem.unwrap_or(word))
}

/// `ids` is a plural; `os`, `as` and `is` are not.
const SHORTEST: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    const IRREGULAR: Irregular<'_> =
        Irregular { plurals: &[("people", "person"), ("statuses", "status")], uncountable: &["news"] };

    #[test]
    fn nouns_fold() {
        let rows = [
            ("ids", "id"),
            ("users", "user"),
            ("categories", "category"),
            ("ties", "tie"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("batches", "batch"),
            ("hashes", "hash"),
            ("images", "image"),
            ("people", "person"),
            ("statuses", "status"),
        ];
        for (plural, expected) in rows {
            assert_eq!(singular(plural, IRREGULAR), expected);
        }
    }

    #[test]
    fn what_is_no_plural_stays() {
        for word in ["", "s", "os", "is", "status", "address", "analysis", "news", "user", "é1s"] {
            assert_eq!(singular(word, IRREGULAR), word);
        }
    }
}
