//! Response headers, sent early or held until the body is known.

use super::*;
use crate::waiting::{PATIENCE, PATIENCE_FOR_MORE};

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

/// Headers of the upstream under these names do not remain beside those of Nomos.
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

/// Envoy refuses a paused body that outgrows its buffer. So a body that must not change is not paused.
#[test]
fn observing_pauses_no_body() {
    let upstream = Upstream::json(DRIFTED).with("content-length", "25");
    let reply = upstream.clone().run(&mut vm(OBSERVE_HELD));
    assert!(reply.has("x-nomos-verdict: observed") && reply.has("content-length: 25"));
    let unknown = Upstream { chunks: vec![], end: End::Never, ..Upstream::json(DRIFTED) };
    assert!(!unknown.begin(&mut vm(OBSERVE_HELD)).paused);
    let first = Upstream { chunks: vec![b"{\"ma"], end: End::Never, ..upstream.clone() };
    let reply = first.begin(&mut vm(OBSERVE_HELD));
    assert_eq!((reply.paused, reply.text()), (false, "{\"ma"));
    assert!(!reply.has_name("x-nomos-verdict") && reply.has("content-length: 25"));
    for size in 1..=DRIFTED.len() {
        let reply = upstream.clone().cut(size).run(&mut vm(OBSERVE_HELD));
        assert_eq!((reply.text(), reply.verdict().as_str()), (DRIFTED, "observed"), "{size}");
    }
}

/// A rate limiting filter hands out a body long after its upstream has ended.
#[test]
fn observing_pauses_what_is_handed_out_late() {
    let upstream = Upstream::json(DRIFTED).with("content-length", "25");
    let mut vm = vm(OBSERVE_HELD);
    assert!(Upstream { chunks: vec![], end: End::Never, ..upstream }.begin(&mut vm).paused);
    vm.host().upstream_ended = true;
    for (size, action) in [(4, Action::Pause), (DRIFTED.len(), Action::Continue)] {
        vm.host().buffer = DRIFTED.get(..size).map(Into::into);
        assert_eq!(vm.on_response_body(STREAM, size, false), action);
    }
    assert!(vm.host().response_headers().contains(&"x-nomos-verdict: observed".to_owned()));
}

/// The same with unknown length: if headers were released here, Envoy would drop the rest of the body.
#[test]
fn what_is_handed_out_late_is_awaited() {
    let paused = |vm: &mut Vm<Mock>| {
        let upstream = Upstream { chunks: vec![], end: End::Never, ..Upstream::json(DRIFTED) };
        assert!(upstream.begin(vm).paused);
        vm.host().upstream_ended = true;
        for size in [4, 10] {
            vm.host().buffer = DRIFTED.get(..size).map(Into::into);
            assert_eq!(vm.on_response_body(STREAM, size, false), Action::Pause);
            assert_eq!((vm.host().metric("nomos_held_bytes"), vm.tools.bodies), (0, 0));
        }
        let state = String::from_utf8(vm.host().filter_state.clone()).unwrap();
        assert!(state.contains(r#""reason":"incomplete""#), "{state}");
    };
    let mut vm = vm(HELD);
    paused(&mut vm);
    vm.host().buffer = Some(DRIFTED.into());
    assert_eq!(vm.on_response_body(STREAM, DRIFTED.len(), false), Action::Continue);
    assert_eq!(vm.host().buffer.take().unwrap(), HEALED.as_bytes());
    assert!(vm.host().response_headers().contains(&"x-nomos-verdict: healed".to_owned()));
    vm.on_delete(STREAM);

    // The body ends, or no more of it comes. It leaves as it came.
    for ends_by_trailers in [true, false] {
        vm.host().resumed = false;
        paused(&mut vm);
        if ends_by_trailers {
            assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        } else {
            for _ in 0..PATIENCE_FOR_MORE {
                assert!(!vm.host().resumed);
                vm.on_tick(ROOT);
            }
            assert!(vm.host().resumed);
        }
        assert_eq!(vm.host().buffer.take().as_deref(), DRIFTED.as_bytes().get(..10));
        assert!(vm.host().response_headers().contains(&"x-nomos-reason: truncated".to_owned()));
        vm.on_delete(STREAM);
        vm.on_tick(ROOT);
    }
}

/// A longer body might not fit Envoy's buffer while it is awaited.
#[test]
fn what_is_handed_out_late_is_awaited_up_to_a_length() {
    for (length, action) in [(16 << 10, Action::Pause), ((16 << 10) + 1, Action::Continue)] {
        let mut vm = vm(HELD);
        assert!(Upstream { chunks: vec![], end: End::Never, ..Upstream::json("") }.begin(&mut vm).paused);
        vm.host().upstream_ended = true;
        let body = format!("[\"{}", "x".repeat(length - 2));
        vm.host().buffer = Some(body.clone().into());
        assert_eq!(vm.on_response_body(STREAM, length, false), action, "{length}");
        assert_eq!(vm.host().buffer.take().unwrap(), body.into_bytes(), "{length}");
    }
}

/// A filter that writes a body when it gets trailers is still at work on them: releasing headers there would end the
/// stream under it, and Envoy with it.
#[test]
fn a_body_that_comes_with_trailers_waits_for_them() {
    for ends_by_trailers in [true, false] {
        let mut vm = vm(HELD);
        Upstream::json(DRIFTED).run(&mut vm);
        assert!(Upstream { chunks: vec![], end: End::Never, ..Upstream::json("[]") }.begin(&mut vm).paused);
        vm.host().upstream_ended = true;
        vm.host().buffer = Some(b"[]".into());
        assert_eq!(vm.on_response_body(STREAM, 2, false), Action::Pause);
        assert!(!vm.host().resumed);
        if ends_by_trailers {
            assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        } else {
            vm.on_tick(ROOT);
            assert!(vm.host().resumed);
        }
        assert_eq!(vm.host().buffer.take().unwrap(), b"[]");
        assert!(vm.host().response_headers().contains(&"x-nomos-verdict: clean".to_owned()));
        vm.on_delete(STREAM);
        assert_eq!((vm.host().metric("nomos_held_bytes"), vm.tools.bodies), (0, 0));
    }
}

/// A filter that handed out a whole body after the upstream had ended may end it with an empty chunk instead of trailers.
#[test]
fn a_body_that_waited_for_trailers_is_healed_once() {
    let configuration = r#"{"response_headers":"held","routes":[{"name":"user","match":{"path":"/u"},"similarity":{},
        "contract":{"properties":{"data":{"items":{"properties":{"a":{}}}}}}}]}"#;
    let mut vm = vm_of(configuration);
    Upstream::json("[]").run(&mut vm);
    assert!(Upstream { chunks: vec![], end: End::Never, ..Upstream::json("[]") }.begin(&mut vm).paused);
    vm.host().upstream_ended = true;
    vm.host().buffer = Some(b"[]".into());
    assert_eq!(vm.on_response_body(STREAM, 2, false), Action::Pause);
    let size = vm.host().buffer.as_ref().unwrap().len();
    assert_eq!(vm.on_response_body(STREAM, size, true), Action::Continue);
    assert_eq!(vm.host().buffer.take().unwrap(), br#"{"data":[]}"#);
    let headers = vm.host().response_headers();
    assert!(headers.contains(&"x-nomos-verdict: healed".to_owned()), "{headers:?}");
    assert!(headers.contains(&"x-nomos-ops: 1".to_owned()), "{headers:?}");
}

/// What comes behind a body that was healed while trailers were awaited passes, and its length is told truly.
#[test]
fn what_comes_instead_of_trailers_is_counted() {
    for (ends, length_is_told) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut vm = vm(HELD);
        Upstream::json(DRIFTED).run(&mut vm);
        assert!(Upstream { chunks: vec![], end: End::Never, ..Upstream::json(DRIFTED) }.begin(&mut vm).paused);
        vm.host().upstream_ended = true;
        vm.host().response.as_mut().unwrap().push((b"content-length".to_vec(), length(DRIFTED).into()));
        vm.host().buffer = Some(DRIFTED.into());
        assert_eq!(vm.on_response_body(STREAM, DRIFTED.len(), false), Action::Pause);
        if !length_is_told {
            vm.host().response.as_mut().unwrap().retain(|(name, _)| name != b"content-length");
        }
        vm.host().buffer.as_mut().unwrap().extend_from_slice(b"\n");
        let size = vm.host().buffer.as_ref().unwrap().len();
        assert_eq!(vm.on_response_body(STREAM, size, ends), Action::Continue);
        assert_eq!(vm.host().buffer.take().unwrap(), format!("{HEALED}\n").into_bytes());
        let headers = vm.host().response_headers();
        assert!(headers.contains(&"x-nomos-verdict: healed".to_owned()), "{headers:?}");
        let told: Vec<_> = headers.iter().filter(|line| line.starts_with("content-length")).collect();
        let is_true = told.is_empty() || ends && told == [&format!("content-length: {size}")];
        assert!(is_true, "{ends} {length_is_told} {told:?}, {size}");
    }
}

/// The gRPC-JSON transcoder turns an error in trailers into a body, and writes its length into the held headers first.
#[test]
fn a_body_whose_length_comes_late_waits_for_trailers() {
    let long = format!(r#"{{"mail":"{}"}}"#, "x".repeat(33 << 10));
    for (body, healed, verdict) in
        [(DRIFTED, HEALED, "healed"), (CLEAN, CLEAN, "clean"), (BROKEN, BROKEN, "failed"), (&long, &long, "failed")]
    {
        let mut vm = vm(HELD);
        Upstream::json(DRIFTED).run(&mut vm);
        assert!(Upstream { chunks: vec![], end: End::Never, ..Upstream::json(body) }.begin(&mut vm).paused);
        vm.host().upstream_ended = true;
        vm.host().response.as_mut().unwrap().push((b"content-length".to_vec(), length(body).into()));
        vm.host().buffer = Some(body.into());
        assert_eq!(vm.on_response_body(STREAM, body.len(), false), Action::Pause, "{verdict}");
        assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        assert_eq!(vm.host().buffer.take().unwrap(), healed.as_bytes());
        let headers = vm.host().response_headers();
        for line in [format!("x-nomos-verdict: {verdict}"), format!("content-length: {}", healed.len())] {
            assert!(headers.contains(&line), "{line} {headers:?}");
        }
        vm.on_delete(STREAM);
        assert_eq!((vm.host().metric("nomos_held_bytes"), vm.tools.bodies), (0, 0));
    }
}

/// Neither a body that waits for its trailers nor one that they cut off leaves with the length of one chunk.
#[test]
fn a_content_length_of_one_chunk_is_undone_before_trailers() {
    for (known, body, out, verdict) in [
        (false, DRIFTED, HEALED, "healed"),
        (false, CLEAN, CLEAN, "clean"),
        (false, CUT, CUT, "failed"),
        (true, CUT, CUT, "failed"),
    ] {
        let mut vm = vm(HELD);
        Upstream::json(DRIFTED).run(&mut vm);
        let upstream = Upstream { chunks: vec![], end: End::Never, ..Upstream::json(body) };
        let upstream = if known { upstream.with("content-length", "25") } else { upstream };
        assert!(upstream.begin(&mut vm).paused);
        vm.host().upstream_ended = true;
        let headers = vm.host().response.as_mut().unwrap();
        headers.retain(|(name, _)| name != b"content-length");
        headers.push((b"content-length".to_vec(), b"3".to_vec()));
        vm.host().buffer = Some(body.into());
        assert_eq!(vm.on_response_body(STREAM, body.len(), false), Action::Pause, "{verdict}");
        assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        assert_eq!(vm.host().buffer.take().unwrap(), out.as_bytes());
        let headers = vm.host().response_headers();
        assert!(headers.contains(&format!("x-nomos-verdict: {verdict}")), "{headers:?}");
        assert!(!headers.iter().any(|line| line.starts_with("content-length")), "{verdict} {headers:?}");
    }
}

/// Lua with `setBytes` on `bodyChunks` writes the length of each chunk into content-length. Plain, that comes too late to
/// have an effect.
#[test]
fn a_content_length_of_one_chunk_is_undone() {
    let bodies = [
        (HELD, DRIFTED, HEALED),
        (HELD, CLEAN, CLEAN),
        (HELD, BROKEN, BROKEN),
        (OBSERVE_HELD, DRIFTED, DRIFTED),
        (OBSERVE_HELD, CLEAN, CLEAN),
    ];
    for (settings, sent, out) in bodies {
        for (is_known, cut) in [(true, 10), (true, 100), (false, 10), (false, 100)] {
            let case = format!("{settings} {sent} {is_known} {cut}");
            let (length, mut vm) = (length(sent), vm(settings));
            let upstream = Upstream { chunks: vec![], end: End::Never, ..Upstream::json(sent) };
            let upstream = if is_known { upstream.with("content-length", &length) } else { upstream };
            assert_eq!(upstream.begin(&mut vm).paused, is_known || settings == HELD, "{case}");
            let mut holds = is_known || settings == HELD;
            vm.host().buffer = Some(Vec::new());
            let (mut left, mut at) = (Vec::new(), 0);
            for chunk in sent.as_bytes().chunks(cut) {
                at += chunk.len();
                if holds {
                    let headers = vm.host().response.as_mut().unwrap();
                    headers.retain(|(name, _)| name != b"content-length");
                    headers.push((b"content-length".to_vec(), chunk.len().to_string().into()));
                }
                vm.host().buffer.as_mut().unwrap().extend_from_slice(chunk);
                let size = vm.host().buffer.as_ref().map_or(0, Vec::len);
                if vm.on_response_body(STREAM, size, at == sent.len() && is_known) == Action::Continue {
                    left.extend(vm.host().buffer.replace(Vec::new()).unwrap());
                    holds = false;
                }
            }
            assert_eq!(String::from_utf8(left).unwrap(), out, "{case}");
            let headers = vm.host().response_headers();
            let lengths = headers.iter().filter_map(|line| line.strip_prefix("content-length: "));
            let expected = if is_known { vec![out.len().to_string()] } else { vec![] };
            assert_eq!(lengths.collect::<Vec<_>>(), expected, "{case}");
        }
    }
}

/// A body of known length is awaited for as long as the client waits, even for the first response of a worker.
#[test]
fn a_body_of_known_length_is_not_given_up() {
    let mut vm = vm(HELD);
    let upstream = Upstream::json(DRIFTED).with("content-length", "25").cut(10);
    let first = Upstream { chunks: upstream.chunks[..1].to_vec(), end: End::Never, ..upstream };
    assert!(first.begin(&mut vm).paused);
    for _ in 0..PATIENCE_FOR_MORE {
        vm.on_tick(ROOT);
    }
    assert!(!vm.host().resumed);
}

/// Without ticks nothing would end the wait.
#[test]
fn without_ticks_nothing_is_awaited() {
    let mut vm = vm(HELD);
    Upstream::json(DRIFTED).run(&mut vm);
    assert!(Upstream { chunks: vec![], end: End::Never, ..Upstream::json(DRIFTED) }.begin(&mut vm).paused);
    vm.on_delete(ROOT);
    vm.host().upstream_ended = true;
    vm.host().buffer = DRIFTED.get(..4).map(Into::into);
    assert_eq!(vm.on_response_body(STREAM, 4, false), Action::Continue);
    assert_eq!(vm.host().buffer.take().unwrap(), b"{\"ma");
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

/// A body that is known to be too long to be kept begins to leave with its first piece.
#[test]
fn bodies_that_stream_are_not_held() {
    let (sent, healed) = long_list();
    let length = length(&sent);
    assert!(sent.len() < 16 << 10);
    let upstream = Upstream::json(&sent[..700]).with("content-length", &length).ending(End::Never);
    let reply = upstream.begin(&mut vm(&format!("{HELD}{SMALL}")));
    assert!(!reply.paused && reply.body.len() > 600 && healed.starts_with(reply.text()), "{reply:?}");
    assert!(!reply.has_name("content-length") && !reply.has_name("x-nomos-verdict"), "{reply:?}");
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

/// If the root has gone before the headers came, or the host gives no ticks, nothing would release held headers.
#[test]
fn headers_that_no_tick_lets_go_are_not_held() {
    let hosts = [Mock::new, Mock::new, || Mock::new().with_failing("set_tick_period")];
    for (case, host) in hosts.into_iter().enumerate() {
        let mut vm = vm_on(host(), HELD);
        vm.host().request = Some(vec![(b":method".to_vec(), b"GET".to_vec()), (b":path".to_vec(), b"/u".to_vec())]);
        vm.on_context_create(STREAM, ROOT);
        vm.on_request_headers(STREAM, true);
        match case {
            0 => vm.on_delete(ROOT),
            1 => assert!(vm.on_configure(ROOT, configuration(HELD).len())),
            _ => (),
        }
        let header = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        let response = [(":status", "200"), ("content-type", "text/json"), ("content-length", "25")];
        vm.host().response = Some(response.iter().map(|(name, value)| header(name, value)).collect());
        assert_eq!(vm.on_response_headers(STREAM, false), Action::Continue);
        assert_eq!(vm.host().response_headers(), [":status: 200", "content-type: text/json"]);
        vm.host().buffer = Some(DRIFTED.into());
        assert_eq!(vm.on_response_body(STREAM, DRIFTED.len(), true), Action::Continue);
        assert_eq!(vm.host().buffer.take().unwrap(), HEALED.as_bytes());
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
