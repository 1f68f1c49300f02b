//! Compares a body that streams with a plain reading of the rules for what is decided together.

use std::sync::Arc;

use super::*;
use crate::config::Config;
use proptest::prelude::*;

/// Plans with rules for envelopes, for what is inside them, and through them.
const ROUTES: [&str; 8] = [
    r#""rename":{"a":"b","c":"d"}"#,
    r#""rename":{"a":"b"},"move":{"c.d":"e","a.b.c":"f"}"#,
    r#""packs":["camel-case"],"move":{"aB.c":"e"}"#,
    r#""rename":{"a":"b"},"move":{"c[].a":"c[].d.e","c[].b.a":"c[].c"},"unmapped":"drop""#,
    r#""contract":{"properties":{"b":{"properties":{"b":{},"d":{}}},"d":{"items":{"properties":{"b":{},"d":{"properties":{"b":{}}}}}}}},
       "rename":{"a":"b","c":"d"}"#,
    r#""contract":{"properties":{"b":{"properties":{"b":{},"d":{}}},"d":{"items":{"properties":{"b":{},"d":{"properties":{"b":{}}}}}}}},
       "rename":{"a":"b","c":"d"},"move":{"c.a":"d","e.b":"b","d[].c.a":"d[].b"},"unmapped":"drop""#,
    r#""contract":{"items":{"properties":{"b":{},"d":{"items":{"properties":{"b":{},"d":{}}}}}}},"rename":{"a":"b","c":"d"}"#,
    r#""contract":{"properties":{"b":{},"d":{"items":{"properties":{"email":{},"phone":{}}}}}},
       "rename":{"a":"b"},"similarity":{"profile":"default"}"#,
];

fn plan(route: &str) -> Arc<Plan> {
    let text = format!(r#"{{"routes":[{{"match":{{"prefix":"/"}},{route}}}]}}"#);
    Config::parse(text.as_bytes()).expect("a configuration").routes.remove(0).plan
}

fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![Just("1"), Just("\"a,]}\\\"\""), Just("\"é\\u00e9\""), Just("-0.5e3"), Just("null")];
    let name = proptest::sample::select(vec!["a", "b", "c", "d", "e", "f", "aB", "\\u0061", "e_mail", "phoneNo"]);
    let value = scalar.prop_map(str::to_owned).prop_recursive(5, 60, 6, move |inside| {
        let item = (inside.clone(), proptest::sample::select(vec!["", " ", "\n  "]));
        let member = (name.clone(), item.clone());
        let array = |items: Vec<(String, &str)>| {
            let items: Vec<String> = items.into_iter().map(|(value, gap)| format!("{gap}{value}{gap}")).collect();
            format!("[{}]", items.join(","))
        };
        let object = |members: Vec<(&str, (String, &str))>| {
            let text = |(name, (value, gap))| format!("{gap}\"{name}\"{gap}:{gap}{value}");
            format!("{{{}}}", members.into_iter().map(text).collect::<Vec<String>>().join(","))
        };
        prop_oneof![
            2 => proptest::collection::vec(item, 0..6).prop_map(array),
            3 => proptest::collection::vec(member, 0..6).prop_map(object),
        ]
    });
    value.prop_filter("a container", |text| text.starts_with(['{', '[']))
}

/// A plain reading of the rules: value by value, without tape, window or batch.
struct Reading<'a> {
    plan: &'a Plan,
    memo: Memo,
    most: usize,
    out: String,
}

impl Reading<'_> {
    fn value(&mut self, text: &str, state: Id, is_root: bool, in_array: bool) {
        let fits = text.len() <= self.most;
        match text.as_bytes().first() {
            Some(b'{') if fits && !is_root => self.alone(text, state),
            Some(b'{') if !in_array => self.envelope(text, state),
            Some(b'[') => {
                let element = self.plan.automaton().state(state).element;
                self.items(text, |reading, item| reading.value(item, element, false, true));
            }
            _ => self.out.push_str(text),
        }
    }

    /// Reads an object that is healed by itself.
    fn alone(&mut self, text: &str, state: Id) {
        let mut healer = Healer::new();
        let mut intake = healer.intake(Limits::default());
        let _ = intake.push(text.as_bytes());
        let part = Part::Value(held_state(self.plan, state));
        let body = Body::of(text.as_bytes(), &intake.scanner, &intake.limits, part);
        self.memo.start(self.plan, 0);
        healer.heal_part(self.plan, &mut self.memo, &body, 0).expect("a sound object");
        self.out.push_str(std::str::from_utf8(healer.output()).expect("UTF-8"));
    }

    fn envelope(&mut self, text: &str, state: Id) {
        self.items(text, |reading, member| {
            let (name, value) = member.split_at(member.find(':').expect("a colon") + 1);
            let gap = value.len() - value.trim_start().len();
            let quoted = name[..name.len() - 1].trim();
            let automaton = reading.plan.automaton();
            let known = EnvelopeMember::of(automaton, automaton.state(state), &quoted.as_bytes()[1..quoted.len() - 1]);
            reading.out.push_str(name);
            reading.out.push_str(&value[..gap]);
            reading.value(&value[gap..], known.state, false, false);
        });
    }

    /// Calls `each` for the items of a container, with the white space around them as it is.
    fn items(&mut self, text: &str, mut each: impl FnMut(&mut Self, &str)) {
        self.out.push_str(&text[..1]);
        let (mut depth, mut in_string, mut escaped, mut start) = (0, false, false, 1);
        for (at, c) in text.char_indices().skip(1) {
            let ends = !in_string && depth == 0 && (c == ',' || at + 1 == text.len());
            match c {
                _ if ends => {
                    let item = &text[start..at];
                    let (lead, rest) = item.split_at(item.len() - item.trim_start().len());
                    self.out.push_str(lead);
                    if !rest.is_empty() {
                        each(self, rest.trim_end());
                    }
                    self.out.push_str(&rest[rest.trim_end().len()..]);
                    self.out.push(c);
                    start = at + 1;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = !in_string,
                '{' | '[' if !in_string => depth += 1,
                '}' | ']' if !in_string => depth -= 1,
                _ => (),
            }
        }
    }
}

fn streamed<'c>(plan: &Plan, most: usize, chunks: impl Iterator<Item = &'c [u8]>) -> (String, Incremental) {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut incremental = healer.incremental(Limits { max_held_bytes: most, ..Limits::default() });
    for chunk in chunks {
        incremental.push(&mut healer, plan, &mut memo, chunk);
    }
    incremental.finish(&mut healer, &mut memo);
    (String::from_utf8(healer.output().to_vec()).expect("UTF-8"), incremental)
}

/// Returns the length of some object in a text, or nearly that.
fn near_a_length(text: &str, choice: usize) -> usize {
    let (mut open, mut lengths) = (Vec::new(), vec![text.len() / 2]);
    // Brackets in strings only add lengths to choose from.
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' => lengths.extend(open.pop().map(|start| at + 1 - start)),
            _ => (),
        }
    }
    (lengths[choice / 3 % lengths.len()] + choice % 3).saturating_sub(1).max(1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8192))]

    #[test]
    fn a_body_is_read_by_the_rules(
        text in json(),
        route in 0..ROUTES.len(),
        choice in any::<usize>(),
        cut in any::<prop::sample::Index>(),
        size in prop_oneof![Just(usize::MAX), 1usize..100],
    ) {
        let (plan, most) = (plan(ROUTES[route]), near_a_length(&text, choice));
        let mut reading = Reading { plan: &plan, memo: Memo::new(&plan), most, out: String::new() };
        reading.value(&text, plan.automaton().root, true, false);
        let (first, rest) = text.as_bytes().split_at(cut.index(text.len()));
        let (found, incremental) = streamed(&plan, most, [first].into_iter().chain(rest.chunks(size)));
        prop_assert_eq!(&found, &reading.out, "most {} cut {} route {}: {}", most, first.len(), route, text);
        prop_assert_eq!(incremental.summary().changed, found != text);
    }
}

/// What is not done because an envelope is not held is counted, and so is what is done nevertheless.
#[test]
fn what_is_left_undone_is_told() {
    let contract = r#""contract":{"properties":{"b":{},"d":{"items":{"properties":{"b":{}}}}}}"#;
    let long = r#"[{"b":1},{"b":2},{"b":3},{"b":4}]"#;
    let table = [
        (r#""rename":{"a":"b"}"#.to_owned(), r#""a":1"#, 1, 0),
        (r#""move":{"m.n":"b"}"#.to_owned(), r#""m":{"n":1}"#, 1, 0),
        (r#""move":{"m.n":"b"}"#.to_owned(), r#""m":{"x":{"n":1}}"#, 0, 0),
        (r#""move":{"m.n":"b"}"#.to_owned(), r#""m":[{"n":1}]"#, 0, 0),
        (r#""move":{"m.n.o":"b","m.p":"c"}"#.to_owned(), r#""m" : {"x":[1],"\u006e":{"o":1},"p":1}"#, 2, 0),
        (format!(r#"{contract},"move":{{"m.n":"b"}}"#), r#""m":{"x":1,"n":1}"#, 1, 0),
        (format!(r#"{contract},"unmapped":"drop""#), r#""b":1,"m":2"#, 1, 0),
        (format!(r#"{contract},"rename":{{"m":"b"}},"unmapped":"drop""#), r#""m":2"#, 1, 0),
        (format!(r#"{contract},"similarity":{{"profile":"default"}}"#), r#""b":1,"bb":2"#, 0, 1),
        (contract.to_owned(), r#""b":1,"bb":2"#, 0, 0),
    ];
    for (route, members, undone, unscored) in table {
        let body = format!("{{{members},\"d\":{long}}}");
        let (found, incremental) = streamed(&plan(&route), 30, body.as_bytes().chunks(7));
        let summary = incremental.summary();
        assert_eq!((summary.conflicts, summary.unscored), (undone, unscored), "{route} {body}");
        let reason = incremental.failure().map(|failure| failure.reason);
        assert_eq!(reason, (undone > 0).then_some(Reason::TooLarge), "{route} {body}");
        assert_eq!(found, body);
    }
}

/// If an object of an envelope is not JSON, nothing is reported of it, however it is cut, and the search inside it
/// ends.
#[test]
fn nothing_is_told_of_what_is_malformed() {
    let plan = plan(r#""move":{"m.n":"b"}"#);
    let objects =
        [r#"{"x"}{"n":1}"#, r#"{"n" 1},"n"{}"#, r#"{"n":1]"#, r#"{"x":{"y"}}[1],"n":1"#, r#"{"n"}:"#, r#"{"n"}"#];
    for object in objects {
        for body in [format!(r#"{{"m":{object}}}"#), format!(r#"{{"z":1,"m":{object},"m":[1],"n":{{}}}}"#)] {
            for size in [1, 5, body.len()] {
                let (found, incremental) = streamed(&plan, 40, body.as_bytes().chunks(size));
                assert_eq!(incremental.failure().map(|failure| failure.reason), Some(Reason::Malformed), "{body}");
                assert_eq!(incremental.summary(), Summary::default(), "{body} in chunks of {size}");
                assert_eq!(found, body);
            }
        }
    }
}

/// Time grows with the number of bytes, however they come. If it grew with the square, this would take minutes.
#[test]
fn a_long_record_byte_by_byte() {
    let plan = plan(ROUTES[0]);
    let object = format!("{{{}\"a\":1}}", "\"x\":[{}],".repeat(30_000));
    let healed = object.replace("\"a\"", "\"b\"");
    for (before, after) in [("[", "]"), ("{\"z\":", "}"), ("[[1,", "]]"), ("[{},", ",[]]")] {
        let body = format!("{before}{object}{after}");
        let (found, _) = streamed(&plan, 1 << 20, body.as_bytes().chunks(1));
        assert!(found == format!("{before}{healed}{after}"), "{before}");
    }
    for text in ["1".repeat(100_000), format!("\"{}\"", "\\u00e9é".repeat(30_000)), " ".repeat(300_000)] {
        let body = format!("[{text}{}{{\"a\":1}}]", if text.starts_with(' ') { "" } else { "," });
        let (found, _) = streamed(&plan, 1 << 20, body.as_bytes().chunks(1));
        assert!(found == body.replace("\"a\"", "\"b\""));
    }
}

#[test]
fn depth_is_bounded_over_all() {
    let plan = plan(ROUTES[0]);
    let body = |depth: usize| format!("[{{\"a\":1}},{}{}]", "[".repeat(depth), "]".repeat(depth));
    for (depth, reason) in [(255, None), (256, Some(Reason::TooDeep))] {
        for size in [1, 1000] {
            let (found, incremental) = streamed(&plan, 100, body(depth).as_bytes().chunks(size));
            assert_eq!(found, body(depth).replace('a', "b"));
            assert_eq!(incremental.failure().map(|failure| failure.reason), reason);
        }
    }
}

/// What can be decided with the first part of a body is not held until the second.
#[test]
fn nothing_waits_that_need_not() {
    let plan = plan(ROUTES[0]);
    let nested = r#"[[{"a":1}],2,{"a":[{"a":3}]},[[{"a":1},[]],{"a":1}],"x",{"a":1}]"#;
    let long = format!("[{}7]", "{\"a\":1},".repeat(40_000));
    for body in [nested.to_owned(), format!("{{\"z\":{nested},\"y\":[[{nested}]]}}"), long] {
        let expected = body.replace("\"a\"", "\"b\"");
        let step = 1 + body.len() / 100;
        for cut in (0..body.len()).step_by(step) {
            let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
            let mut incremental = healer.incremental(Limits::default());
            let (first, rest) = body.as_bytes().split_at(cut);
            incremental.push(&mut healer, &plan, &mut memo, first);
            assert!(incremental.held().len() < r#"{"a":[{"a":3}]}"#.len(), "cut at {cut}");
            incremental.push(&mut healer, &plan, &mut memo, rest);
            assert!(incremental.is_closed() && healer.output() == expected.as_bytes(), "cut at {cut}");
        }
    }
}

/// Why and where a body fails depends neither on where it was cut nor on what is known of its elements.
#[test]
fn failures_are_the_same_in_any_chunks() {
    let plan = plan(ROUTES[0]);
    let ends: [&[u8]; 22] = [
        b"nulx}",
        b"nul",
        b"trux",
        b"-}",
        b"01}",
        b"\"\\x\"}",
        b"\"\\x",
        b"\"\\u12",
        b"\"\\u12x",
        b"\"\\u12x\"}",
        b"\"\xff\"}",
        b"\"\xff\"",
        b"\"\xff",
        b"\"\xc3",
        b"\"\xc3\"",
        b"\"\xe2\x82",
        b"\"\x01",
        b"\"\x01\xff\\x",
        b"\"\\x\x01",
        b"\"\xff\x01",
        b"\"\\x\"]",
        b"\"\xff\"]",
    ];
    let long_number = [b'1'; 100];
    let in_element = ends.map(|end| [b"[{\"a\":1},{\"a\":2}, {\"a\":", end].concat());
    let streamed = |body: &[u8], size: usize| {
        let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
        let mut incremental = healer.incremental(Limits { max_held_bytes: 99, ..Limits::default() });
        body.chunks(size).for_each(|chunk| incremental.push(&mut healer, &plan, &mut memo, chunk));
        incremental.finish(&mut healer, &mut memo);
        (healer.output().to_vec(), incremental.failure())
    };
    for body in in_element.into_iter().chain([[b"[{\"a\":1}, ", &long_number[..]].concat()]) {
        let alone = streamed(&body, body.len());
        assert!(alone.1.is_some());
        for size in [1, 2, 9, 10, 11] {
            assert_eq!(streamed(&body, size), alone, "in chunks of {size}: {}", String::from_utf8_lossy(&body));
        }
    }
}

/// An element that comes in small chunks is not read from its start with each of them.
#[test]
fn long_elements_cost_what_short_ones_do() {
    let plan = plan(ROUTES[0]);
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(600_000));
    let other = long.replace("x\"}", "\",\"z\":1}");
    let body = format!(r#"[{{"a":"1"}},{{"a":"2"}},{long},{{"a":"2"}},{other},{{"a":"3"}}]"#);
    let (found, _) = streamed(&plan, 1 << 20, body.as_bytes().chunks(5));
    assert!(found == body.replace("\"a\"", "\"b\""));
}
