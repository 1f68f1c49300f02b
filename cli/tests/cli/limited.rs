//! Runs of the binary with little memory or time.

use std::process::Command;

use crate::run::{Dir, Output};

/// Runs `nomos` within a limit of the shell: `-v` KiB of address space, or `-t` seconds of a processor.
pub fn nomos_within(limit: &str, dir: &Dir, args: &[&str]) -> Output {
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_nomos")]).args(args).current_dir(&dir.0);
    let output = command.output().expect("a shell");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Output { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}
