//! External programs. `scripts/bench-tools` finds them, or unpacks them if the distribution has them.

use std::path::PathBuf;
use std::process::Command;

use nomos_tests::paths;

/// Returns the path of a program, or `None` if it is unavailable.
pub fn find(name: &str) -> Option<PathBuf> {
    let output = Command::new(paths::root().join("scripts/bench-tools")).arg(name).output().ok()?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !path.is_empty()).then(|| PathBuf::from(path))
}

/// Returns the programs with their versions.
pub fn all() -> Vec<(String, String)> {
    [("nginx", "-v"), ("wrk", "-v")].map(|(name, argument)| (name.to_owned(), version(name, argument))).to_vec()
}

/// Returns the first word with a digit that a program prints, on either stream and with any exit code.
fn version(name: &str, argument: &str) -> String {
    let output = find(name).and_then(|program| Command::new(program).arg(argument).output().ok());
    let Some(output) = output else { return "none".to_owned() };
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let word = text.split([' ', '/', '\n']).find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    word.unwrap_or("unknown").to_owned()
}
