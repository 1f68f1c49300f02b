//! What `deploy/istio` ships, read by a real istiod, and a real Envoy that gets its configuration from there:
//! `make test-istio`.
//!
//! Envoy is connected to istiod as a gateway is, but by itself: in a cluster the proxy's agent stands between them. What
//! the agent would do is done here instead: it fetches modules and puts the path of a file in their place, and it
//! merges patches for the bootstrap into that. Resources are files, and the cluster is an empty one. Two filters that
//! only Istio's own build of Envoy has are switched off.

mod cluster;
mod istiod;
mod shipped;

use std::process::ExitCode;

use drifting_upstream::{Mode, users_body};
use libtest_mimic::{Arguments, Failed, Trial};
use nomos_tests::client::{self, Reply};
use nomos_tests::drift::{self, Api};
use nomos_tests::expect::{self, Outcome};
use serde_json::{Value, json};

use crate::istiod::Mesh;

/// The contract in the shipped resources.
const FIELDS: [&str; 4] = ["user_id", "full_name", "email_address", "phone_number"];

fn main() -> ExitCode {
    let case = |name: &str, body: fn(&Api) -> Outcome| {
        Trial::test(name, move || Api::start(0).and_then(|api| body(&api)).map_err(Failed::from))
    };
    let cases = vec![
        case("WasmPlugin", plugin),
        case("a refused configuration keeps the old one", refused),
        case("held headers by EnvoyFilter", held),
    ];
    libtest_mimic::run(&Arguments::from_args(), cases).exit_code()
}

fn plugin(api: &Api) -> Outcome {
    let mut mesh = Mesh::start(&[("nomos.yaml", &shipped::plugin()?.to_string())], api.address())?;
    heals(&mesh)?;
    configuration_is_text(&mesh)?;
    metrics_have_labels(&mesh)?;
    mesh.check()
}

fn refused(api: &Api) -> Outcome {
    let mut plugin = shipped::plugin()?;
    let mut mesh = Mesh::start(&[("nomos.yaml", &plugin.to_string())], api.address())?;
    heals(&mesh)?;
    plugin["spec"]["wasm"]["pluginConfig"]["mode"] = json!("repair");
    mesh.replace("nomos.yaml", &plugin.to_string())?;
    mesh.wait_for_log("nomos: configuration refused: ")?;
    heals(&mesh)?;
    mesh.check()
}

fn held(api: &Api) -> Outcome {
    let mut mesh = Mesh::start(&[("held-headers.yaml", &shipped::held_headers()?)], api.address())?;
    heals(&mesh)?;
    let reply = get(&mesh, "/api/user?mode=v2")?;
    expect::header(&reply, "x-nomos-verdict", "healed")?;
    expect::header(&reply, "content-length", &reply.body.len().to_string())?;
    mesh.check()
}

fn heals(mesh: &Mesh) -> Outcome {
    for mode in [Mode::Healthy, Mode::V2, Mode::Camel, Mode::Typo, Mode::Abbrev] {
        let reply = get(mesh, &format!("/api/user?mode={}", mode.name()))?;
        expect::reply(&reply, 200, drift::healed_in_place(mode, &FIELDS).as_bytes())
            .map_err(|why| format!("{}: {why}", mode.name()))?;
    }
    let reply = get(mesh, "/api/users?mode=v2&count=1000")?;
    expect::reply(&reply, 200, users_body(Mode::V2, 1000).as_bytes())
}

/// How the configuration arrives: JSON as text, in a discovered filter.
fn configuration_is_text(mesh: &Mesh) -> Outcome {
    let dump = mesh.admin("/config_dump?resource=ecds_filters")?;
    let dump: Value = serde_json::from_str(&dump).map_err(|e| e.to_string())?;
    let configuration = dump
        .pointer("/configs/0/ecds_filter/typed_config/config/configuration")
        .ok_or_else(|| format!("no discovered filter in {dump}"))?;
    expect::equal("type", &configuration["@type"], &json!("type.googleapis.com/google.protobuf.StringValue"))?;
    let text = configuration["value"].as_str().unwrap_or_default();
    let value: Value = serde_json::from_str(text).map_err(|e| format!("{text}: {e}"))?;
    expect::equal("mode", &value["mode"], &json!("heal"))
}

fn metrics_have_labels(mesh: &Mesh) -> Outcome {
    mesh.wait_until("nomos_responses_total with labels", || {
        let text = mesh.admin("/stats/prometheus?filter=nomos")?;
        let labels = ["nomos_responses_total{", "verdict=\"healed\"", "route=\"user\""];
        Ok(text.lines().any(|line| labels.iter().all(|part| line.contains(part))))
    })
}

fn get(mesh: &Mesh, path: &str) -> Result<Reply, String> {
    client::fetch(mesh.proxy(), "GET", path, &[]).map_err(|e| format!("{path}: {e}"))
}
