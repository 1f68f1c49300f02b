//! Reports about drift that nothing healed: new shapes, missing required members, limits.

use super::*;

/// Returns a VM with a route whose contract requires three members, with or without similarity.
fn vm_with(similarity: &str, settings: &str) -> Vm<Mock> {
    let text = format!(
        r#"{{{settings}"routes":[{{"name":"user","match":{{"path":"/u"}},{similarity}"contract":{{"type":"object",
        "required":["email_address","id","tags"],"properties":{{"email_address":{{"type":"string","format":"email"}},
        "id":{{"type":"integer"}},"tags":{{"type":"array","items":{{"type":"object","required":["name"]}}}}}}}}}}]}}"#
    );
    vm_of(&text)
}

const SIMILARITY: &str = r#""similarity":{},"#;

fn unhealed(vm: &mut Vm<Mock>, field: &str) -> i64 {
    metric(vm, &format!("route=.=user;.;field=.={field};.;nomos_unhealed_required_total"))
}

#[test]
fn new_shapes_are_counted_and_told_once() {
    let mut vm = vm_with(SIMILARITY, "");
    let bodies = [
        r#"{"id":1,"emailAddress":"private@example.org","tags":[]}"#,
        r#"{"id":2,"emailAddress":"secret@example.org","tags":[{"name":"hidden"}]}"#,
    ];
    for _ in 0..3 {
        for body in bodies {
            assert_eq!(Upstream::json(body).run(&mut vm).verdict(), "healed");
        }
    }
    // The record with elements, the record without, and the element.
    assert_eq!(metric(&mut vm, "route=.=user;.;nomos_new_shapes_total"), 3);
    let log = vm.host().log.clone();
    assert_eq!(log.len(), 3, "{log:?}");
    let first = &log[0];
    assert!(first.starts_with("nomos: new shape ") && first.len() > 80, "{first}");
    assert!(first.ends_with(", route user, not in the contract: \"emailAddress\" string -> email_address"), "{first}");
    for value in ["private", "secret", "hidden", "@example"] {
        assert!(log.iter().all(|line| !line.contains(value)), "{log:?}");
    }
}

/// For a body that is kept, one that streams, and one that is only observed.
#[test]
fn names_that_a_limit_leaves_out_are_counted() {
    for settings in ["", OBSERVE, r#""max_held_bytes":1024,"#] {
        let mut vm = vm_with(r#""similarity":{"max_unknown":3},"#, settings);
        for (limits, unscored) in
            [(r#"{"c":1,"d":2},{"e":1,"f":2}"#, Some(4)), (r#"{"b":3,"a":4}"#, Some(2)), ("{}", None)]
        {
            let body =
                format!(r#"{{"tags":[{{"a":1,"b":2}},{limits}],"id":1,"email_address":"{}"}}"#, "x".repeat(2000));
            let reply = Upstream::json(&body).cut(500).run(&mut vm);
            assert_eq!(reply.field("unscored").as_u64(), unscored, "{settings} {}", reply.state);
        }
        assert_eq!(metric(&mut vm, "route=.=user;.;nomos_unscored_total"), 6);
    }
}

#[test]
fn required_members_that_are_missing() {
    for (similarity, sent, missing) in [
        ("", r#"{"id":1,"email_address":"a@b.c","tags":[{"name":""}]}"#, &[][..]),
        ("", r#"{"email_address":null,"tags":[{"name":1},{"nam":2},{}]}"#, &["id", "tags[].name"]),
        ("", r#"{"error":"secret"}"#, &["email_address", "id", "tags"]),
        (SIMILARITY, r#"{"emailAddress":"a@b.cd","tags":[]}"#, &["id"]),
        (SIMILARITY, r#"{"emailAddress":"a@b.cd","id":1,"tags":[]}"#, &[]),
        ("", r#"["not a record"]"#, &[]),
    ] {
        for settings in ["", OBSERVE] {
            let mut vm = vm_with(similarity, settings);
            for _ in 0..5 {
                Upstream::json(sent).cut(7).run(&mut vm);
            }
            for field in ["email_address", "id", "tags", "tags[].name"] {
                let expected = if missing.contains(&field) { 5 } else { 0 };
                assert_eq!(unhealed(&mut vm, field), expected, "{field} {sent}");
            }
            let log = vm.host().log.clone();
            let told = |line: &&String| line.starts_with("nomos: required and not healed, route user: ");
            // At the first, second and fourth response.
            assert_eq!(log.iter().filter(told).count(), missing.len() * 3, "{log:?}");
            assert!(log.iter().all(|line| !line.contains("secret")), "{log:?}");
        }
    }
}

/// The contract does not describe error responses.
#[test]
fn responses_that_tell_of_an_error_lack_nothing() {
    let mut vm = vm_with("", "");
    for (status, expected) in [("404", 0), ("500", 0), ("302", 0), ("201", 1)] {
        let headers = vec![(":status", status), ("content-type", "application/json")];
        Upstream { headers, ..Upstream::json(r#"{"title":"x"}"#) }.run(&mut vm);
        assert_eq!(unhealed(&mut vm, "id"), expected, "{status}");
    }
}

#[test]
fn a_missing_member_costs_no_host_call_until_the_tick() {
    let mut vm = vm_with("", "");
    Upstream::json(r#"{"title":"x"}"#).run(&mut vm);
    Upstream::json(r#"{"title":"x"}"#).run(&mut vm);
    let (count, complete) = (vm.host().count, r#"{"id":1,"email_address":"a@b.c","tags":[]}"#);
    Upstream::json(complete).run(&mut vm);
    let whole = vm.host().count - count;
    Upstream::json(r#"{"title":"x"}"#).run(&mut vm);
    assert_eq!(vm.host().count - count, 2 * whole);
}

/// Envoy ticks for each configuration of a worker, also for those that an update has replaced.
#[test]
fn more_configurations_do_not_allow_more_lines() {
    let lines = |configurations: u32| {
        let mut vm = vm_with(SIMILARITY, "");
        for id in 100..100 + configurations {
            let length = vm.host().configuration.len();
            vm.on_context_create(id, 0);
            assert!(vm.on_configure(id, length));
        }
        for number in 0..200 {
            Upstream::json(&format!(r#"{{"a{number}":1,"tags":[{{"b{number}":1}}]}}"#)).run(&mut vm);
            (100..100 + configurations).chain([ROOT]).for_each(|id| vm.on_tick(id));
        }
        vm.host().log.len()
    };
    let alone = lines(0);
    assert!(alone > 200, "{alone}");
    assert_eq!(lines(9), alone);
}

/// The number of metrics does not grow with the number of required members.
#[test]
fn the_number_of_metrics_is_bounded() {
    let names: Vec<String> = (0..200).map(|number| format!("\"f{number}\"")).collect();
    let text = format!(
        r#"{{"routes":[{{"name":"user","match":{{"path":"/u"}},"contract":{{"type":"object","required":[{}]}}}}]}}"#,
        names.join(",")
    );
    let mut vm = vm_of(&text);
    let before = vm.host().defined_metrics();
    Upstream::json("{}").run(&mut vm);
    let counts = |vm: &mut Vm<Mock>| ["f63", "f64", "other"].map(|field| unhealed(vm, field));
    assert_eq!(counts(&mut vm), [1, 0, 1]);
    Upstream::json("{}").run(&mut vm);
    assert_eq!(counts(&mut vm), [2, 0, 2]);
    assert_eq!(vm.host().defined_metrics(), before + 66);
    assert!(vm.host().log.len() < 30);
}

#[test]
fn a_body_over_a_limit_leaves_as_it_came() {
    let keys = format!("{{{},\"mail\":1}}", (0..20).map(|n| format!("\"k{n}\":0")).collect::<Vec<_>>().join(","));
    let deep = format!("{}{{\"mail\":1}}{}", "[".repeat(20), "]".repeat(20));
    let tokens = format!("[{},{{\"mail\":1}}]", vec!["0"; 100].join(","));
    for (settings, sent, reason) in [
        (r#""max_keys":20,"#, &keys, "too_many_keys"),
        (r#""max_depth":20,"#, &deep, "too_deep"),
        (r#""max_tokens":100,"#, &tokens, "too_many_tokens"),
    ] {
        let length = length(sent);
        for size in [1, 10, sent.len()] {
            for end in [End::Apart, End::WithData, End::AddedTrailers] {
                for known in [false, true] {
                    let mut upstream = Upstream::json(sent).cut(size).ending(end);
                    if known {
                        upstream = upstream.with("content-length", &length);
                    }
                    let mut vm = vm(settings);
                    let reply = upstream.run(&mut vm);
                    assert_eq!((reply.text(), reply.reason().as_str()), (sent.as_str(), reason), "{settings} {size}");
                    let name = format!("verdict=.=failed;.;reason=.={reason};.;route=.=user;.;nomos_responses_total");
                    assert_eq!(metric(&mut vm, &name), 1);
                    assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0);
                    let healed = upstream.run(&mut self::vm(EARLY));
                    assert_eq!(healed.verdict(), "healed");
                }
            }
        }
    }
}

#[test]
fn too_many_shapes_are_forgotten() {
    let mut vm = vm_with(SIMILARITY, r#""max_shapes":16,"#);
    for number in 0..300 {
        let body = format!(r#"{{"id":1,"emailAddress":"a@b.cd","tags":[],"n{number}":0}}"#);
        assert_eq!(Upstream::json(&body).run(&mut vm).verdict(), "healed");
    }
    assert_eq!(metric(&mut vm, "nomos_shapes_forgotten_total"), 2);
    // Of bodies as small as these, once there are more than eight times as many.
    assert_eq!(metric(&mut vm, "nomos_shapes"), 300 - 2 * (8 * 16 + 1));
}
