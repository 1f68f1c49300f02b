//! Switching healing on step by step, and off at once: by route, by response, by share of requests, by Envoy's own
//! routes.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use drifting_upstream::{Mode, user_body, users_body};
use libtest_mimic::Trial;
use nomos_tests::client::{self, Reply};
use nomos_tests::drift::Api;
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::framing::{self, Framing};
use nomos_tests::shipped::{self, Changes};
use nomos_tests::upstream::Step;
use serde_json::{Value, json};

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig, rules};
use nomos_tests::bodies::{DRIFTED, HEALED};

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.case("rollout: each route has its mode", modes),
        lane.case("rollout: a share of requests, always the same", share),
        lane.case("rollout: the response decides between routes", responses),
        lane.alone("docs/examples/instances.yaml", instances),
        lane.alone("docs/examples/route-metadata.yaml", route_metadata),
        lane.alone("docs/examples/route-metadata.yaml, with modes that say nothing", empty_metadata),
    ]
}

/// Returns the configuration of the listener `rollout`.
pub fn configuration() -> Value {
    let route = |name: &str, matches: Value, settings: Value| {
        let mut route = rules();
        route["name"] = json!(name);
        route["match"] = matches;
        if let (Some(route), Some(settings)) = (route.as_object_mut(), settings.as_object()) {
            route.extend(settings.clone());
        }
        route
    };
    let problem = json!({"path": "/response", "content_types": ["application/problem+json"]});
    json!({"routes": [
        route("observed", json!({"path": "/observe"}), json!({"mode": "observe"})),
        route("off", json!({"path": "/off"}), json!({"mode": "off"})),
        route("share", json!({"template": "/share/{id}", "methods": ["GET"]}), json!({"sample": 33.33})),
        route("ok", json!({"path": "/response", "status": ["2xx", 404]}), json!({})),
        route("problem", problem, json!({"mode": "observe"})),
        route("rest", json!({"path": "/rest"}), json!({})),
    ]})
}

fn modes(rig: &mut Rig<'_>) -> Outcome {
    for framing in [Framing::Length, Framing::Chunks(5), Framing::Trailers] {
        for (path, verdict, ops) in [("/observe", "observed", 2), ("/off", "skipped", 0)] {
            let ask = Ask { path, ..Ask::get("rollout") };
            expect::untouched(rig, ask, "plain", &json_response(framing, DRIFTED))?;
            let (_, state) = rig.ask_verdict(ask, json_response(framing, DRIFTED))?;
            expect::verdict(&state, verdict, ops).map_err(|why| format!("{path} {framing:?}: {why}"))?;
        }
        let (reply, state) =
            rig.ask_verdict(Ask { path: "/rest", ..Ask::get("rollout") }, json_response(framing, DRIFTED))?;
        expect::reply(&reply, 200, HEALED)?;
        expect::verdict(&state, "healed", 2)?;
    }
    Ok(())
}

/// Envoy gives each request an id, unless it already has one.
fn share(rig: &mut Rig<'_>) -> Outcome {
    let mut healed = |id: Option<&str>, path: &str| -> Result<bool, String> {
        let id: Vec<(&str, &str)> = id.map(|id| ("x-request-id", id)).into_iter().collect();
        let ask = Ask { path, headers: &id, ..Ask::get("rollout") };
        let (reply, state) = rig.ask_verdict(ask, json_response(Framing::Chunked, DRIFTED))?;
        let healed = state["verdict"] == "healed";
        expect::reply(&reply, 200, if healed { HEALED } else { DRIFTED })?;
        expect::verdict(&state, if healed { "healed" } else { "observed" }, 2)?;
        Ok(healed)
    };
    let mut count = 0;
    for number in 0..60 {
        let id = format!("{number:08x}-aaaa-4bbb-8ccc-ddddeeeeffff");
        let first = healed(Some(&id), "/share/1")?;
        expect::equal("the same request", healed(Some(&id), "/share/2")?, first)?;
        count += u32::from(first);
    }
    // Four standard deviations around a third of sixty.
    expect::that((6..=34).contains(&count), || format!("{count} of 60 requests were healed, expected a third"))?;
    let mut without: Vec<bool> = Vec::new();
    for _ in 0..40 {
        without.push(healed(None, "/share/3")?);
    }
    expect::that(without.contains(&true) && without.contains(&false), || format!("ids by Envoy: {without:?}"))
}

fn responses(rig: &mut Rig<'_>) -> Outcome {
    let rows = [
        ("200 OK", "application/json; charset=utf-8", "healed", json!("ok"), Value::Null),
        ("404 Not Found", "application/json", "healed", json!("ok"), Value::Null),
        ("503 Service Unavailable", "application/problem+json", "observed", json!("problem"), Value::Null),
        ("503 Service Unavailable", "application/json", "skipped", Value::Null, json!("no_route")),
    ];
    for (status, content_type, verdict, route, reason) in rows {
        let headers: &[(&str, &[u8])] = &[("content-type", content_type.as_bytes())];
        let steps = framing::response(Framing::Length, status, headers, DRIFTED);
        let (reply, state) = rig.ask_verdict(Ask { path: "/response", ..Ask::get("rollout") }, steps)?;
        let what = format!("{status} {content_type}");
        let body = if verdict == "healed" { HEALED } else { DRIFTED };
        expect::body(&reply.body, body).map_err(|why| format!("{what}: {why}"))?;
        for (field, expected) in [("verdict", json!(verdict)), ("route", route), ("reason", reason)] {
            expect::equal(&format!("{what}: {field}"), &state[field], &expected)?;
        }
    }
    Ok(())
}

fn instances(lane: &Lane) -> Outcome {
    with_example(lane, "docs/examples/instances.yaml", |envoy| {
        let drifted = users_body(Mode::V2, 2);
        for (bypass, user) in [("", Mode::Healthy), ("100", Mode::V2), ("", Mode::Healthy)] {
            envoy.set_runtime("nomos.bypass", bypass)?;
            expect_soon(envoy, "/api/user?mode=v2", &user_body(user))?;
            expect_soon(envoy, "/api/users?mode=v2&count=2", &drifted)?;
        }
        // The other instance only observed the lists.
        counted(envoy, &["verdict=.=healed", "route=.=user"])?;
        counted(envoy, &["verdict=.=observed", "route=.=everything-else"])
    })
}

fn route_metadata(lane: &Lane) -> Outcome {
    with_example(lane, "docs/examples/route-metadata.yaml", |envoy| {
        let drifted = users_body(Mode::V2, 2);
        for (off, user) in [("", Mode::Healthy), ("100", Mode::V2), ("", Mode::Healthy)] {
            envoy.set_runtime("nomos.off", off)?;
            expect_soon(envoy, "/api/user?mode=v2", &user_body(user))?;
            expect_soon(envoy, "/api/users?mode=v2&count=2", &drifted)?;
        }
        for verdict in ["verdict=.=healed", "verdict=.=observed", "reason=.=off"] {
            counted(envoy, &[verdict, "route=.=api"])?;
        }
        Ok(())
    })
}

/// Metadata that names no mode disables healing.
fn empty_metadata(lane: &Lane) -> Outcome {
    let edit = |text: String| text.replace("mode: \"off\"", "mode: \"\"").replace("mode: observe", "mode: null");
    with_edited(lane, "docs/examples/route-metadata.yaml", edit, |envoy| {
        expect_soon(envoy, "/api/user?mode=v2", &user_body(Mode::Healthy))?;
        expect_soon(envoy, "/api/users?mode=v2&count=2", &users_body(Mode::V2, 2))?;
        envoy.set_runtime("nomos.off", "100")?;
        expect_soon(envoy, "/api/user?mode=v2", &user_body(Mode::V2))?;
        counted(envoy, &["reason=.=off", "route=.=api"])
    })
}

fn with_example(lane: &Lane, file: &str, check: impl Fn(&Envoy) -> Outcome) -> Outcome {
    with_edited(lane, file, |text| text, check)
}

fn with_edited(lane: &Lane, file: &str, edit: impl Fn(String) -> String, check: impl Fn(&Envoy) -> Outcome) -> Outcome {
    let api = Api::start(0)?;
    let changes = Changes { proxy: 0, upstream: api.address().port(), admin: 0, module: lane.module(), held: false };
    let config = edit(shipped::config_of(file, changes)?);
    let mut envoy = Envoy::start(lane.binary(), &config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    check(&envoy)?;
    envoy.check()
}

/// Waits for a response. Workers apply a change of the runtime a moment after the admin interface has answered.
fn expect_soon(envoy: &Envoy, path: &str, expected: &str) -> Outcome {
    let get = || -> Result<Reply, String> {
        client::fetch(envoy.listener("nomos")?, "GET", path, &[]).map_err(|e| format!("{path}: {e}"))
    };
    let mut reply = get()?;
    for _ in 0..40 {
        if reply.body == expected.as_bytes() {
            break;
        }
        thread::sleep(Duration::from_millis(25));
        reply = get()?;
    }
    // It must stay so.
    for _ in 0..3 {
        expect::reply(&get()?, 200, expected.as_bytes()).map_err(|why| format!("{path}: {why}"))?;
    }
    Ok(())
}

/// Waits until a counter of responses with all of these parts in its name is not zero.
fn counted(envoy: &Envoy, parts: &[&str]) -> Outcome {
    let mut text = String::new();
    // The module reports metrics twice a second.
    for _ in 0..60 {
        text = envoy.admin_get("/stats?filter=nomos_responses_total&usedonly")?;
        if text.lines().any(|line| parts.iter().all(|part| line.contains(part))) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(format!("no counter with {parts:?} in\n{text}"))
}

fn json_response(framing: Framing, body: &[u8]) -> Vec<Step> {
    framing::response(framing, "200 OK", &[("content-type", b"application/json"), ("etag", b"\"v1\"")], body)
}
