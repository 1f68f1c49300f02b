//! Text files, and the places in them.

use std::fs;
use std::path::{Path, PathBuf};

use healer::config::ConfigError;
use healer::config::cursor::Problems;
use healer::config::node::Node;

use crate::failure::Failure;

/// A file that was read.
#[derive(Debug)]
pub struct Source {
    /// The path as the user wrote it.
    pub path: PathBuf,
    /// The whole text without a byte order mark: some editors write one, and JSON does not allow it.
    pub text: String,
    lines: Lines,
}

/// The offsets of the ends of lines. They are found once, because a file may have as many problems as lines.
#[derive(Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines of this text.
    pub fn of(text: &str) -> Self {
        Lines(text.match_indices('\n').map(|(end, _)| end).collect())
    }

    /// Returns the line that contains an offset, counted from 1.
    pub fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

impl Source {
    /// Reads a text file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = fs::read(path).map_err(|error| Failure::io(path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let found = not_text(error.as_bytes(), error.utf8_error().valid_up_to());
            Failure::new(format!("{}{found}; expected UTF-8 text", path.display()))
        })?;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Ok(Source { path: path.to_owned(), lines: Lines::of(&text), text })
    }

    /// Returns one line of text about a problem in this file.
    pub fn tell(&self, line: usize, error: &ConfigError) -> String {
        let ConfigError { at, found, expected, .. } = error;
        // A syntax error starts with its line, which need not be repeated.
        let at = at.strip_prefix(&format!("line {line} ")).unwrap_or(at);
        format!("{}:{line}: {at}: found {found}; expected {expected}", self.path.display())
    }

    /// Returns the first of the problems in this file, and how many more there are.
    pub fn refuse(&self, problems: &[ConfigError]) -> Failure {
        let first = problems.first().map(|error| (self.line(error.offset), error));
        self.refuse_first(first, problems.len())
    }

    /// Returns the first of some problems, which has its line, and how many more there are.
    pub fn refuse_first(&self, first: Option<(usize, &ConfigError)>, count: usize) -> Failure {
        let more = match count.saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {more} more: see nomos check)"),
        };
        let first = first.map(|(line, error)| self.tell(line, error));
        Failure::new(first.unwrap_or_default() + &more)
    }

    /// Returns the line that contains an offset, counted from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.lines.at(offset)
    }

    /// Returns `file:line`, with lines counted from 1.
    pub fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path.display(), self.line(offset))
    }
}

/// Says what bytes are instead of text. No text has a zero byte.
fn not_text(bytes: &[u8], first_bad: usize) -> String {
    if bytes.contains(&0) {
        return ": found a binary file".to_owned();
    }
    let line = bytes.iter().take(first_bad).filter(|byte| **byte == b'\n').count() + 1;
    format!(":{line}: found a byte that is not UTF-8")
}

/// Changes problems with a document as a whole to name what it is, because the reader calls it a configuration.
pub fn said_of(what: &str, document: &Node, mut problems: Problems) -> Problems {
    for problem in problems.iter_mut().filter(|problem| problem.offset == document.offset) {
        if problem.at == "configuration" {
            what.clone_into(&mut problem.at);
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_counted_from_one() {
        let rows = [("", 0, 1), ("a\nb", 1, 1), ("a\nb", 2, 2), ("a\nb", 99, 2), ("\r\n\r\n", 4, 3)];
        for (text, offset, expected) in rows {
            assert_eq!(Lines::of(text).at(offset), expected, "{text:?} {offset}");
        }
    }
}
