//! Text for people.

use std::borrow::Cow;

/// The maximum width of aligned columns; longer cells exceed it.
const MAX_WIDTH: usize = 100;

/// Returns the width of a column with these cells and this heading.
pub fn width(cells: &[impl AsRef<str>], head: &str) -> usize {
    let widest = cells.iter().map(|cell| cell.as_ref().chars().count()).max().unwrap_or_default();
    widest.min(MAX_WIDTH).max(head.len())
}

/// Makes a line safe for a terminal, because names and values come from anywhere. Control characters, characters that
/// turn the direction of writing, and byte order marks, which are invisible, are escaped as in JSON. Inside JSON
/// strings the line keeps its meaning.
pub fn plain(line: &str) -> Cow<'_, str> {
    if line.chars().any(commands) { Cow::Owned(line.chars().map(escaped).collect()) } else { line.into() }
}

/// Returns a text as one word of a command line, in quotes if a shell would read it otherwise.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ':' | ',' | '@' | '%' | '+');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into()
    } else {
        format!("'{}'", text.replace('\'', "'\\''")).into()
    }
}

fn commands(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if commands(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_a_terminal() {
        let rows = [
            ("é \"a\\b\"", "é \"a\\b\""),
            ("\u{1b}[31mEvil\u{7}", "\\u001b[31mEvil\\u0007"),
            ("a\nb\r\tc\u{7f}", "a\\nb\\r\\tc\\u007f"),
            ("\u{feff}{", "\\ufeff{"),
            ("\u{61c}\u{200e}\u{200f}", "\\u061c\\u200e\\u200f"),
            ("\u{9b}2J\u{202e}x\u{2069}\u{2028}", "\\u009b2J\\u202ex\\u2069\\u2028"),
        ];
        for (line, expected) in rows {
            assert_eq!(plain(line), expected);
            assert_eq!(plain(expected), expected);
        }
        for c in (0..=0x10_ffffu32).filter_map(char::from_u32) {
            let json = serde_json::Value::from(c.to_string());
            let shown = plain(&json.to_string()).into_owned();
            assert!(!shown.contains(char::is_control), "{c:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(json), "{c:?}");
        }
    }

    #[test]
    fn words_are_quoted_for_shells() {
        let rows = [
            ("/api/user", "/api/user"),
            ("/a?b=1&c", "'/a?b=1&c'"),
            ("/it's", r"'/it'\''s'"),
            ("~/n.yaml", "'~/n.yaml'"),
            ("", "''"),
        ];
        for (text, expected) in rows {
            assert_eq!(shell_word(text), expected);
        }
    }

    #[test]
    fn columns_have_an_end() {
        let long = "x".repeat(1 << 17);
        let rows = [(&["a", "bc"][..], "", 2), (&["a"], "HEAD", 4), (&["a", &long], "", MAX_WIDTH), (&[], "", 0)];
        for (cells, head, expected) in rows {
            assert_eq!(width(cells, head), expected);
        }
    }
}
