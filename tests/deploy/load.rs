//! `docker load` with a real engine: the module image gets its name, and contains the module unchanged.

use std::fs;
use std::process::Command;

use libtest_mimic::Trial;
use nomos_tests::paths;

use crate::{Outcome, case_if, check, output, up};

pub fn cases() -> Vec<Trial> {
    vec![case_if(&up::engine(), "docker load: the module image", load)]
}

fn load() -> Outcome {
    let name = format!("nomos-load-{}:0.1.0", std::process::id());
    let work = paths::root().join("target").join("docker-load");
    fs::create_dir_all(&work)?;
    let (tar, copy) = (work.join("image.tar"), work.join("plugin.wasm"));
    output(Command::new(paths::root().join("scripts/module-image")).arg(paths::module()?).arg(&name).arg(&tar))?;
    output(docker(&["load", "--input"]).arg(&tar))?;
    let copied = copy_out(&name, &copy.display().to_string());
    output(&mut docker(&["image", "rm", &name]))?;
    copied?;
    check(fs::read(&copy)? == fs::read(paths::module()?)?, || "another module came out".to_owned())
}

/// Copies the module out of the image. The image has nothing to run, but the engine requires a command.
fn copy_out(image: &str, to: &str) -> Result<(), String> {
    let container = output(&mut docker(&["create", image, "nothing"]))?;
    let copied = output(&mut docker(&["cp", &format!("{}:/plugin.wasm", container.trim()), to]));
    output(&mut docker(&["rm", container.trim()]))?;
    copied.map(drop)
}

fn docker(arguments: &[&str]) -> Command {
    let mut command = Command::new("docker");
    command.args(arguments);
    command
}
