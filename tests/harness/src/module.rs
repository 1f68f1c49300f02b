//! The compiled module.

use std::env;
use std::path::{Path, PathBuf};

use wasmtime::{Config, Engine, InstancePre, Linker, OptLevel};

use crate::host::Host;
use crate::imports;

/// Compiled, and linked with the host's functions.
pub struct Module {
    pub(crate) engine: Engine,
    pub(crate) linked: InstancePre<Host>,
}

impl Module {
    /// The module that `make wasm` has built.
    pub fn load() -> Result<Self, String> {
        let path = path();
        let bytes = std::fs::read(&path)
            .map_err(|error| format!("{}: {error}; build the module first: make wasm", path.display()))?;
        Self::new(&bytes).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn new(bytes: &[u8]) -> wasmtime::Result<Self> {
        let mut config = Config::new();
        config.consume_fuel(true);
        // Fuel counts wasm, not what becomes of it, so what counts is to be done compiling soon.
        config.cranelift_opt_level(OptLevel::None);
        let engine = Engine::new(&config)?;
        let module = wasmtime::Module::new(&engine, bytes)?;
        let mut linker = Linker::new(&engine);
        imports::add(&mut linker)?;
        let pre = linker.instantiate_pre(&module)?;
        Ok(Module { engine, linked: pre })
    }
}

fn path() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), |target| workspace.join(target));
    target.join("wasm32-wasip1/release/nomos_filter.wasm")
}
