//! The programs that `scripts/peers` has installed or built.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nomos_tests::paths;

/// The path of each program, or why it is missing.
pub struct Installed(HashMap<String, Result<PathBuf, String>>);

impl Installed {
    /// Installs and builds everything that is available.
    pub fn all() -> Result<Self, String> {
        Self::by_script(&[])
    }

    /// Finds what is already installed.
    #[cfg(test)]
    pub fn already() -> Result<Self, String> {
        Self::by_script(&["--installed"])
    }

    /// Returns the path of a program.
    pub fn path(&self, name: &str) -> Result<PathBuf, String> {
        self.0.get(name).cloned().unwrap_or_else(|| Err(format!("scripts/peers says nothing of {name}")))
    }

    fn by_script(arguments: &[&str]) -> Result<Self, String> {
        let script = paths::root().join("scripts/peers");
        let output = Command::new(&script)
            .args(arguments)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("{}: {error}", script.display()))?;
        if !output.status.success() {
            return Err(format!("{} failed; see above", script.display()));
        }
        Ok(Installed(String::from_utf8_lossy(&output.stdout).lines().filter_map(entry).collect()))
    }
}

fn entry(line: &str) -> Option<(String, Result<PathBuf, String>)> {
    let (name, rest) = line.split_once(' ')?;
    let found = rest.strip_prefix("- ").map_or_else(|| Ok(PathBuf::from(rest)), |reason| Err(reason.to_owned()));
    Some((name.to_owned(), found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_path_or_a_reason() {
        assert_eq!(entry("krakend /a b"), Some(("krakend".to_owned(), Ok(PathBuf::from("/a b")))));
        assert_eq!(entry("nginx - no apt-get"), Some(("nginx".to_owned(), Err("no apt-get".to_owned()))));
        assert_eq!(entry(""), None);
    }
}
