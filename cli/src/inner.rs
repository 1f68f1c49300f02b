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
    let read = json::read(text.as_bytes()).map_err(|error| vec![lines.placed(error)]);
    let config = read.and_then(|inner| Config::check(&inner));
    config.map_err(|problems| problems.into_iter().map(|error| (lines.at(error.offset), error)).collect())
}

/// The lines of a text inside a file.
pub struct Lines {
    first: usize,
    /// `None` for a text in quotes, which counts as one line.
    lines: Option<source::Lines>,
}

impl Lines {
    /// Finds the lines of the text that a node is. If YAML has it as a block, they are lines of the file.
    pub fn of(source: &Source, text: &str, node: &Node) -> Self {
        let is_quoted = source.text.get(node.offset..).is_some_and(|rest| rest.starts_with(['"', '\'']));
        Lines { first: source.line(node.offset), lines: (!is_quoted).then(|| source::Lines::of(text)) }
    }

    /// Returns the line in the file of an offset in the text.
    pub fn at(&self, offset: usize) -> usize {
        self.first + self.lines.as_ref().map_or(0, |lines| lines.at(offset) - 1)
    }

    /// Leaves the line out of a place in the text, if the file says it, and says of what the place is otherwise.
    fn placed(&self, error: ConfigError) -> ConfigError {
        let column = error.at.find("column").and_then(|start| error.at.get(start..));
        let at = match column {
            Some(column) if self.lines.is_some() => column.to_owned(),
            _ => format!("{} of the text", error.at),
        };
        ConfigError { at, ..error }
    }
}
