//! What is shipped for running Nomos in production, checked or run as a user would: `deploy/`, docker-compose.yml, the
//! images, the output of `make dist`, the examples in `docs/`, and what the commands of the Makefile install.
//!
//! Envoy Gateway and Istio take minutes to build, so `make test-gateway` and `make test-istio` run them instead.

mod clang;
mod compose;
mod dist;
mod dockerfile;
mod func_e;
mod go;
mod load;
mod machine;
mod plain;
mod resources;
mod schemas;
mod unpacked;
mod up;

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

type Outcome = Result<(), Failed>;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The cases share directories and two processors.
    arguments.test_threads.get_or_insert(1);
    let trials = [
        plain::cases(),
        clang::cases(),
        unpacked::cases(),
        func_e::cases(),
        schemas::cases(),
        compose::cases(),
        dockerfile::cases(),
        dist::cases(),
        load::cases(),
        up::cases(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// Returns a case that runs if it is possible. Otherwise it is skipped, and the reason is printed.
fn case_if<E: Into<Failed>>(
    possible: &Result<(), String>,
    name: &str,
    run: impl FnOnce() -> Result<(), E> + Send + 'static,
) -> Trial {
    if let Err(why) = possible {
        println!("skipped: {name}: {why}");
    }
    Trial::test(name, || run().map_err(Into::into)).with_ignored_flag(possible.is_err())
}

/// Returns the output of a command. Fails with its output if the command fails.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&said)))
}

fn check(condition: bool, why: impl FnOnce() -> String) -> Outcome {
    if condition { Ok(()) } else { Err(why().into()) }
}
