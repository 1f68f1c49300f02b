//! What similarity finds is carried out as rules would be, record by record.

use healer::plan::spec::{Contract, Expects, PlanSpec, Property, Settings};
use healer::{Healer, Limits, Memo, Plan};
use serde_json::Value;

/// A contract after an example: every member that the example has is expected, and required.
fn contract_of(example: &Value) -> Contract {
    match example {
        Value::Object(members) => {
            let property = |(name, value): (&String, &Value)| {
                let node = contract_of(value);
                Property { name: name.clone(), node, required: true, expects: Expects::default() }
            };
            Contract::Object { properties: members.iter().map(property).collect() }
        }
        Value::Array(items) => Contract::Array { items: Box::new(items.first().map_or(Contract::Any, contract_of)) },
        _ => Contract::Any,
    }
}

fn plan(example: &str) -> Plan {
    let contract = contract_of(&serde_json::from_str(example).expect("example"));
    let similarity = Some(Settings { threshold: 0.85 });
    Plan::compile(&PlanSpec { contract: Some(contract), similarity, ..PlanSpec::default() }).expect("plan")
}

fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> String {
    let mut healer = Healer::new();
    let mut intake = healer.intake(Limits::default());
    intake.push(body.as_bytes());
    intake.finish();
    let summary = healer.heal(plan, memo, &intake).expect("JSON");
    if summary.changed { String::from_utf8(healer.output().to_vec()).expect("UTF-8") } else { body.to_owned() }
}

#[test]
fn what_is_found_is_carried_out() {
    let rows = [
        ("a rename", r#"{"user_id":1,"name":"a"}"#, r#"{"userId":1,"name":"a"}"#, r#"{"user_id":1,"name":"a"}"#),
        ("clean", r#"{"user_id":1}"#, r#"{"user_id":2,"userId":3}"#, r#"{"user_id":2,"userId":3}"#),
        (
            "out of an envelope",
            r#"{"user_id":1,"name":"a"}"#,
            r#"{"data":{"userId":1,"name":"a","more":2}}"#,
            r#"{"data":{"more":2},"user_id":1,"name":"a"}"#,
        ),
        (
            "out of an envelope that is left empty",
            r#"{"user_id":1,"name":"a"}"#,
            r#"{"data":{"userId":1,"name":"a"},"ok":true}"#,
            r#"{"ok":true,"user_id":1,"name":"a"}"#,
        ),
        (
            "into an object that is missing",
            r#"{"id":1,"address":{"zip_code":"1"}}"#,
            r#"{"id":1,"zipCode":"1"}"#,
            r#"{"id":1,"address":{"zip_code":"1"}}"#,
        ),
        (
            "into an object that stands",
            r#"{"address":{"street":"s","zip_code":"1"},"id":1}"#,
            r#"{"address":{"street":"s"},"id":1,"zipCode":"1"}"#,
            r#"{"address":{"street":"s","zip_code":"1"},"id":1}"#,
        ),
        (
            "an object and what is in it",
            r#"{"home_address":{"zip_code":"1","city":"c"}}"#,
            r#"{"homeAddress":{"zipCode":"1","city":"c","x":[1]}}"#,
            r#"{"home_address":{"zip_code":"1","city":"c","x":[1]}}"#,
        ),
        (
            "records of a list, each by itself",
            r#"{"users":[{"user_id":1,"name":"n"}]}"#,
            r#"{"users":[{"userId":1,"name":"a"},{"user_id":2,"name":"b"},{"userID":3,"name":"c"},{"userId":1,"name":"a"}]}"#,
            r#"{"users":[{"user_id":1,"name":"a"},{"user_id":2,"name":"b"},{"user_id":3,"name":"c"},{"user_id":1,"name":"a"}]}"#,
        ),
        (
            "records of a list that is renamed",
            r#"{"all_users":[{"user_id":1}]}"#,
            r#"{"allUsers":[{"userId":1},{"userId":2}]}"#,
            r#"{"all_users":[{"user_id":1},{"user_id":2}]}"#,
        ),
        (
            "records of a list that moves",
            r#"{"users":[{"user_id":1,"pets":[{"pet_name":"p"}]}],"n":1}"#,
            r#"{"data":{"users":[{"userId":1,"pets":[{"petName":"p"}]}]},"n":1}"#,
            r#"{"n":1,"users":[{"user_id":1,"pets":[{"pet_name":"p"}]}]}"#,
        ),
        (
            "a root array",
            r#"[{"user_id":1}]"#,
            r#"[{"userId":1},{"userId":2,"q":{"zz":3}}]"#,
            r#"[{"user_id":1},{"user_id":2,"q":{"zz":3}}]"#,
        ),
        (
            "a name that occurs twice is left",
            r#"{"user_id":1}"#,
            r#"{"userId":1,"userId":2}"#,
            r#"{"userId":1,"userId":2}"#,
        ),
        ("an escaped name", r#"{"user_id":1}"#, r#"{"user\u0049d":1}"#, r#"{"user_id":1}"#),
    ];
    for (what, example, body, healed) in rows {
        let plan = plan(example);
        let mut memo = Memo::new(&plan);
        for round in 0..3 {
            assert_eq!(heal(&plan, &mut memo, body), healed, "{what}, round {round}");
        }
    }
}
