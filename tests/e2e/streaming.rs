//! Bodies of many megabytes, healed record by record as they stream.
//!
//! The expected result comes from the engine, run natively on the whole body. Its own tests cover that.

use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use drifting_upstream::{Mode, contract, users_body};
use healer::config::Config;
use healer::{Healer, Limits, Memo, Progress};
use libtest_mimic::Trial;
use nomos_tests::client::{End, Reply};
use nomos_tests::download::download;
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::framing::{self, Framing};
use nomos_tests::topology::{self, Listener};
use nomos_tests::upstream::{Step, Upstream};
use serde_json::{Value, json};

use crate::expect;
use crate::rig::{Lane, Outcome};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json"), ("etag", b"\"v1\"")];

/// The number of users in a list of 10 MB.
const USERS: usize = 12_000;

/// How much memory in bytes one stream may add to Envoy.
const ADDED: u64 = 8 << 20;

/// The listeners, with their buffer limits.
const LISTENERS: [(&str, u32); 2] = [("tight", 32 << 10), ("wide", 1 << 20)];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = vec![
        lane.alone("streaming: a list of 10 MB by contract, in every mode", |lane| every_mode(lane, "contract", USERS)),
        lane.alone("streaming: a list of 3 MB by packs, in every mode", |lane| every_mode(lane, "packs", USERS / 3)),
        lane.alone("streaming: a list of 3 MB by similarity, in every mode", |lane| {
            every_mode(lane, "similarity", USERS / 3)
        }),
        lane.alone("streaming: 10 MB and 100 MB in bounded memory", memory),
        lane.alone("streaming: a client that reads slowly", slow_client),
        lane.alone("streaming: either side goes away in the middle", breaks),
    ];
    cases.push(lane.alone("streaming: records over the limit, tails that are no JSON", odd_bodies));
    cases
}

/// An Envoy with a listener for each buffer limit, and one without the filter.
struct Stand {
    envoy: Envoy,
    upstream: Upstream,
}

/// Returns the filter's configuration: one route for each way to heal a list.
fn configuration() -> Value {
    let route = |name: &str, more: Value| {
        let mut route = json!({"name": name, "match": {"path": format!("/{name}")}});
        for (key, value) in more.as_object().into_iter().flatten() {
            route[key] = value.clone();
        }
        route
    };
    let list = contract::users();
    json!({"routes": [
        route("packs", json!({"packs": ["all"]})),
        route("contract", json!({"packs": ["all"], "contract": list})),
        route("similarity", json!({"similarity": {"profile": "default"}, "contract": list})),
    ]})
}

impl Stand {
    fn new(lane: &Lane) -> Result<Self, String> {
        let upstream = Upstream::start().map_err(|e| format!("upstream: {e}"))?;
        let filters = || vec![topology::nomos(lane.module(), &configuration())];
        let mut observing = configuration();
        observing["mode"] = json!("observe");
        let mut listeners: Vec<Listener> = LISTENERS
            .iter()
            .map(|(name, limit)| Listener { buffer_limit: Some(*limit), ..Listener::new(name, filters()) })
            .collect();
        listeners.push(Listener { buffer_limit: Some(LISTENERS[0].1), ..Listener::new("plain", vec![]) });
        listeners.push(Listener::new("observe", vec![topology::nomos(lane.module(), &observing)]));
        let config = topology::bootstrap(upstream.address(), &listeners);
        let envoy = Envoy::start(lane.binary(), &config)
            .map_err(|e| format!("{}; its log ends:\n{}", e.why, envoy::tail(&e.log)))?;
        Ok(Stand { envoy, upstream })
    }

    /// Requests a body that the upstream sends by these steps, and passes on its pieces.
    fn get(
        &self,
        listener: &str,
        route: &str,
        steps: Vec<Step>,
        sink: impl FnMut(&[u8]) -> bool,
    ) -> Result<Reply, String> {
        let script = self.upstream.script(steps);
        let to = self.envoy.listener(listener)?;
        download(to, &format!("/{route}"), &[("x-case", &script.id())], sink).map_err(|e| format!("request: {e}"))
    }

    /// Requests a body, and compares it with the expected one as it arrives.
    fn compare(&self, listener: &str, route: &str, steps: Vec<Step>, expected: &[u8]) -> Result<Reply, String> {
        let mut rest = expected;
        let mut wrong = None;
        let reply = self.get(listener, route, steps, |piece| {
            match rest.strip_prefix(piece) {
                Some(after) => rest = after,
                None => wrong = Some(expect::body(piece, &rest[..rest.len().min(piece.len())])),
            }
            wrong.is_none()
        })?;
        if let Some(Err(why)) = wrong {
            return Err(format!("after {} bytes: {why}", expected.len() - rest.len()));
        }
        expect::equal("end", reply.end, End::Complete)?;
        expect::equal("bytes missing", rest.len(), 0)?;
        Ok(reply)
    }

    fn finish(mut self) -> Outcome {
        self.envoy.check()
    }
}

/// Returns a body after a route has healed it as a whole.
fn healed(route: &str, body: &[u8]) -> Result<Vec<u8>, String> {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    let config = CONFIG.get_or_init(|| Config::parse(configuration().to_string().as_bytes()).expect("a configuration"));
    let plan = config.routes.iter().find(|known| known.name == route).map(|known| &known.plan).ok_or("no route")?;
    let mut healer = Healer::new();
    let mut intake = healer.intake(Limits { max_held_bytes: 1 << 30, ..Limits::default() });
    expect::that(intake.push(body) == Progress::Whole, || "a body that is not whole".to_owned())?;
    let summary = healer.heal(plan, &mut Memo::new(plan), &intake).map_err(|failure| failure.to_string())?;
    Ok(if summary.changed { healer.output().to_vec() } else { body.to_vec() })
}

fn every_mode(lane: &Lane, route: &str, users: usize) -> Outcome {
    let stand = Stand::new(lane)?;
    let framings = [Framing::Length, Framing::Chunked, Framing::Close, Framing::LengthPieces(300_000)];
    for (mode, at) in Mode::ALL.into_iter().zip(0..) {
        let body = users_body(mode, users).into_bytes();
        let expected = healed(route, &body)?;
        let drifts = route != "packs" || !matches!(mode, Mode::Nested | Mode::Deep);
        expect::that(expected != body || mode == Mode::Healthy || !drifts, || format!("{mode:?} heals nothing"))?;
        for (listener, turn) in LISTENERS.map(|(name, _)| name).into_iter().zip(at..) {
            let framing = framings[turn % framings.len()];
            let steps = framing::response(framing, "200 OK", JSON, &body);
            let what = |why| format!("{mode:?}, {listener}, {framing:?}: {why}");
            stand.compare(listener, route, steps, &expected).map_err(what)?;
        }
        if at == 1 {
            let steps = framing::response(Framing::Length, "200 OK", JSON, &body);
            let reply = stand.compare("observe", route, steps, &body)?;
            expect::header(&reply, "content-length", &body.len().to_string())?;
        }
    }
    stand.finish()
}

/// Samples the memory of a process while a body streams.
struct Peak {
    pid: String,
    highest: u64,
    pieces: usize,
}

impl Peak {
    fn sample(&mut self) {
        self.pieces += 1;
        if self.pieces % 16 == 1 {
            self.highest = self.highest.max(envoy::resident_bytes(&self.pid).unwrap_or(0));
        }
    }
}

fn memory(lane: &Lane) -> Outcome {
    let stand = Stand::new(lane)?;
    let list = users_body(Mode::Deep, USERS);
    // The memory that Envoy takes for a long body, and the module for a short one, must be allocated before the
    // measurement.
    stand.get("plain", "contract", framing::response(Framing::Length, "200 OK", JSON, list.as_bytes()), |_| true)?;
    let short = users_body(Mode::Deep, 10);
    stand.get("tight", "contract", framing::response(Framing::Length, "200 OK", JSON, short.as_bytes()), |_| true)?;
    let before = stand.envoy.resident_bytes().unwrap_or(0);
    let mut peak = Peak { pid: stand.envoy.pid(), highest: before, pieces: 0 };
    let mut streams = |size: &str, steps: Vec<Step>, least: usize| -> Result<u64, String> {
        let mut received = 0;
        let reply = stand.get("tight", "contract", steps, |piece| {
            peak.sample();
            received += piece.len();
            true
        })?;
        expect::equal("end", reply.end, End::Complete)?;
        expect::that(received > least, || format!("{received} bytes came, expected more than {least}"))?;
        let added = peak.highest.saturating_sub(before);
        println!("{size}: added memory at most {} KiB", added >> 10);
        expect::that(added < ADDED, || format!("{size}: memory grew by {added} bytes"))?;
        Ok(added)
    };
    streams("10 MB", framing::response(Framing::Length, "200 OK", JSON, list.as_bytes()), 7 << 20)?;
    let records = list.strip_prefix("{\"users\":[").and_then(|list| list.split("],\"total").next()).ok_or("no list")?;
    let once = format!("{records},").into_bytes();
    let steps = vec![
        Step::Send(framing::head(Framing::Close, "200 OK", JSON, 0)),
        Step::Send(b"{\"users\":[".to_vec()),
        Step::Repeat(once, 10),
        Step::Send(b"{}]}".to_vec()),
        Step::Close,
    ];
    streams("100 MB", steps, 70 << 20)?;
    stand.finish()
}

/// The client determines the speed of the body, and the filter does not hold more because of that.
fn slow_client(lane: &Lane) -> Outcome {
    let stand = Stand::new(lane)?;
    let body = users_body(Mode::Mixed, USERS / 4).into_bytes();
    let expected = healed("contract", &body)?;
    let mut received = Vec::new();
    let mut first = None;
    let started = Instant::now();
    // After the first part the upstream pauses: by then all closed values must have arrived.
    let (first_part, rest) = body.split_at(200_000);
    let steps = vec![
        Step::Send(framing::head(Framing::Length, "200 OK", JSON, body.len())),
        Step::Send(first_part.to_vec()),
        Step::Wait(Duration::from_millis(400)),
        Step::Send(rest.to_vec()),
    ];
    let reply = stand.get("tight", "contract", steps, |piece| {
        received.extend_from_slice(piece);
        first.get_or_insert_with(|| started.elapsed());
        if piece.len() > 10_000 {
            thread::sleep(Duration::from_millis(2));
        }
        true
    })?;
    expect::equal("end", reply.end, End::Complete)?;
    expect::that(first.is_some_and(|first| first < Duration::from_millis(300)), || format!("first byte: {first:?}"))?;
    expect::body(&received, &expected)?;
    stand.finish()
}

fn breaks(lane: &Lane) -> Outcome {
    let stand = Stand::new(lane)?;
    // If the length is unknown, half of the body exceeds what the filter holds.
    let body = users_body(Mode::V2, USERS / 2).into_bytes();
    let expected = healed("contract", &body)?;
    for framing in [Framing::Length, Framing::Chunked] {
        let half = &body[..body.len() / 2];
        let sent = if framing == Framing::Length { half.to_vec() } else { framing::chunk(half) };
        let head = framing::head(framing, "200 OK", JSON, body.len());
        let mut received = Vec::new();
        let reply = stand.get("tight", "contract", vec![Step::Send(head), Step::Send(sent), Step::Close], |piece| {
            received.extend_from_slice(piece);
            true
        })?;
        expect::equal("end", reply.end, End::Cut)?;
        let least = half.len() / 2;
        expect::that(received.len() > least, || format!("{} bytes came", received.len()))?;
        expect::body(&received, &expected[..received.len()])?;
    }
    for _ in 0..3 {
        let mut received = 0;
        stand.get("tight", "contract", framing::response(Framing::Length, "200 OK", JSON, &body), |piece| {
            received += piece.len();
            received < 500_000
        })?;
    }
    held_bytes_return(&stand)?;
    stand.compare("tight", "contract", framing::response(Framing::Length, "200 OK", JSON, &body), &expected)?;
    stand.finish()
}

/// All held bytes must be freed, and the gauge must say so.
fn held_bytes_return(stand: &Stand) -> Outcome {
    let started = Instant::now();
    loop {
        let stats = stand.envoy.admin_get("/stats?filter=nomos_held_bytes")?;
        if stats.lines().any(|line| line.trim().ends_with("nomos_held_bytes: 0")) {
            return Ok(());
        }
        expect::that(started.elapsed() < Duration::from_secs(5), || format!("still held: {stats}"))?;
        thread::sleep(Duration::from_millis(50));
    }
}

fn odd_bodies(lane: &Lane) -> Outcome {
    let stand = Stand::new(lane)?;
    let list = users_body(Mode::V2, 3000);
    let expected = String::from_utf8(healed("contract", list.as_bytes())?).map_err(|e| e.to_string())?;
    let (open, end) = ("{\"users\":[", "],\"total\":3000,\"page\":1}");
    let inside = |text: &str| Some(text.strip_prefix(open)?.strip_suffix(end)?.to_owned());
    let (users, healed) = inside(&list).zip(inside(&expected)).ok_or("no list")?;
    let large = format!(r#"{{"pad":"{}","mail":"too long"}}"#, "x".repeat(1_500_000));
    let rows = [
        (format!("{open}{users},{large},{users}{end}"), format!("{open}{healed},{large},{healed}{end}")),
        (format!("{open}{users}}},{users}{end}"), format!("{open}{healed}}},{users}{end}")),
        (format!("{open}{users},{{\"mail\":"), format!("{open}{healed},{{\"mail\":")),
    ];
    for (sent, expected) in &rows {
        for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(200_000), Framing::Close] {
            let steps = framing::response(framing, "200 OK", JSON, sent.as_bytes());
            let what = |why| format!("{framing:?}: {why}");
            stand.compare("tight", "contract", steps, expected.as_bytes()).map_err(what)?;
        }
    }
    stand.finish()
}
