use std::collections::BTreeMap;

use nomos_harness::fault::STATUSES;
use nomos_harness::{Action, End, Fault, Host, ROOT, Reply, Response, Vm};

use super::{DRIFTED, EARLY, HEALED, HELD, OBSERVE, OBSERVE_HELD, configuration, module, vm};

/// The outcomes of responses, by the call that failed.
type Table = BTreeMap<&'static str, BTreeMap<&'static str, usize>>;

/// Returns responses in all framings.
fn responses() -> Vec<Response<'static>> {
    let mut responses = Vec::new();
    for size in [4, 100] {
        for end in End::WHOLE {
            let response = Response::json(DRIFTED.as_bytes()).with("etag", "\"a\"").with("digest", "x");
            let response = response.cut(size).ending(end);
            responses.push(response.clone().with_length());
            responses.push(response);
        }
    }
    responses
}

/// Whatever call fails, with whatever status, the client gets one of the two bodies, complete, with true headers.
#[test]
fn any_call_may_fail_with_any_status() {
    let mut table = Table::new();
    for settings in [EARLY, HELD, OBSERVE, OBSERVE_HELD] {
        for response in responses() {
            for (number, name) in calls(settings, &response).into_iter().enumerate() {
                for status in STATUSES {
                    let (reply, _) = run(settings, &response, Fault::once(number, status));
                    let became = check(&response, &reply, &format!("{settings} {name} {number} {status}"));
                    assert_ne!(
                        became, "reset",
                        "one failing call is no reason: {settings} {name} {number} {response:?}"
                    );
                    *table.entry(name).or_default().entry(became).or_default() += 1;
                }
            }
        }
    }
    print(&table);
    for name in ["get_buffer_bytes", "set_buffer_bytes", "get_header_map_pairs", "set_property", "get_property"] {
        assert!(table.contains_key(name), "{name} was never called");
    }
}

/// If two calls in a row fail, or all from one on, the client gets one of the bodies or knows that it did not. Only a
/// host that takes nothing back, and refuses to reset too, can cut a body.
#[test]
fn calls_may_go_on_failing() {
    let mut table = Table::new();
    for settings in [EARLY, HELD, OBSERVE, OBSERVE_HELD] {
        for response in responses() {
            for (number, name) in calls(settings, &response).into_iter().enumerate() {
                for fault in [Fault::twice(number, 2), Fault::twice(number, 10), Fault::forever(number, 77)] {
                    let (reply, refused) = run(settings, &response, fault);
                    let what = format!("{settings} {name} {fault:?}");
                    let became = if refused { cut(&reply, &what) } else { check(&response, &reply, &what) };
                    *table.entry(name).or_default().entry(became).or_default() += 1;
                }
            }
        }
    }
    print(&table);
}

/// A body that streams is healed record by record. From the failing call on, it continues as it came.
#[test]
fn calls_may_fail_while_a_body_streams() {
    const SETTINGS: &str = r#""max_held_bytes":1024,"#;
    let body = format!("[{}]", [DRIFTED; 80].join(","));
    let mut table = Table::new();
    for response in [300, 1200].map(|size| Response::json(body.as_bytes()).cut(size)) {
        for response in [response.clone(), response.clone().with_length(), response.ending(End::AddedTrailers)] {
            for (number, name) in calls(SETTINGS, &response).into_iter().enumerate() {
                for status in STATUSES {
                    for fault in
                        [Fault::once(number, status), Fault::twice(number, status), Fault::forever(number, status)]
                    {
                        let (reply, refused) = run(SETTINGS, &response, fault);
                        let what = format!("{name} {fault:?}\n{reply:?}");
                        assert!(reply.trap.is_none() && !reply.paused, "{what}");
                        let became = pieces(&reply, &body, refused).unwrap_or_else(|| panic!("{what}"));
                        assert!(became != "reset" || fault.calls > 1, "{what}");
                        *table.entry(name).or_default().entry(became).or_default() += 1;
                    }
                }
            }
        }
    }
    print(&table);
}

/// If a response ends when its headers are released, the next one, which is released with it, must be complete.
#[test]
fn letting_go_may_end_a_stream() {
    let mut vm = vm(HELD);
    let own = |(name, value): (&str, &str)| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
    let request = [(":authority", "x"), (":path", "/u"), (":method", "GET")].map(own).to_vec();
    let response = [(":status", "200"), ("content-type", "application/json"), ("etag", "\"a\"")].map(own).to_vec();
    for id in [2, 3] {
        (vm.host().stream, vm.host().request) = (Some(id), Some(request.clone()));
        vm.create_context(id, ROOT).expect("no trap");
        vm.request_headers(id).expect("no trap");
        (vm.host().request, vm.host().response) = (None, Some(response.clone()));
        assert_eq!(vm.response_headers(id, false), Ok(Action::Pause));
    }
    vm.host().ends_when_resumed = Some(2);
    for _ in 0..2 {
        vm.tick().expect("no trap");
    }
    assert_eq!(vm.host().ends_when_resumed, None, "the first is let go of");
    vm.host().body = Some(DRIFTED.as_bytes().to_vec());
    assert_eq!(vm.response_body(3, true), Ok(Action::Continue));
    assert_eq!(vm.host().body.as_deref(), Some(HEALED.as_bytes()));
}

/// If another filter has buffered a body, it cannot become longer than Envoy's buffer: the write ends the stream. That
/// does not count as healed, and the ended stream must not be touched.
#[test]
fn writing_may_end_the_stream() {
    let list = format!("[{}]", [DRIFTED; 80].join(","));
    let body = |body: &'static str| Response::json(body.as_bytes()).with("etag", "\"a\"");
    let rows = [
        (EARLY, body(DRIFTED)),
        (EARLY, body(DRIFTED).cut(9).with_length()),
        (HELD, body(DRIFTED)),
        (HELD, body(DRIFTED).with_length()),
        (r#""max_held_bytes":1024,"#, Response::json(list.as_bytes())),
    ];
    for (settings, response) in rows {
        let mut vm = vm(settings);
        vm.host().body_limit = Some(response.chunks.concat().len());
        let reply = response.run(&mut vm);
        vm.tick().expect("no trap");
        let host = vm.host();
        let what = format!("{settings} {reply:?}");
        assert!(reply.trap.is_none() && host.calls_too_late.is_empty(), "{what} {:?}", host.calls_too_late);
        assert!(host.stream.is_none(), "{what}");
        let failed = "verdict=.=failed;.;reason=.=host_error;.;route=.=user;.;nomos_responses_total";
        let healed = "verdict=.=healed;.;reason=.=none;.;route=.=user;.;nomos_responses_total";
        assert_eq!((host.metric(failed), host.metric(healed), host.metric("nomos_held_bytes")), (1, 0, 0), "{what}");
        host.body_limit = None;
        assert_eq!(Response::json(DRIFTED.as_bytes()).run(&mut vm).body, HEALED.as_bytes(), "{what}");
    }
}

/// Returns the outcome of a body of records.
fn pieces(reply: &Reply, body: &str, refused: bool) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&reply.body);
    let healed = body.replace("mail", "email_address");
    if refused {
        return Some("not reset though asked");
    } else if reply.reset {
        return Some("reset");
    } else if text == healed {
        return Some("healed");
    } else if text == body {
        return Some("as it came");
    }
    // Records are healed up to some place, and none after it.
    let at = text.rfind("email_address").map(|at| at + "email_address".len())?;
    let (first, rest) = text.split_at(at);
    (healed.starts_with(first) && body.ends_with(rest) && text.replace("email_address", "mail") == *body)
        .then_some("healed up to a record")
}

/// Calls may also fail during configuration. Only a configuration that cannot be read is refused.
#[test]
fn calls_may_fail_while_configuring() {
    let mut sound = Vm::start(module(), Host::new(&configuration(EARLY))).expect("no trap");
    assert_eq!(sound.configure(), Ok(true));
    let calls = sound.host().calls.clone();
    for (number, name) in calls.iter().enumerate() {
        for status in STATUSES {
            for fault in [Fault::once(number, status), Fault::forever(number, status)] {
                let mut vm = Vm::start(module(), Host::new(&configuration(EARLY))).expect("no trap");
                vm.host().fault = Some(fault);
                let accepted = vm.configure().expect("no trap");
                assert_eq!(accepted, *name != "get_buffer_bytes", "{name} {fault:?}");
                vm.host().fault = None;
                let reply = Response::json(DRIFTED.as_bytes()).run(&mut vm);
                let expected = if accepted { HEALED } else { DRIFTED };
                assert_eq!((reply.body, reply.trap), (expected.as_bytes().to_vec(), None), "{name} {fault:?}");
            }
        }
    }
}

/// Calls may also fail in a tick. Metrics that could not be reported then are reported later or not at all, never
/// twice.
#[test]
fn calls_may_fail_in_a_tick() {
    let healed = "verdict=.=healed;.;reason=.=none;.;route=.=user;.;nomos_responses_total";
    let served = || {
        let mut vm = vm(EARLY);
        Response::json(DRIFTED.as_bytes()).run(&mut vm);
        vm.host().count_from_here();
        vm
    };
    let mut sound = served();
    sound.tick().expect("no trap");
    let calls = sound.host().calls.len();
    assert!(calls > 2 && sound.host().metric(healed) == 1, "{calls} calls");
    for number in 0..calls {
        for status in STATUSES {
            let mut vm = served();
            vm.host().fault = Some(Fault::once(number, status));
            vm.tick().expect("no trap");
            vm.host().fault = None;
            vm.tick().expect("no trap");
            assert!(vm.host().metric(healed) <= 1);
            let reply = Response::json(DRIFTED.as_bytes()).run(&mut vm);
            assert_eq!(reply.body, HEALED.as_bytes());
        }
    }
}

/// Returns the calls of a response if none fails.
fn calls(settings: &str, response: &Response<'_>) -> Vec<&'static str> {
    let mut vm = vm(settings);
    vm.host().count_from_here();
    let reply = response.run(&mut vm);
    assert_eq!(reply.trap, None);
    vm.host().calls.clone()
}

/// Runs a response. Also returns whether the host refused to reset it.
fn run(settings: &str, response: &Response<'_>, fault: Fault) -> (Reply, bool) {
    let mut vm = vm(settings);
    vm.host().count_from_here();
    vm.host().fault = Some(fault);
    let reply = response.run(&mut vm);
    let refused = !reply.reset && vm.host().calls.contains(&"close_stream");
    // A failed response must not affect the next one.
    vm.host().fault = None;
    if reply.trap.is_none() {
        let next = Response::json(DRIFTED.as_bytes()).run(&mut vm);
        let expected = if settings.contains("observe") { DRIFTED } else { HEALED };
        assert_eq!(String::from_utf8_lossy(&next.body), expected, "after {fault:?} {settings} {response:?}");
    }
    (reply, refused)
}

/// Returns what the client got: one of the two bodies with true headers, or a reset. Anything else fails the test.
fn check(response: &Response<'_>, reply: &Reply, what: &str) -> &'static str {
    let what = format!("{what}\n{response:?}\n{reply:?}");
    assert!(reply.trap.is_none() && !reply.paused, "{what}");
    if reply.reset {
        return "reset";
    }
    let healed = reply.body == HEALED.as_bytes();
    assert!(healed || reply.body == response.chunks.concat(), "{what}");
    let length = reply.header("content-length");
    assert!(length.is_none_or(|length| length == reply.body.len().to_string()), "{what}");
    let untrue = reply.header("etag") == Some("\"a\"") || reply.header("digest").is_some();
    assert!(!healed || !untrue, "{what}");
    if healed { "healed" } else { "as it came" }
}

fn cut(reply: &Reply, what: &str) -> &'static str {
    assert!(reply.trap.is_none() && !reply.paused, "{what}\n{reply:?}");
    "not reset though asked"
}

fn print(table: &Table) {
    for (name, outcomes) in table {
        println!("{name:<32} {outcomes:?}");
    }
}
