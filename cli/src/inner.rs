//! A configuration that is JSON text inside a file.

use healer::config::node::Node;
use healer::config::{Config, ConfigError, json};

use crate::source::{self, Source};

/// Reads the configuration. Problems come with their line in the file.
pub fn read(source: &Source, text: &str, node: &Node) -> Result<Config, Vec<(usize, ConfigError)>> {
    if text.trim().is_empty() {
        return Ok(Config::default());
    }
    let lines = Lines::of(source, text, node);
    let read = json::read(text.as_bytes()).map_err(|error| vec![lines.placed(text, error)]);
    let config = read.and_then(|inner| Config::check(&inner));
    config.map_err(|problems| problems.into_iter().map(|error| (lines.at(error.offset), error)).collect())
}

/// The lines of a text inside a file.
pub struct Lines {
    /// The line in the file of the first character that is no blank line.
    first: usize,
    /// `None` for a text that is no literal block: it counts as one line.
    block: Option<Block>,
}

/// A literal block, whose lines are lines of the file without their indentation.
struct Block {
    lines: source::Lines,
    /// Blank lines in front, which YAML counts as part of the text.
    blank: usize,
    indentation: usize,
}

impl Lines {
    /// Finds the lines of the text that a node is.
    pub fn of(source: &Source, text: &str, node: &Node) -> Self {
        let before = source.text.get(..node.offset).unwrap_or_default();
        let block = is_literal(before).then(|| Block {
            lines: source::Lines::of(text),
            blank: text.bytes().take_while(|byte| *byte == b'\n').count(),
            indentation: before.bytes().rev().take_while(|byte| *byte == b' ').count(),
        });
        Lines { first: source.line(node.offset), block }
    }

    /// Returns the line in the file of an offset in the text.
    pub fn at(&self, offset: usize) -> usize {
        let further = self.block.as_ref().map_or(0, |block| block.lines.at(offset).saturating_sub(1 + block.blank));
        self.first + further
    }

    /// Changes the place of a syntax error in the text: to its column in the file, whose line the file says already, or
    /// to say of what the place is.
    fn placed(&self, text: &str, error: ConfigError) -> ConfigError {
        let at = match &self.block {
            Some(block) => format!("column {}", block.indentation + column(text, error.offset)),
            None => format!("{} of the text", error.at),
        };
        ConfigError { at, ..error }
    }
}

/// Returns whether a text is a literal block by what is before it: a node of a block starts in the first line that is
/// not blank, behind the header and its comment. A folded block has other lines than the file.
fn is_literal(before: &str) -> bool {
    let line = before.trim_end().lines().next_back().unwrap_or_default();
    let header = line.split(" #").next().unwrap_or_default().trim_end();
    header.trim_end_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']).ends_with('|')
}

/// Returns the column of an offset in its line of the text, counted from 1.
fn column(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    before.chars().rev().take_while(|c| *c != '\n').count() + 1
}
