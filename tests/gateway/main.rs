//! What `deploy/envoy-gateway` ships, in a real Envoy Gateway that runs a real Envoy: `make test-gateway`.
//!
//! Envoy Gateway runs standalone: resources come from files, Envoy is a process. `tests/gateway/sandbox` gives both a
//! network and a file system of their own. What a cluster would have is put beside the shipped files: a place where the
//! module is, a backend on this machine instead of a Service, and the secret that Envoy Gateway's installation makes.

mod artifacts;
mod gateway;
mod shipped;

use std::process::ExitCode;
use std::sync::Arc;

use drifting_upstream::{Mode, user_body, users_body};
use libtest_mimic::{Arguments, Failed, Trial};
use nomos_tests::client::{self, Reply};
use nomos_tests::drift::{self, Api};
use nomos_tests::expect::{self, Outcome};
use nomos_tests::json;
use serde_json::{Value, json};

use crate::artifacts::Artifacts;
use crate::gateway::{Gateway, PROXY};
use crate::shipped::Shipped;

/// The contract in the shipped policies.
pub const FIELDS: [&str; 4] = ["user_id", "full_name", "email_address", "phone_number"];

/// What all cases share.
struct World {
    artifacts: Artifacts,
    api: Api,
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Envoy Gateway's ports are fixed.
    arguments.test_threads = Some(1);
    let world = match world() {
        Ok(world) => Arc::new(world),
        Err(why) => {
            eprintln!("the suite cannot run: {why}");
            return ExitCode::FAILURE;
        }
    };
    let case = |name: &str, body: fn(&World) -> Outcome| {
        let world = Arc::clone(&world);
        Trial::test(name, move || body(&world).map_err(Failed::from))
    };
    let cases = vec![
        case("module from a web server", from_http),
        case("module from an image", from_image),
        case("as Envoy Gateway orders filters, packed bodies are left alone", default_order),
        case("held headers", held),
        case("a wrong digest leaves responses alone", wrong_digest),
        case("a refused configuration leaves responses alone", refused),
    ];
    libtest_mimic::run(&arguments, cases).exit_code()
}

fn world() -> Result<World, String> {
    Ok(World { artifacts: Artifacts::serve(&nomos_tests::paths::module()?)?, api: Api::start(0)? })
}

fn from_http(world: &World) -> Outcome {
    let gateway = Gateway::start(&shipped(world).policy("nomos-http.yaml", &[])?)?;
    gateway.wait_until_healed()?;
    heals()?;
    packs()?;
    configuration_is_text(&gateway)?;
    metrics_have_labels(&gateway)?;
    gateway.stop()
}

fn from_image(world: &World) -> Outcome {
    let gateway = Gateway::start(&shipped(world).policy("nomos-image.yaml", &[])?)?;
    gateway.wait_until_healed()?;
    heals()?;
    gateway.stop()
}

/// Why the shipped files have an order of their own.
fn default_order(world: &World) -> Outcome {
    let order = "  filterOrder:\n  - name: envoy.filters.http.wasm\n    after: envoy.filters.http.compressor\n";
    let shipped = shipped(world).policy("nomos-http.yaml", &[])?.with("gateway.yaml", order, "")?;
    let gateway = Gateway::start(&shipped)?;
    gateway.wait_until_healed()?;
    let reply = get("/api/user?mode=v2", &[("accept-encoding", "gzip")])?;
    expect::header(&reply, "content-encoding", "gzip")?;
    expect::body(&artifacts::unpacked(&reply.body)?, user_body(Mode::V2).as_bytes())?;
    gateway.stop()
}

fn held(world: &World) -> Outcome {
    let held = [("      mode: heal ", "      response_headers: held\n      mode: heal ")];
    let gateway = Gateway::start(&shipped(world).policy("nomos-http.yaml", &held)?.file("held-headers.yaml")?)?;
    gateway.wait_until_healed()?;
    let reply = get("/api/user?mode=v2", &[])?;
    expect::reply(&reply, 200, drift::healed_in_place(Mode::V2, &FIELDS).as_bytes())?;
    expect::header(&reply, "x-nomos-verdict", "healed")?;
    expect::header(&reply, "content-length", &reply.body.len().to_string())?;
    gateway.stop()
}

/// `failOpen` covers a module that cannot be had.
fn wrong_digest(world: &World) -> Outcome {
    let digest = world.artifacts.module_sha256.as_str();
    let wrong = [(digest, &*format!("{}{}", &digest[1..], &digest[..1]))];
    let gateway = Gateway::start(&shipped(world).policy("nomos-http.yaml", &wrong)?)?;
    gateway.wait_for_log("which does not match")?;
    passes()?;
    gateway.stop()
}

/// `failOpen` covers a configuration that Nomos refuses.
fn refused(world: &World) -> Outcome {
    let wrong = [("      mode: heal ", "      mode: repair ")];
    let gateway = Gateway::start(&shipped(world).policy("nomos-http.yaml", &wrong)?)?;
    gateway.wait_for_log("nomos: configuration refused: ")?;
    passes()?;
    gateway.stop()
}

fn shipped(world: &World) -> Shipped<'_> {
    Shipped::new(&world.artifacts, world.api.address())
}

/// Users in modes that rename, and a list that is far longer than Envoy Gateway's buffers of 32 KiB, which no route of
/// the shipped policies is about.
fn heals() -> Outcome {
    for mode in [Mode::Healthy, Mode::V2, Mode::Camel, Mode::Typo, Mode::Abbrev] {
        let reply = get(&format!("/api/user?mode={}", mode.name()), &[])?;
        expect::reply(&reply, 200, drift::healed_in_place(mode, &FIELDS).as_bytes())
            .map_err(|why| format!("{}: {why}", mode.name()))?;
    }
    let reply = get("/api/users?mode=v2&count=1000", &[])?;
    expect::reply(&reply, 200, users_body(Mode::V2, 1000).as_bytes())
}

/// A client that takes packed bodies gets a packed one, healed: so the order of the filters is right.
fn packs() -> Outcome {
    let reply = get("/api/user?mode=v2", &[("accept-encoding", "gzip")])?;
    expect::header(&reply, "content-encoding", "gzip")?;
    expect::body(&artifacts::unpacked(&reply.body)?, drift::healed_in_place(Mode::V2, &FIELDS).as_bytes())
}

fn passes() -> Outcome {
    for _ in 0..5 {
        let reply = get("/api/user?mode=v2", &[])?;
        expect::reply(&reply, 200, user_body(Mode::V2).as_bytes())?;
    }
    Ok(())
}

/// How the configuration arrives: JSON as text.
fn configuration_is_text(gateway: &Gateway) -> Outcome {
    let dump: Value = serde_json::from_str(&gateway.admin("/config_dump")?).map_err(|e| e.to_string())?;
    let found = json::members(&dump, "configuration");
    let text = found.iter().find(|value| value["@type"] == json!("type.googleapis.com/google.protobuf.StringValue"));
    let text = text.and_then(|value| value["value"].as_str()).ok_or_else(|| format!("configurations: {found:?}"))?;
    let value: Value = serde_json::from_str(text).map_err(|e| format!("{text}: {e}"))?;
    expect::equal("mode", &value["mode"], &json!("heal"))
}

fn metrics_have_labels(gateway: &Gateway) -> Outcome {
    gateway.wait_until("nomos_responses_total with labels", || {
        let text = gateway.admin("/stats/prometheus?filter=nomos")?;
        let labels = ["nomos_responses_total{", "verdict=\"healed\"", "route=\"user\""];
        Ok(text.lines().any(|line| labels.iter().all(|part| line.contains(part))))
    })
}

fn get(path: &str, headers: &[(&str, &str)]) -> Result<Reply, String> {
    client::fetch(PROXY, "GET", path, headers).map_err(|e| format!("{path}: {e}"))
}
