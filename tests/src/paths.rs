//! Paths in the repository, and the programs that the scripts find or install.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns the filter module: `$NOMOS_WASM`, or else the output of `make wasm`.
pub fn module() -> Result<PathBuf, String> {
    let module = match std::env::var_os("NOMOS_WASM") {
        Some(path) => PathBuf::from(path),
        None => target().join("wasm32-wasip1/release/nomos_filter.wasm"),
    };
    module.canonicalize().map_err(|_| format!("there is no module {}; build it with `make wasm`", module.display()))
}

/// Returns the module with traps on demand, the output of `scripts/trap`.
pub fn trap_module() -> Result<PathBuf, String> {
    let module = target().join("trap/wasm32-wasip1/release/nomos_filter.wasm");
    module.canonicalize().map_err(|_| format!("there is no module {}; build it with `scripts/trap`", module.display()))
}

/// Returns an Envoy binary that `scripts/envoy` finds or installs. `which` is its argument: `pinned`, `floor` or a
/// version.
pub fn envoy(which: &str) -> Result<PathBuf, String> {
    let script = root().join("scripts/envoy");
    let output = Command::new(&script)
        .arg(which)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{}: {e}", script.display()))?;
    if !output.status.success() {
        return Err(format!("no Envoy ({which}); see above"));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
