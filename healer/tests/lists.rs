//! Elements of lists with a known skeleton are passed over, and the output stays the same.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use healer::config::Config;
use healer::{Healer, Intake, Limits, Memo, Plan, Progress, Reason, Summary};

fn plan(route: &str) -> Arc<Plan> {
    let config = format!(r#"{{"routes":[{{"match":{{"path":"/"}},{route}}}]}}"#);
    let config = Config::parse(config.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    config.routes.into_iter().next().expect("a route").plan
}

/// Returns a list of `count` users, numbered from `first`.
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

/// Returns the healed body, and how many of its ops were read off a tape.
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
        // The first bodies are read. Next to nothing of the last ones is, unless the list is evidence or does not
        // change.
        let (read, ops) = reads.pop().expect("rounds");
        assert!(read <= 4 || what.ends_with("another name"), "{what}: {read} of {ops} ops were read");
    }
}

/// Returns an order with this many items, each with parts and labels whose numbers vary.
fn order(id: usize, items: usize, parts: usize) -> String {
    let list = |count: usize, element: &dyn Fn(usize) -> String| (0..count).map(element).collect::<Vec<_>>().join(", ");
    let part = |n: usize| format!(r#"{{"user_id":"part {n}","nick":null}}"#);
    let item = |n: usize| {
        let parts = list((parts + n) % 4, &part);
        format!(
            r#"{{"user_id":{n},"name":"é {id}","parts":[{parts}],"labels":[{}]}}"#,
            list(parts.len() % 3, &|n| n.to_string())
        )
    };
    let items = list(items, &item);
    format!(
        r#"{{"user_id":{id},"items":[ {items}],"tags":[{}],"name":"n"}}"#,
        list(items.len() % 5, &|n| format!("\"{n}\""))
    )
}

const ORDERS: [(&str, &str); 5] = [
    ("anywhere", RENAME),
    (
        "a contract, with drops and what is missing",
        r#""rename":{"user_id":"id"},"unmapped":"drop","contract":{"type":"object","properties":{"id":{},"tags":{},
        "items":{"type":"array","items":{"type":"object","required":["sku"],"properties":{"id":{},"sku":{},"parts":
        {"type":"array","items":{"type":"object","properties":{"id":{}}}}}}}}}"#,
    ),
    (
        "the list is moved",
        r#""rename":{"user_id":"id"},"move":{"items":"data.lines","items[].name":"items[].more.name"}"#,
    ),
    (
        "a rename that does not fire",
        r#""rename":{"items":"tags","user_id":"id"},"contract":{"type":"object","properties":{"id":{},
        "tags":{"type":"array","items":{"type":"object","properties":{"id":{}}}}}}"#,
    ),
    (
        "by similarity",
        r#""similarity":{},"contract":{"type":"object","properties":{"userId":{},"name":{},"tags":{"type":"array"},
        "items":{"type":"array","items":{"type":"object","properties":{"userId":{},"name":{},"labels":{"type":"array"},
        "parts":{"type":"array","items":{"type":"object","properties":{"userId":{},"nickName":{}}}}}}}}}"#,
    ),
];

/// A body is known by its skeleton, however many elements its arrays have.
#[test]
fn arrays_of_any_length_in_a_body() {
    for (what, route) in ORDERS {
        let plan = plan(route);
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let mut unread = 0;
        for round in 0..120 {
            let body = order(round, [2, 3, 1, 5, 4, 2, 7, 0, 9][round % 9], round / 9);
            let (output, summary, read) = heal(&mut healer, &plan, &mut memo, &body, body.len());
            let (expected, first) = alone(&plan, &body);
            assert_eq!(output, expected, "{what}");
            assert_eq!(summary, Summary { new_shapes: summary.new_shapes, ..first }, "{what}: {body}");
            unread += usize::from(read == 0 && summary.ops() > 0);
            for size in [1, 40, 700] {
                assert_eq!(heal(&mut healer, &plan, &mut memo, &body, size).0, expected, "{what}, in chunks of {size}");
            }
        }
        // An array is no list if its elements are left alone because of members around it.
        let are_left = what.ends_with("not fire");
        assert!(unread > 80 || are_left, "{what}: {unread} of 120 bodies were healed by their skeleton");
    }
}

/// A body is known by its skeleton, whatever its arrays without objects hold, unless more of them are nested. A body
/// that exceeds a limit is refused as always.
#[test]
fn arrays_in_arrays() {
    for (what, route) in ORDERS {
        let plan = plan(route);
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let mut unread = 0;
        for round in 0..120usize {
            let point = |n: usize| format!("[{}.5, -{}e-3]", n * round, n);
            let ring = |n: usize| format!("[{}]", (0..(n + round) % 11).map(point).collect::<Vec<_>>().join(" , "));
            let tags = match round % 40 {
                7 => "[[[{\"user_id\":1}]]]".to_owned(),
                14 => format!("{}{}", "[".repeat(62), "]".repeat(62)),
                21 => format!("{}{}", "[".repeat(500), "]".repeat(500)),
                28 => "[[[1],[2]".to_owned(),
                _ => format!("[{}]", (0..=round % 7).map(ring).collect::<Vec<_>>().join(",")),
            };
            let body =
                format!(r#"{{"user_id":{round},"name":"n","tags":{tags},"items":[{{"user_id":1,"labels":{tags}}}]}}"#);
            let way = (Limits::default(), body.len());
            let alone = told(&mut Healer::new(), &plan, &mut Memo::new(&plan), &body, way);
            let found = told(&mut healer, &plan, &mut memo, &body, way);
            unread += usize::from(found.as_ref().is_some_and(|(_, read)| !read));
            let [found, alone] = [found, alone].map(|told| told.map(|(told, _)| told));
            assert_eq!(found, alone, "{what}: {body}");
        }
        let are_left = what.ends_with("not fire");
        assert!(unread > 90 || are_left, "{what}: {unread} of 120 bodies were healed by their skeleton");
    }
}

/// What is learned of lists in elements is not forgotten while other lists come.
#[test]
fn lists_in_elements_that_take_turns() {
    let plan = plan(RENAME);
    let parts = [r#"{"user_id":1}"#, r#"{"x":2}"#];
    for (what, around) in
        [("elements", r#"{"items":[PARTS]}"#), ("lists in them", r#"{"items":[{"user_id":1,"parts":[PARTS]}]}"#)]
    {
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let mut reads = 0;
        for round in 0..60 {
            let body = around.replace("PARTS", parts[round / 2 % 2]);
            let (output, _, read) = heal(&mut healer, &plan, &mut memo, &body, body.len());
            assert_eq!(output, alone(&plan, &body).0);
            reads += read;
        }
        assert!(reads < 8, "{what}: {reads} ops were read");
    }
}

/// The output, the summary, the missing members, and the names that similarity resolved. [`told`] returns beside these
/// whether the body was read.
type Told = (String, Summary, Vec<usize>, Vec<String>);

fn told(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &str, way: (Limits, usize)) -> Option<(Told, bool)> {
    let mut intake = healer.intake(way.0);
    let mut progress = Progress::Hold;
    for chunk in body.as_bytes().chunks(way.1) {
        progress = intake.receive(chunk, plan, memo);
    }
    if progress == Progress::Hold {
        progress = intake.finish();
    }
    let summary = healer.heal(plan, memo, &intake).ok().filter(|_| progress == Progress::Whole)?;
    let missing = if summary.lacks { healer.missing(plan, &intake) } else { Vec::new() };
    let found = memo.last_used().map(|resolution| resolution.from.clone()).collect();
    let (output, _, read) = finish(healer, intake, plan, memo);
    Some(((output, Summary { new_shapes: 0, ..summary }, missing, found), read > 0 || summary.ops() == 0))
}

/// Arrays of any content, after arrays of any other content.
#[test]
fn arrays_of_anything() {
    let elements = [
        r#"{"user_id":1,"name":"a"}"#,
        r#"{"user_id" : 2, "name":null,"parts":[]}"#,
        r#"{"id":3,"user_id":4}"#,
        r#"{"user_id":"2026-11-22","Name":"x","nick":"y"}"#,
        "null",
        r#"{"parts":[{"user_id":8},null,{"nick":"p"}],"labels":["a",1],"user_id":7}"#,
        "{}",
        r#"{"nick":{"user_id":[{"user_id":1}]},"user_id":1}"#,
        r#"{"sku":1,"b":2,"c":3,"d":4,"user_id":5}"#,
        r#"{"parts":[{"parts":[{"parts":[{"user_id":8}]}]}],"user_id":7}"#,
        r#"{"user_id":1,"user_id":2}"#,
        r#"[{"user_id":1}]"#,
        "[[1, 2.5],[],[[null]]]",
        r#"[["a"],1]"#,
        r#""a\u00e9""#,
        "-0.5e3",
    ];
    let bodies = [
        r#"{"user_id":1,"items":[ LIST ],"tags":[1],"name":"n"}"#,
        r#"{"items":[LIST],"tags":[LIST],"user_id":1}"#,
        "[LIST]",
        r#"{"x":{"items":[LIST]},"user_id":1,"items":LIST}"#,
    ];
    let mut seed = 1u32;
    let mut any = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    for (what, route) in ORDERS {
        let plan = plan(route);
        let mut unread = 0;
        for _ in 0..60 {
            let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
            let (body, few) = (bodies[any(bodies.len())], [(); 4].map(|()| elements[any(elements.len())]));
            for round in 0..24 {
                let list: Vec<&str> = (0..any(5)).map(|_| few[any(few.len())]).collect();
                let list = list.join([",", ", "][any(2)]);
                // Now and then, the body is not even a list, or no JSON.
                let whole = if any(20) == 0 { few[0].to_owned() } else { body.replace("LIST", &list) };
                let mut limits = Limits::default();
                match any(12) {
                    0 => limits.max_depth = 1 + any(6) as u32,
                    1 => limits.max_keys = any(5) as u32,
                    _ => (),
                }
                let size = if any(3) == 0 { 1 + any(50) } else { whole.len() };
                let alone = told(&mut Healer::new(), &plan, &mut Memo::new(&plan), &whole, (limits, whole.len()));
                let found = told(&mut healer, &plan, &mut memo, &whole, (limits, size));
                unread += u32::from(found.as_ref().is_some_and(|(_, read)| !read));
                let [found, alone] = [found, alone].map(|told| told.map(|(told, _)| told));
                assert_eq!(found, alone, "{what}, round {round}: {whole} in chunks of {size}, {few:?}");
            }
        }
        assert!(unread > 60, "{what}: {unread} bodies were healed by their skeleton");
    }
}

/// An array that a move would take if its target were free affects the members around it.
#[test]
fn arrays_that_a_move_leaves_where_they_are() {
    let plan = plan(
        r#""move":{"items":"data"},"contract":{"type":"object","required":["state"],
        "properties":{"state":{"type":"string","enum":["open"]},"data":{}}}"#,
    );
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    for items in ["[{}]", "[]", "[{},{}]", "[1]", "null"] {
        for state in ["open", "shut"] {
            let body = format!(r#"{{"state":"{state}","data":1,"items":{items}}}"#);
            let way = (Limits::default(), body.len());
            let [found, alone] = [
                told(&mut healer, &plan, &mut memo, &body, way),
                told(&mut Healer::new(), &plan, &mut Memo::new(&plan), &body, way),
            ];
            assert_eq!(found.map(|(told, _)| told), alone.map(|(told, _)| told), "{body}");
        }
    }
}

/// Streams a body with at most 4000 bytes held.
fn streamed(plan: &Plan, text: &str, size: usize) -> (String, Summary) {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut body = healer.incremental(Limits { max_held_bytes: 4000, ..Limits::default() });
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(size) {
        healer.clear_output();
        body.push(&mut healer, plan, &mut memo, chunk);
        out.extend_from_slice(healer.output());
    }
    healer.clear_output();
    body.finish(&mut healer, &mut memo);
    out.extend_from_slice(healer.output());
    (String::from_utf8(out).expect("UTF-8"), body.summary())
}

/// Elements of a list that streams are known by their skeleton, however many elements their arrays have.
#[test]
fn arrays_of_any_length_in_elements() {
    for (what, route) in ORDERS {
        let plan = plan(route);
        let orders: Vec<String> = (0..300).map(|n| order(n, (n * 7) % 5, n / 5)).collect();
        let text = format!("[{}]", orders.join(",\n"));
        for size in [37, 1000, text.len()] {
            let (found, told) = streamed(&plan, &text, size);
            let (expected, summary) = alone(&plan, &text);
            assert_eq!(found, expected, "{what}, in chunks of {size}");
            let told = Summary { new_shapes: summary.new_shapes, ..told };
            assert_eq!(told, Summary { lacks: false, ..summary }, "{what}, in chunks of {size}");
        }
    }
}

/// An element that is too long leaves as it came, even if its parts are known.
#[test]
fn elements_whose_arrays_are_too_long() {
    for (what, route) in ORDERS {
        let plan = plan(route);
        let orders: Vec<String> = (0..200).map(|n| order(n, if n % 17 == 5 { 60 } else { n % 4 }, n / 5)).collect();
        let text = format!("[{}]", orders.join(", "));
        let whole = streamed(&plan, &text, text.len());
        assert!(orders.iter().filter(|order| order.len() > 4000).all(|order| whole.0.contains(order)), "{what}");
        for size in [1, 37, 1000, 5000] {
            assert_eq!(streamed(&plan, &text, size), whole, "{what}, in chunks of {size}");
        }
    }
}

/// Bodies of one route arrive at the same time, with lists in two places whose elements are alike.
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
                memo.release(&plan);
            }
            receive(&mut intake, &plan, &mut memo, after, 700);
            let (output, ..) = finish(&mut healer, intake, &plan, &mut memo);
            assert_eq!(output, alone(&plan, first).0, "round {round}");
        }
    }
}

/// A body that is too long to be held is healed from its start, although elements were passed over before.
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
                while stream.advance(&mut healer, &plan, &mut memo) {}
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

/// A short body in several chunks is known by its skeleton too. But a value that has closed does not wait for white
/// space that other bodies had behind it.
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

/// What was seen before does not make a body wait that no more bytes could make fit: neither a number, which may be
/// whole, nor a string.
#[test]
fn a_scalar_does_not_wait_for_a_list_that_is_known() {
    let plan = plan(RENAME);
    let bodies = ["0", "42", "-1", "1.5", "-1.5e3", "\"x", "\"x\"", "nul", "null", "t", "true", " 42", "4", "-", "1e"];
    for list in ["[]", "[1]", "[[]]", "[]\n", "[\"a\"]", "{\"a\":1}", "{\"a\":[]}"] {
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        for _ in 0..3 {
            heal(&mut healer, &plan, &mut memo, list, list.len());
        }
        for body in bodies {
            let progress = |memo: &mut Memo| {
                let mut intake = Healer::new().intake(Limits::default());
                intake.receive(body.as_bytes(), &plan, memo)
            };
            assert_eq!(progress(&mut memo), progress(&mut Memo::new(&plan)), "{body} after {list}");
        }
    }
}

/// While an element waits for more bytes, another body of the route may replace the list that is known.
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

/// If the elements that were passed over are no records, the first record is one behind them.
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

/// A body that cannot be healed teaches nothing.
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

/// Questions cannot be answered from a tape that lacks what was passed over.
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

/// Two lists that take turns are not passed over in vain for ever, and the output stays the same.
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

/// A malformed body that has closed is recognized at once, as if it were read.
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

/// Returns the progress of a body that is read at once.
fn intake_of(body: &str) -> Progress {
    Healer::new().intake(Limits::default()).push(body.as_bytes())
}
