//! Similarity does not rename a member whose value is not in the list that clients know.

#![allow(missing_docs)]
#![allow(clippy::expect_used)]

mod common;

use std::sync::Arc;

use common::{configured, heal};
use healer::{Healer, Limits, Memo, Plan};

const STATES: &str = r#"{"type":"string","enum":["in_progress","done","né\"e"]}"#;

/// Builds a plan with similarity and these properties.
fn plan(properties: &str, more: &str) -> Arc<Plan> {
    let contract = format!(r#"{{"type":"object","properties":{{{properties}}}}}"#);
    configured(&contract, more)
}

/// Streams a body in chunks of a few bytes, with at most one record held.
fn stream(plan: &Plan, body: &str) -> (String, u32) {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut streaming = healer.incremental(Limits { max_held_bytes: 64, ..Limits::default() });
    for chunk in body.as_bytes().chunks(7) {
        streaming.push(&mut healer, plan, &mut memo, chunk);
    }
    streaming.finish(&mut healer, &mut memo);
    (String::from_utf8(healer.output().to_vec()).expect("UTF-8"), streaming.summary().unlisted)
}

#[test]
fn a_string_has_to_be_one_of_the_list() {
    let plan = plan(&format!(r#""work_state":{STATES},"user_id":{{}}"#), "");
    let rows = [
        (r#""done""#, true),
        (r#""in_progress""#, true),
        (r#""in\u005fprogress""#, true),
        (r#""n\u00e9\"e""#, true),
        (r#""né\"e""#, true),
        (r#""Done""#, false),
        (r#""DONE""#, false),
        (r#""don""#, false),
        (r#""done ""#, false),
        (r#""done\u00ff""#, false),
        (r#""""#, false),
    ];
    let mut memo = Memo::new(&plan);
    for (value, heals) in rows.iter().chain(rows.iter().rev()) {
        let name = if *heals { "work_state" } else { "workState" };
        for gap in ["", "\n "] {
            let body = format!(r#"{{"userId":1,"workState":{gap}{value}{gap}}}"#);
            let (healed, summary) = heal(&plan, &mut memo, &body);
            assert_eq!(healed, format!(r#"{{"user_id":1,"{name}":{gap}{value}{gap}}}"#));
            assert_eq!(summary.unlisted, u32::from(!*heals), "{value}");
        }
    }
}

/// A decision about a shape holds for all its records, in any order. The value is checked for each record.
#[test]
fn each_record_is_asked() {
    let list =
        format!(r#"{{"type":"array","items":{{"type":"object","properties":{{"work_state":{STATES},"n":{{}}}}}}}}"#);
    let plan = configured(&list, "");
    let record = |value: &str| format!(r#"{{"workState":"{value}","n":1}}"#);
    let healed =
        |value: &str| if value == "DONE" { record(value) } else { record(value).replace("workState", "work_state") };
    let mut memo = Memo::new(&plan);
    for values in
        [["done", "DONE", "done"], ["DONE", "done", "DONE"], ["DONE", "DONE", "DONE"], ["done", "done", "done"]]
    {
        let body = format!("[{}]", values.map(record).join(","));
        let expected = format!("[{}]", values.map(healed).join(","));
        let unlisted = values.iter().filter(|value| **value == "DONE").count() as u32;
        for memo in [&mut memo, &mut Memo::new(&plan)] {
            let (output, summary) = heal(&plan, memo, &body);
            assert_eq!((output, summary.unlisted), (expected.clone(), unlisted));
        }
        assert_eq!(stream(&plan, &body), (expected, unlisted));
    }
}

/// Builds the plan of a list of records with a state.
fn list_plan(more: &str) -> Arc<Plan> {
    let list =
        format!(r#"{{"type":"array","items":{{"type":"object","properties":{{"work_state":{STATES},"n":{{}}}}}}}}"#);
    configured(&list, more)
}

/// Streams chunks of a body. Before those that say so, everything is forgotten.
fn stream_chunks(healer: &mut Healer, memo: &mut Memo, plan: &Plan, chunks: &[(&str, bool)]) -> String {
    healer.clear_output();
    let mut streaming = healer.incremental(Limits::default());
    for (chunk, forgets) in chunks {
        if *forgets {
            memo.release(plan);
        }
        streaming.push(healer, plan, memo, chunk.as_bytes());
    }
    streaming.finish(healer, memo);
    String::from_utf8(healer.output().to_vec()).expect("UTF-8")
}

/// The places of the lists of guards are forgotten together with the shapes, even while no element can be looked at.
#[test]
fn elements_are_asked_for_the_right_list() {
    let plan = list_plan("");
    let chunks = [
        (r#"[{"workState":"nope"}"#, false),
        (r#",{"workState":"nope"},"a string"#, false),
        (r#" that is open",{"n":1}"#, true),
        (r#",{"workState":"done"}"#, false),
        (r#",{"workState":"done"}]"#, false),
    ];
    let healed = stream_chunks(&mut Healer::new(), &mut Memo::new(&plan), &plan, &chunks);
    assert!(healed.ends_with(r#"{"n":1},{"work_state":"done"},{"work_state":"done"}]"#), "{healed}");
}

/// A large body that fails leaves lists behind, which are forgotten with the next body. What is known of the first
/// element of the next body must stay known.
#[test]
fn elements_are_asked_after_a_large_body() {
    let plan = list_plan(r#","rename":{"old":"n"}"#);
    let (mut healer, mut memo) = (Healer::new(), Memo::new(&plan));
    let large = format!(r#"[{{"old":01}}{}]"#, r#",{"old":1}"#.repeat(12_000));
    stream_chunks(&mut healer, &mut memo, &plan, &[(&large, false)]);
    let chunks = [
        (r#"[{"workState":"nope"}"#, false),
        (r#",{"workState":"done"}"#, false),
        (r#",{"workState":"done"}]"#, false),
    ];
    let became = stream_chunks(&mut healer, &mut memo, &plan, &chunks);
    assert_eq!(became, r#"[{"workState":"nope"},{"work_state":"done"},{"work_state":"done"}]"#);
}

#[test]
fn moves_are_asked_too_and_rules_are_not() {
    let properties = format!(r#""work_state":{STATES},"user_id":{{}},"full_name":{{}}"#);
    let rows = [
        (
            "",
            r#"{"data":{"workState":"done","userId":1,"fullName":"a"}}"#,
            r#"{"work_state":"done","user_id":1,"full_name":"a"}"#,
            0,
        ),
        (
            "",
            r#"{"data":{"workState":"DONE","userId":1,"fullName":"a"}}"#,
            r#"{"data":{"workState":"DONE"},"user_id":1,"full_name":"a"}"#,
            1,
        ),
        (
            "",
            r#"{"workState":"DONE","work_state":"x","userId":1}"#,
            r#"{"workState":"DONE","work_state":"x","user_id":1}"#,
            0,
        ),
        (r#","rename":{"workState":"work_state"}"#, r#"{"workState":"DONE"}"#, r#"{"work_state":"DONE"}"#, 0),
        (r#","packs":["camel-case"]"#, r#"{"workState":"DONE"}"#, r#"{"work_state":"DONE"}"#, 0),
        (r#","unmapped":"drop""#, r#"{"workState":"DONE","userId":1}"#, r#"{"user_id":1}"#, 1),
    ];
    for (more, body, expected, unlisted) in rows {
        let plan = plan(&properties, more);
        for value in ["DONE", "done", "DONE"] {
            let mut memo = Memo::new(&plan);
            heal(&plan, &mut memo, &body.replace("DONE", value));
            let (output, summary) = heal(&plan, &mut memo, body);
            assert_eq!((output.as_str(), summary.unlisted), (expected, unlisted), "{more} {value}");
        }
    }
}

/// Without a list in the contract, if the name changed from `Status` to `status`, a word that is written like the new
/// name was most likely written differently before.
#[test]
fn words_of_lists_change_with_names() {
    let contract = r#""Status":{"type":"string"},"UserName":{"type":"string"},"Id":{}"#;
    let body = |value: &str| format!(r#"{{"status":"{value}","userName":"ada","id":1}}"#);
    let plan = plan(contract, "");
    for (value, heals) in
        [("notStarted", false), ("active", false), ("Active", true), ("ACTIVE", true), ("in progress", true)]
    {
        let name = if heals { "Status" } else { "status" };
        let expected = format!(r#"{{"{name}":"{value}","UserName":"ada","Id":1}}"#);
        let (output, summary) = heal(&plan, &mut Memo::new(&plan), &body(value));
        assert_eq!((output, summary.unlisted), (expected, u32::from(!heals)));
    }
}

/// A required member that is left as it came is missing.
#[test]
fn what_is_left_is_missing() {
    let text = format!(r#"{{"type":"object","required":["work_state"],"properties":{{"work_state":{STATES}}}}}"#);
    let plan = configured(&text, "");
    for (value, lacks) in [("done", false), ("DONE", true), ("done", false)] {
        let (_, summary) = heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"workState":"{value}"}}"#));
        assert_eq!(summary.lacks, lacks, "{value}");
    }
}

#[test]
fn strings_have_to_be_of_the_list_beside_other_kinds_too() {
    let rows = [
        (r#"{"enum":["a",1]}"#, r#""a""#, true),
        (r#"{"enum":["a",1]}"#, r#""z""#, false),
        (r#"{"enum":["a",1]}"#, "1", true),
        (r#"{"type":"string","enum":["v1",2]}"#, r#""2""#, true),
        (r#"{"type":"string","enum":["v1",2]}"#, r#""z""#, false),
        (r#"{"oneOf":[{"enum":["a"]},{"type":"integer"}]}"#, r#""a""#, true),
        (r#"{"oneOf":[{"enum":["a"]},{"type":"integer"}]}"#, r#""z""#, false),
        (r#"{"allOf":[{"enum":["a"]},{"enum":["b"]}]}"#, r#""z""#, false),
    ];
    for (state, value, heals) in rows {
        let plan = plan(&format!(r#""user_id":{{}},"work_state":{state}"#), "");
        let name = if heals { "work_state" } else { "workState" };
        let (output, _) = heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"userId":1,"workState":{value}}}"#));
        assert_eq!(output, format!(r#"{{"user_id":1,"{name}":{value}}}"#), "{state}");
    }
}

#[test]
fn a_word_is_the_same_word_with_escapes() {
    let plan = plan(r#""Id":{},"UserName":{},"Status":{"type":"string"}"#, "");
    for status in [r#""active""#, r#""\u0061ctive""#] {
        let (output, _) =
            heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"id":1,"status":{status},"userName":"q"}}"#));
        assert_eq!(output, format!(r#"{{"Id":1,"status":{status},"UserName":"q"}}"#));
    }
}
