//! Elements of lists that have the skeleton of earlier ones are passed over, and what bodies become stays the same.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use healer::config::Config;
use healer::{Healer, Intake, Limits, Memo, Plan, Progress, Reason, Summary};

fn plan(route: &str) -> Plan {
    let config = format!(r#"{{"routes":[{{"match":{{"path":"/"}},{route}}}]}}"#);
    let config = Config::parse(config.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    config.routes.into_iter().next().expect("a route").plan
}

/// So many users, the first of which has that number.
fn users(first: usize, count: usize) -> String {
    let user = |id| format!(r#"{{"user_id":{id},"name":"user {id}","nick":null,"tags":["a","é"]}}"#);
    let users: Vec<String> = (first..first + count).map(user).collect();
    format!("[{}]", users.join(", "))
}

fn receive(intake: &mut Intake, plan: &Plan, memo: &mut Memo, bytes: &[u8], size: usize) {
    for chunk in bytes.chunks(size) {
        intake.receive(chunk, plan, memo);
    }
}

/// A body as it is healed, and how many of its ops were read off a tape.
fn finish(healer: &mut Healer, intake: Box<Intake>, plan: &Plan, memo: &mut Memo) -> (String, Summary, usize) {
    let summary = healer.heal(plan, memo, &intake).expect("JSON");
    let output = if summary.changed { healer.output() } else { intake.held() };
    let output = String::from_utf8(output.to_vec()).expect("UTF-8");
    let read = healer.report().len();
    healer.learn(plan, memo, &intake);
    healer.recycle(intake);
    (output, summary, read)
}

fn heal(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &str, size: usize) -> (String, Summary, usize) {
    let mut intake = healer.intake(Limits::default());
    receive(&mut intake, plan, memo, body.as_bytes(), size);
    finish(healer, intake, plan, memo)
}

fn alone(plan: &Plan, body: &str) -> (String, Summary) {
    let mut healer = Healer::new();
    let summary = healer.heal_bytes(plan, body.as_bytes()).expect("JSON");
    let output = if summary.changed { healer.output().to_vec() } else { body.as_bytes().to_vec() };
    (String::from_utf8(output).expect("UTF-8"), summary)
}

const RENAME: &str = r#""rename":{"user_id":"id","nick":"nickname"}"#;
const MOVE: &str = r#""move":{"data[].name":"data[].profile.name"}"#;
const CONTRACT: &str = r#""rename":{"users":"people","user_id":"id"},"unmapped":"drop","contract":{"type":"object","properties":
    {"people":{"type":"array","items":{"type":"object","required":["id","mail"],
    "properties":{"id":{},"name":{},"mail":{}}}},"total":{}}}"#;
const SIMILAR: &str = r#""similarity":{},"contract":{"type":"object","properties":{"data":{"type":"array","items":
    {"type":"object","properties":{"userId":{},"name":{},"nick":{}}}},"totalCount":{}}}"#;

#[test]
fn lists_wherever_they_are() {
    let rows = [
        ("a root", RENAME, "LIST"),
        ("in an envelope", RENAME, r#"{"data":LIST,"user_id":9}"#),
        ("deep down", RENAME, r#"{ "a" : [[{"nick":[ [LIST] ]}]] }"#),
        ("beside another", RENAME, r#"{"few":[{"user_id":1}],"data":LIST}"#),
        ("moves in it", MOVE, r#"{"data":LIST,"more":{"data":[]}}"#),
        ("renamed, with drops and what is missing", CONTRACT, r#"{"users":LIST,"totals":1,"total":2}"#),
        ("a rename that does not fire", CONTRACT, r#"{"users":LIST,"people":[]}"#),
        ("dropped with all in it", CONTRACT, r#"{"total":1,"nobody":LIST}"#),
        ("by similarity", SIMILAR, r#"{"data":LIST,"total_count":7}"#),
        ("by similarity, under another name", SIMILAR, r#"{"datas":LIST,"total_count":7}"#),
    ];
    for (what, route, body) in rows {
        let plan = plan(route);
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let mut reads = Vec::new();
        for (round, count) in [40, 30, 60, 41, 50, 45].into_iter().enumerate() {
            let body = body.replace("LIST", &users(round * 1000, count));
            for size in [body.len(), 1500, 100, 1] {
                let (output, summary, read) = heal(&mut healer, &plan, &mut memo, &body, size);
                let (expected, first) = alone(&plan, &body);
                assert_eq!(output, expected, "{what}, in chunks of {size}");
                assert_eq!(summary, Summary { new_shapes: summary.new_shapes, ..first }, "{what}, in chunks of {size}");
                if size > 1000 {
                    reads.push((read, summary.ops() as usize));
                }
            }
        }
        // The first bodies are read; of the last ones next to nothing is, unless the list is evidence or does not change.
        let (read, ops) = reads.pop().expect("rounds");
        assert!(read <= 4 || what.ends_with("another name"), "{what}: {read} of {ops} ops were read");
    }
}

/// Bodies of one route that come at once, with lists in two places whose elements are alike.
#[test]
fn lists_of_bodies_that_come_at_once() {
    let plan = plan(CONTRACT);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let list = users(1, 60);
    let bodies = [
        format!(r#"{{"people":{list}}}"#),
        format!(r#"{{"other":{list},"people":{list}}}"#),
        format!(r#"{{"total":{{"people":{list}}}}}"#),
    ];
    for round in 0..6 {
        for (first, second) in [(0, 1), (1, 2), (2, 0), (0, 2)] {
            let [first, second] = [&bodies[first], &bodies[second]];
            let mut intake = healer.intake(Limits::default());
            let (before, after) = first.as_bytes().split_at(first.len() / 2);
            receive(&mut intake, &plan, &mut memo, before, 700);
            for _ in 0..round {
                let (output, ..) = heal(&mut healer, &plan, &mut memo, second, 700);
                assert_eq!(output, alone(&plan, second).0);
            }
            if round == 5 {
                memo.forget();
            }
            receive(&mut intake, &plan, &mut memo, after, 700);
            let (output, ..) = finish(&mut healer, intake, &plan, &mut memo);
            assert_eq!(output, alone(&plan, first).0, "round {round}");
        }
    }
}

/// A body that outgrows what may be held is none whose elements were passed over.
#[test]
fn lists_that_turn_out_to_be_too_long() {
    let plan = plan(RENAME);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    for _ in 0..3 {
        heal(&mut healer, &plan, &mut memo, &users(0, 50), 1000);
    }
    let body = users(0, 100);
    let limits = Limits { max_held_bytes: body.len() - 500, ..Limits::default() };
    let mut intake = healer.intake(limits);
    let mut stream = None;
    let mut out = Vec::new();
    for chunk in body.as_bytes().chunks(300) {
        healer.clear_output();
        match &mut stream {
            None if intake.receive(chunk, &plan, &mut memo) == Progress::Hold => continue,
            None => {
                let held = std::mem::replace(&mut intake, healer.intake(limits));
                let stream = stream.insert(healer.outgrow(held));
                healer.clear_output();
                stream.advance(&mut healer, &plan, &mut memo);
            }
            Some(stream) => stream.push(&mut healer, &plan, &mut memo, chunk),
        }
        out.extend_from_slice(healer.output());
    }
    healer.clear_output();
    stream.expect("a list that is too long").finish(&mut healer, &mut memo);
    out.extend_from_slice(healer.output());
    assert_eq!(String::from_utf8(out).expect("UTF-8"), alone(&plan, &body).0);
}

/// A short body in several chunks is known by its skeleton too; but a value that has closed does not wait for white space that
/// others had behind it.
#[test]
fn short_bodies_in_several_chunks() {
    let plan = plan(RENAME);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let body = |id: u32| format!("{{\"a\":{{\"user_id\":{id}}}}}\n");
    heal(&mut healer, &plan, &mut memo, &body(1), 100);
    let (output, _, read) = heal(&mut healer, &plan, &mut memo, &body(22), 9);
    assert_eq!((output.as_str(), read), ("{\"a\":{\"id\":22}}\n", 0));
    let mut intake = healer.intake(Limits::default());
    assert_eq!(intake.receive(br#"{"a":{"user_id""#, &plan, &mut memo), Progress::Hold);
    assert_eq!(intake.receive(b":3}}", &plan, &mut memo), Progress::Whole);
    let (output, _, read) = finish(&mut healer, intake, &plan, &mut memo);
    assert_eq!((output.as_str(), read), (r#"{"a":{"id":3}}"#, 1));
    let mut intake = healer.intake(Limits::default());
    assert_eq!(intake.receive(br#"{"a":{"user_id":"#, &plan, &mut memo), Progress::Hold);
    assert_eq!(intake.finish(), Progress::Release(Reason::Truncated));
}

/// While an element waits for more of it, another body of the route may make another list the one that is known.
#[test]
fn an_element_that_waits_while_another_list_is_learned() {
    let plan = plan(RENAME);
    let root = users(0, 1000);
    let inside = format!(r#"{{"data":{root}}}"#);
    for (first, second) in [(&root, &inside), (&inside, &root)] {
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        for _ in 0..2 {
            heal(&mut healer, &plan, &mut memo, first, first.len());
        }
        for size in [30, 40, 1000] {
            let mut intake = healer.intake(Limits::default());
            let (before, after) = first.as_bytes().split_at(size);
            receive(&mut intake, &plan, &mut memo, before, size);
            for _ in 0..4 {
                heal(&mut healer, &plan, &mut memo, second, second.len());
            }
            assert_eq!(intake.receive(after, &plan, &mut memo), Progress::Whole);
            let (output, ..) = finish(&mut healer, intake, &plan, &mut memo);
            assert_eq!(output, alone(&plan, first).0);
        }
    }
}

/// Where elements that were passed over are no records, the first record is one that comes after them.
#[test]
fn the_shape_of_the_first_record() {
    let plan = plan(
        r#""similarity":{},"contract":{"type":"array","items":{"type":"array","items":
        {"type":"object","properties":{"userId":{},"name":{},"nick":{}}}}}"#,
    );
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let list = users(0, 1000);
    let body = list.replace("}]", "},[{\"user_id\":1,\"name\":\"n\"}]]");
    let shape = alone(&plan, &body).1.shape;
    assert!(shape.is_some());
    for _ in 0..4 {
        assert_eq!(heal(&mut healer, &plan, &mut memo, &body, 5000).1.shape, shape);
    }
}

/// What cannot be healed teaches nothing.
#[test]
fn a_malformed_list_is_malformed_each_time() {
    let plan = plan(RENAME);
    for odd in ["na\\xme", "\\ud800", "na\u{1}me"] {
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let body = users(0, 1000).replace("name\"", &format!("{odd}\""));
        let mut results = Vec::new();
        for _ in 0..4 {
            let mut intake = healer.intake(Limits::default());
            receive(&mut intake, &plan, &mut memo, body.as_bytes(), 5000);
            results.push(healer.heal(&plan, &mut memo, &intake).map(|summary| summary.ops()));
            healer.learn(&plan, &mut memo, &intake);
            healer.recycle(intake);
        }
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{odd}: {results:?}");
    }
}

/// A tape that lacks what was passed over answers no questions.
#[test]
fn what_was_passed_over_is_not_asked_about() {
    let plan = plan(SIMILAR);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let body = format!(r#"{{"data":{}}}"#, users(0, 1000));
    let mut answers = Vec::new();
    for _ in 0..3 {
        heal(&mut healer, &plan, &mut memo, &body, 5000);
        let mut intake = healer.intake(Limits::default());
        receive(&mut intake, &plan, &mut memo, body.as_bytes(), 5000);
        answers.push((
            healer.decide(&plan, &mut memo, &intake).is_ok(),
            healer.matching(&plan, &mut memo, &intake).is_ok(),
        ));
    }
    assert_eq!(answers.last(), Some(&(false, false)));
}

/// Two lists that take turns are not passed over in vain for ever, and what they become stays the same.
#[test]
fn lists_that_take_turns() {
    let plan = plan(
        r#""rename":{"user_id":"id"},"contract":{"type":"object","properties":{
        "people":{"type":"array","items":{"type":"object","properties":{"id":{}}}},
        "admins":{"type":"array","items":{"type":"object","properties":{"id":{},"name":{}}}}}}"#,
    );
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let list = users(0, 40);
    for round in 0..200 {
        let body = format!(r#"{{"{}":{list}}}"#, if round % 2 == 0 { "people" } else { "admins" });
        let (output, ..) = heal(&mut healer, &plan, &mut memo, &body, 4000);
        assert_eq!(output, alone(&plan, &body).0);
    }
}

/// A body that is malformed and has closed is known to be at once, as if it were read.
#[test]
fn a_malformed_element_at_the_end_is_not_waited_for() {
    let plan = plan(RENAME);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let list = |last: &str| {
        let elements: Vec<String> = (0..300).map(|id| format!(r#"{{"user_id":"{id}"}}"#)).collect();
        format!(r#"[{},{{"user_id":"{last}"}}]"#, elements.join(","))
    };
    for last in ["a", "b", "\\x", "\\u", "\\u00", "\u{1}", "c"] {
        let body = list(last);
        let mut intake = healer.intake(Limits::default());
        assert_eq!(intake.receive(body.as_bytes(), &plan, &mut memo), intake_of(&body), "{last}");
        if healer.heal(&plan, &mut memo, &intake).is_ok() {
            healer.learn(&plan, &mut memo, &intake);
        }
    }
}

/// How far a body is that is read at once.
fn intake_of(body: &str) -> Progress {
    Healer::new().intake(Limits::default()).push(body.as_bytes())
}
