//! Configurations that change while responses are under way, through a file that Envoy watches (ECDS).

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use nomos_tests::client::{self, Connection, Exchange};
use nomos_tests::drift::Api;
use nomos_tests::envoy::{self, Envoy, Start};
use nomos_tests::framing::{self, Framing};
use nomos_tests::paths;
use nomos_tests::topology::{self, Listener, Plugin};
use nomos_tests::upstream::{Gate, Step, Upstream};
use serde_json::{Value, json};

use crate::expect;
use crate::rig::{Lane, Outcome, PATIENCE};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// The time between two configurations under load.
const PERIOD: Duration = Duration::from_millis(60);

/// The number of configurations under load.
const CHANGES: usize = 25;

/// The new names of `mail` and `uid`, before and after an update.
const NAMES: [(&str, &str); 2] = [("email_address", "id"), ("e_mail", "user_id")];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.alone("reload: the shipped example", example),
        lane.alone("reload: a response keeps the configuration that it began with", keeps),
        lane.alone("reload: under load every response is of one configuration", under_load),
    ]
}

/// docs/examples/ecds: it is served, changed, a bad change is refused, and it is changed again.
fn example(lane: &Lane) -> Outcome {
    let api = Api::start(0)?;
    let port = api.address().port();
    let config = shipped(
        "docs/examples/ecds/envoy.yaml",
        &[
            ("port_value: 8080", "port_value: 0"),
            ("port_value: 9090", &format!("port_value: {port}")),
            ("port_value: 9901", "port_value: 0"),
            ("path: docs/examples/ecds/nomos.yaml", "path: \"{dir}/nomos.yaml\""),
        ],
    )?;
    let module = format!("filename: {}", lane.module().display());
    let file = |changes: &[(&str, &str)]| {
        let module = [("filename: target/wasm32-wasip1/release/nomos_filter.wasm", module.as_str())];
        shipped("docs/examples/ecds/nomos.yaml", &[&module[..], changes].concat())
    };
    let start = Start { files: &[("nomos.yaml", &file(&[])?)], ..Start::default() };
    let mut envoy =
        Envoy::start_with(lane.binary(), &config, start).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;

    wait_for(&envoy, true)?;
    change(&envoy, &file(&[("mode: heal", "mode: off")])?)?;
    wait_for(&envoy, false)?;
    change(&envoy, &file(&[])?)?;
    wait_for(&envoy, true)?;

    let refused = "extension_config_discovery.http_filter.nomos.config_fail";
    expect::equal(refused, envoy.stat(refused)?, 0)?;
    change(&envoy, &file(&[("mode: heal", "mode: repair")])?)?;
    let started = Instant::now();
    while envoy.stat(refused)? == 0 {
        expect::that(started.elapsed() < PATIENCE, || "the bad file was not refused".into())?;
        thread::sleep(Duration::from_millis(20));
    }
    let words = "nomos: configuration refused: ";
    expect::that(envoy.log().contains(words), || format!("Envoy's log lacks `{words}`"))?;
    for _ in 0..5 {
        expect::equal("healed by the old configuration", is_healed(&envoy)?, true)?;
    }
    change(&envoy, &file(&[("mode: heal", "mode: off")])?)?;
    wait_for(&envoy, false)?;
    envoy.check()
}

fn change(envoy: &Envoy, text: &str) -> Outcome {
    envoy.replace_file("nomos.yaml", text).map_err(|e| format!("nomos.yaml: {e}"))
}

fn wait_for(envoy: &Envoy, healed: bool) -> Outcome {
    let started = Instant::now();
    while is_healed(envoy)? != healed {
        expect::that(started.elapsed() < PATIENCE, || format!("no response was healed = {healed} in time"))?;
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Returns whether all fields of the example's contract are there, or false if all have their drifted names. Fails if
/// only some are there.
fn is_healed(envoy: &Envoy) -> Result<bool, String> {
    let reply =
        client::fetch(envoy.listener("nomos")?, "GET", "/api/user?mode=camel", &[]).map_err(|e| e.to_string())?;
    expect::equal("status", reply.status, 200)?;
    let body: Value = serde_json::from_slice(&reply.body).map_err(|e| e.to_string())?;
    let count = |names: [&str; 4]| names.into_iter().filter(|name| body.get(name).is_some()).count();
    let healed = count(["user_id", "full_name", "email_address", "phone_number"]);
    let drifted = count(["userId", "fullName", "emailAddress", "phoneNumber"]);
    expect::that((healed, drifted) == (4, 0) || (healed, drifted) == (0, 4), || format!("half healed: {body}"))?;
    Ok(healed == 4)
}

/// Returns a shipped file with changes. Fails if a text to replace is not in it exactly once.
fn shipped(name: &str, changes: &[(&str, &str)]) -> Result<String, String> {
    let mut text = fs::read_to_string(paths::root().join(name)).map_err(|e| format!("{name}: {e}"))?;
    for (from, to) in changes {
        expect::equal(&format!("{name}: `{from}`"), text.matches(from).count(), 1)?;
        text = text.replace(from, to);
    }
    Ok(text)
}

/// The configuration changes while the module holds half of a body.
fn keeps(lane: &Lane) -> Outcome {
    let (mut envoy, upstream) = start(lane)?;
    let gate = Gate::default();
    let (first, second) = ("{\"mail\":\"a@b.c\",", "\"uid\":7}");
    let script = upstream.script(vec![
        Step::Send(framing::head(Framing::Chunked, "200 OK", JSON, 0)),
        Step::Send(framing::chunk(first.as_bytes())),
        Step::Until(gate.clone()),
        Step::Send([&framing::chunk(second.as_bytes())[..], b"0\r\n\r\n"].concat()),
    ]);
    let to = envoy.listener("reload")?;
    let mut old = Exchange::start(to, "GET", "/r", &[("x-case", &script.id())]).map_err(|e| e.to_string())?;
    expect::equal("status", old.headers(PATIENCE).status, 200)?;
    thread::sleep(Duration::from_millis(100));

    envoy.replace_file("nomos.yaml", &file(lane, NAMES[1])).map_err(|e| e.to_string())?;
    let whole =
        upstream.script(framing::response(Framing::Length, "200 OK", JSON, [first, second].concat().as_bytes()));
    let started = Instant::now();
    loop {
        let new = client::fetch(to, "GET", "/r", &[("x-case", &whole.id())]).map_err(|e| e.to_string())?;
        if new.body == br#"{"e_mail":"a@b.c","user_id":7}"# {
            break;
        }
        expect::reply(&new, 200, br#"{"email_address":"a@b.c","id":7}"#)?;
        expect::that(started.elapsed() < PATIENCE, || "the new configuration is not used".into())?;
        thread::sleep(Duration::from_millis(20));
    }
    gate.open();
    expect::reply(&old.finish(PATIENCE), 200, br#"{"email_address":"a@b.c","id":7}"#)?;
    envoy.check()
}

fn under_load(lane: &Lane) -> Outcome {
    let (mut envoy, upstream) = start(lane)?;
    let list = |(mail, uid): (&str, &str)| {
        format!("[{}]", vec![format!("{{\"{mail}\":\"a@b.c\",\"{uid}\":7}}"); 100].join(",")).into_bytes()
    };
    let script = upstream.script(framing::response(Framing::Chunks(500), "200 OK", JSON, &list(("mail", "uid"))));
    let (to, id, done, bodies) = (envoy.listener("reload")?, script.id(), AtomicBool::new(false), NAMES.map(list));
    let client = || -> Result<BTreeSet<usize>, String> {
        let (mut connection, mut seen) = (Connection::new(to), BTreeSet::new());
        while !done.load(Ordering::Relaxed) {
            let reply = connection.get("/r", &[("x-case", &id)]).map_err(|e| format!("request: {e}"))?;
            let which = bodies.iter().position(|body| *body == reply.body).unwrap_or(0);
            expect::reply(&reply, 200, &bodies[which])?;
            seen.insert(which);
        }
        Ok(seen)
    };
    let seen = thread::scope(|scope| {
        let clients: Vec<_> = (0..3).map(|_| scope.spawn(client)).collect();
        let changed = (0..CHANGES).try_for_each(|number| {
            thread::sleep(PERIOD);
            envoy.replace_file("nomos.yaml", &file(lane, NAMES[(number + 1) % 2])).map_err(|e| e.to_string())
        });
        done.store(true, Ordering::Relaxed);
        let panicked = |_| Err("a client panicked".to_owned());
        let seen: Result<Vec<_>, String> =
            clients.into_iter().map(|client| client.join().unwrap_or_else(panicked)).collect();
        changed.and(seen)
    })?;
    let seen: BTreeSet<usize> = seen.into_iter().flatten().collect();
    expect::equal("configurations seen in use", seen.len(), 2)?;
    envoy.check()
}

/// Starts an Envoy whose filter is configured in a file.
fn start(lane: &Lane) -> Result<(Envoy, Upstream), String> {
    let upstream = Upstream::start().map_err(|e| e.to_string())?;
    let config =
        topology::bootstrap(upstream.address(), &[Listener::new("reload", vec![topology::discovered("nomos")])]);
    let start = Start { files: &[("nomos.yaml", &file(lane, NAMES[0]))], ..Start::default() };
    let envoy =
        Envoy::start_with(lane.binary(), &config, start).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    Ok((envoy, upstream))
}

fn file(lane: &Lane, (mail, uid): (&str, &str)) -> String {
    let settings = json!({"routes": [{"name": "r", "match": {"path": "/r"}, "rename": {"mail": mail, "uid": uid}}]});
    topology::discovered_file("nomos", &Plugin::shipped(lane.module()).typed_config(&settings))
}
