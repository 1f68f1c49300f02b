//! `scripts/clang` on a machine of root that has apt-get and no clang: stand-ins show what it would run.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use libtest_mimic::Trial;
use nomos_tests::paths;

use crate::machine::Machine;
use crate::{Outcome, check};

pub fn cases() -> Vec<Trial> {
    vec![
        Trial::test("scripts/clang: installs nothing unless it is told to", installs_nothing),
        Trial::test("scripts/clang: installs clang if it is told to, as .ci/run does", installs),
    ]
}

fn installs_nothing() -> Outcome {
    let machine = machine("nothing")?;
    let output = run(&machine, "scripts/clang", &[])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    check(!output.status.success(), || format!("found a clang: {said}"))?;
    check(said.lines().count() == 1 && said.contains("apt-get install clang"), || said.clone())?;
    check(installed(&machine).is_none(), || format!("installed {:?}", installed(&machine)))
}

fn installs() -> Outcome {
    let machine = machine("told")?;
    let told = run(&machine, ".ci/run", &[])?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    check(told == "1\n", || format!("found NOMOS_INSTALL_CLANG={told}; expected 1"))?;
    run(&machine, "scripts/clang", &[("NOMOS_INSTALL_CLANG", "1")])?;
    let installed = installed(&machine).unwrap_or_default();
    check(installed.contains("clang iproute2"), || format!("installed {installed:?}"))
}

/// Returns a machine of root that has apt-get and no clang.
fn machine(name: &str) -> Result<Machine, String> {
    let machine = Machine::new(&format!("clang-{name}"))?;
    machine.link(&["bash", "dirname"])?;
    machine.put("id", "echo 0")?;
    machine.put("apt-get", &format!("echo \"$*\" >>'{}'", log(&machine).display()))?;
    machine.put("make", "echo \"${NOMOS_INSTALL_CLANG:-}\"")?;
    Ok(machine)
}

fn run(machine: &Machine, script: &str, variables: &[(&str, &str)]) -> Result<Output, String> {
    let mut command = machine.command(&paths::root().join(script));
    command.env_remove("CLANG").env_remove("NOMOS_INSTALL_CLANG").envs(variables.iter().copied());
    command.output().map_err(|e| format!("{script}: {e}"))
}

/// Returns what apt-get was called with.
fn installed(machine: &Machine) -> Option<String> {
    fs::read_to_string(log(machine)).ok()
}

fn log(machine: &Machine) -> PathBuf {
    machine.path("log")
}
