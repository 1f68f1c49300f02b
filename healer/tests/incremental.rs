//! Lists of drifted users, healed while they stream: in every drift mode, by packs, by a contract and by similarity.

#![allow(missing_docs)]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::arithmetic_side_effects)]

use std::sync::Arc;

use drifting_upstream::{Mode, contract, users_body};
use healer::config::Config;
use healer::{Healer, Limits, Memo, Plan, Reason, Summary};

const LIMITS: Limits =
    Limits { max_held_bytes: 4096, max_depth: 256, max_keys: Limits::DEFAULT_KEYS, max_tokens: Limits::DEFAULT_TOKENS };

fn plan(route: &str) -> Arc<Plan> {
    let text = format!(r#"{{"routes":[{{"match":{{"path":"/api/users"}},{route}}}]}}"#);
    let mut config = Config::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    config.routes.remove(0).plan
}

/// Returns plans for lists: the envelope, and in it users as clients expect them.
fn plans() -> [(&'static str, Arc<Plan>); 3] {
    let list = format!(r#""contract":{}"#, contract::users());
    [
        ("packs", plan(r#""packs":["all"]"#)),
        ("contract", plan(&format!(r#""packs":["all"],{list}"#))),
        ("similarity", plan(&format!(r#""similarity":{{"profile":"default"}},{list}"#))),
    ]
}

fn whole(plan: &Plan, body: &[u8]) -> (Vec<u8>, Summary) {
    let mut healer = Healer::new();
    let summary = healer.heal_bytes(plan, body).expect("a list is JSON");
    // The first record of a whole body is the envelope, which is no record in a body that streams.
    let summary = Summary { shape: None, new_shapes: 0, lacks: false, ..summary };
    (if summary.changed { healer.output().to_vec() } else { body.to_vec() }, summary)
}

fn streamed(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &[u8], size: usize) -> (Vec<u8>, Summary) {
    let mut out = Vec::new();
    let mut incremental = healer.incremental(LIMITS);
    for chunk in body.chunks(size) {
        healer.clear_output();
        incremental.push(healer, plan, memo, chunk);
        out.extend_from_slice(healer.output());
    }
    healer.clear_output();
    incremental.finish(healer, memo);
    out.extend_from_slice(healer.output());
    assert_eq!(incremental.failure(), None);
    let summary = Summary { shape: None, new_shapes: 0, lacks: false, ..incremental.summary() };
    healer.recycle_incremental(incremental);
    (out, summary)
}

#[test]
fn every_mode_heals_as_a_whole_list_does() {
    for (name, plan) in plans() {
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        for mode in Mode::ALL {
            let body = users_body(mode, 60);
            let (expected, summary) = whole(&plan, body.as_bytes());
            let heals = name != "packs" || !matches!(mode, Mode::Nested | Mode::Deep);
            assert!(mode == Mode::Healthy || summary.ops() > 0 || !heals, "{name} {mode:?}: {summary:?}");
            for size in [1, 100, 1500, 1 << 20] {
                let (found, counts) = streamed(&mut healer, &plan, &mut memo, body.as_bytes(), size);
                assert!(found == expected, "{name} {mode:?}, in chunks of {size}");
                assert_eq!(counts, summary, "{name} {mode:?}, in chunks of {size}");
            }
        }
    }
}

/// Returns a body with a member that is too long to be held.
fn padded(before: &str, after: &str) -> String {
    format!("{before}{}{after}", "x".repeat(2 * LIMITS.max_held_bytes))
}

#[test]
fn envelopes() {
    let plan = plan(r#""rename":{"mail":"email","items":"users"},"move":{"data.id":"id"}"#);
    let rows: [(&str, String, String, Option<Reason>); 7] = [
        (
            "a member that is held is healed, its name is not",
            padded(r#"{"items":{"mail":1},"pad":""#, r#"","mail":2}"#),
            padded(r#"{"items":{"email":1},"pad":""#, r#"","mail":2}"#),
            None,
        ),
        (
            "elements of envelopes in envelopes",
            padded(r#"{"data":{"id":7,"a":[{"mail":1}],"pad":""#, r#""},"b":[[{"mail":2}]]}"#),
            padded(r#"{"data":{"id":7,"a":[{"email":1}],"pad":""#, r#""},"b":[[{"email":2}]]}"#),
            None,
        ),
        (
            "a record that is too long, among others",
            padded(r#"[{"mail":1},{"mail":2,"pad":""#, r#""},{"mail":3}]"#),
            padded(r#"[{"email":1},{"mail":2,"pad":""#, r#""},{"email":3}]"#),
            None,
        ),
        (
            "nothing but a record that is too long",
            padded(r#"[{"mail":2,"pad":""#, r#""}]"#),
            padded(r#"[{"mail":2,"pad":""#, r#""}]"#),
            Some(Reason::TooLarge),
        ),
        (
            "nothing but a rule for the envelope",
            padded(r#"{"mail":2,"pad":""#, r#""}"#),
            padded(r#"{"mail":2,"pad":""#, r#""}"#),
            Some(Reason::TooLarge),
        ),
        ("nothing to heal", padded(r#"[{"a":2},""#, r#""]"#), padded(r#"[{"a":2},""#, r#""]"#), None),
        (
            "a tail that is no JSON",
            padded(r#"[{"mail":1},""#, r#"",{"mail":1}}{"mail":1}]"#),
            padded(r#"[{"email":1},""#, r#"",{"email":1}}{"mail":1}]"#),
            Some(Reason::Malformed),
        ),
    ];
    for (what, body, expected, reason) in rows {
        for size in [1, 1000, body.len()] {
            let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
            let mut incremental = healer.incremental(LIMITS);
            let mut out = Vec::new();
            for chunk in body.as_bytes().chunks(size) {
                healer.clear_output();
                incremental.push(&mut healer, &plan, &mut memo, chunk);
                out.extend_from_slice(healer.output());
            }
            assert_eq!(String::from_utf8_lossy(&out), expected, "{what}");
            assert_eq!(incremental.failure().map(|failure| failure.reason), reason, "{what}");
        }
    }
}

/// With a contract, a value stays as it came if only a rule of the envelope would have said what it is.
#[test]
fn values_that_are_contingent_stay() {
    let plan = plan(
        r#""contract":{"type":"object","properties":{"users":{"type":"array","items":{"type":"object","properties":{"email":{}}}}}},
        "rename":{"mail":"email","items":"users"}"#,
    );
    let user = |name: &str| format!(r#"{{"{name}":1}},"#).repeat(1000);
    for (list, name) in [("users", "email"), ("items", "mail")] {
        let body = format!(r#"{{"{list}":[{}{{}}]}}"#, user("mail"));
        let (found, _) = streamed_any(&plan, body.as_bytes());
        assert_eq!(String::from_utf8_lossy(&found), format!(r#"{{"{list}":[{}{{}}]}}"#, user(name)));
    }
}

/// With a contract, an object that a move of the envelope leads through stays as it came.
#[test]
fn objects_that_a_move_of_the_envelope_leads_through_stay() {
    let contract = r#""contract":{"properties":{"x":{},"m":{"properties":{"b":{},"p":{"properties":{"x":{}}}}},"list":{}}},
        "rename":{"a":"b"}"#;
    for (moves, stays) in [("{}", false), (r#"{"m.n":"x"}"#, true), (r#"{"k":"m.p.x"}"#, true)] {
        let plan = plan(&format!(r#"{contract},"move":{moves}"#));
        let body = padded(r#"{"m":{"a":1,"n":2},"list":[""#, r#""]}"#);
        let expected = if stays { body.clone() } else { body.replace("\"a\"", "\"b\"") };
        assert_eq!(String::from_utf8_lossy(&streamed_any(&plan, body.as_bytes()).0), expected, "{moves}");
    }
}

fn streamed_any(plan: &Plan, body: &[u8]) -> (Vec<u8>, Summary) {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut incremental = healer.incremental(LIMITS);
    incremental.push(&mut healer, plan, &mut memo, body);
    let out = healer.output().to_vec();
    (out, incremental.summary())
}

/// Streams of one route share what similarity found, but each has its own limit of unknown names.
#[test]
fn bodies_of_one_route_do_not_touch_each_other() {
    let [_, _, (_, plan)] = plans();
    let made_up = |start: usize| {
        let users: Vec<String> = (start..start + 900)
            .map(|n| format!(r#"{{"userId":{n},"made_up_{n}":1,"emailAddress":"a@b.c","other_{n}":2}}"#))
            .collect();
        format!(r#"{{"users":[{}]}}"#, users.join(","))
    };
    let bodies = [made_up(0), made_up(5000), users_body(Mode::Camel, 100), made_up(10_000)];
    let expected: Vec<_> = bodies.iter().map(|body| whole(&plan, body.as_bytes())).collect();
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let mut streams: Vec<_> = bodies.iter().map(|_| (healer.incremental(LIMITS), Vec::new())).collect();
    for at in (0..).step_by(777) {
        let mut some = false;
        for (body, (stream, out)) in bodies.iter().zip(&mut streams) {
            let rest = body.as_bytes().get(at..).unwrap_or_default();
            some |= !rest.is_empty();
            healer.clear_output();
            stream.push(&mut healer, &plan, &mut memo, &rest[..rest.len().min(777)]);
            out.extend_from_slice(healer.output());
        }
        if !some {
            break;
        }
    }
    for ((stream, out), (bytes, summary)) in streams.iter().zip(&expected) {
        assert!(out == bytes, "{} bytes differ", bytes.len());
        assert_eq!(Summary { shape: None, new_shapes: 0, lacks: false, ..stream.summary() }, *summary);
    }
    // More than should be remembered, until they are forgotten.
    assert!(memo.shapes() <= 8 * Memo::DEFAULT_SHAPES, "{}", memo.shapes());
}

/// Only one record and what arrived with it is held, however long the body is.
#[test]
fn a_hundred_megabytes_pass_in_bounded_memory() {
    let [(_, plan), ..] = plans();
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let record = users_body(Mode::V2, 50);
    let record = record.get("{\"users\":[".len()..record.find("],\"total").expect("an envelope")).expect("a list");
    let mut incremental = healer.incremental(LIMITS);
    incremental.push(&mut healer, &plan, &mut memo, b"{\"users\":[");
    let (mut pushed, mut left) = (0usize, 0usize);
    while pushed < 100_000_000 {
        for chunk in [record.as_bytes(), b","] {
            healer.clear_output();
            incremental.push(&mut healer, &plan, &mut memo, chunk);
            pushed += chunk.len();
            left += healer.output().len();
            assert!(incremental.held().len() <= LIMITS.max_held_bytes);
            assert!(incremental.memory() <= 1 << 20, "{} bytes of memory", incremental.memory());
        }
    }
    assert!(left > pushed / 2 && incremental.failure().is_none());
}
