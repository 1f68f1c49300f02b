//! The files of `deploy/istio`, changed as a proxy's agent and this machine ask for it.

use std::fs;

use nomos_tests::expect;
use nomos_tests::paths;
use serde_json::{Map, Value, json};

/// The `WasmPlugin`, with the module from a file, which needs no agent and no digest.
///
/// istiod makes a `TrafficExtension` of each `WasmPlugin` first: the fields about Wasm go into one of their own. It does
/// so for what comes from a cluster only, not for files, so that step is done here.
pub fn plugin() -> Result<Value, String> {
    let mut value: Value = serde_saphyr::from_str(&file("nomos.yaml")?).map_err(|e| e.to_string())?;
    expect::equal("nomos.yaml: kind", value["kind"].as_str(), Some("WasmPlugin"))?;
    value["kind"] = json!("TrafficExtension");
    let spec = value["spec"].as_object_mut().ok_or("nomos.yaml: no spec")?;
    let mut wasm = Map::new();
    for field in ["url", "sha256", "failStrategy", "pluginConfig"] {
        wasm.insert(field.into(), spec.remove(field).ok_or_else(|| format!("nomos.yaml: no {field}"))?);
    }
    expect::that(spec.keys().eq(["selector"]), || format!("nomos.yaml: fields are {:?}", spec.keys()))?;
    wasm.insert("url".into(), json!(format!("file://{}", paths::module()?.display())));
    wasm.remove("sha256");
    spec.insert("wasm".into(), wasm.into());
    Ok(value)
}

/// The `EnvoyFilter` for held headers, with the file that the agent would have fetched.
pub fn held_headers() -> Result<String, String> {
    let text = file("held-headers.yaml")?;
    let (before, rest) = text.split_once("                remote:\n").ok_or("held-headers.yaml: no remote module")?;
    let (_, after) = rest.split_once("            failure_policy:").ok_or("held-headers.yaml: no failure policy")?;
    let local = format!("                local: {{filename: {}}}\n", paths::module()?.display());
    Ok(format!("{before}{local}            failure_policy:{after}"))
}

/// The Gateway on a port of loopback, and the `VirtualService`.
pub fn gateway(port: u16) -> Result<String, String> {
    let (from, to) = ("  - port: {number: 8080,", format!("  - bind: 127.0.0.1\n    port: {{number: {port},"));
    let text = file("gateway.yaml")?;
    expect::equal("gateway.yaml: port", text.matches(from).count(), 1)?;
    Ok(text.replace(from, &to))
}

/// What the patch in `stats-tags.yaml` adds to the bootstrap.
pub fn bootstrap_patch() -> Result<Value, String> {
    let value: Value = serde_saphyr::from_str(&file("stats-tags.yaml")?).map_err(|e| e.to_string())?;
    let patch = &value["spec"]["configPatches"][0];
    expect::equal("stats-tags.yaml: applyTo", patch["applyTo"].as_str(), Some("BOOTSTRAP"))?;
    Ok(patch["patch"]["value"].clone())
}

fn file(name: &str) -> Result<String, String> {
    let path = paths::root().join("deploy/istio").join(name);
    fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}
