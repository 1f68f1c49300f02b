//! Hosts that refuse calls, return too little, call in any order, or have no memory left.

use super::*;

/// Whatever call fails, with whatever status, the client gets one of the two bodies, complete and with true headers.
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

/// If a host returns less than it announced, the rest stays where it is.
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
    // Only a host that twice in a row refuses to take bytes back can cause a reset. If it refuses the reset too, the
    // body is cut.
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
    // In Envoy's order first, then those that Envoy makes elsewhere or never.
    let calls: [Call; 12] = [
        |vm, id| vm.on_context_create(id, ROOT),
        |vm, id| _ = vm.on_request_headers(id, true),
        |vm, id| _ = vm.on_response_headers(id, false),
        chunk,
        chunk,
        |vm, id| _ = vm.on_response_body(id, 0, true),
        |vm, id| _ = vm.on_response_trailers(id),
        |vm, id| vm.on_delete(id),
        |vm, id| vm.on_context_create(id, 99),
        |vm, id| vm.on_context_create(id, 0),
        |vm, id| _ = vm.on_response_headers(id, true),
        |vm, id| vm.on_tick(id),
    ];
    let list = long_list().0;
    let text = |headers: &[(&str, &str)]| headers.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
    let mut seed = 1_u64;
    for settings in [EARLY, HELD, SMALL, OBSERVE, OBSERVE_HELD] {
        let (mut read, mut written, mut streamed) = (0, 0, 0);
        for _ in 0..2000 {
            let mut vm = vm(settings);
            vm.host().request = Some(text(&[(":method", "GET"), (":path", "/u")]));
            let mut next = [0; 4];
            for _ in 0..24 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let pick = |bits: u32, below: usize| usize::try_from(seed >> bits & 0xff).unwrap_or_default() % below;
                if pick(20, 8) == 0 {
                    vm.host().response = None;
                } else {
                    vm.host().response = Some(text(&[(":status", "200"), ("content-type", "text/json")]));
                }
                let bodies = ["{\"a\":", DRIFTED, &list, &list[..1500]];
                vm.host().buffer = bodies.get(pick(28, 5)).map(|body| (*body).into());
                // Mostly a stream goes on as Envoy would have it. Context 1 is also the root.
                let id = pick(36, 4);
                let at = if pick(44, 4) > 0 { next[id] } else { pick(52, calls.len()) };
                next[id] = (at + 1) % calls.len();
                calls[at](&mut vm, u32::try_from(id).unwrap());
                streamed += usize::from(is_streaming(&vm, u32::try_from(id).unwrap()));
            }
            (0..4).for_each(|id| vm.on_delete(id));
            assert_eq!((vm.open_streams(), vm.tools.bodies, metric(&mut vm, "nomos_held_bytes")), (0, 0, 0));
            read += vm.host().calls("read_body");
            written += vm.host().calls("replace_body");
        }
        // It would prove little if bodies were seldom reached.
        assert!(read > 1000, "{settings}: {read} reads");
        assert!(written > 300 || settings.contains("observe"), "{settings}: {written} writes");
        assert!(streamed > 100 || settings != SMALL, "{settings}: {streamed} steps with a body that streams");
    }
}

/// Whether the body of a stream is healed as it streams.
fn is_streaming(vm: &Vm<Mock>, id: u32) -> bool {
    let Some(Stream { root, route, manner, stage: Stage::Passing(incoming), .. }) = vm.streams.get(id) else {
        return false;
    };
    root.route(*route).is_some_and(|(route, tag)| incoming.work_so_far(&job(root, route, tag, *manner)).is_some())
}

/// Hands over what the host has of a body.
fn chunk(vm: &mut Vm<Mock>, id: u32) {
    let size = vm.host().buffer.as_ref().map_or(0, Vec::len);
    let _ = vm.on_response_body(id, size, false);
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
            let used = crate::tools::MAX_BODIES_BYTES - spare;
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

/// The memory reserve is gone, before a body or in the middle of it. The body leaves as it came, and bodies are healed
/// again once the reserve is back.
#[test]
fn bodies_leave_as_they_came_while_no_memory_can_be_kept_back() {
    for settings in [EARLY, HELD, OBSERVE] {
        for pieces in 0..3 {
            let mut vm = vm(settings);
            let reserved = vm.tools.reserved;
            assert!((4 << 20..=128 << 20).contains(&reserved), "{reserved}");
            // Each chunk asks for the reserve twice.
            vm.host().reserves = Some(2 * pieces);
            let reply = Upstream::json(DRIFTED).cut(8).run(&mut vm);
            assert_eq!((reply.text(), reply.reason().as_str()), (DRIFTED, "no_memory"), "{settings} {pieces}");
            assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0);
            vm.host().reserves = None;
            assert_ne!(Upstream::json(DRIFTED).run(&mut vm).verdict(), "failed", "{settings} {pieces}");
        }
    }
}
