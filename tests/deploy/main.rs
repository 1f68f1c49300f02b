//! What is shipped for putting Nomos into production, checked or run as a user would: `deploy/`, docker-compose.yml, the
//! images, what `make dist` writes, and what `docs/` show.
//!
//! Envoy Gateway and Istio themselves take minutes to build: `make test-gateway` and `make test-istio` run them.

mod compose;
mod dist;
mod dockerfile;
mod func_e;
mod go;
mod load;
mod plain;
mod resources;
mod schemas;
mod up;

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

type Outcome = Result<(), Failed>;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // They share directories and two processors.
    arguments.test_threads.get_or_insert(1);
    let trials = [
        plain::cases(),
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

/// A case that runs where it can; elsewhere the reason is printed.
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

/// What a command prints, or what it said instead of ending well.
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
