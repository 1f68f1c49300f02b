//! Configurations: which are refused, with which message, and what may be left out.

use std::net::SocketAddr;
use std::sync::Arc;

use libtest_mimic::Trial;
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::topology::{self, Listener};
use serde_json::{Value, json};

use crate::expect;
use crate::rig::{Lane, Outcome};

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases: Vec<Trial> = refused()
        .into_iter()
        .map(|(name, configuration, words)| {
            lane.alone(&format!("refused: {name}"), move |lane| refuses(lane, &configuration, words))
        })
        .collect();
    cases.push(lane.alone("nothing configured: nothing touched", nothing));
    cases
}

/// Name, configuration, and the texts that Envoy's log must contain: the place, what was found, what was expected.
fn refused() -> Vec<(&'static str, Value, &'static [&'static str])> {
    let route = |extra: Value| {
        let mut route = json!({"name": "r", "match": {"path": "/r"}});
        if let (Some(route), Some(extra)) = (route.as_object_mut(), extra.as_object()) {
            route.extend(extra.clone());
        }
        json!({"routes": [route]})
    };
    vec![
        ("an unknown field", json!({"mod": "heal"}), &["mod", "expected", "mode"]),
        ("an unknown field of a route", route(json!({"renames": {}})), &["routes[0].renames", "expected", "rename"]),
        ("a wrong type", json!({"max_held_bytes": "1MB"}), &["max_held_bytes", "found", "1MB", "expected"]),
        ("a fraction", json!({"max_held_bytes": 1.5}), &["max_held_bytes", "1.5", "expected"]),
        ("a bad value", json!({"mode": "repair"}), &["mode", "repair", "heal", "observe", "off"]),
        (
            "an unknown pack",
            route(json!({"packs": ["api-v2", "v9"]})),
            &["routes[0].packs[1]", "v9", "expected", "api-v2"],
        ),
        (
            "a move across an array boundary",
            route(json!({"move": {"users[].a": "b"}})),
            &["routes[0].move[\"users[].a\"]", "array boundary"],
        ),
        ("a cycle", route(json!({"rename": {"a": "b", "b": "a"}})), &["routes[0].rename", "circle"]),
        ("a broken path", route(json!({"move": {"a..b": "c"}})), &["routes[0].move[\"a..b\"]"]),
        ("a share above all", route(json!({"sample": 100.5})), &["routes[0].sample", "100.5", "percentage"]),
        (
            "a media type that is no JSON",
            route(json!({"match": {"path": "/", "content_types": ["text/html"]}})),
            &["routes[0].match.content_types[0]", "text/html", "+json"],
        ),
        ("a route without match", json!({"routes": [{"name": "r"}]}), &["routes[0]", "match"]),
        ("a list for an object", json!([]), &["configuration: found an array; expected an object"]),
    ]
}

fn refuses(lane: &Lane, configuration: &Value, words: &[&str]) -> Outcome {
    let filter = if configuration.is_array() {
        topology::nomos_text(lane.module(), &configuration.to_string())
    } else {
        topology::nomos(lane.module(), configuration)
    };
    let config = topology::bootstrap(nowhere(), &[Listener::new("bad", vec![filter])]);
    let Err(refusal) = Envoy::start(lane.binary(), &config) else {
        return Err("Envoy started".into());
    };
    let missing: Vec<_> = words.iter().filter(|word| !refusal.log.contains(**word)).collect();
    expect::that(missing.is_empty(), || format!("Envoy's log lacks {missing:?}:\n{}", envoy::tail(&refusal.log)))
}

/// Starts with no configuration, an empty one, and one without routes.
fn nothing(lane: &Lane) -> Outcome {
    let mut bare = topology::nomos(lane.module(), &json!({}));
    if let Some(config) = bare["typed_config"]["config"].as_object_mut() {
        config.remove("configuration");
    }
    let listeners = [
        Listener::new("bare", vec![bare]),
        Listener::new("empty", vec![topology::nomos(lane.module(), &json!({}))]),
        Listener::new("text", vec![topology::nomos_text(lane.module(), "")]),
    ];
    let config = topology::bootstrap(nowhere(), &listeners);
    let mut envoy = Envoy::start(lane.binary(), &config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    for listener in listeners {
        let to = envoy.listener(&listener.name)?;
        let reply = nomos_tests::client::fetch(to, "GET", "/r", &[]).map_err(|e| e.to_string())?;
        // Nothing listens upstream, so Envoy's own response goes through the filter.
        expect::equal("status", reply.status, 503)?;
    }
    envoy.check()
}

/// A port that nothing listens on, so that no request reaches an upstream.
fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1))
}
