//! Cuts a name into its words: `billingHTMLUrl_v2` is `billing`, `html`, `url`, `v`, `2`.

use super::letters::{is_sign, lower};

/// The longest name that is looked at, in bytes. A longer one has no words, so that nothing is said about it.
pub(crate) const MAX_NAME: usize = 96;

/// Calls `each` with every word of `name`, in lower case, in order. Overwrites `text`.
///
/// A word ends at anything that is no letter or digit, between letters and digits, and before an upper-case letter that
/// follows a lower-case one. In a run of upper-case letters before a lower-case one, the last letter starts a word,
/// unless only the `s` of a plural follows: `IDs`, `URLsOf`. A sign before a number that begins the name is a word too.
pub(crate) fn each_word(name: &str, text: &mut String, mut each: impl FnMut(&str)) {
    text.clear();
    if name.len() > MAX_NAME {
        return;
    }
    if let [sign @ (b'+' | b'-'), b'0'..=b'9', ..] = name.as_bytes() {
        each(if *sign == b'+' { "plus" } else { "minus" });
    }
    let mut before = Class::Other;
    let mut rest = name.chars();
    while let Some(letter) = rest.next() {
        let class = Class::of(letter);
        if starts(before, class, rest.as_str()) && !text.is_empty() {
            each(text);
            text.clear();
        }
        if class != Class::Other {
            text.push(lower(letter));
        }
        before = class;
    }
    if !text.is_empty() {
        each(text);
        text.clear();
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

impl Class {
    fn of(letter: char) -> Class {
        match letter {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            _ if lower(letter) != letter => Class::Upper,
            _ if !letter.is_ascii() && !is_sign(letter) => Class::Lower,
            _ => Class::Other,
        }
    }
}

fn starts(before: Class, class: Class, rest: &str) -> bool {
    match (before, class) {
        (Class::Upper, Class::Upper) => {
            let mut after = rest.chars();
            let is_plural = || {
                let mut after = rest.chars().skip(1);
                rest.starts_with('s') && after.next().is_none_or(|next| Class::of(next) != Class::Lower)
            };
            after.next().is_some_and(|next| Class::of(next) == Class::Lower) && !is_plural()
        }
        (Class::Upper, Class::Lower) => false,
        _ => before != class,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> String {
        let mut words = Vec::new();
        each_word(name, &mut String::new(), |word| words.push(word.to_owned()));
        words.join(" ")
    }

    #[test]
    fn names_are_cut() {
        let rows = [
            ("user_id", "user id"),
            ("userId", "user id"),
            ("HTMLUrl", "html url"),
            ("userIDs", "user ids"),
            ("IDs", "ids"),
            ("URLsOf", "urls of"),
            ("address1", "address 1"),
            ("billing.address-line__2", "billing address line 2"),
            ("IPv4Address", "i pv 4 address"),
            ("$ref", "ref"),
            ("größeCm", "größe cm"),
            ("-1", "minus 1"),
            ("+1 hour", "plus 1 hour"),
            ("a-1", "a 1"),
            ("", ""),
            ("__", ""),
            ("A", "a"),
            ("aB", "a b"),
        ];
        for (name, expected) in rows {
            assert_eq!(words(name), expected, "{name}");
        }
        assert_eq!(words(&"a".repeat(97)), "");
    }
}
