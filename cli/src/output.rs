//! Standard output.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::failure::Failure;

/// `1 member`, `2 members`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Writes bytes as they are. A reader that has seen enough, such as `head`, is no failure.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::io(Path::new("stdout"), &error)),
        _ => Ok(()),
    }
}
