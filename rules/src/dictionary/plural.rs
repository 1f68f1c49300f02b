//! The singular of an English noun in a name: spelling rules, and exceptions to them.
//!
//! Both sides of a comparison are folded by this function. So a wrong singular is harmless as long as no two nouns
//! share it.

use std::borrow::Cow;

/// Returns the singular of a lower-case word; the word itself if it is no plural.
///
/// `exception` knows what spelling rules cannot: the singular of an irregular plural, and words that look like a plural
/// but are none, for which it returns the word itself.
pub fn singular<'a>(word: &'a str, exception: impl FnOnce(&str) -> Option<&'a str>) -> Cow<'a, str> {
    match exception(word) {
        Some(singular) => Cow::Borrowed(singular),
        None => regular(word),
    }
}

/// Applies the spelling rules alone.
pub fn regular(word: &str) -> Cow<'_, str> {
    let is_too_short = word.len() < SHORTEST;
    let is_no_plural = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if is_too_short || is_no_plural || !word.is_ascii() {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Cow::Owned([stem, "y"].concat());
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

    fn exception(word: &str) -> Option<&'static str> {
        let rows = [("people", "person"), ("statuses", "status"), ("news", "news")];
        rows.iter().find(|(plural, _)| *plural == word).map(|(_, singular)| *singular)
    }

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
            assert_eq!(singular(plural, exception), expected);
        }
    }

    #[test]
    fn what_is_no_plural_stays() {
        for word in ["", "s", "os", "is", "status", "address", "analysis", "news", "user", "é1s"] {
            assert_eq!(singular(word, exception), word);
        }
    }
}
