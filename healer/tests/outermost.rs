//! Bodies that consist of one list, at the root where it is expected in an object, or the other way round.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{configured, heal};
use healer::{Healer, Limits, Memo, Plan};
use proptest::prelude::*;

const USER: &str = r#"{"type":"object","properties":{"id":{"type":"integer"},"login":{"type":"string"},
    "e_mail":{"type":"string"},"time_zone":{"type":"string"},"created_at":{"type":"string","format":"date-time"}}}"#;
const ELEMENT: &str = r#"{"id":1,"login":"x","eMail":"x@y.zz","timeZone":"UTC","created_at":"2026-01-02T03:04:05Z"}"#;
const HEALED: &str = r#"{"id":1,"login":"x","e_mail":"x@y.zz","time_zone":"UTC","created_at":"2026-01-02T03:04:05Z"}"#;

fn list() -> String {
    format!(r#"{{"type":"array","items":{USER}}}"#)
}

/// A contract of objects around the list of users, with what else the innermost of them has.
fn around(names: &[&str], more: &str) -> String {
    let mut contract = list();
    let mut more = more;
    for name in names.iter().rev() {
        contract = format!(r#"{{"type":"object","properties":{{"{name}":{contract}{more}}}}}"#);
        more = "";
    }
    contract
}

fn check(contract: &str, body: &str, expected: &str) {
    let plan = configured(contract, "");
    let (output, _) = heal(&plan, &mut Memo::new(&plan), body);
    assert_eq!(output, expected, "{contract}");
}

#[test]
fn lists_leave_objects_that_hold_nothing_else() {
    let body = |text: &str| text.replace('E', ELEMENT);
    let healed = |text: &str| text.replace('E', HEALED);
    for (found, expected) in [
        (r#"{"users":[E,E]}"#, "[E,E]"),
        (" \n{ \"data\" : [ E ,{}, 1] }\t ", " \n[ E ,{}, 1]\t "),
        (r#"{"items":[E]}"#, "[E]"),
        (r#"{"data":{"users":{"nodes":[E]}}}"#, "[E]"),
        (r#"{"\u0064ata":[E]}"#, "[E]"),
        (r#"{"data":[]}"#, "[]"),
        (r#"{"data":{"items":[ ]}}"#, "[ ]"),
    ] {
        check(&list(), &body(found), &healed(expected));
    }
}

#[test]
fn lists_enter_objects_that_expect_nothing_else() {
    let total = r#","total":{"type":"integer"}"#;
    for (names, more, found, expected) in [
        (&["users"][..], "", "[E,E]", r#"{"users":[E,E]}"#),
        (&["items"], total, "\n\n[E] ", "\n\n{\"items\":[E]} "),
        (&["data", "users"], total, "[E]", r#"{"data":{"users":[E]}}"#),
        (&["items"], "", "[ ]", r#"{"items":[ ]}"#),
    ] {
        check(&around(names, more), &found.replace('E', ELEMENT), &expected.replace('E', HEALED));
    }
}

#[test]
fn other_bodies_stay() {
    let stays = |contract: &str, body: &str| {
        let body = body.replace('E', ELEMENT);
        check(contract, &body, &body);
    };
    for body in [
        // Something would be lost.
        r#"{"users":[E],"total":1}"#,
        r#"{"total":1,"users":[E]}"#,
        r#"{"users":[E],"admins":[E]}"#,
        r#"{"data":{"users":[E]},"meta":[]}"#,
        // Their names say that they are other lists.
        r#"{"errors":[E]}"#,
        r#"{"deleted":[E]}"#,
        r#"{"suggestions":[E]}"#,
        r#"{"blocked_users":[E]}"#,
        r#"{"user":{"items":[E]}}"#,
        // Their elements are others, or nothing is known of them.
        r#"{"items":[{"id":1,"login":"x","color":"red","size":3,"weight":4,"a":1,"b":2}]}"#,
        r#"{"items":[{"id":"1","login":"x","eMail":"x@y.zz","timeZone":"UTC"}]}"#,
        r#"{"items":[1,E]}"#,
        r#"{"users":[]}"#,
        // Too deep.
        r#"{"data":{"data":{"data":{"data":[E]}}}}"#,
        "{}",
        r#"{"items":{}}"#,
        r#"{"items":null}"#,
    ] {
        stays(&list(), body);
    }
    let required = r#"{"type":"object","required":["total"],"properties":{"total":{"type":"integer"},"users":L}}"#;
    for contract in [
        required.replace('L', &list()),
        around(&["users"], r#","meta":{"type":"object"}"#),
        around(&["users"], r#","page":{}"#),
        around(&["errors"], ""),
        around(&["user", "items"], ""),
    ] {
        stays(&contract, "[E]");
    }
    stays(&around(&["users"], ""), "[]");
    stays(&around(&["users"], ""), "[1]");
}

#[test]
fn only_the_default_profile_looks_for_lists() {
    let text = |more: &str| format!(r#"{{"routes":[{{"match":{{"prefix":"/"}},"contract":{}{more}}}]}}"#, list());
    for more in ["", r#","similarity":{"profile":"reference"}"#] {
        let plan = healer::config::Config::parse(text(more).as_bytes()).expect("a configuration").routes.remove(0).plan;
        let body = format!(r#"{{"data":[{HEALED}]}}"#);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body).0, body, "{more}");
    }
}

#[test]
fn the_list_is_reported_like_a_move() {
    let plan = configured(&list(), "");
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let body = format!(r#"{{"data":{{"users":[{ELEMENT}]}}}}"#);
    let mut intake = healer.intake(Limits::default());
    intake.push(body.as_bytes());
    let summary = healer.heal(&plan, &mut memo, &intake).expect("JSON");
    assert_eq!((summary.renames, summary.moves, summary.similar), (2, 1, 3));
    let described = healer.describe(&plan, &memo, body.as_bytes());
    let paths: Vec<_> = described.iter().map(|op| (op.from.as_str(), op.to.as_str())).collect();
    assert_eq!(
        paths,
        [
            ("data.users[]", "[]"),
            ("data.users[0].eMail", "data.users[0].e_mail"),
            ("data.users[0].timeZone", "data.users[0].time_zone"),
        ]
    );
    let used: Vec<_> = memo.last_used().map(|used| String::from_utf8_lossy(used.json()).into_owned()).collect();
    assert_eq!(used[0], r#"{"from":"data.users[]","to":"[]","score":0.88}"#);
    let matching = healer.matching(&plan, &mut memo, &intake).expect("JSON");
    let matches: Vec<_> = matching.matches.iter().map(|pair| (pair.expected.as_str(), pair.found.as_str())).collect();
    assert!(matches.contains(&("[].login", "data.users[].login")), "{matches:?}");
    assert_eq!((matching.missing.len(), matching.unknown.len()), (0, 0), "{matching:?}");
}

/// A malformed body is refused as if nobody had looked for its list.
#[test]
fn malformed_bodies_are_refused() {
    let plan = configured(&list(), "");
    for body in [r#"{"data":[E}"#, r#"{"data":[E]"#, r#"{"data":[E,]}"#, r#"{"data":[E]}}"#, r#"{"data" 1:[E]}"#] {
        let body = body.replace('E', ELEMENT);
        let mut healer = Healer::new();
        assert!(healer.heal_bytes(&plan, body.as_bytes()).is_err(), "{body}");
    }
}

fn healed(plan: &Plan, body: &str) -> String {
    heal(plan, &mut Memo::new(plan), body).0
}

/// Members of an element, of which most are expected.
fn element() -> impl Strategy<Value = String> {
    let kept = r#""id":1,"login":"x","e_mail":"x@y.zz","timeZone":"UTC""#;
    let more = prop::sample::select(vec!["", r#","color":"red""#, r#","created_at":"2026-01-02T03:04:05Z""#]);
    let text = prop::sample::select(vec!["", " ", "\n "]);
    (more, text).prop_map(move |(more, text)| format!("{text}{{{kept}{more}}}{text}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// A list becomes the same wherever it stands, and whatever bodies came before.
    #[test]
    fn a_list_becomes_the_same_wherever_it_stands(elements in prop::collection::vec(element(), 1..40)) {
        let elements = format!("[{}]", elements.join(","));
        let (root, enclosed) = (configured(&list(), ""), configured(&around(&["data", "items"], ""), ""));
        let alone = healed(&root, &elements);
        let bodies = [format!(r#"{{"users":{elements}}}"#), format!(r#"{{"data":{{"items":{elements}}}}}"#)];
        let mut memo = Memo::new(&root);
        for body in bodies.iter().chain([&elements]).chain(&bodies) {
            prop_assert_eq!(&heal(&root, &mut memo, body).0, &alone);
        }
        let around = format!(r#"{{"data":{{"items":{alone}}}}}"#);
        let mut memo = Memo::new(&enclosed);
        for body in [&elements, &bodies[1], &elements] {
            prop_assert_eq!(&heal(&enclosed, &mut memo, body).0, &around);
        }
    }
}
