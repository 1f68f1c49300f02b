//! Case conventions in the plainest form: a name is a list of words.

use nomos_rules::Case;

/// Returns the canonical form of a name; `None` if the name does not convert.
pub fn canonical(name: &str) -> Option<String> {
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    let plain = chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (starts && plain).then(|| split(name).to_ascii_lowercase())
}

/// Returns `name` in the case `to`, if it is written in one of the cases `from`.
pub fn convert(name: &str, from: &[Case], to: Case) -> Option<String> {
    if !from.contains(&case_of(name)?) {
        return None;
    }
    let canonical = canonical(name)?;
    let words: Vec<&str> = canonical.split('_').collect();
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    Some(match to {
        Case::Snake => words.join("_"),
        Case::Kebab => words.join("-"),
        Case::Pascal => words.iter().map(|word| capital(word)).collect(),
        Case::Camel => words[0].to_owned() + &words[1..].iter().map(|word| capital(word)).collect::<String>(),
    })
}

/// Returns the first case in which a name is written. Names without a lower-case letter may be data (`USD`), so they
/// have none. Words of kebab-case start with a letter and have no capitals.
fn case_of(name: &str) -> Option<Case> {
    let first = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    let small = |word: &str| plain(word) && word.starts_with(|c: char| c.is_ascii_lowercase());
    let cases = [
        (Case::Pascal, plain(name) && first.is_ascii_uppercase()),
        (Case::Camel, plain(name)),
        (Case::Snake, name.split('_').all(plain)),
        (Case::Kebab, name.split('-').all(small) && !name.chars().any(|c| c.is_ascii_uppercase())),
    ];
    let case = cases.into_iter().find(|(_, is)| *is).map(|(case, _)| case);
    case.filter(|_| name.chars().any(|c| c.is_ascii_lowercase()))
}

/// Returns `name` with `_` for `-` and before each word that starts with a capital.
fn split(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(i + 1);
        let after_word = before.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let after_acronym =
            before.is_some_and(|b| b.is_ascii_uppercase()) && after.is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && (after_word || after_acronym) {
            out.push('_');
        }
        out.push(if c == '-' { '_' } else { c });
    }
    out
}

#[test]
fn names_split_into_words() {
    let rows = [
        ("userID", Some("user_id")),
        ("HTTPServer", Some("http_server")),
        ("addressLine1", Some("address_line1")),
        ("address-line-1", Some("address_line_1")),
        ("UserName", Some("user_name")),
        ("user_name", Some("user_name")),
        ("USER_NAME", Some("user_name")),
        ("line2Text", Some("line2_text")),
        ("_user", None),
        ("1st", None),
        ("naïve", None),
        ("", None),
    ];
    for (name, expected) in rows {
        assert_eq!(canonical(name).as_deref(), expected, "{name}");
    }
}
