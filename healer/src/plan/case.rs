//! Case conventions: which one a name follows, and how a name is written in another.

use nomos_rules::Case;

/// Appends the canonical form of a name: its words in lower case, joined by `_`. Appends nothing and returns `false`
/// unless the name consists of ASCII letters, digits, `_` and `-` and starts with a letter.
///
/// A word starts at an upper-case letter after a lower-case one or a digit, and at the last of several upper-case
/// letters if a lower-case one follows: `userID` is `user_id`, `HTTPServer` is `http_server`.
pub(crate) fn canonical(name: &[u8], into: &mut Vec<u8>) -> bool {
    if !is_identifier(name) {
        return false;
    }
    let mut before = 0u8;
    let mut rest = name;
    while let [byte, after @ ..] = rest {
        let byte = *byte;
        rest = after;
        // The `s` of `userIDs` belongs to the capitals before it.
        let is_plural = matches!(after, [b's'] | [b's', b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-', ..]);
        let is_last_capital = after.first().is_some_and(u8::is_ascii_lowercase) && !is_plural;
        let starts = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && is_last_capital));
        if starts {
            into.push(b'_');
        }
        into.push(if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() });
        before = byte;
    }
    true
}

/// Returns the case that a name follows. `None` if its words are joined in more than one way, or in no known way.
///
/// Names of members can be data: `USD`, `en-US`, a UUID. So a name without a lower-case letter has no case, and
/// kebab-case requires words of lower-case letters and digits that start with a letter.
pub(crate) fn case_of(name: &[u8]) -> Option<Case> {
    let mut seen = Seen::default();
    let mut before = b'_';
    for byte in name.iter().copied() {
        let starts = matches!(before, b'_' | b'-');
        match byte {
            b'a'..=b'z' => seen.lower = true,
            b'A'..=b'Z' => seen.upper = true,
            b'0'..=b'9' if before == b'-' => seen.digit_first = true,
            b'0'..=b'9' => (),
            b'_' if !starts => seen.underscore = true,
            b'-' if !starts => seen.hyphen = true,
            _ => return None,
        }
        before = byte;
    }
    let first = name.first().copied().unwrap_or(0);
    let ends_well = first.is_ascii_alphabetic() && !matches!(before, b'_' | b'-');
    if ends_well && seen.lower { seen.case(first) } else { None }
}

/// What a name is made of.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct Seen {
    lower: bool,
    upper: bool,
    underscore: bool,
    hyphen: bool,
    /// Whether a word after a hyphen starts with a digit.
    digit_first: bool,
}

impl Seen {
    fn case(&self, first: u8) -> Option<Case> {
        match (self.underscore, self.hyphen) {
            (false, false) if first.is_ascii_uppercase() => Some(Case::Pascal),
            (false, false) => Some(Case::Camel),
            (true, false) => Some(Case::Snake),
            (false, true) if !self.upper && !self.digit_first => Some(Case::Kebab),
            _ => None,
        }
    }
}

/// Whether a name that has a case is one word without capitals. Only `PascalCase` spells such a name differently.
pub(crate) fn is_one_lower_word(name: &[u8]) -> bool {
    !name.iter().any(|byte| matches!(byte, b'A'..=b'Z' | b'_' | b'-'))
}

/// Appends a canonical name as it is written in a case.
pub(crate) fn spell(canonical: &[u8], case: Case, into: &mut Vec<u8>) {
    let capital = |first: bool| match case {
        Case::Pascal => true,
        Case::Camel => !first,
        Case::Kebab | Case::Snake => false,
    };
    for (i, word) in canonical.split(|byte| *byte == b'_').enumerate() {
        match case {
            Case::Snake if i > 0 => into.push(b'_'),
            Case::Kebab if i > 0 => into.push(b'-'),
            _ => (),
        }
        if let [head, tail @ ..] = word {
            into.push(if capital(i == 0) { head.to_ascii_uppercase() } else { *head });
            into.extend_from_slice(tail);
        }
    }
}

fn is_identifier(name: &[u8]) -> bool {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical_of(name: &str) -> Option<String> {
        let mut form = Vec::new();
        canonical(name.as_bytes(), &mut form).then(|| String::from_utf8(form).unwrap())
    }

    #[test]
    fn words_are_found() {
        let rows = [
            ("userId", "user_id"),
            ("UserID", "user_id"),
            ("user-id", "user_id"),
            ("HTTPServer", "http_server"),
            ("addressLine1", "address_line1"),
            ("HTTP2Server", "http2_server"),
            ("OAuth2", "o_auth2"),
            ("userIDs", "user_ids"),
            ("imageURLsByUser", "image_urls_by_user"),
            ("already_snake", "already_snake"),
        ];
        for (name, form) in rows {
            assert_eq!(canonical_of(name).as_deref(), Some(form));
        }
        for name in ["", "1a", "_id", "a b", "é", "a.b", "$ref"] {
            assert_eq!(canonical_of(name), None, "{name}");
        }
    }

    #[test]
    fn cases_are_told_apart() {
        let rows = [
            ("userId", Some(Case::Camel)),
            ("name", Some(Case::Camel)),
            ("UserId", Some(Case::Pascal)),
            ("user-id", Some(Case::Kebab)),
            ("User_Id", Some(Case::Snake)),
            ("USD", None),
            ("en-US", None),
            ("user-Id", None),
            ("a0eebc99-9c0b-4ef8", None),
            ("a_b-c", None),
            ("a__b", None),
            ("a-", None),
        ];
        for (name, case) in rows {
            assert_eq!(case_of(name.as_bytes()), case, "{name}");
        }
    }

    #[test]
    fn names_are_spelt() {
        let rows =
            [(Case::Snake, "user_id2"), (Case::Kebab, "user-id2"), (Case::Camel, "userId2"), (Case::Pascal, "UserId2")];
        for (case, form) in rows {
            let mut spelt = Vec::new();
            spell(b"user_id2", case, &mut spelt);
            assert_eq!(spelt, form.as_bytes());
        }
    }
}
