//! `nomos-xdp`: packet statistics of interfaces.

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
            eprintln!("nomos-xdp: {why}");
            ExitCode::from(FAILED)
        }
        Err(Failure::Unavailable(why)) => {
            eprintln!("nomos-xdp: {why}");
            ExitCode::from(if options.optional { 0 } else { UNAVAILABLE })
        }
    }
}
