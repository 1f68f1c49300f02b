//! Which responses are healed: by route, by response, by share of requests, and by the proxy's own metadata.

use super::*;

/// Returns a configuration with one route for each of these texts.
fn routes(settings: &str, routes: &[&str]) -> String {
    let route = |route: &&str| format!(r#"{{{route},"rename":{{"mail":"email_address"}}}}"#);
    format!(r#"{{{settings}"routes":[{}]}}"#, routes.iter().map(route).collect::<Vec<_>>().join(","))
}

#[test]
fn each_route_has_its_mode() {
    let text = routes(
        "",
        &[
            r#""name":"o","match":{"path":"/o"},"mode":"observe""#,
            r#""name":"x","match":{"path":"/x"},"mode":"off""#,
            r#""name":"h","match":{"prefix":"/"}"#,
        ],
    );
    let mut vm = vm_of(&text);
    let rows = [("/o", DRIFTED, "observed", "o"), ("/x", DRIFTED, "skipped", "x"), ("/h", HEALED, "healed", "h")];
    for (path, body, verdict, route) in rows {
        for size in [3, 1000] {
            let upstream = Upstream { path, ..Upstream::json(DRIFTED).with("content-length", "25").cut(size) };
            let reply = upstream.run(&mut vm);
            assert_eq!((reply.text(), reply.verdict().as_str()), (body, verdict), "{path}");
            assert_eq!(reply.field("route"), route);
            assert_eq!(reply.has_name("content-length"), verdict != "healed", "{path}");
        }
    }
    assert_eq!(metric(&mut vm, "verdict=.=skipped;.;reason=.=off;.;route=.=x;.;nomos_responses_total"), 2);
    // Of a response that is off, not even the headers are read.
    let before = vm.host().calls("headers");
    Upstream { path: "/x", ..Upstream::json(DRIFTED) }.run(&mut vm);
    assert_eq!(vm.host().calls("headers") - before, 1);
}

#[test]
fn the_response_decides_between_routes_of_one_request() {
    let text = routes(
        "",
        &[
            r#""name":"ok","match":{"path":"/u","status":["2xx"],"content_types":["application/json"]}"#,
            r#""name":"problem","match":{"path":"/u","content_types":["application/problem+json"]},"mode":"observe""#,
            r#""name":"gone","match":{"path":"/u","status":[410]},"mode":"off""#,
            r#""name":"last","match":{"path":"/last","status":["5xx"]}"#,
        ],
    );
    let rows = [
        ("/u", "200", "application/json; charset=utf-8", "healed", "", Some("ok")),
        ("/u", "500", "application/problem+json", "observed", "", Some("problem")),
        ("/u", "410", "application/json", "skipped", "off", Some("gone")),
        ("/u", "404", "application/json", "skipped", "no_route", None),
        ("/u", "304", "application/json", "skipped", "no_route", None),
        ("/u", "204", "application/problem+json", "skipped", "status", Some("problem")),
        ("/last", "503", "application/json", "healed", "", Some("last")),
        ("/last", "200", "application/json", "skipped", "no_route", None),
    ];
    let mut vm = vm_of(&text);
    for (path, status, content_type, verdict, reason, route) in rows {
        let headers = vec![(":status", status), ("content-type", content_type)];
        let reply = Upstream { path, headers, ..Upstream::json(DRIFTED) }.run(&mut vm);
        let what = format!("{path} {status} {content_type}");
        assert_eq!((reply.verdict().as_str(), reply.reason().as_str()), (verdict, reason), "{what}");
        assert_eq!(reply.field("route").as_str(), route, "{what}");
        assert_eq!(reply.text(), if verdict == "healed" { HEALED } else { DRIFTED }, "{what}");
        assert_eq!(vm.open_streams(), 0);
    }
}

#[test]
fn a_share_of_requests_is_healed_and_always_the_same() {
    let text = routes("", &[r#""match":{"path":"/u"},"sample":30"#]);
    let mut vm = vm_of(&text);
    let verdict = |vm: &mut Vm<Mock>, path: &str, request_id: &str| {
        let reply = Upstream { path, request_id, ..Upstream::json(DRIFTED) }.run(vm);
        let healed = reply.verdict() == "healed";
        assert!(healed || reply.verdict() == "observed");
        assert_eq!(reply.text(), if healed { HEALED } else { DRIFTED });
        healed
    };
    let mut healed = [0; 2];
    for number in 0..1000 {
        let (path, id) = (format!("/u?page={number}"), format!("5d2c1e{number:02x}-0000-4000"));
        for (at, (path, id)) in [("/u", id.as_str()), (path.as_str(), "")].into_iter().enumerate() {
            let first = verdict(&mut vm, path, id);
            assert_eq!(verdict(&mut vm, path, id), first);
            healed[at] += u32::from(first);
        }
        // A request with an id is placed by the id alone.
        assert_eq!(verdict(&mut vm, "/u", &id), verdict(&mut vm, &path, &id));
    }
    assert!(healed.iter().all(|healed| (250..350).contains(healed)), "{healed:?}");
}

#[test]
fn a_route_of_the_proxy_can_switch_healing_off() {
    let rows: [(Option<&[u8]>, &str, &str); 7] = [
        (None, "healed", "observed"),
        (Some(b"heal"), "healed", "observed"),
        (Some(b"observe"), "observed", "observed"),
        (Some(b"off"), "skipped", "skipped"),
        (Some(b"\0"), "skipped", "skipped"),
        (Some(b""), "skipped", "skipped"),
        (Some(b"Off!"), "skipped", "skipped"),
    ];
    for (metadata, healing, observing) in rows {
        for (mode, verdict) in [("heal", healing), ("observe", observing)] {
            let settings = format!(r#""route_metadata":true,"mode":"{mode}","#);
            let mut vm = vm(&settings);
            vm.host().route_mode = metadata.map(<[u8]>::to_vec);
            let reply = Upstream::json(DRIFTED).with("content-length", "25").run(&mut vm);
            assert_eq!(reply.verdict(), verdict, "{metadata:?} {mode}");
            assert_eq!(reply.text(), if verdict == "healed" { HEALED } else { DRIFTED }, "{metadata:?} {mode}");
            assert_eq!(reply.has_name("content-length"), verdict != "healed", "{metadata:?} {mode}");
            let says_nothing = [Some(&b""[..]), Some(b"Off!")].contains(&metadata);
            assert_eq!(vm.host().log.is_empty(), !says_nothing, "{:?}", vm.host().log);
        }
    }
}

/// Envoy has no way to hand over a null.
#[test]
fn metadata_that_the_host_cannot_hand_over_switches_healing_off() {
    let host = Mock::new().with_failing("route_mode");
    let mut vm = vm_on(host, r#""route_metadata":true,"#);
    let reply = Upstream::json(DRIFTED).run(&mut vm);
    assert_eq!((reply.text(), reply.reason().as_str(), vm.host().log.len()), (DRIFTED, "off", 1));
}

/// The filter asks for metadata only if the configuration needs it, and never for responses that are not touched
/// anyway.
#[test]
fn metadata_is_asked_for_only_where_it_counts() {
    for (settings, status, calls) in
        [("", "200", 0), (r#""route_metadata":true,"#, "200", 1), (r#""route_metadata":true,"#, "304", 0)]
    {
        let mut vm = vm(settings);
        let headers = vec![(":status", status), ("content-type", "application/json")];
        Upstream { headers, ..Upstream::json(DRIFTED) }.run(&mut vm);
        assert_eq!(vm.host().calls("route_mode"), calls, "{settings} {status}");
    }
}

/// Without filter state the client gets the same response, and metrics and headers report the same.
#[test]
fn filter_state_only_where_it_is_wanted() {
    const QUIET: &str = r#""filter_state":false,"#;
    for settings in ["", HELD, OBSERVE] {
        for size in [1, 7, DRIFTED.len()] {
            let upstream = Upstream::json(DRIFTED).cut(size);
            let (mut told, mut quiet) = (vm(settings), vm(&format!("{QUIET}{settings}")));
            let (expected, reply) = (upstream.run(&mut told), upstream.run(&mut quiet));
            assert_eq!((&reply.headers, reply.text()), (&expected.headers, expected.text()), "{settings} {size}");
            let name =
                format!("verdict=.={};.;reason=.=none;.;route=.=user;.;nomos_responses_total", expected.verdict());
            assert_eq!(metric(&mut quiet, &name), 1, "{settings} {size}");
            assert_eq!((reply.state.as_str(), quiet.host().calls("set_filter_state")), ("", 0), "{settings} {size}");
        }
    }
    for path in ["/u", "/no/route"] {
        let headers = vec![(":status", "200"), ("content-type", "text/html")];
        let mut vm = vm(QUIET);
        Upstream { path, headers, ..Upstream::json(DRIFTED) }.run(&mut vm);
        assert_eq!(vm.host().calls("set_filter_state"), 0, "{path}");
    }
}
