//! Files to run the binary on, and its output.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A directory for one test.
pub struct Dir(pub PathBuf);

pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Dir {
    pub fn new(test: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory below target");
        Dir(path)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.0.join(name), content).expect("a file below target");
        self
    }

    /// Runs `nomos` in this directory, with empty input.
    pub fn nomos(&self, args: &[&str]) -> Output {
        self.nomos_on(args, b"")
    }

    pub fn nomos_on(&self, args: &[&str], stdin: &[u8]) -> Output {
        self.nomos_with(&[], args, stdin)
    }

    /// Runs `nomos` with these environment variables, and without those that may be set for the tests.
    pub fn nomos_with(&self, variables: &[(&str, &str)], args: &[&str], stdin: &[u8]) -> Output {
        self.nomos_to(Stdio::piped(), variables, args, stdin)
    }

    /// Runs `nomos` with stderr redirected.
    pub fn nomos_to(&self, stderr: Stdio, variables: &[(&str, &str)], args: &[&str], stdin: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nomos"));
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"] {
            command.env_remove(variable);
        }
        command.args(args).current_dir(&self.0).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("nomos runs");
        // A command that refuses its arguments never reads its input.
        let _ = child.stdin.take().expect("a pipe").write_all(stdin);
        let output = child.wait_with_output().expect("nomos ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Output { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}
