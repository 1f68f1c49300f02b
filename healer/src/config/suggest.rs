//! Suggests the known name that was probably meant by an unknown one.

use crate::similarity::metrics::levenshtein;

/// Of a longer name only the start of this length is compared: the cost is the product of both lengths.
const MAX_CHARS: usize = 64;

/// Returns the known name nearest to `name`, if one is near enough to be a misspelling.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.chars().count().div_ceil(3).min(3);
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns ` (did you mean "x"?)`, or an empty text.
pub(super) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|known| format!(" (did you mean \"{known}\"?)")).unwrap_or_default()
}

/// Returns the edit distance of two names, letter case aside.
fn distance(a: &str, b: &str) -> usize {
    let start = |name: &str| -> String { name.chars().take(MAX_CHARS).map(|c| c.to_ascii_lowercase()).collect() };
    levenshtein::distance(&start(a), &start(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        let rows = [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("Mode", "mode", 0), ("mdoe", "mode", 2)];
        for (a, b, expected) in rows {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn only_a_near_name_is_suggested() {
        let known = ["rename", "move", "mode"];
        let rows = [("renam", Some("rename")), ("mvoe", Some("move")), ("x", None), ("contract", None)];
        for (name, expected) in rows {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
