use std::fmt;
use std::io;
use std::path::Path;

/// Why a command cannot do its work, in one line.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// Returns a failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// Returns a failure to read or write a file.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Failure(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
