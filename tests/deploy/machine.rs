//! A machine that has only the programs that a test gives it.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory that is all of `PATH`. Removed in the end.
pub struct Machine(PathBuf);

impl Machine {
    pub fn new(name: &str) -> Result<Self, String> {
        let machine = Machine(std::env::temp_dir().join(format!("nomos-{name}-{}", std::process::id())));
        fs::create_dir_all(&machine.0).map_err(|e| format!("{}: {e}", machine.0.display()))?;
        Ok(machine)
    }

    /// Adds a stand-in for a program, in the language of the shell.
    pub fn put(&self, name: &str, commands: &str) -> Result<(), String> {
        let path = self.path(name);
        let mode = fs::Permissions::from_mode(0o755);
        fs::write(&path, format!("#!/bin/sh\n{commands}\n"))
            .and_then(|()| fs::set_permissions(&path, mode))
            .map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Adds programs of the real machine.
    pub fn link(&self, names: &[&str]) -> Result<(), String> {
        let link = |name: &&str| symlink(program(name), self.path(name));
        names.iter().try_for_each(link).map_err(|e: io::Error| format!("{}: {e}", self.0.display()))
    }

    /// Returns a command that finds only the programs of this machine.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.0);
        command
    }

    /// Returns the path of a file beside the programs.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the path of a program of the real machine.
fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|path| path.exists())
        .unwrap_or_else(|| Path::new("/bin").join(name))
}
