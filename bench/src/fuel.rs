//! The cost of responses in fuel under wasmtime. `make budget` counts it, and CI compares it with the committed counts.

use std::collections::HashMap;
use std::fs;

use nomos_tests::paths;

/// The file of the counts in the repository.
const FILE: &str = "tests/harness/budget.txt";

/// Returns the committed counts by body.
pub fn committed() -> Result<HashMap<String, f64>, String> {
    let text = fs::read_to_string(paths::root().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, fuel)| Some((name.to_owned(), fuel.parse().ok()?)))
        .collect())
}

/// Returns the count of a body whose skeleton is new.
pub(crate) fn of_unseen(counts: &HashMap<String, f64>, body: &str) -> Option<f64> {
    counts.get(&format!("{body}-unseen")).copied()
}
