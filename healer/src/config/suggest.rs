//! The known name that somebody who wrote an unknown one may have meant.

/// Longer names are not compared: the cost is the product of the lengths.
const MAX_CHARS: usize = 64;

/// The known name nearest to `name`, if one is near enough to be a slip of the pen.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.chars().count().div_ceil(3).min(3);
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean "x"?)`, or nothing.
pub(super) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|known| format!(" (did you mean \"{known}\"?)")).unwrap_or_default()
}

/// Edits between two names, letter case aside (Levenshtein; Wagner and Fischer's table, one row kept).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(MAX_CHARS).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, left) in a.chars().take(MAX_CHARS).enumerate() {
        let mut diagonal = line;
        let mut beside = line.saturating_add(1);
        for (above, right) in row.iter_mut().skip(1).zip(&b) {
            let replaced = diagonal.saturating_add(usize::from(!left.eq_ignore_ascii_case(right)));
            diagonal = *above;
            beside = replaced.min(beside.min(*above).saturating_add(1));
            *above = beside;
        }
        if let Some(first) = row.first_mut() {
            *first = line.saturating_add(1);
        }
    }
    row.last().copied().unwrap_or_default()
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
