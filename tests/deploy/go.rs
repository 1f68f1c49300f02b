//! Go modules, for what only they hold: skipped, with the reason printed, where there is no Go.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use nomos_tests::expect::Outcome;
use nomos_tests::paths;

/// A test that needs Go; ignored where it is missing.
pub fn case(name: &str, body: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    let missing = Command::new("go").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err();
    if missing {
        println!("skipped: {name}: there is no Go on this machine");
    }
    Trial::test(name, move || body().map_err(Failed::from)).with_ignored_flag(missing)
}

/// The directory of a module that `tests/go-modules` pins.
pub fn module(name: &str) -> Result<PathBuf, String> {
    script("scripts/go-module", name)
}

/// A program of such a module, by its package.
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
