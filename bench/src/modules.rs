//! The wasm modules that are measured.

use std::path::PathBuf;
use std::process::Command;

use nomos_tests::paths;

const TARGET: &str = "wasm32-wasip1";

/// A built module of this workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// The Nomos filter.
    Filter,
    /// A module that times the engine in V8.
    Engine,
    /// An echo module written with the SDK.
    EchoSdk,
    /// An echo module with the fewest calls.
    EchoBare,
    /// An echo module with the calls that Nomos makes.
    EchoCalls,
}

impl Module {
    const ALL: [Module; 5] = [Module::Filter, Module::Engine, Module::EchoSdk, Module::EchoBare, Module::EchoCalls];

    fn package(self) -> &'static str {
        match self {
            Module::Filter => "nomos-filter",
            Module::Engine => "nomos-bench-in-envoy",
            Module::EchoSdk => "nomos-bench-echo-sdk",
            Module::EchoBare => "nomos-bench-echo-bare",
            Module::EchoCalls => "nomos-bench-echo-calls",
        }
    }

    /// Returns the path of the built module.
    pub fn path(self) -> PathBuf {
        target().join(TARGET).join("release").join(self.package().replace('-', "_")).with_extension("wasm")
    }
}

/// Builds all modules.
pub fn build() -> Result<(), String> {
    let packages = Module::ALL.iter().flat_map(|module| ["-p", module.package()]);
    cargo(["--target", TARGET].into_iter().chain(packages))
}

/// Builds the command `nomos`, and returns its path.
pub fn command() -> Result<PathBuf, String> {
    cargo(["-p", "nomos"].into_iter())?;
    Ok(target().join("release/nomos"))
}

fn cargo<'a>(arguments: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--locked", "--release"])
        .args(arguments)
        .current_dir(paths::root())
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("what is measured could not be built; see above".to_owned()) }
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| paths::root().join("target"), PathBuf::from)
}
