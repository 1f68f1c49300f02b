//! Limits on one body: a body just within them is healed, and one beyond them is left alone, in any chunks.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use healer::config::Config;
use healer::{Healer, Limits, Memo, NewShape, Plan, Progress, Reason, Summary};

fn plan(route: &str) -> Arc<Plan> {
    let config = format!(r#"{{"routes":[{{"match":{{"path":"/"}},{route}}}]}}"#);
    let config = Config::parse(config.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    config.routes.into_iter().next().expect("a route").plan
}

/// Heals a body that arrives in chunks of this size.
fn heal(plan: &Plan, memo: &mut Memo, limits: Limits, body: &str, size: usize) -> Result<Summary, Reason> {
    let mut healer = Healer::new();
    let mut intake = healer.intake(limits);
    for chunk in body.as_bytes().chunks(size) {
        if let Progress::Release(reason) = intake.push(chunk) {
            assert!(body.as_bytes().starts_with(intake.held()));
            return Err(reason);
        }
    }
    healer.heal(plan, memo, &intake).map_err(|failure| failure.reason)
}

/// Rules and contract multiply. A plan that would take too much of a worker's memory is refused first.
#[test]
fn moves_of_one_plan() {
    let rules = |n: usize| format!(r#""move":{{{}}}"#, list(n, |n| format!(r#""s{n}":"t.u""#)));
    let record = r#"{"properties":{"t":{"properties":{"u":{}}}}}"#;
    assert_eq!(problem_of(record, &rules(65_536 / 256)), None);
    let problem = problem_of(record, &rules(65_536 / 256 + 1)).expect("a problem");
    assert!(problem.contains("more than 65536 moves"), "{problem}");
}

/// As above, for renames, each of which counts in all records that expect its target.
#[test]
fn names_of_one_plan() {
    let rules = |n: usize| format!(r#""rename":{{{}}}"#, list(n, |n| format!(r#""s{n}":"t""#)));
    let record = r#"{"properties":{"t":{}}}"#;
    assert_eq!(problem_of(record, &rules(2040)), None);
    let problem = problem_of(record, &rules(2048)).expect("a problem");
    assert!(problem.contains("more than 524288 names"), "{problem}");
}

fn list(times: usize, item: fn(usize) -> String) -> String {
    (0..times).map(item).collect::<Vec<_>>().join(",")
}

/// Returns why rules are refused beside a contract of 256 such records.
fn problem_of(record: &str, rules: &str) -> Option<String> {
    let records: Vec<String> = (0..256).map(|n| format!(r#""r{n}":{record}"#)).collect();
    let route = format!(r#""contract":{{"properties":{{{}}}}},{rules}"#, records.join(","));
    let config = format!(r#"{{"routes":[{{"match":{{"path":"/"}},{route}}}]}}"#);
    Config::parse(config.as_bytes()).err().map(|error| error.to_string())
}

/// A record whose unknown lists have too many members in their first elements stays, whatever was seen before.
#[test]
fn members_in_unknown_lists() {
    let things = r#"{"type":"array","items":{"properties":{"weight":{},"height":{},"colour":{}}}}"#;
    let contract = format!(r#"{{"properties":{{"user_name":{{}},"email":{{}},"things":{things}}}}}"#);
    let plan = plan(&format!(r#""similarity":{{}},"contract":{contract}"#));
    let body = |element: &str| {
        let lists: Vec<String> = (0..22).map(|at| format!(r#","l{at}":[{{{element}}}]"#)).collect();
        format!(r#"{{"userName":"x","email":"e"{}}}"#, lists.concat())
    };
    let few = body("");
    let many = body(&(0..96).map(|at| format!(r#""m{at}":1"#)).collect::<Vec<_>>().join(","));
    let changed = |memo: &mut Memo, body: &str| {
        heal(&plan, memo, Limits::default(), body, 1 << 16).map(|summary| summary.changed)
    };
    assert_eq!(changed(&mut Memo::new(&plan), &many), Ok(false));
    let mut memo = Memo::new(&plan);
    assert_eq!(changed(&mut memo, &few), Ok(true));
    assert_eq!(changed(&mut memo, &many), Ok(false));
    let both = format!("[{few},{many}]");
    let list = format!(r#""similarity":{{}},"contract":{{"type":"array","items":{contract}}}"#);
    let (plan, mut healer) = (crate::plan(&list), Healer::new());
    healer.heal_bytes(&plan, both.as_bytes()).expect("JSON");
    let output = String::from_utf8_lossy(healer.output());
    assert!(output.contains(r#"{"user_name""#) && output.contains(&many), "{output:.100}");
}

/// What a body would become is bounded before any of it is written.
#[test]
fn a_healed_body_that_is_too_long() {
    const RECORDS: usize = 100_000;
    let list = |record: &str| format!("[{}]", vec![record; RECORDS].join(","));
    let name = |bytes: usize| "n".repeat(bytes);
    let most = Healer::MAX_OUTPUT_BYTES / RECORDS;
    for (rule, record) in [(r#""rename":{"a":"NAME"}"#, r#"{"a":1}"#), (r#""move":{"a.b":"NAME"}"#, r#"{"a":{"b":1}}"#)]
    {
        for (bytes, expected) in [(10, Ok(true)), (most - 40, Ok(true)), (most, Err(Reason::OutputTooLarge))] {
            let plan = plan(&rule.replace("NAME", &name(bytes)));
            let limits = Limits { max_held_bytes: 2 << 20, ..Limits::default() };
            let (mut memo, body) = (Memo::new(&plan), list(record));
            let found = heal(&plan, &mut memo, limits, &body, 1 << 16);
            assert_eq!(found.map(|summary| summary.changed), expected, "{rule} {bytes}");
        }
    }
}

/// White space that is repeated is counted, and so are names that a convention makes.
#[test]
fn bodies_that_grow_much_are_healed() {
    let gap = " ".repeat(100);
    let rows = [
        (
            r#""move":{"o.a":"a","o.b":"b","o.c":"c"}"#,
            format!(r#"{{{gap}"z":0,"o":{{"a":1,"b":2,"c":3}}}}"#),
            format!(r#"{{{gap}"z":0,{gap}"a":1,{gap}"b":2,{gap}"c":3}}"#),
        ),
        (
            r#""move":{"x":"a.b.c"}"#,
            format!(r#"{{"x"{gap}:1}}"#),
            format!(r#"{{"a"{gap}:{{"b"{gap}:{{"c"{gap}:1}}}}}}"#),
        ),
        (
            r#""move":{"x":"x.y.z"}"#,
            format!(r#"{{"x"{gap}:1}}"#),
            format!(r#"{{"x"{gap}:{{"y"{gap}:{{"z"{gap}:1}}}}}}"#),
        ),
        (r#""packs":["camel-case"]"#, r#"{"firstNameOfUser":1}"#.into(), r#"{"first_name_of_user":1}"#.into()),
    ];
    for (route, record, healed) in rows {
        for records in [1, 20_000] {
            let list = |record: &str| format!("[{}]", vec![record; records].join(","));
            let (plan, mut healer) = (plan(route), Healer::new());
            let mut memo = Memo::new(&plan);
            let mut intake = healer.intake(Limits { max_held_bytes: 8 << 20, ..Limits::default() });
            assert_eq!(intake.push(list(&record).as_bytes()), Progress::Whole);
            assert!(healer.heal(&plan, &mut memo, &intake).is_ok_and(|summary| summary.changed));
            assert!(healer.output() == list(&healed).as_bytes(), "{route} {records}");
        }
    }
}

/// Objects that a move makes repeat the colon of the member, with all white space around it.
#[test]
fn white_space_around_a_colon_counts() {
    let gap = " ".repeat(10_000);
    let (plan, mut healer) = (plan(r#""move":{"x":"a.b"}"#), Healer::new());
    let mut memo = Memo::new(&plan);
    let mut intake = healer.intake(Limits::default());
    assert_eq!(intake.push(format!(r#"{{"x"{gap}:1}}"#).as_bytes()), Progress::Whole);
    assert!(healer.heal(&plan, &mut memo, &intake).is_ok_and(|summary| summary.changed));
    assert!(healer.output() == format!(r#"{{"a"{gap}:{{"b"{gap}:1}}}}"#).as_bytes());
}

/// A skeleton that was learned under wider limits may exceed narrower ones.
#[test]
fn what_is_known_of_other_limits() {
    let plan = plan(RULE);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let (body, wide) = (br#"{"a":[[1]],"b":{"old":1,"x":2,"y":3}}"#, Limits::default());
    for limits in [wide, wide, Limits { max_depth: 2, ..wide }, Limits { max_keys: 2, ..wide }, wide] {
        let mut outcome = |knows: bool| {
            let mut intake = healer.intake(limits);
            let progress = if knows { intake.receive(body, &plan, &mut memo) } else { intake.push(body) };
            let became = healer.heal(&plan, &mut memo, &intake);
            healer.recycle(intake);
            (progress, became)
        };
        assert_eq!(outcome(true), outcome(false), "{limits:?}");
    }
}

/// In a skeleton, an array of scalars is one value. A body of one value must still be no scalar.
#[test]
fn a_scalar_is_no_body_whatever_is_known() {
    let plan = plan(RULE);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    for body in ["[1]", "[1]", "[]", "[\"a\",2]", "9", "\"a\"", "null", "[3]"] {
        let mut intake = healer.intake(Limits::default());
        let found = match intake.receive(format!("{body} ").as_bytes(), &plan, &mut memo) {
            Progress::Release(reason) => Some(reason),
            _ => None,
        };
        assert!(healer.heal(&plan, &mut memo, &intake).is_ok_and(|summary| !summary.changed) || found.is_some());
        healer.recycle(intake);
        assert_eq!(found, (!body.starts_with('[')).then_some(Reason::Scalar), "{body}");
    }
}

const RULE: &str = r#""rename":{"old":"new"}"#;
/// A move makes the engine keep the positions of members, which is another walk.
const MOVE: &str = r#""move":{"old.x":"new"}"#;

/// Returns an object with this many members, the last of which is `old`.
fn object(members: usize) -> String {
    let fill: Vec<String> = (1..members).map(|n| format!("\"k{n}\":{n},")).collect();
    let fill = fill.concat();
    format!("{{{fill}\"old\":{{\"x\":1}}}}")
}

#[test]
fn keys_of_one_object() {
    let limits = Limits { max_keys: 20, ..Limits::default() };
    let rows = [
        (object(20), true),
        (object(21), false),
        (format!("[{0},{0}]", object(20)), true),
        (format!("[{},{}]", object(1), object(21)), false),
        (format!("{{\"a\":{},\"b\":[]}}", object(21)), false),
        (object(20).replacen("\"k1\":1", "\"k1\":{\"a\":{}}", 1), true),
        (object(21).replacen("\"k1\":1", "\"k1\":{\"a\":{}}", 1), false),
        (object(21).replace("\"old\":{\"x\":1}", "\"old\":1"), false),
        (object(21).replace("\"k9\":9", "\"k\\u0039\" : [ 9 ]"), false),
        // One member too many, and that one has no value.
        (format!("[{},[1,2,3]]", object(21).replace(":{\"x\":1}", "")), false),
    ];
    for rule in [RULE, MOVE, r#""packs":["all"]"#, r#""rename":{"old":"new"},"unmapped":"drop""#] {
        let plan = plan(rule);
        for (body, within) in &rows {
            for size in [1, 7, body.len()] {
                let healed = heal(&plan, &mut Memo::new(&plan), limits, body, size).map(|_| ());
                assert_eq!(healed, if *within { Ok(()) } else { Err(Reason::TooManyKeys) }, "{rule} {body}");
            }
        }
    }
}

#[test]
fn tokens_of_one_body() {
    let plan = plan(RULE);
    for body in [object(1), object(50), format!("[{}]", "1,".repeat(50) + "2"), "[\"a,b\", \"{\"]".to_owned()] {
        let mut scanner = healer::scan::Scanner::new(8);
        scanner.advance(body.as_bytes());
        let tokens = scanner.tokens().len();
        for size in [1, 7, body.len()] {
            let within = |max_tokens| {
                let limits = Limits { max_tokens, ..Limits::default() };
                heal(&plan, &mut Memo::new(&plan), limits, &body, size).map(|_| ())
            };
            assert_eq!(within(tokens), Ok(()), "{body}");
            assert_eq!(within(tokens - 1), Err(Reason::TooManyTokens), "{body}");
        }
    }
}

const SIMILAR: &str = r#""similarity":{},"contract":{"type":"object","required":["email_address","id"],
    "properties":{"email_address":{"type":"string","format":"email"},"id":{}}}"#;

/// Forgetting shapes changes no output, and is counted.
#[test]
fn shapes_that_are_remembered() {
    let plan = plan(SIMILAR);
    let mut memo = Memo::bounded(&plan, 16);
    let mut new = 0;
    for number in 0..300 {
        let body = format!(r#"{{"id":1,"emailAddress":"a@b.cd","n{number}":1}}"#);
        for _ in 0..2 {
            let summary = heal(&plan, &mut memo, Limits::default(), &body, 9).expect("JSON");
            assert_eq!(summary.similar, 1, "{body}");
            assert!(memo.shapes() <= 8 * 16 + 1);
            new += summary.new_shapes;
        }
    }
    // Small bodies as these may have eight times as many. The next one was too many, and had to be learned again with
    // the next body.
    assert_eq!((memo.forgotten(), new), (2, 302));
}

#[test]
fn new_shapes_are_told_by_names_and_kinds() {
    let plan = plan(SIMILAR);
    let mut memo = Memo::new(&plan);
    let body = r#"{"id":5,"emailAddress":"a@secret.org","x":{"y\n":true},"s":"secret","l":[1],"n":null,"f":1.5}"#;
    let summary = heal(&plan, &mut memo, Limits::default(), body, body.len()).expect("JSON");
    let [NewShape { shape, members }] = memo.new_shapes() else { panic!("{:?}", memo.new_shapes()) };
    assert_eq!((Some(*shape), summary.new_shapes), (summary.shape, 1));
    let told = r#""emailAddress" string -> email_address, "x" object, "x.y\u000a" boolean, "s" string, "l" array, "n" null, "f" number"#;
    assert_eq!(members, told);
    heal(&plan, &mut memo, Limits::default(), body, body.len()).expect("JSON");
    assert!(memo.new_shapes().is_empty());

    let many: Vec<String> = (0..99).map(|n| format!("\"m{n}\":0,")).collect();
    let long = format!(r#"{{{}"{}":1}}"#, many.concat(), "é".repeat(99));
    heal(&plan, &mut memo, Limits::default(), &long, 9).expect("JSON");
    let told = &memo.new_shapes().first().expect("a shape").members;
    assert!(told.ends_with(", \"m15\" integer and more"), "{told}");
    let long = format!(r#"{{"{}":1}}"#, "é".repeat(99));
    heal(&plan, &mut memo, Limits::default(), &long, 9).expect("JSON");
    let told = &memo.new_shapes().first().expect("a shape").members;
    assert_eq!(*told, format!("\"{}...\" integer", "é".repeat(32)));
}

/// A log has no room for more.
#[test]
fn a_few_shapes_and_names_of_a_body_are_told() {
    let names: Vec<String> = (0..40_u8)
        .map(|number| {
            let [first, second] = [number / 8, number % 8].map(|at| char::from(b'a' + at).to_string().repeat(3));
            format!("{first}_{second}")
        })
        .collect();
    let properties: Vec<String> = names.iter().map(|name| format!(r#""{name}":{{}}"#)).collect();
    let contract = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
    let plan = plan(&format!(r#""similarity":{{}},"contract":{{"type":"array","items":{contract}}}"#));
    let mut memo = Memo::new(&plan);
    let records: Vec<String> = names.iter().map(|name| format!(r#"{{"{}":1}}"#, name.replace('_', "-"))).collect();
    let body = format!("[{}]", records.join(","));
    for told in [4, 0] {
        let summary = heal(&plan, &mut memo, Limits::default(), &body, 9).expect("JSON");
        assert_eq!((summary.similar, summary.new_shapes), (40, if told > 0 { 40 } else { 0 }));
        assert_eq!((memo.new_shapes().len(), memo.last_used().count()), (told, 32));
    }
}
