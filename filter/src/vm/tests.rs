use serde_json::Value;

use super::*;
use crate::mock::{self, Mock};
use crate::waiting::PATIENCE;

mod drift;
mod requests;
mod rollout;

const ROOT: u32 = 1;
const STREAM: u32 = 2;

const DRIFTED: &str = r#"{"mail":"a@b.c","n":1.50}"#;
const HEALED: &str = r#"{"email_address":"a@b.c","n":1.50}"#;
const CLEAN: &str = r#"{ "email_address" : 1 } "#;
const BROKEN: &str = r#"{"mail":tru}"#;
const CUT: &str = r#"{"mail":"a"#;

const EARLY: &str = "";
const HELD: &str = r#""response_headers":"held","#;
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
    /// Empty as long as they are paused.
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

    /// Goes through the callbacks in the order in which Envoy calls them.
    fn run(&self, vm: &mut Vm<Mock>) -> Reply {
        let reply = self.begin(vm);
        vm.on_delete(STREAM);
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

/// What a metric stands at once Envoy has been told.
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

#[test]
fn any_chunking_gives_the_same() {
    for settings in [EARLY, HELD] {
        for (sent, expected, verdict) in BODIES {
            for size in 1..=sent.len() {
                for end in [End::Apart, End::WithData, End::AddedTrailers] {
                    for known in [false, true] {
                        let length = length(sent);
                        let mut upstream = Upstream::json(sent).cut(size).ending(end);
                        if known {
                            upstream = upstream.with("content-length", &length);
                        }
                        let mut vm = vm(settings);
                        let reply = upstream.run(&mut vm);
                        let what = format!("{settings} {upstream:?} {reply:?}");
                        assert_eq!(reply.text(), expected, "{what}");
                        assert_eq!(reply.verdict(), verdict, "{what}");
                        assert!(!reply.reset && !reply.paused && vm.open_streams() == 0, "{what}");
                        assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn healed_when_the_value_closes() {
    for settings in [EARLY, HELD] {
        for size in [1, 7, DRIFTED.len()] {
            let reply = Upstream::json(DRIFTED).cut(size).ending(End::Never).begin(&mut vm(settings));
            assert_eq!((reply.text(), reply.verdict().as_str()), (HEALED, "healed"));
        }
    }
}

#[test]
fn a_known_length_is_awaited() {
    let sent = format!("{DRIFTED}  x");
    let length = length(&sent);
    let upstream = Upstream::json(&sent).with("content-length", &length);
    for size in 1..=sent.len() {
        let reply = upstream.clone().cut(size).run(&mut vm(EARLY));
        assert_eq!((reply.text(), reply.verdict().as_str()), (sent.as_str(), "failed"));
    }
}

#[test]
fn what_follows_a_value_passes() {
    let sent = format!("{DRIFTED}  x");
    let reply = Upstream::json(&sent).cut(DRIFTED.len()).run(&mut vm(EARLY));
    assert_eq!((reply.text(), reply.verdict().as_str()), (format!("{HEALED}  x").as_str(), "healed"));
}

#[test]
fn early_headers() {
    let upstream = |body| {
        Upstream::json(body)
            .with("content-length", "25")
            .with("etag", "\"a\"")
            .with("digest", "x")
            .with("x", "caf\u{e9}")
    };
    for body in [DRIFTED, CLEAN, BROKEN] {
        let reply = upstream(body).run(&mut vm(EARLY));
        let expected = [":status: 200", "content-type: application/json", "etag: W/\"a\"", "x: caf\u{e9}"];
        assert_eq!(reply.headers, expected);
    }
    let untouched = upstream(DRIFTED).run(&mut vm(OBSERVE)).headers;
    assert!(untouched.contains(&"content-length: 25".to_owned()) && untouched.contains(&"etag: \"a\"".to_owned()));
}

#[test]
fn held_headers() {
    let rows =
        [(DRIFTED, HEALED, "healed", "W/\"a\""), (CLEAN, CLEAN, "clean", "\"a\""), (BROKEN, BROKEN, "failed", "\"a\"")];
    for (sent, expected, verdict, etag) in rows {
        let length_sent = length(sent);
        for size in [1, 5, 1000] {
            let upstream = Upstream::json(sent).with("content-length", &length_sent).with("etag", "\"a\"").cut(size);
            let reply = upstream.run(&mut vm(HELD));
            assert_eq!(reply.text(), expected);
            for header in [
                format!("content-length: {}", length(expected)),
                format!("etag: {etag}"),
                format!("x-nomos-verdict: {verdict}"),
            ] {
                assert!(reply.has(&header), "{header} in {reply:?}");
            }
            assert!(reply.has_name("x-nomos-latency-us") && reply.has_name("x-nomos-ops"));
            assert_eq!(reply.has_name("x-nomos-reason"), verdict == "failed");
        }
    }
}

/// What an upstream says under these names does not stand beside what Nomos says.
#[test]
fn held_headers_of_an_upstream() {
    for (sent, verdict, reasons) in [(DRIFTED, "healed", 0), (BROKEN, "failed", 1)] {
        let length = length(sent);
        let named = ["verdict", "reason", "ops", "latency-us"].map(|name| format!("x-nomos-{name}"));
        let upstream = named
            .iter()
            .fold(Upstream::json(sent).with("content-length", &length), |upstream, name| upstream.with(name, "lie"));
        let reply = upstream.run(&mut vm(HELD));
        assert!(!reply.headers.iter().any(|header| header.ends_with(": lie")), "{reply:?}");
        assert!(reply.has(&format!("x-nomos-verdict: {verdict}")), "{reply:?}");
        let all = reply.headers.iter().filter(|header| header.starts_with("x-nomos-reason")).count();
        assert_eq!(all, reasons, "{reply:?}");
    }
}

#[test]
fn held_headers_of_unknown_length() {
    let whole = Upstream::json(DRIFTED).with("etag", "\"a\"");
    let reply = whole.clone().run(&mut vm(HELD));
    assert!(reply.has("x-nomos-verdict: healed") && reply.has("etag: W/\"a\"") && !reply.has_name("content-length"));
    let reply = whole.cut(10).run(&mut vm(HELD));
    assert_eq!(reply.text(), HEALED);
    assert!(!reply.has_name("x-nomos-verdict") && reply.has("etag: W/\"a\""));
}

#[test]
fn large_bodies_are_not_held() {
    let sent = format!("{DRIFTED}{}", " ".repeat(20_000));
    let length = length(&sent);
    let reply = Upstream::json(&sent).with("content-length", &length).cut(9000).run(&mut vm(HELD));
    assert!(
        reply.text().starts_with(HEALED) && !reply.has_name("content-length") && !reply.has_name("x-nomos-verdict")
    );
}

#[test]
fn an_output_over_the_buffer_is_not_held() {
    let text = configuration(HELD).replace("email_address", &"x".repeat(100));
    let sent = format!("[{}]", vec![r#"{"mail":1}"#; 400].join(","));
    let length = length(&sent);
    let mut vm = vm_of(&text);
    let reply = Upstream::json(&sent).with("content-length", &length).run(&mut vm);
    assert_eq!((reply.text(), reply.reason().as_str()), (sent.as_str(), "output_too_large"));
    let content_length = format!("content-length: {length}");
    assert!(reply.has("x-nomos-reason: output_too_large") && reply.has(&content_length));
    assert!(reply.has("x-nomos-ops: 0") && reply.field("ops") == 0);
    let reply = Upstream::json(&sent).run(&mut vm);
    assert_eq!(reply.verdict(), "healed");
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

const SMALL: &str = r#""max_held_bytes":1024,"#;

/// A list over the limit of [`SMALL`], and what it becomes.
fn long_list() -> (String, String) {
    let items: Vec<String> = (0..100).map(|n| format!(r#"{{"n":{n}, "mail":"{n}@b.c"}}"#)).collect();
    let sent = format!("{{\"list\": [{}], \"total\":100 }}\n", items.join(" ,"));
    let healed = sent.replace("mail", "email_address");
    (sent, healed)
}

#[test]
fn a_long_list_is_healed_as_it_streams() {
    let (sent, healed) = long_list();
    let length = length(&sent);
    for (settings, verdict, expected) in [("", "healed", &healed), (r#""mode":"observe","#, "observed", &sent)] {
        for size in [1, 29, 1023, 1024, 1025, 5000] {
            for end in [End::Apart, End::WithData, End::AddedTrailers, End::Trailers] {
                for known in [false, true] {
                    let mut upstream = Upstream::json(&sent).cut(size).ending(end);
                    if known {
                        upstream = upstream.with("content-length", &length);
                    }
                    let mut vm = vm(&format!("{SMALL}{settings}"));
                    let reply = upstream.run(&mut vm);
                    let what = format!("{settings} in chunks of {size}, {end:?}, {known}: {reply:?}");
                    assert_eq!(reply.text(), expected, "{what}");
                    assert_eq!((reply.verdict().as_str(), reply.field("ops")), (verdict, 100.into()), "{what}");
                    assert_eq!(reply.field("bytes"), sent.trim_end().len() + usize::from(known || size > 1), "{what}");
                    assert!(!reply.reset && !reply.paused && vm.open_streams() == 0, "{what}");
                    let ops = if verdict == "healed" { 100 } else { 0 };
                    assert_eq!(metric(&mut vm, "kind=.=rename;.;nomos_ops_total"), ops, "{what}");
                    assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
                    assert_eq!(reply.has_name("content-length"), known && verdict == "observed", "{what}");
                }
            }
        }
    }
}

/// What is known to be over the limit leaves record by record, with one record held at most.
#[test]
fn records_leave_as_they_close() {
    let (sent, healed) = long_list();
    let length = length(&sent);
    let upstream = Upstream::json(&sent[..700]).with("content-length", &length).cut(10).ending(End::Never);
    let reply = upstream.begin(&mut vm(SMALL));
    assert!(reply.body.len() > 690 && healed.starts_with(reply.text()), "{}", reply.text());
}

#[test]
fn what_is_too_long_passes() {
    let rows = [
        (format!("{}{DRIFTED}", " ".repeat(1024)), "too_large"),
        (format!(r#"[{{"mail":"{}"}}]"#, "x".repeat(1024)), "too_large"),
        (format!(r#"["{}"]"#, "x".repeat(1024)), ""),
        (format!(r#"["{}"]}}"#, "x".repeat(1024)), "malformed"),
        (format!(r#"["{}""#, "x".repeat(1024)), "truncated"),
        (format!(r#""{}""#, "x".repeat(1024)), "scalar"),
        (" ".repeat(1030), "empty"),
    ];
    for (sent, reason) in rows {
        let length = length(&sent);
        for size in [1, 100, 1023, 1024, 1025, 5000] {
            for upstream in [Upstream::json(&sent), Upstream::json(&sent).with("content-length", &length)] {
                for settings in ["", HELD, r#""mode":"observe","#] {
                    // Bytes after a value of unknown length count where they come with it.
                    if reason == "malformed" && upstream.headers.len() == 2 && size < 5000 {
                        continue;
                    }
                    let mut vm = vm(&format!("{SMALL}{settings}"));
                    let reply = upstream.clone().cut(size).run(&mut vm);
                    let what = format!("{settings} in chunks of {size}: {reply:?}");
                    assert_eq!((reply.text(), reply.reason().as_str()), (sent.as_str(), reason), "{what}");
                    assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
                }
            }
        }
    }
}

/// With trailers no callback about the body comes at all.
#[test]
fn no_body_is_told_of_as_empty_however_it_ends() {
    for settings in ["", HELD, OBSERVE, OBSERVE_HELD] {
        for end in [End::Apart, End::WithData, End::AddedTrailers, End::Trailers] {
            let upstream = Upstream { chunks: vec![], ..Upstream::json("").ending(end) };
            // Headers that are the end of a response: another reason.
            let expected = if end == End::WithData { "no_body" } else { "empty" };
            let reply = upstream.run(&mut vm(settings));
            assert_eq!((reply.text(), reply.reason().as_str()), ("", expected), "{settings} {end:?}: {reply:?}");
        }
    }
}

#[test]
fn a_long_list_that_breaks_off() {
    let (sent, healed) = long_list();
    let failed = "verdict=.=failed;.;reason=.=malformed;.;route=.=user;.;nomos_responses_total";
    let broken = sent.replace(r#"{"n":50,"#, r#"{"n":50:"#);
    let (before, after) = (broken.find(r#"{"n":50:"#).unwrap(), healed.find(r#"{"n":50,"#).unwrap());
    for size in [7, 1024, 5000] {
        let mut vm = vm(SMALL);
        let reply = Upstream::json(&broken).cut(size).with("digest", "x").run(&mut vm);
        assert_eq!(reply.text(), format!("{}{}", &healed[..after], &broken[before..]));
        assert_eq!((reply.reason().as_str(), reply.field("ops")), ("malformed", 50.into()));
        assert_eq!(metric(&mut vm, failed), 1);
        assert_eq!(metric(&mut vm, "kind=.=rename;.;nomos_ops_total"), 50);
    }
    // Cut within a record, and behind one.
    let within = sent.find(r#""n":50,"#).unwrap();
    let behind = sent.find(r#" ,{"n":50,"#).unwrap();
    for (cut, end, reset, reason) in [
        (within, End::AddedTrailers, false, "truncated"),
        (within, End::WithData, false, "truncated"),
        (within, End::Trailers, true, "ended_by_trailers"),
        (behind, End::Trailers, false, "truncated"),
    ] {
        let reply = Upstream::json(&sent[..cut]).cut(100).ending(end).run(&mut vm(SMALL));
        assert_eq!((reply.reset, reply.reason().as_str()), (reset, reason), "{reply:?}");
        assert!(reset || reply.text().ends_with(&sent[cut - 5..cut]), "{reply:?}");
        assert!(healed.starts_with(&reply.text()[..reply.text().len() - 5]));
    }
}

/// Nothing lies between the two bodies but records that left healed before the host refused something.
#[test]
fn any_host_call_may_fail_as_it_streams() {
    let (sent, healed) = long_list();
    let length = length(&sent);
    let bare = Upstream::json(&sent).cut(300);
    for upstream in [bare.clone(), bare.clone().with("content-length", &length), bare.ending(End::AddedTrailers)] {
        let mut sound = vm(SMALL);
        upstream.run(&mut sound);
        for first in 1..sound.host().count {
            for numbers in [vec![first], vec![first, first + 1], (first..1000).collect()] {
                let host = Mock::new().with_failing_numbers(&numbers, 2);
                let mut vm = vm_on(host, SMALL);
                let reply = upstream.run(&mut vm);
                let what = format!("{upstream:?} failing {numbers:?}: {reply:?}");
                let refused = numbers.len() > 2 && vm.host().calls("reset_response") > 0;
                let all = reply.text().replace("email_address", "mail") == sent;
                assert!(all || reply.reset || refused, "{what}");
                assert!(!reply.reset || numbers.len() > 1, "{what}");
                let seam = reply.text().find("\"mail").unwrap_or(reply.text().len());
                assert!(reply.reset || refused || !reply.text()[seam..].contains("email_address"), "{what}");
                assert!(healed.len() >= reply.text().len(), "{what}");
            }
        }
    }
}

#[test]
fn large_chunks_are_read_in_slices() {
    let sent = format!("{}{DRIFTED}", " ".repeat(300_000));
    let length = length(&sent);
    for upstream in [Upstream::json(&sent), Upstream::json(&sent).with("content-length", &length)] {
        for end in [End::Apart, End::WithData] {
            let mut vm = vm(EARLY);
            let reply = upstream.clone().ending(end).run(&mut vm);
            assert!(reply.text().ends_with(HEALED) && reply.verdict() == "healed");
            assert_eq!((vm.host().calls("read_body"), vm.host().calls("replace_body")), (5, 1));
        }
    }
}

/// Each call costs: one that returns data about a microsecond, any other some hundred nanoseconds.
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

#[test]
fn few_host_calls_for_each_piece_that_streams() {
    let (sent, _) = long_list();
    let length = length(&sent);
    let upstream = Upstream::json(&sent).with("content-length", &length).cut(500).ending(End::WithData);
    let pieces = upstream.chunks.len();
    let mut vm = vm(SMALL);
    upstream.run(&mut vm);
    let (count, clock) = (vm.host().count, vm.host().clock_reads());
    upstream.run(&mut vm);
    // Two header maps, content-length, and the filter state of a body that breaks off and of this one.
    assert_eq!(vm.host().count - count, 5 + 2 * pieces);
    assert_eq!(vm.host().clock_reads() - clock, 2 * pieces as u64);
}

/// What comes together until a tick is told in few calls, and without ticks at once.
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

/// Hosts other than Envoy may begin a stream under the number of one that they have not said to be over.
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

/// The last root has gone, and with it the ticks, but not the last stream.
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
fn ends_by_trailers() {
    for settings in [EARLY, HELD] {
        let reply = Upstream::json(DRIFTED).ending(End::Trailers).run(&mut vm(settings));
        assert_eq!((reply.text(), reply.verdict().as_str()), (HEALED, "healed"));
        let mut vm = vm(settings);
        let reply = Upstream::json(CUT).cut(3).ending(End::Trailers).run(&mut vm);
        assert_eq!((reply.text(), reply.reset, reply.reason().as_str()), ("", true, "ended_by_trailers"));
        assert_eq!((vm.open_streams(), metric(&mut vm, "nomos_held_bytes"), vm.host().log.len()), (0, 0, 1));
    }
    let upstream = Upstream::json(CUT).with("content-length", "10").cut(3).ending(End::Trailers);
    let reply = Upstream { chunks: vec![b"{\"ma"], ..upstream }.run(&mut vm(HELD));
    assert_eq!((reply.text(), reply.reset, reply.paused), ("{\"ma", false, false));
}

#[test]
fn digests_in_trailers_of_a_healed_body_go() {
    for (body, kept) in [(DRIFTED, false), (CLEAN, true)] {
        let mut vm = vm(EARLY);
        Upstream::json(body).ending(End::Never).begin(&mut vm);
        vm.host().response = Some(vec![(b"content-digest".to_vec(), b"x".to_vec()), (b"x".to_vec(), b"y".to_vec())]);
        assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        assert_eq!(vm.host().response_headers().len(), if kept { 2 } else { 1 });
    }
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

/// Whatever call fails, with whatever status, the client gets either body, complete, and its headers are true.
#[test]
fn any_host_call_may_fail() {
    let length = length(DRIFTED);
    for settings in [EARLY, HELD, OBSERVE, OBSERVE_HELD] {
        for known in [false, true] {
            for size in [4, 100] {
                for end in [End::Apart, End::AddedTrailers] {
                    let mut upstream =
                        Upstream::json(DRIFTED).with("etag", "\"a\"").with("digest", "x").cut(size).ending(end);
                    if known {
                        upstream = upstream.with("content-length", &length);
                    }
                    let mut sound = vm(settings);
                    upstream.run(&mut sound);
                    let calls = sound.host().count;
                    for failing in 0..calls {
                        check_failure(settings, &upstream, &[failing], 2);
                        check_failure(settings, &upstream, &[failing, failing + 1], 10);
                        check_failure(settings, &upstream, &(failing..1000).collect::<Vec<_>>(), 77);
                    }
                }
            }
        }
    }
}

/// A host that gives less than it said leaves the rest where it is.
#[test]
fn short_reads_lose_nothing() {
    for settings in [EARLY, HELD, OBSERVE] {
        for size in [4, 100] {
            for most in 0..4 {
                let mut vm = vm(settings);
                vm.host().most_given = Some(most);
                let reply = Upstream::json(DRIFTED).cut(size).run(&mut vm);
                assert_eq!((reply.text(), reply.reason().as_str()), (DRIFTED, "host_error"));
            }
        }
    }
    let (sent, _) = long_list();
    let length = length(&sent);
    for most in [0, 1, 100, 299] {
        let mut vm = vm(SMALL);
        vm.host().most_given = Some(most);
        let reply = Upstream::json(&sent).with("content-length", &length).cut(300).run(&mut vm);
        assert_eq!(reply.reason(), "host_error");
        assert_eq!(reply.text().replace("email_address", "mail"), sent);
        assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0);
    }
}

fn check_failure(settings: &str, upstream: &Upstream<'_>, failing: &[usize], status: u32) {
    let host = Mock::new().with_failing_numbers(failing, status);
    let text = configuration(settings);
    let mut vm = Vm::new(host.with_configuration(&text));
    vm.on_context_create(ROOT, 0);
    if !vm.on_configure(ROOT, text.len()) {
        assert_eq!(failing[0], 0, "only a configuration that cannot be read is refused");
        return;
    }
    vm.host().filter_state = b"{}".to_vec();
    let reply = upstream.run(&mut vm);
    let what = format!("{settings} {upstream:?} failing {failing:?}: {reply:?}");
    let sent = String::from_utf8(upstream.chunks.concat()).unwrap();
    let healed = reply.text() == HEALED && reply.text() != sent;
    assert!(!reply.paused, "{what}");
    // Only a host that refuses twice in a row to take bytes back can cause a reset; one that refuses that too, a cut.
    let refused = failing.len() > 2 && vm.host().calls("reset_response") > 0;
    assert!(healed || reply.text() == sent || reply.reset || refused, "{what}");
    assert!(!reply.reset || failing.len() > 1, "{what}");
    let intact = !reply.reset && !refused;
    for line in reply.headers.iter().filter(|_| intact) {
        if let Some(length) = line.strip_prefix("content-length: ") {
            assert_eq!(length, reply.body.len().to_string(), "{what}");
        }
        assert!(!healed || (line != "etag: \"a\"" && line != "digest: x"), "{what}");
    }
    assert_eq!(vm.open_streams(), 0, "{what}");
}

#[test]
fn phases_in_any_order() {
    type Call = fn(&mut Vm<Mock>, u32);
    let calls: [Call; 11] = [
        |vm, id| vm.on_context_create(id, ROOT),
        |vm, id| vm.on_context_create(id, 99),
        |vm, id| vm.on_context_create(id, 0),
        |vm, id| _ = vm.on_request_headers(id, true),
        |vm, id| _ = vm.on_response_headers(id, false),
        |vm, id| _ = vm.on_response_headers(id, true),
        |vm, id| _ = vm.on_response_body(id, 5, false),
        |vm, id| _ = vm.on_response_body(id, 0, true),
        |vm, id| _ = vm.on_response_trailers(id),
        |vm, id| vm.on_tick(id),
        |vm, id| vm.on_delete(id),
    ];
    let mut seed = 1_u64;
    for settings in [EARLY, HELD, OBSERVE, OBSERVE_HELD] {
        for _ in 0..2000 {
            let mut vm = vm(settings);
            vm.host().request = Some(vec![(b":method".to_vec(), b"GET".to_vec()), (b":path".to_vec(), b"/u".to_vec())]);
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let pick = |bits: u32, below: usize| usize::try_from(seed >> bits).unwrap_or_default() % below;
                let json =
                    vec![(b":status".to_vec(), b"200".to_vec()), (b"content-type".to_vec(), b"text/json".to_vec())];
                vm.host().response = [None, Some(json)][pick(20, 2)].clone();
                vm.host().buffer = [None, Some(b"{\"a\":".to_vec()), Some(DRIFTED.into())][pick(30, 3)].clone();
                calls[pick(40, calls.len())](&mut vm, u32::try_from(pick(50, 4)).unwrap());
            }
            (0..4).for_each(|id| vm.on_delete(id));
            assert_eq!(vm.open_streams(), 0);
        }
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
        // An update while the response is on its way: the stream keeps what it began with.
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
        assert_eq!(Upstream::json(DRIFTED).run(&mut vm).reason(), "no_route");
    }
}

/// Without `allow_on_headers_stop_iteration` no body callback follows paused headers.
#[test]
fn headers_are_not_paused_for_ever() {
    let mut vm = vm(HELD);
    for _ in 0..VAIN_LIMIT {
        let upstream = Upstream::json(DRIFTED).with("content-length", "25");
        let paused = Upstream { chunks: Vec::new(), end: End::Never, ..upstream }.begin(&mut vm);
        assert!(paused.paused && vm.host().tick_period == Some(TICK_MS));
        for _ in 0..PATIENCE {
            assert!(!vm.host().resumed);
            vm.on_tick(ROOT);
        }
        assert!(vm.host().resumed && vm.host().acting_for == ROOT);
        assert_eq!(vm.host().response_headers(), [":status: 200", "content-type: application/json"]);
        vm.host().resumed = false;
        vm.host().response = None;
        vm.host().buffer = Some(DRIFTED.into());
        assert_eq!(vm.on_response_body(STREAM, DRIFTED.len(), false), Action::Continue);
        assert_eq!(vm.host().buffer.take().unwrap(), HEALED.as_bytes());
        vm.on_delete(STREAM);
    }
    assert_eq!(vm.host().log.len(), 1);
    let reply = Upstream::json(DRIFTED).with("content-length", "25").run(&mut vm);
    assert!(reply.text() == HEALED && !reply.has_name("content-length") && !reply.has_name("x-nomos-verdict"));
}

#[test]
fn all_paused_headers_are_let_go() {
    for ends_by_tick in [true, false] {
        let mut vm = vm(HELD);
        let request = vec![(b":method".to_vec(), b"GET".to_vec()), (b":path".to_vec(), b"/u".to_vec())];
        let response = vec![(b":status".to_vec(), b"200".to_vec()), (b"content-type".to_vec(), b"text/json".to_vec())];
        for id in 10..20 {
            vm.host().request = Some(request.clone());
            vm.on_context_create(id, ROOT);
            vm.on_request_headers(id, true);
            vm.host().response = Some(response.clone());
            assert_eq!(vm.on_response_headers(id, false), Action::Pause);
        }
        if ends_by_tick {
            (0..PATIENCE).for_each(|_| vm.on_tick(ROOT));
        } else {
            vm.on_delete(ROOT);
        }
        assert_eq!(vm.host().calls("resume_response"), 10);
    }
}

#[test]
fn once_seen_to_work_headers_wait() {
    let mut vm = vm(HELD);
    let upstream = Upstream::json(DRIFTED).with("content-length", "25");
    upstream.run(&mut vm);
    let paused = Upstream { chunks: Vec::new(), end: End::Never, ..upstream }.begin(&mut vm);
    assert!(paused.paused);
    for _ in 0..10 {
        vm.on_tick(ROOT);
    }
    assert!(!vm.host().resumed && vm.host().log.is_empty());
}

/// What similarity finds is healed and told, and the shapes that it knows are counted.
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

#[test]
fn bodies_that_do_not_fit_into_memory_leave_as_they_came() {
    const SPARE: usize = 10;
    let list = format!("[{}]", vec![DRIFTED; 100].join(","));
    let cap = r#""max_held_bytes":1024,"#;
    let rows = [(EARLY, DRIFTED), (HELD, DRIFTED), (OBSERVE, DRIFTED), (cap, &list)];
    for (settings, body) in rows {
        for spare in [0, SPARE] {
            let mut vm = vm(settings);
            let used = crate::body::MAX_BODIES_BYTES - spare;
            vm.tools.bodies = used;
            let length = length(body);
            let known = Upstream::json(body).with("content-length", &length);
            for upstream in [Upstream::json(body), known] {
                let reply = upstream.cut(7).run(&mut vm);
                assert_eq!((reply.text(), reply.reset, reply.reason().as_str()), (body, false, "no_memory"));
                assert_eq!((vm.tools.bodies, metric(&mut vm, "nomos_held_bytes")), (used, 0));
            }
            vm.tools.bodies = 0;
            assert_ne!(Upstream::json(body).cut(7).run(&mut vm).verdict(), "failed");
            assert_eq!(vm.tools.bodies, 0);
        }
    }
}

/// What is kept back is gone, in the middle of a body or before it: the body leaves as it came, and once there is such a
/// reserve again, bodies are healed again.
#[test]
fn bodies_leave_as_they_came_while_no_memory_can_be_kept_back() {
    for settings in [EARLY, HELD, OBSERVE] {
        for pieces in 0..3 {
            let mut vm = vm(settings);
            let reserved = vm.tools.reserved;
            assert!((4 << 20..=128 << 20).contains(&reserved), "{reserved}");
            // Each piece asks twice.
            vm.host().reserves = Some(2 * pieces);
            let reply = Upstream::json(DRIFTED).cut(8).run(&mut vm);
            assert_eq!((reply.text(), reply.reason().as_str()), (DRIFTED, "no_memory"), "{settings} {pieces}");
            assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0);
            vm.host().reserves = None;
            assert_ne!(Upstream::json(DRIFTED).run(&mut vm).verdict(), "failed", "{settings} {pieces}");
        }
    }
}
