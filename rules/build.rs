//! Reads the packs and the dictionary, checks them and writes them as static data.

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

#[path = "build/dictionary.rs"]
mod dictionary;
#[path = "build/emit.rs"]
mod emit;
#[path = "build/pack_file.rs"]
mod pack_file;

use std::{env, fs, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=dictionary");
    let mut problems = compile_packs().err().unwrap_or_default();
    problems.extend(compile_dictionary().err().unwrap_or_default());
    for line in problems.iter().flat_map(|problem| problem.lines()) {
        println!("cargo::error={line}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compile_packs() -> Result<(), Vec<String>> {
    let files = model::PACK_NAMES.map(|name| format!("{name}.yaml"));
    let mut packs = Vec::new();
    let mut problems = Vec::new();
    for file in &files {
        println!("cargo::rerun-if-changed={file}");
        match read_pack(file) {
            Ok(pack) => packs.push(pack),
            Err(more) => problems.extend(more),
        }
    }
    problems.extend(pack_file::check_together(&packs));
    if !problems.is_empty() {
        return Err(problems);
    }
    emit::source(&packs).and_then(|source| write("packs.rs", &source)).map_err(|error| vec![error])
}

fn compile_dictionary() -> Result<(), Vec<String>> {
    let source = dictionary::compile(|file| read(&format!("dictionary/{file}.yaml"), "a part of the dictionary"))?;
    write("dictionary.rs", &source).map_err(|error| vec![error])
}

fn read_pack(file: &str) -> Result<pack_file::PackFile, Vec<String>> {
    let text = read(file, "a rule pack").map_err(|error| vec![error])?;
    pack_file::parse(file, &text)
}

fn read(file: &str, expected: &str) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("rules/{file}: {error}; expected {expected}"))
}

fn write(name: &str, source: &str) -> Result<(), String> {
    let dir = env::var_os("OUT_DIR").ok_or("OUT_DIR: not set; expected cargo to run this")?;
    let file = PathBuf::from(dir).join(name);
    fs::write(&file, source).map_err(|error| format!("{}: {error}", file.display()))
}
