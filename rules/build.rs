//! Reads the packs, checks them together and writes them as static data.

// The library's own code, so that what the build accepts is what its tests say.
#[allow(dead_code)]
#[path = "src/check.rs"]
mod check;
#[allow(dead_code)]
#[path = "src/model.rs"]
mod model;
#[allow(dead_code)]
#[path = "src/path.rs"]
mod path;

#[path = "build/emit.rs"]
mod emit;
#[path = "build/pack_file.rs"]
mod pack_file;

use std::{env, fs, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            for line in problems.iter().flat_map(|problem| problem.lines()) {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn compile() -> Result<(), Vec<String>> {
    let files = model::PACK_NAMES.map(|name| format!("{name}.yaml"));
    let mut packs = Vec::new();
    let mut problems = Vec::new();
    for file in &files {
        println!("cargo::rerun-if-changed={file}");
        match read(file) {
            Ok(pack) => packs.push(pack),
            Err(more) => problems.extend(more),
        }
    }
    problems.extend(pack_file::check_together(&packs));
    if !problems.is_empty() {
        return Err(problems);
    }
    write(&emit::source(&packs)).map_err(|error| vec![error])
}

fn read(file: &str) -> Result<pack_file::PackFile, Vec<String>> {
    let text =
        fs::read_to_string(file).map_err(|error| vec![format!("rules/{file}: {error}; expected a rule pack")])?;
    pack_file::parse(file, &text)
}

fn write(source: &str) -> Result<(), String> {
    let dir = env::var_os("OUT_DIR").ok_or("OUT_DIR: not set; expected cargo to run this")?;
    let file = PathBuf::from(dir).join("packs.rs");
    fs::write(&file, source).map_err(|error| format!("{}: {error}", file.display()))
}
