//! Standard output and standard error.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::failure::Failure;

/// Returns a number with its noun: `1 member`, `2 members`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Writes bytes as they are. A reader that stops reading early, such as `head`, is no failure.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    finish(&mut io::stdout().lock(), bytes)
}

/// Writes styled text. The styles are kept if stdout is a terminal that shows them and `NO_COLOR` is not set.
pub fn write_styled(text: &str) -> Result<(), Failure> {
    finish(&mut anstream::stdout().lock(), text.as_bytes())
}

/// Writes a message to stderr, beside the output on stdout. If stderr is closed, that is no failure.
pub fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn finish(stdout: &mut impl Write, bytes: &[u8]) -> Result<(), Failure> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::io(Path::new("stdout"), &error)),
        _ => Ok(()),
    }
}
