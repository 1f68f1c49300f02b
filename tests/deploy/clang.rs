//! `scripts/clang` on a machine of root that has apt-get and no clang: stand-ins show what it would run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::Trial;
use nomos_tests::paths;

use crate::{Outcome, check};

pub fn cases() -> Vec<Trial> {
    vec![
        Trial::test("scripts/clang: installs nothing unless it is told to", installs_nothing),
        Trial::test("scripts/clang: installs clang if it is told to, as .ci/run does", installs),
    ]
}

fn installs_nothing() -> Outcome {
    let machine = Machine::new("nothing")?;
    let output = machine.run("scripts/clang", &[])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    check(!output.status.success(), || format!("found a clang: {said}"))?;
    check(said.lines().count() == 1 && said.contains("apt-get install clang"), || said.clone())?;
    check(machine.installed().is_none(), || format!("installed {:?}", machine.installed()))
}

fn installs() -> Outcome {
    let machine = Machine::new("told")?;
    let told = machine.run(".ci/run", &[])?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    check(told == "1\n", || format!("found NOMOS_INSTALL_CLANG={told}; expected 1"))?;
    machine.run("scripts/clang", &[("NOMOS_INSTALL_CLANG", "1")])?;
    let installed = machine.installed().unwrap_or_default();
    check(installed.contains("clang iproute2"), || format!("installed {installed:?}"))
}

/// A directory that is all of `PATH`. Removed in the end.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Result<Self, String> {
        let machine = Machine(std::env::temp_dir().join(format!("nomos-clang-{name}-{}", std::process::id())));
        machine.furnish().map_err(|e| format!("{}: {e}", machine.0.display()))?;
        Ok(machine)
    }

    fn furnish(&self) -> std::io::Result<()> {
        fs::create_dir_all(&self.0)?;
        self.put("id", "echo 0")?;
        self.put("apt-get", &format!("echo \"$*\" >>'{}'", self.log().display()))?;
        self.put("make", "echo \"${NOMOS_INSTALL_CLANG:-}\"")?;
        ["bash", "dirname"].into_iter().try_for_each(|name| symlink(program(name), self.0.join(name)))
    }

    fn put(&self, name: &str, command: &str) -> std::io::Result<()> {
        let path = self.0.join(name);
        fs::write(&path, format!("#!/bin/sh\n{command}\n"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
    }

    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Result<Output, String> {
        Command::new(paths::root().join(script))
            .env_remove("CLANG")
            .env_remove("NOMOS_INSTALL_CLANG")
            .env("PATH", &self.0)
            .envs(variables.iter().copied())
            .output()
            .map_err(|e| format!("{script}: {e}"))
    }

    /// Returns what apt-get was called with.
    fn installed(&self) -> Option<String> {
        fs::read_to_string(self.log()).ok()
    }

    fn log(&self) -> PathBuf {
        self.0.join("log")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the path of a program of this machine.
fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|path| path.exists())
        .unwrap_or_else(|| Path::new("/bin").join(name))
}
