//! Go modules, for files that are published nowhere else.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use nomos_tests::paths;

use crate::output;

/// Checks that Go is installed on this machine.
pub fn there() -> Result<(), String> {
    output(Command::new("go").arg("version")).map(drop).map_err(|_| "there is no Go on this machine".to_owned())
}

/// Returns the directory of a module that `tests/go-modules` pins.
pub fn module(name: &str) -> Result<PathBuf, String> {
    script("scripts/go-module", name)
}

/// Returns a program of such a module, by its package.
pub fn program(package: &str) -> Result<PathBuf, String> {
    script("scripts/from-go", package)
}

fn script(script: &str, argument: &str) -> Result<PathBuf, String> {
    let output = Command::new(paths::root().join(script))
        .arg(argument)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{script}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{script} {argument} failed; see above"));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
