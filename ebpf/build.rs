//! Compiles the BPF programs, and writes the Rust side of the structs that they share with the loader.
//!
//! This needs clang, but no privileges.

#[path = "build/btf.rs"]
mod btf;
#[path = "build/rust.rs"]
mod rust;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use object::{Object, ObjectSection};

/// The directory of the programs, and their names.
const SOURCES: &str = "bpf";
const PROGRAMS: [&str; 2] = ["nomos_xdp", "pass"];

/// The structs that the loader reads and writes.
const SHARED: [&str; 4] = ["nomos_traffic", "nomos_stats", "nomos_port", "nomos_slots"];

fn main() {
    println!("cargo::rerun-if-changed={SOURCES}");
    println!("cargo::rerun-if-env-changed=CLANG");
    println!("cargo::rerun-if-env-changed=PATH");
    if let Err(why) = build() {
        // Makes Cargo fail and show this line.
        println!("cargo::error={}", why.replace('\n', " | "));
    }
}

fn build() -> Result<(), String> {
    let system = variable("CARGO_CFG_TARGET_OS")?;
    if system != "linux" {
        return Err(format!("XDP is part of Linux, and this build is for {system}: leave nomos-xdp out"));
    }
    let out = PathBuf::from(variable("OUT_DIR")?);
    for program in PROGRAMS {
        compile(program, &out)?;
    }
    let object = out.join("nomos_xdp.o");
    let layout = layout(&object).map_err(|why| format!("{}: {why}", object.display()))?;
    let file = out.join("layout.rs");
    fs::write(&file, layout).map_err(|error| format!("{}: {error}", file.display()))
}

fn compile(program: &str, out: &Path) -> Result<(), String> {
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let target = match variable("CARGO_CFG_TARGET_ENDIAN")?.as_str() {
        "big" => "bpfeb",
        _ => "bpfel",
    };
    let output = Command::new(&clang)
        // -g is for BTF, which describes maps and structs. v2 has the instructions that counters need; Linux has it
        // since 4.14.
        .args([
            "-target",
            target,
            "-mcpu=v2",
            "-O2",
            "-g",
            "-Wall",
            "-Wextra",
            "-Wno-unused-parameter",
            "-Werror",
            "-c",
        ])
        .arg(format!("{SOURCES}/{program}.bpf.c"))
        .arg("-o")
        .arg(out.join(program).with_extension("o"))
        .output()
        .map_err(|error| {
            format!(
                "the XDP program is compiled by clang, and `{clang}` does not start ({error}); install it (Debian, \
                 Ubuntu: apt-get install clang; Fedora: dnf install clang), name one by CLANG=/path/to/clang, or build \
                 the rest with --exclude nomos-xdp"
            )
        })?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{clang} could not compile {program}.bpf.c: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// Returns the shared structs in Rust, from the descriptions in the object.
fn layout(object: &Path) -> Result<String, String> {
    let bytes = fs::read(object).map_err(|error| error.to_string())?;
    let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let section = file.section_by_name(".BTF").ok_or("found no section .BTF; this clang cannot write it")?;
    let types = btf::parse(section.data().map_err(|error| error.to_string())?, file.is_little_endian())?;
    SHARED.iter().map(|name| rust::source(name, &types)).collect()
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("cargo has not set {name}"))
}
