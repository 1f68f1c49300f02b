//! Records whose shape is foreseen from earlier ones.

use super::*;

/// The name and the value of a member, as in a body.
type Member = (&'static str, &'static str);

/// Names that are written in many ways, and a value of each kind.
const MEMBERS: [Member; 10] = [
    (r#""size""#, "1"),
    (r#""userId""#, "1"),
    (r#""e_mail""#, r#""a@b.c""#),
    (r#""a_name_of_21_bytes_xy""#, r#""a text""#),
    (r#""a_name_of_22_bytes_xyz""#, "true"),
    (r#""quo\"ted""#, "null"),
    (r#""nul\u0000led""#, "1"),
    (r#""tags""#, "[1]"),
    (r#""homeAddress""#, r#"{"zipCode":"1"}"#),
    (r#""fullName""#, r#""Ada""#),
];

/// Values of which most differ from the others in what is remembered of a shape.
const VALUES: [&str; 18] = [
    "1",
    "-12345678901",
    "1.5",
    "1e5",
    "true",
    "null",
    "{}",
    r#"{"zip_code":1}"#,
    "[]",
    "[1]",
    r#"["a"]"#,
    r#""""#,
    r#""2026-11-21""#,
    r#""AB""#,
    r#""x:y""#,
    r#""a@b.c""#,
    r#""https:\/\/a.b""#,
    r#""a text that is longer than a block of sixty-four bytes, and has its colon after them: here""#,
];

fn body_of(members: &[(String, String)], around: &str) -> String {
    let member = |(name, value): &(String, String)| format!("{around}{name}{around}:{around}{value}{around}");
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
}

/// Returns the record, and records that differ from it in one place.
fn bodies_that_differ() -> Vec<String> {
    let record: Vec<(String, String)> =
        MEMBERS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut bodies: Vec<String> = ["", " ", "\n  "].iter().map(|around| body_of(&record, around)).collect();
    for at in 0..record.len() {
        let mut vary = |name: Option<String>, value: Option<&str>| {
            let mut varied = record.clone();
            let (old_name, old_value) = &mut varied[at];
            *old_name = name.unwrap_or_else(|| old_name.clone());
            *old_value = value.map_or_else(|| old_value.clone(), str::to_owned);
            bodies.push(body_of(&varied, ""));
        };
        for value in VALUES {
            vary(None, Some(value));
        }
        let name = MEMBERS[at].0;
        let inside = &name[1..name.len() - 1];
        let (first, rest) = inside.split_at(1);
        vary(Some(format!("\"\\u00{:02x}{rest}\"", first.as_bytes()[0])), None);
        vary(Some(format!("\"{inside}x\"")), None);
        vary(Some(format!("\"x{rest}\"")), None);
        vary(Some(inside.replace(r"\u0000", "X").replace(r#"\""#, "'")).map(|name| format!("\"{name}\"")), None);
        vary(Some(format!("\"{inside}\" ")), None);
    }
    bodies
}

/// A body gives the same output, whichever shape was foreseen for its record.
#[test]
fn what_was_foreseen_changes_nothing() {
    let plan = plan(r#"{"user_id":1,"email":"","home_address":{"zip_code":""},"full_name":"","tags":[1],"size":1}"#);
    let bodies = bodies_that_differ();
    let heal = |memo: &mut Memo, body: &str| {
        let (healed, summary) = common::heal(&plan, memo, body);
        (healed, summary.shape, summary.similar, summary.conflicts)
    };
    let alone: Vec<_> = bodies.iter().map(|body| heal(&mut Memo::new(&plan), body)).collect();
    for (first, other) in (0..3).flat_map(|first| (0..bodies.len()).map(move |other| (first, other))) {
        let mut memo = Memo::new(&plan);
        for at in [first, other, first, other, other] {
            assert_eq!(heal(&mut memo, &bodies[at]), alone[at], "{} after {}", bodies[other], bodies[first]);
        }
    }
}

#[test]
fn a_number_at_the_very_end_is_what_it_is_elsewhere() {
    let plan = configured(
        r#"{"type":"object","properties":{"user_id":{"type":"integer"},"full_name":{"type":"string"}}}"#,
        "",
    );
    let rows = [
        (r#"{"fullName":"a","userId":1.5}"#, r#"{"full_name":"a","userId":1.5}"#),
        (r#"{"fullName":"a","userId":1}"#, r#"{"full_name":"a","user_id":1}"#),
        (r#"{"fullName":"a","userId":1e5}"#, r#"{"full_name":"a","userId":1e5}"#),
    ];
    for first in rows {
        let mut memo = Memo::new(&plan);
        for (body, healed) in [&[first][..], &rows, &rows].concat() {
            assert_eq!(heal(&plan, &mut memo, body), healed);
        }
    }
}
