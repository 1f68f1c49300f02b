//! Warnings about valid content that needs a look. They do not change the exit code.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

/// A warning about a place in a file.
#[derive(Clone, Debug)]
pub struct Warning {
    /// The offset in bytes from the start of the text.
    pub offset: usize,
    /// The path to the place: `routes[0].name`.
    pub at: String,
    /// The reason.
    pub why: Why,
}

/// The reason for a warning.
#[derive(Clone, Debug)]
pub enum Why {
    /// A field that should be replaced.
    Deprecated {
        /// The version that deprecated it.
        since: &'static str,
        /// What to write instead.
        instead: &'static str,
    },
    /// Something valid that is hardly meant.
    Unexpected {
        /// What was found.
        found: String,
        /// What is expected.
        expected: String,
    },
}

impl Display for Why {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Why::Deprecated { since, instead } => write!(out, "deprecated since {since}; use {instead}"),
            Why::Unexpected { found, expected } => write!(out, "found {found}; expected {expected}"),
        }
    }
}

impl Warning {
    /// Returns a warning about something valid that is hardly meant.
    pub fn unexpected(offset: usize, at: String, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Warning { offset, at, why: Why::Unexpected { found: found.into(), expected: expected.into() } }
    }

    /// Returns an object for `--json`.
    pub fn as_json(&self, file: &str, line: usize) -> Value {
        let at = &self.at;
        match &self.why {
            Why::Deprecated { since, instead } => {
                json!({"file": file, "line": line, "at": at, "since": since, "instead": instead})
            }
            Why::Unexpected { found, expected } => {
                json!({"file": file, "line": line, "at": at, "found": found, "expected": expected})
            }
        }
    }
}
