use serde_json::Value;

use super::*;
use crate::mock::{self, Mock};

mod drift;
mod failure;
mod framing;
mod headers;
mod memory;
mod parts;
mod requests;
mod rollout;
mod streaming;

const ROOT: u32 = 1;
const STREAM: u32 = 2;

const DRIFTED: &str = r#"{"mail":"a@b.c","n":1.50}"#;
const HEALED: &str = r#"{"email_address":"a@b.c","n":1.50}"#;
const CLEAN: &str = r#"{ "email_address" : 1 } "#;
const BROKEN: &str = r#"{"mail":tru}"#;
const CUT: &str = r#"{"mail":"a"#;

const EARLY: &str = "";
const HELD: &str = r#""response_headers":"held","#;
const SMALL: &str = r#""max_held_bytes":1024,"#;
const OBSERVE: &str = r#""mode":"observe","#;
const OBSERVE_HELD: &str = r#""mode":"observe","response_headers":"held","#;

fn configuration(settings: &str) -> String {
    format!(r#"{{{settings}"routes":[{{"name":"user","match":{{"path":"/u"}},"rename":{{"mail":"email_address"}}}}]}}"#)
}

fn vm(settings: &str) -> Vm<Mock> {
    vm_on(Mock::new(), settings)
}

fn vm_on(host: Mock, settings: &str) -> Vm<Mock> {
    configured(host, &configuration(settings))
}

fn vm_of(configuration: &str) -> Vm<Mock> {
    configured(Mock::new(), configuration)
}

fn configured(host: Mock, configuration: &str) -> Vm<Mock> {
    let mut vm = Vm::new(host.with_configuration(configuration));
    vm.on_context_create(ROOT, 0);
    assert!(vm.on_configure(ROOT, configuration.len()), "{:?}", vm.host().log);
    vm
}

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// With its last chunk.
    WithData,
    /// With an empty chunk, as HTTP/1 upstreams do.
    Apart,
    /// With trailers.
    Trailers,
    /// With trailers that a filter adds after the upstream has ended, as a decompressor does.
    AddedTrailers,
    /// Not at all.
    Never,
}

/// A response from the upstream.
#[derive(Clone, Debug)]
struct Upstream<'a> {
    path: &'a str,
    request_id: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    chunks: Vec<&'a [u8]>,
    end: End,
}

/// What the client gets.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reply {
    /// Empty as long as the headers are paused.
    headers: Vec<String>,
    body: Vec<u8>,
    reset: bool,
    /// Whether anything is still paused.
    paused: bool,
    state: String,
}

impl<'a> Upstream<'a> {
    fn json(body: &'a str) -> Self {
        let headers = vec![(":status", "200"), ("content-type", "application/json")];
        Upstream { path: "/u", request_id: "", headers, chunks: vec![body.as_bytes()], end: End::Apart }
    }

    fn with(mut self, name: &'a str, value: &'a str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn cut(mut self, size: usize) -> Self {
        self.chunks = self.chunks.into_iter().flat_map(|chunk| chunk.chunks(size)).collect();
        self
    }

    fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Makes all callbacks in the order in which Envoy makes them, and ends the stream.
    fn run(&self, vm: &mut Vm<Mock>) -> Reply {
        let before = (vm.open_streams() == 0).then_some(vm.tools.bodies);
        let reply = self.begin(vm);
        vm.on_delete(STREAM);
        assert_eq!(vm.tools.bodies, before.unwrap_or(vm.tools.bodies), "{self:?}");
        reply
    }

    fn begin(&self, vm: &mut Vm<Mock>) -> Reply {
        let own = |headers: &[(&str, &str)]| headers.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
        let request =
            [(":authority", "x"), (":path", self.path), (":method", "GET"), ("x-request-id", self.request_id)];
        vm.host().request = Some(own(&request));
        vm.on_context_create(STREAM, ROOT);
        assert_eq!(vm.on_request_headers(STREAM, true), Action::Continue);
        vm.host().request = None;
        vm.host().response = Some(own(&self.headers));
        vm.host().upstream_ended = false;
        let mut reply = Reply { paused: true, ..Reply::default() };
        let ends = self.chunks.is_empty() && self.end == End::WithData;
        let action = vm.on_response_headers(STREAM, ends);
        self.pass(vm, &mut reply, action);
        let chunks: Vec<&[u8]> = match self.end {
            End::Apart | End::AddedTrailers => self.chunks.iter().copied().chain([&b""[..]]).collect(),
            _ => self.chunks.clone(),
        };
        for (at, chunk) in chunks.iter().enumerate() {
            let last = at + 1 == chunks.len();
            vm.host().upstream_ended = last && self.end != End::Never && self.end != End::Trailers;
            let mut buffer = vm.host().buffer.take().unwrap_or_default();
            buffer.extend_from_slice(chunk);
            let size = buffer.len();
            vm.host().buffer = Some(buffer);
            let action = vm.on_response_body(STREAM, size, last && matches!(self.end, End::WithData | End::Apart));
            self.pass(vm, &mut reply, action);
        }
        if matches!(self.end, End::Trailers | End::AddedTrailers) {
            let action = vm.on_response_trailers(STREAM);
            self.pass(vm, &mut reply, action);
        }
        reply.reset = vm.host().reset;
        reply.state = String::from_utf8(vm.host().filter_state.clone()).unwrap();
        reply
    }

    fn pass(&self, vm: &mut Vm<Mock>, reply: &mut Reply, action: Action) {
        if action == Action::Pause {
            reply.paused = true;
            return;
        }
        reply.paused = false;
        reply.body.extend(vm.host().buffer.take().unwrap_or_default());
        if let Some(headers) = vm.host().response.take() {
            reply.headers = headers.iter().map(mock::line).collect();
        }
        if self.end == End::Trailers {
            vm.host().response = None;
        }
    }
}

impl Reply {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn field(&self, name: &str) -> Value {
        serde_json::from_str::<Value>(&self.state).unwrap()[name].clone()
    }

    fn verdict(&self) -> String {
        self.field("verdict").as_str().unwrap().to_owned()
    }

    fn reason(&self) -> String {
        self.field("reason").as_str().unwrap_or_default().to_owned()
    }

    fn has(&self, header: &str) -> bool {
        self.headers.iter().any(|line| line == header)
    }

    fn has_name(&self, name: &str) -> bool {
        self.headers.iter().any(|line| line.starts_with(&format!("{name}: ")))
    }
}

/// Returns the value of a metric after Envoy has been told.
fn metric(vm: &mut Vm<Mock>, name: &str) -> i64 {
    vm.on_tick(ROOT);
    vm.host().metric(name)
}

fn length(body: &str) -> String {
    body.len().to_string()
}

const BODIES: [(&str, &str, &str); 6] = [
    (DRIFTED, HEALED, "healed"),
    (CLEAN, CLEAN, "clean"),
    (BROKEN, BROKEN, "failed"),
    (CUT, CUT, "failed"),
    (" \n", " \n", "failed"),
    (r#"[{"mail":1},{"mail":2}] "#, r#"[{"email_address":1},{"email_address":2}] "#, "healed"),
];

/// Returns a list longer than the limit of [`SMALL`], and its healed form.
fn long_list() -> (String, String) {
    let items: Vec<String> = (0..100).map(|n| format!(r#"{{"n":{n}, "mail":"{n}@b.c"}}"#)).collect();
    let sent = format!("{{\"list\": [{}], \"total\":100 }}\n", items.join(" ,"));
    let healed = sent.replace("mail", "email_address");
    (sent, healed)
}

#[test]
fn observing_changes_nothing() {
    for (sent, _, verdict) in BODIES {
        let verdict = if verdict == "healed" { "observed" } else { verdict };
        let length = length(sent);
        for size in 1..=sent.len() {
            for end in [End::Apart, End::WithData, End::Trailers, End::AddedTrailers] {
                let upstream =
                    Upstream::json(sent).with("etag", "\"a\"").with("content-length", &length).cut(size).ending(end);
                let mut vm = vm(OBSERVE);
                let reply = upstream.run(&mut vm);
                assert_eq!((reply.text(), reply.verdict().as_str()), (sent, verdict), "{upstream:?}");
                assert_eq!(reply.headers.len(), 4);
                assert!(
                    ["set_header", "remove_header", "replace_body"].into_iter().all(|name| vm.host().calls(name) == 0)
                );
                assert_eq!(vm.open_streams(), 0);
            }
        }
    }
    let reply = Upstream::json(DRIFTED).with("content-length", "25").run(&mut vm(OBSERVE_HELD));
    assert!(reply.text() == DRIFTED && reply.has("x-nomos-verdict: observed") && reply.has("content-length: 25"));
}

/// Each call costs time: about a microsecond if it returns data, otherwise some hundred nanoseconds.
#[test]
fn few_host_calls() {
    let other = Upstream { path: "/other", ..Upstream::json(DRIFTED) };
    let names = ["headers", "remove_header", "read_body", "replace_body", "set_filter_state"];
    let rows = [
        (Upstream::json(DRIFTED), [2, 1, 1, 1, 1], 2),
        (Upstream::json(CLEAN), [2, 1, 1, 0, 1], 2),
        (other, [1, 0, 0, 0, 1], 0),
    ];
    for (upstream, expected, clock_reads) in rows {
        let length = upstream.chunks[0].len().to_string();
        let upstream = upstream.with("content-length", &length);
        let mut vm = vm(EARLY);
        upstream.run(&mut vm);
        let before = names.map(|name| vm.host().calls(name));
        let (count, clock) = (vm.host().count, vm.host().clock_reads());
        upstream.run(&mut vm);
        for (at, name) in names.into_iter().enumerate() {
            assert_eq!(vm.host().calls(name) - before[at], expected[at], "{name}");
        }
        // Metrics wait for the next tick.
        assert_eq!(vm.host().count - count, expected.iter().sum::<usize>());
        assert_eq!(vm.host().clock_reads() - clock, clock_reads);
    }
}

/// Values that are collected until a tick are reported in few calls; without ticks each is reported at once.
#[test]
fn metrics_are_told_by_tick() {
    let name = "verdict=.=healed;.;reason=.=none;.;route=.=user;.;nomos_responses_total";
    let mut vm = vm(EARLY);
    assert_eq!(vm.host().tick_period, Some(TICK_MS));
    for _ in 0..3 {
        Upstream::json(DRIFTED).run(&mut vm);
    }
    assert_eq!((vm.host().metric(name), vm.host().calls("record_metric")), (0, 0));
    vm.on_tick(ROOT);
    assert_eq!((vm.host().metric(name), vm.host().calls("add_metric")), (3, 2));
    assert_eq!(vm.host().recorded("nomos_body_bytes"), [25, 25, 25]);
    Upstream::json(DRIFTED).run(&mut vm);
    vm.on_delete(ROOT);
    assert_eq!((vm.host().metric(name), vm.host().tick_period), (4, Some(0)));

    let mut vm = vm_on(Mock::new().with_failing("set_tick_period"), EARLY);
    Upstream::json(DRIFTED).run(&mut vm);
    assert_eq!((vm.host().metric(name), vm.host().recorded("nomos_body_bytes").len()), (1, 1));
}

/// Of what the module holds, the gauge tells while it waits: not what stays with the host, nor what has left.
#[test]
fn held_bytes_are_told_while_they_wait() {
    let (list, _) = long_list();
    let known = length(&list);
    let part = Upstream::json(&list[..705]).with("content-length", &known);
    let rows = [
        (EARLY, Upstream::json(CUT).cut(3)),
        (HELD, Upstream::json(CUT).cut(3)),
        (EARLY, Upstream::json("  [1")),
        (SMALL, part.clone()),
        (SMALL, part.cut(10)),
    ];
    for (settings, upstream) in rows {
        let sent = upstream.chunks.concat();
        for (mode, waits) in [("", true), (OBSERVE, false)] {
            let mut vm = vm(&format!("{mode}{settings}"));
            let reply = upstream.clone().ending(End::Never).begin(&mut vm);
            let what = format!("{mode}{settings} {upstream:?} {reply:?}");
            let left = reply.text().replace("email_address", "mail").len();
            assert_eq!(waits, left < sent.len(), "{what}");
            assert_eq!(metric(&mut vm, "nomos_held_bytes"), i64::try_from(sent.len() - left).unwrap(), "{what}");
            vm.on_delete(STREAM);
            assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
        }
    }
}

/// Each reading of the clock takes a microsecond here. Of a body that is kept, only its last piece counts.
#[test]
fn healing_takes_as_long_as_its_last_piece_or_all_that_stream() {
    let (list, _) = long_list();
    let length = length(&list);
    let streamed = Upstream::json(&list).with("content-length", &length).cut(500).ending(End::WithData);
    let pieces = streamed.chunks.len() as u64;
    let whole = Upstream::json(DRIFTED).ending(End::WithData);
    for (settings, upstream, us) in
        [(EARLY, whole.clone(), 1), (EARLY, whole.clone().cut(4), 1), (HELD, whole, 1), (SMALL, streamed, pieces)]
    {
        let mut vm = vm(settings);
        let reply = upstream.run(&mut vm);
        assert_eq!((reply.verdict().as_str(), reply.field("latency_us")), ("healed", us.into()), "{upstream:?}");
        vm.on_tick(ROOT);
        assert_eq!(vm.host().recorded("nomos_heal_us"), [us], "{upstream:?}");
    }
}

/// Hosts other than Envoy may reuse the id of a stream that they have not deleted.
#[test]
fn a_stream_that_takes_the_number_of_another_leaves_nothing_of_it() {
    for settings in [EARLY, SMALL, HELD] {
        let mut vm = vm(settings);
        Upstream::json(CUT).ending(End::Never).begin(&mut vm);
        Upstream::json(CUT).ending(End::Never).run(&mut vm);
        let (held, bodies) = (metric(&mut vm, "nomos_held_bytes"), vm.tools.bodies);
        assert_eq!((vm.open_streams(), held, bodies), (0, 0, 0), "{settings}");
        let name = "verdict=.=failed;.;reason=.=incomplete;.;route=.=user;.;nomos_responses_total";
        assert_eq!(metric(&mut vm, name), 2, "{settings}");
    }
}

/// The last root has gone, and its ticks with it, but the last stream has not.
#[test]
fn metrics_of_the_last_stream() {
    let mut vm = vm(EARLY);
    Upstream::json(CUT).ending(End::Never).begin(&mut vm);
    vm.on_delete(ROOT);
    vm.on_delete(STREAM);
    assert_eq!(vm.host().metric("nomos_held_bytes"), 0);
    let name = "verdict=.=failed;.;reason=.=incomplete;.;route=.=user;.;nomos_responses_total";
    assert_eq!(vm.host().metric(name), 1);
}

#[test]
fn skipped() {
    let rows = [
        (Upstream { path: "/other", ..Upstream::json(DRIFTED) }, "no_route"),
        (Upstream::json(DRIFTED).with("content-encoding", "gzip"), "content_encoding"),
        (Upstream::json(DRIFTED).with("cache-control", "no-transform"), "no_transform"),
        (
            Upstream { headers: vec![(":status", "200"), ("content-type", "text/html")], ..Upstream::json(DRIFTED) },
            "content_type",
        ),
        (
            Upstream {
                headers: vec![(":status", "206"), ("content-type", "application/json")],
                ..Upstream::json(DRIFTED)
            },
            "status",
        ),
        (Upstream { chunks: Vec::new(), end: End::WithData, ..Upstream::json("") }, "no_body"),
    ];
    for settings in [EARLY, HELD, OBSERVE] {
        for (upstream, reason) in &rows {
            let mut vm = vm(settings);
            let sent = upstream.clone().with("content-length", "25").with("etag", "\"a\"");
            let reply = sent.run(&mut vm);
            assert_eq!((reply.verdict().as_str(), reply.reason().as_str()), ("skipped", *reason));
            assert_eq!(reply.body, sent.chunks.concat());
            assert!(reply.has("content-length: 25") && reply.has("etag: \"a\""));
            assert!(!reply.has_name("x-nomos-verdict"));
            assert_eq!((vm.open_streams(), vm.host().calls("read_body")), (0, 0));
        }
    }
    let reply = Upstream::json(DRIFTED).run(&mut vm(r#""mode":"off","#));
    assert_eq!((reply.text(), reply.reason().as_str()), (DRIFTED, "off"));
}

#[test]
fn streams_that_go_away() {
    for settings in [EARLY, HELD, OBSERVE] {
        let mut vm = vm(settings);
        let reply = Upstream::json(CUT).with("content-length", "25").cut(3).ending(End::Never).run(&mut vm);
        assert!(reply.state.is_empty() || reply.reason() == "incomplete");
        assert_eq!((vm.open_streams(), metric(&mut vm, "nomos_held_bytes")), (0, 0));
        let name = "verdict=.=failed;.;reason=.=incomplete;.;route=.=user;.;nomos_responses_total";
        assert_eq!(metric(&mut vm, name), 1);
    }
}

#[test]
fn unseen_requests_leave_nothing() {
    let mut vm = vm(EARLY);
    for id in 2..100 {
        vm.on_context_create(id, ROOT);
    }
    assert_eq!(vm.open_streams(), 0);
    assert_eq!(vm.on_response_headers(50, false), Action::Continue);
    assert_eq!(vm.on_response_body(50, 10, true), Action::Continue);
    assert_eq!((vm.host().calls("headers"), vm.host().calls("read_body")), (0, 0));
}

#[test]
fn configurations_side_by_side() {
    let mut vm = vm(EARLY);
    let other = configuration(EARLY).replace("email_address", "other");
    vm.host().configuration = other.clone().into_bytes();
    assert!(vm.on_configure(7, other.len()));
    vm.host().request = Some(vec![(b":method".to_vec(), b"GET".to_vec()), (b":path".to_vec(), b"/u".to_vec())]);
    for (root, expected) in [(ROOT, HEALED.to_owned()), (7, HEALED.replace("email_address", "other"))] {
        vm.on_context_create(STREAM, root);
        vm.on_request_headers(STREAM, true);
        // The configuration changes while the response is on its way. The stream keeps the one it began with.
        vm.on_delete(root);
        vm.host().response =
            Some(vec![(b":status".to_vec(), b"200".to_vec()), (b"content-type".to_vec(), b"text/json".to_vec())]);
        vm.on_response_headers(STREAM, false);
        vm.host().buffer = Some(DRIFTED.into());
        vm.on_response_body(STREAM, DRIFTED.len(), true);
        assert_eq!(vm.host().buffer.take().unwrap(), expected.into_bytes());
        vm.on_delete(STREAM);
    }
    assert!(vm.roots.is_empty());
}

#[test]
fn bad_configurations_are_refused() {
    for text in ["{", "[]", r#"{"rout":[]}"#, r#"{"mode":"fix"}"#, r#"{"routes":[{"name":"a"}]}"#] {
        let mut vm = Vm::new(Mock::new().with_configuration(text));
        assert!(!vm.on_configure(ROOT, text.len()), "{text}");
        assert_eq!(vm.host().log.len(), 1);
        assert!(vm.host().log[0].starts_with("nomos: configuration refused: "), "{:?}", vm.host().log);
        let reply = Upstream::json(DRIFTED).run(&mut vm);
        assert_eq!((reply.text(), reply.state.as_str()), (DRIFTED, ""));
    }
    for text in ["", "{}"] {
        let mut vm = Vm::new(Mock::new().with_configuration(text));
        assert!(vm.on_configure(ROOT, text.len()));
        assert_eq!(vm.host().log, ["nomos: no routes are configured; every response passes"]);
        assert_eq!(Upstream::json(DRIFTED).run(&mut vm).reason(), "no_route");
    }
}

/// Resolutions of similarity are healed and reported, and the shapes it knows are counted.
#[test]
fn similarity() {
    let text = r#"{"routes":[{"name":"user","match":{"path":"/u"},"similarity":{"profile":"default"},
        "contract":{"type":"object","properties":{"user_id":{"type":"integer"},"email":{"type":"string"}}}}]}"#;
    let mut vm = vm_of(text);
    for _ in 0..3 {
        let reply = Upstream::json(r#"{"userId":1,"email":"a"}"#).run(&mut vm);
        assert_eq!(reply.body, br#"{"user_id":1,"email":"a"}"#);
        let state: Value = serde_json::from_str(&reply.state).unwrap();
        assert_eq!((&state["verdict"], &state["ops"], &state["similar"]), (&"healed".into(), &1.into(), &1.into()));
        let found = &state["resolutions"][0];
        assert_eq!((&found["from"], &found["to"]), (&"userId".into(), &"user_id".into()));
        assert!(found["score"].as_f64().unwrap() >= 0.85, "{state}");
        assert_eq!(state["shape"].as_str().unwrap().len(), 16);
    }
    let clean = Upstream::json(r#"{"user_id":1,"email":"a"}"#).run(&mut vm);
    let state: Value = serde_json::from_str(&clean.state).unwrap();
    assert_eq!((&state["verdict"], &state["resolutions"]), (&"clean".into(), &Value::Null));
    assert_eq!(metric(&mut vm, "nomos_shapes"), 2);
    vm.on_delete(ROOT);
    assert_eq!(metric(&mut vm, "nomos_shapes"), 0);
}
