//! `func-e run -c envoy.yaml` with the real func-e, and `ENVOY_PATH` for the Envoy that it runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use drifting_upstream::{Mode, user_body};
use libtest_mimic::Trial;
use nomos_tests::client;
use nomos_tests::drift::Api;
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::expect::{self, Outcome};
use nomos_tests::paths;
use nomos_tests::shipped::{self, Changes};

use crate::{case_if, go};

const FUNC_E: &str = "github.com/tetratelabs/func-e/cmd/func-e";

pub fn cases() -> Vec<Trial> {
    vec![case_if(&go::there(), "func-e run -c envoy.yaml", run)]
}

/// Runs the shipped configuration on other ports, in the directory that its paths are relative to.
fn run() -> Outcome {
    let home = home()?;
    let api = Api::start(0)?;
    let module = paths::module()?;
    let config =
        shipped::config(Changes { proxy: 0, upstream: api.address().port(), admin: 0, module: &module, held: false })?;
    let mut envoy =
        Envoy::start(&func_e(&home)?, &config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    let proxy = envoy.listener("nomos")?;
    for mode in [Mode::V2, Mode::Camel] {
        let path = format!("/api/user?mode={}", mode.name());
        let reply = client::fetch(proxy, "GET", &path, &[]).map_err(|e| format!("{path}: {e}"))?;
        expect::reply(&reply, 200, user_body(Mode::Healthy).as_bytes())?;
    }
    envoy.check()?;
    drop(envoy);
    // func-e forwards the signal.
    expect::that(client::fetch(proxy, "GET", "/", &[]).is_err(), || "Envoy outlived func-e".into())?;
    fs::remove_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))
}

/// Creates a program that takes Envoy's arguments and calls `func-e run`, with func-e's data in `home`.
fn func_e(home: &Path) -> Result<PathBuf, String> {
    let script = format!(
        "#!/bin/sh\nexport ENVOY_PATH='{}' FUNC_E_HOME='{}'\nexec '{}' run \"$@\"\n",
        paths::envoy("pinned")?.display(),
        home.display(),
        go::program(FUNC_E)?.display()
    );
    let path = home.join("envoy");
    fs::write(&path, script)
        .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn home() -> Result<PathBuf, String> {
    let home = std::env::temp_dir().join(format!("nomos-func-e-{}", std::process::id()));
    fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    Ok(home)
}
