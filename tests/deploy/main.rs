//! What `deploy/` and `docs/` show for putting Nomos into production, checked or run as a user would.
//!
//! Envoy Gateway and Istio themselves take minutes to build: `make test-gateway` and `make test-istio` run them.

mod func_e;
mod go;
mod plain;
mod resources;
mod schemas;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let cases: Vec<Trial> = [plain::cases(), func_e::cases(), schemas::cases()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), cases).exit_code()
}
