use std::fmt;
use std::io;
use std::path::Path;

/// Why a command cannot do its work: one line.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// In the words of the command.
    pub fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    /// A file that cannot be read or written.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Failure(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
