//! Shows a document before and after healing, one member per line, with the changed ones marked.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{IsTerminal, stdout};

use drifting_upstream::{Mode, drift};

/// Longer lines are cut to this many characters.
const WIDTH: usize = 76;

/// How changed lines are marked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// With terminal colours as well as the marks.
    Colours,
    /// With `-` and `+` only.
    Marks,
}

impl Paint {
    /// Returns colours for a terminal, unless `NO_COLOR` is set.
    pub fn for_stdout() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if stdout().is_terminal() && !plain { Self::Colours } else { Self::Marks }
    }
}

/// Returns the two documents one below the other. `-` marks the drifted fields of the upstream, `+` the fields where
/// the client finds them.
pub fn before_after(mode: Mode, before: &str, after: &[u8], paint: Paint) -> String {
    let drifted: BTreeSet<&str> = drift(mode).iter().map(|(_, path)| *path).collect();
    let expected: BTreeSet<&str> = drift(mode).iter().map(|(field, _)| *field).collect();
    let after = String::from_utf8_lossy(after);
    let mut text = format!("{}, as the upstream sends it:\n", mode.name());
    write_document(&mut text, before, &drifted, '-', paint);
    let _ = writeln!(text, "{}, as the client gets it:", mode.name());
    write_document(&mut text, &after, &expected, '+', paint);
    text
}

fn write_document(text: &mut String, document: &str, marked: &BTreeSet<&str>, mark: char, paint: Paint) {
    for line in lines(document) {
        let changed = marked.contains(line.path.as_str());
        let (mark, colour) = match (changed, mark) {
            (false, _) => (' ', ""),
            (true, '-') => ('-', "\x1b[31m"),
            (true, _) => ('+', "\x1b[32m"),
        };
        let shown: String = line.text.chars().take(WIDTH).collect();
        let more = if shown.len() < line.text.len() { "…" } else { "" };
        // Writing to a string cannot fail.
        let _ = match (paint, changed) {
            (Paint::Colours, true) => writeln!(text, "{colour}{mark} {shown}{more}\x1b[0m"),
            _ => writeln!(text, "{mark} {shown}{more}"),
        };
    }
}

/// A line of an indented document, and the dotted path of the member on it.
struct Line {
    path: String,
    text: String,
}

/// Breaks compact JSON into lines. Values keep their text, because a parser would reformat numbers and escapes.
fn lines(document: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(document) {
        match piece {
            "{" | "[" => {
                let key = key(&line);
                flush(&mut lines, &path, &format!("{line}{piece}"));
                path.push(key);
                line.clear();
            }
            "}" | "]" => {
                flush(&mut lines, &path, &line);
                path.pop();
                piece.clone_into(&mut line);
            }
            "," => {
                flush(&mut lines, &path, &format!("{line},"));
                line.clear();
            }
            ":" => line.push_str(": "),
            text => line.push_str(text),
        }
    }
    flush(&mut lines, &path, &line);
    lines
}

fn flush(lines: &mut Vec<Line>, path: &[String], line: &str) {
    if line.is_empty() {
        return;
    }
    // The outermost container has no name.
    let mut names: Vec<String> = path.iter().skip(1).cloned().collect();
    names.push(key(line));
    lines.push(Line { path: names.join("."), text: format!("{}{line}", "  ".repeat(path.len())) });
}

/// Returns the name of the member at the start of a line.
fn key(line: &str) -> String {
    line.split_once(": ").map(|(key, _)| key.trim_matches('"').to_owned()).unwrap_or_default()
}

/// Returns the structural characters and the texts between them.
fn pieces(document: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut in_string, mut escaped) = (0, false, false);
    for (at, character) in document.char_indices() {
        let structural = !in_string && "{}[],:".contains(character);
        if structural {
            pieces.extend([document[start..at].trim(), &document[at..=at]]);
            start = at + 1;
        }
        in_string ^= character == '"' && !escaped;
        escaped = in_string && character == '\\' && !escaped;
    }
    pieces.push(document[start..].trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn one_member_per_line_with_its_path() {
        let lines = lines(r#"{"a":{"b":"x,\"{:","c":1.50},"d":[1,2]}"#);
        let shown: Vec<(&str, &str)> = lines.iter().map(|line| (line.path.as_str(), line.text.as_str())).collect();
        let expected = [
            ("", "{"),
            ("a", "  \"a\": {"),
            ("a.b", "    \"b\": \"x,\\\"{:\","),
            ("a.c", "    \"c\": 1.50"),
            ("", "  },"),
            ("d", "  \"d\": ["),
            ("d.", "    1,"),
            ("d.", "    2"),
            ("", "  ]"),
            ("", "}"),
        ];
        assert_eq!(shown, expected);
    }
}
