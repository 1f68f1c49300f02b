//! What is no problem and wants a look all the same. Warnings change no exit code.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

/// Something in a file to warn of.
#[derive(Clone, Debug)]
pub struct Warning {
    /// Bytes from the start of the text.
    pub offset: usize,
    /// The way there: `routes[0].name`.
    pub at: String,
    /// What it is about.
    pub why: Why,
}

/// What a warning is about.
#[derive(Clone, Debug)]
pub enum Why {
    /// A field that should be replaced.
    Deprecated {
        /// Since which version.
        since: &'static str,
        /// What to write in its place.
        instead: &'static str,
    },
    /// What is read, and can hardly be meant.
    Unexpected {
        /// What stands there.
        found: String,
        /// What should.
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
    /// Of what is read, and can hardly be meant.
    pub fn unexpected(offset: usize, at: String, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Warning { offset, at, why: Why::Unexpected { found: found.into(), expected: expected.into() } }
    }

    /// An object for `--json`.
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
