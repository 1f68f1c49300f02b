//! The command where it needs no privileges.

use std::fs::File;
use std::process::Command;

#[test]
fn the_exit_code_stays_if_stderr_is_full() {
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nomos-xdp"));
    let status = command.args(["--interface", "nowhere"]).stderr(full).status().expect("it starts");
    assert_eq!(status.code(), Some(1));
}
