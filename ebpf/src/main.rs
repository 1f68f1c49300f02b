//! `nomos-xdp`: packet statistics of interfaces.

// These macros panic if the stream is closed or full.
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, Write};
use std::process::ExitCode;

use nomos_xdp::options::Options;
use nomos_xdp::run::{Failure, run};

const FAILED: u8 = 1;
const UNAVAILABLE: u8 = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = Options::from_command_line();
    match run(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Failed(why)) => {
            tell(&why);
            ExitCode::from(FAILED)
        }
        Err(Failure::Unavailable(why)) => {
            tell(&why);
            ExitCode::from(if options.optional { 0 } else { UNAVAILABLE })
        }
    }
}

/// Writes a message to stderr. If that is closed or full, the exit code still says what happened.
fn tell(why: &str) {
    let _ = writeln!(io::stderr(), "nomos-xdp: {why}");
}
