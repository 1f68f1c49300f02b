//! The compiled module.

use std::env;
use std::path::{Path, PathBuf};

use wasmtime::{Config, Engine, InstancePre, Linker, OptLevel};

use crate::host::Host;
use crate::imports;

const MODULE: &str = "wasm32-wasip1/release/nomos_filter.wasm";

/// A compiled module, linked with the host's functions.
pub struct Module {
    pub(crate) engine: Engine,
    pub(crate) linked: InstancePre<Host>,
}

impl Module {
    /// Loads the module that `make wasm` has built.
    pub fn load() -> Result<Self, String> {
        load(&target().join(MODULE), true, "make wasm")
    }

    /// Loads the module without SIMD that `scripts/wasm plain` has built, in an engine without SIMD.
    pub fn load_plain() -> Result<Self, String> {
        load(&target().join("plain").join(MODULE), false, "scripts/wasm plain")
    }

    /// Loads the module that `make wasm` has built in an engine without SIMD, which refuses it.
    pub fn load_without_simd() -> Result<Self, String> {
        load(&target().join(MODULE), false, "make wasm")
    }

    fn new(bytes: &[u8], simd: bool) -> wasmtime::Result<Self> {
        let mut config = Config::new();
        config.wasm_simd(simd).wasm_relaxed_simd(simd);
        config.consume_fuel(true);
        // Fuel counts wasm, not the compiled code, so fast compilation matters more than fast code.
        config.cranelift_opt_level(OptLevel::None);
        let engine = Engine::new(&config)?;
        let module = wasmtime::Module::new(&engine, bytes)?;
        let mut linker = Linker::new(&engine);
        imports::add(&mut linker)?;
        let pre = linker.instantiate_pre(&module)?;
        Ok(Module { engine, linked: pre })
    }
}

fn load(path: &Path, simd: bool, how: &str) -> Result<Module, String> {
    let bytes =
        std::fs::read(path).map_err(|error| format!("{}: {error}; build the module first: {how}", path.display()))?;
    Module::new(&bytes, simd).map_err(|error| format!("{}: {error:#}", path.display()))
}

fn target() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), |target| workspace.join(target))
}
