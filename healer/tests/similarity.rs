//! What similarity finds is carried out as rules would be, record by record.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing)]

mod common;

use common::configured;
use healer::plan::spec::{
    Case, Contract, ConventionRule, Expects, Kind, Kinds, MoveRule, PlanSpec, Property, RenameRule, RuleSource,
    Settings, Unmapped,
};
use healer::similarity::Profile;
use healer::{Healer, Limits, Memo, OpKind, Plan, Summary};
use nomos_rules::path::Path;
use proptest::prelude::*;
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
    plan_with(example, Settings::default())
}

fn plan_with(example: &str, settings: Settings) -> Plan {
    let contract = contract_of(&serde_json::from_str(example).expect("example"));
    let similarity = Some(settings);
    Plan::compile(&PlanSpec { contract: Some(contract), similarity, ..PlanSpec::default() }).expect("plan")
}

fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> String {
    common::heal(plan, memo, body).0
}

/// The healed body, and how many unknown names were not scored.
fn heal_and_count(plan: &Plan, memo: &mut Memo, body: &str) -> (String, u32) {
    let (healed, summary) = common::heal(plan, memo, body);
    (healed, summary.unscored)
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
            r#"{"users":[{"user_id":1,"pets":[{"pet_name":"p"}]}]}"#,
            r#"{"data":{"users":[{"userId":1,"pets":[{"petName":"p"}]}]}}"#,
            r#"{"users":[{"user_id":1,"pets":[{"pet_name":"p"}]}]}"#,
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
    check(&rows);
}

#[test]
fn what_is_inside_and_beside_counts() {
    let rows = [
        (
            "an array in other words, whatever is in it",
            r#"{"slices":[{"carrier_code":"c","flight_number":"f","cabin":"e"}],"id":1}"#,
            r#"{"legs":[{"carrierCode":"c","flightNumber":"f","cabin":"e"}],"id":1}"#,
            r#"{"legs":[{"carrierCode":"c","flightNumber":"f","cabin":"e"}],"id":1}"#,
        ),
        (
            "an object in other words, whatever is in it",
            r#"{"slice":{"carrier_code":"c","flight_number":"f","cabin":"e"},"id":1,"hue":"h","day":"d"}"#,
            r#"{"leg":{"carrier_code":"c","flight_number":"f","cabin":"e"},"id":1,"hue":"h","day":"d"}"#,
            r#"{"leg":{"carrier_code":"c","flight_number":"f","cabin":"e"},"id":1,"hue":"h","day":"d"}"#,
        ),
        (
            "an address in another role",
            r#"{"id":1,"site_address":{"street":"s","city":"c","zip_code":"1","county":"k"}}"#,
            r#"{"id":1,"depot_address":{"street":"s","city":"c","zip_code":"1","county":"k"}}"#,
            r#"{"id":1,"depot_address":{"street":"s","city":"c","zip_code":"1","county":"k"}}"#,
        ),
        (
            "an identifier of another thing",
            r#"{"game_id":1,"day":"d","venue_name":"v","venue_city":"c"}"#,
            r#"{"game":{"day":"d","venue":{"id":1,"name":"v","city":"c"}}}"#,
            r#"{"game":{"day":"d","venue":{"id":1}},"venue_name":"v","venue_city":"c"}"#,
        ),
        (
            "where a thing is to be found, for the thing",
            r#"{"id":1,"title":"t","slug":"s","home_url":"h","project":"p"}"#,
            r#"{"id":1,"title":"t","slug":"s","links":{"home_url":"h","project":"/projects/1"}}"#,
            r#"{"id":1,"title":"t","slug":"s","links":{"project":"/projects/1"},"home_url":"h"}"#,
        ),
        (
            "a key for an identifier",
            r#"{"id":1,"title":"t","slug":"s","form_id":"f"}"#,
            r#"{"id":1,"title":"t","slug":"s","formKey":"f"}"#,
            r#"{"id":1,"title":"t","slug":"s","formKey":"f"}"#,
        ),
        (
            "the same words where little else is known, and one that moved",
            r#"{"unit_price":1,"maker_code":"c","maker":"m","length":2,"hue":"h","day":"d","night":"n","depth":1}"#,
            r#"{"unitPrice":1,"x":{"makerCode":"c"},"zebra":2}"#,
            r#"{"unit_price":1,"x":{"makerCode":"c"},"zebra":2}"#,
        ),
        (
            "a word in a record of which little is known",
            r#"{"price":1,"maker":"m","length":2,"hue":"h"}"#,
            r#"{"data":{"price":1,"zebra":2}}"#,
            r#"{"data":{"price":1,"zebra":2}}"#,
        ),
        (
            "several words there",
            r#"{"unit_price":1,"maker":"m","length":2,"hue":"h"}"#,
            r#"{"unitPrice":1,"zebra":2}"#,
            r#"{"unit_price":1,"zebra":2}"#,
        ),
        (
            "an object that is whole, in a record of which little is known",
            r#"{"gauge":{"brand":"b","hue":"h","shape":"s"},"day":"d","night":"n","maker":"m","owl":"o","yak":"y","gnu":"g"}"#,
            r#"{"gauge":{"Brand":"b","Hue":"h","Shape":"s"},"zebra":"z"}"#,
            r#"{"gauge":{"brand":"b","hue":"h","shape":"s"},"zebra":"z"}"#,
        ),
        (
            "an object that holds mostly something else, in such a record",
            r#"{"gauge":{"brand":"b","hue":"h","shape":"s"},"day":"d","night":"n","maker":"m","owl":"o","yak":"y","gnu":"g"}"#,
            r#"{"gauge":{"Brand":"b","Hue":"h","ant":"a","bee":"b","cow":"c"},"zebra":"z"}"#,
            r#"{"gauge":{"Brand":"b","Hue":"h","ant":"a","bee":"b","cow":"c"},"zebra":"z"}"#,
        ),
        (
            "a number and a boolean, but no string, where a third is known",
            r#"{"price":1,"open":true,"maker":"m","hue":"h","day":"d","night":"n","owl":"o","yak":"y"}"#,
            r#"{"Price":2,"Open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
            r#"{"price":2,"open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
        ),
        (
            "neither, where less is known",
            r#"{"price":1,"open":true,"maker":"m","hue":"h","day":"d","night":"n","owl":"o","yak":"y","gnu":"g"}"#,
            r#"{"Price":2,"Open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
            r#"{"Price":2,"Open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
        ),
        (
            "all that there is, which holds what is expected",
            r#"{"username":"u","email":"e","locked":true}"#,
            r#"{"account":{"username":"v","email":"f","locked":false}}"#,
            r#"{"username":"v","email":"f","locked":false}"#,
        ),
        (
            "names that lost a word together",
            r#"{"launch_date":"d","launch_window":1,"launch_success":true}"#,
            r#"{"date":"d","window":2,"success":false}"#,
            r#"{"launch_date":"d","launch_window":2,"launch_success":false}"#,
        ),
        (
            "one name that lost a word",
            r#"{"billing_city":"d","name":"n"}"#,
            r#"{"city":"d","name":"n"}"#,
            r#"{"city":"d","name":"n"}"#,
        ),
    ];
    check(&rows);
}

#[test]
fn the_same_name_of_another_value_is_left() {
    let rows = [
        (
            "an object that holds a value of another kind",
            r#"{"id":1,"store":{"disk":{"size":{"a":1},"name":"n","image":"i"},"node":"m"}}"#,
            r#"{"id":1,"data":{"store":{"disk":{"size":30,"name":"n","image":"i"},"node":"m"}}}"#,
            r#"{"id":1,"data":{"store":{"disk":{"size":30},"node":"m"}},"store":{"disk":{"name":"n","image":"i"}}}"#,
        ),
        (
            "a null is no proof",
            r#"{"id":1,"is_completed":true}"#,
            r#"{"id":1,"completed_at":null}"#,
            r#"{"id":1,"completed_at":null}"#,
        ),
        (
            "the same name, but its other form is another one now",
            r#"{"ticket":{"description":"d","description_html":"e","subject":"s","hue":"h"}}"#,
            r#"{"description":"<d>","description_text":"d","subject":"s","hue":"h"}"#,
            r#"{"description":"<d>","ticket":{"description":"d","subject":"s","hue":"h"}}"#,
        ),
        (
            "a quantity is counted in another unit than an amount",
            r#"{"filled_quantity":1,"id":1}"#,
            r#"{"filledAmount":1,"id":1}"#,
            r#"{"filledAmount":1,"id":1}"#,
        ),
        (
            "a picture for its address",
            r#"{"logo_url":"u","id":1}"#,
            r#"{"logo":"https://example.com/a.png","id":1}"#,
            r#"{"logo_url":"https://example.com/a.png","id":1}"#,
        ),
    ];
    check(&rows);
}

/// GraphQL has other words, identifiers and addresses than REST under the same names, and lists that are objects.
#[test]
fn what_is_there_once_is_the_member_of_one_object() {
    let rows = [
        (
            "of two objects that are gone, what moved up is that of which there is more",
            r#"{"attributes":{"id":1,"iid":2,"ref":"r","sha":"s","tag":true},"project":{"id":1,"tag":true,"web_url":"w"}}"#,
            r#"{"id":1,"iid":2,"ref":"r","sha":"s","tag":true,"web_url":"w"}"#,
            r#"{"web_url":"w","attributes":{"id":1,"iid":2,"ref":"r","sha":"s","tag":true}}"#,
        ),
        (
            "two objects that have nothing in common",
            r#"{"place":{"latitude":1.5,"longitude":2.5,"altitude":3},"owner":{"given_name":1,"birth_date":2,"nickname":3}}"#,
            r#"{"latitude":1.5,"longitude":2.5,"altitude":3,"given_name":1,"birth_date":2,"nickname":3}"#,
            r#"{"place":{"latitude":1.5,"longitude":2.5,"altitude":3},"owner":{"given_name":1,"birth_date":2,"nickname":3}}"#,
        ),
        (
            "what refers to an object is no sibling of what is in it",
            r#"{"id":"r","payment":{"id":"p","createdDatetime":"2026-11-01T10:00:00Z"},"text":"d"}"#,
            r#"{"id":"r","createdAt":"2026-11-01T10:00:00Z","text":"d","paymentId":"p"}"#,
            r#"{"id":"r","createdAt":"2026-11-01T10:00:00Z","text":"d","payment":{"id":"p"}}"#,
        ),
        (
            "what it was originally stands where it is expected",
            r#"{"StartTimeZone":"z","Subject":"s","Room":"r"}"#,
            r#"{"originalStartTimeZone":"z","start":{"timeZone":"y"},"subject":"s","room":"r"}"#,
            r#"{"originalStartTimeZone":"z","start":{"timeZone":"y"},"Subject":"s","Room":"r"}"#,
        ),
    ];
    check(&rows);
}

#[test]
fn an_amount_in_another_unit_is_left() {
    let rows = [
        (
            "digits that are after the point",
            r#"{"regular_price":"9.00","sale_price":"8.00","stock":3}"#,
            r#"{"prices":{"regular_price":"900","sale_price":"800","currency_minor_unit":2},"stock":3}"#,
            r#"{"prices":{"regular_price":"900","sale_price":"800","currency_minor_unit":2},"stock":3}"#,
        ),
        (
            "a contract that knows them",
            r#"{"regular_price":"9","sale_price":"8","currency_minor_unit":2,"stock":3}"#,
            r#"{"prices":{"regular_price":"900","sale_price":"800","currency_minor_unit":2},"stock":3}"#,
            r#"{"stock":3,"regular_price":"900","sale_price":"800","currency_minor_unit":2}"#,
        ),
        (
            "the unit that it was",
            r#"{"regular_price":"9.00","sale_price":"8.00","stock":3}"#,
            r#"{"prices":{"regular_price":"9.00","sale_price":"8.00"},"stock":3}"#,
            r#"{"stock":3,"regular_price":"9.00","sale_price":"8.00"}"#,
        ),
    ];
    check(&rows);
}

#[test]
fn names_about_the_document_are_no_members_of_it() {
    let rows = [
        (
            "the class of an object, and its address",
            r#"{"id":"7","type":"bug","userName":"u","created_at":"c"}"#,
            r#"{"@id":"/7","@type":"Ticket","user_name":"u","created_at":"c"}"#,
            r#"{"@id":"/7","@type":"Ticket","userName":"u","created_at":"c"}"#,
        ),
        (
            "a contract that has them",
            r#"{"@id":"/7","userName":"u","created_at":"c"}"#,
            r#"{"data":{"@id":"/7","user_name":"u","created_at":"c"}}"#,
            r#"{"@id":"/7","userName":"u","created_at":"c"}"#,
        ),
    ];
    check(&rows);
}

#[test]
fn an_answer_of_graphql_is_read_with_care() {
    let contract = r#"{"id":"1","state":"open","url":"u","number":1,"created_by":"c","start_date":"d","tags":{}}"#;
    let member = r#""number":1,"createdBy":"me","startDate":"now""#;
    let rest = r#""number":1,"created_by":"me","start_date":"now""#;
    let rows = [
        ("a word in capitals", r#""state":"OPEN""#, false),
        ("another word", r#""state":"open""#, true),
        ("a global identifier", r#""id":"UHVsbA==""#, false),
        ("a number for one", r#""id":"15""#, true),
        ("a page", r#""url":"https://example.com/1""#, false),
        ("a connection", r#""tags":{"edges":[{"node":{"name":"a"}}]}"#, false),
        ("no connection", r#""tags":{"a":"b"}"#, true),
    ];
    let plan = plan(contract);
    for (what, own, heals) in rows {
        let body = format!(r#"{{"data":{{"build":{{{member},{own}}}}}}}"#);
        let left = format!(r#"{{"data":{{"build":{{{own}}}}},{rest}}}"#);
        let expected = if heals { format!("{{{rest},{own}}}") } else { left };
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), expected, "{what}");
    }
    // Beside members that GraphQL does not have, it is any envelope.
    let body = format!(r#"{{"data":{{"build":{{{member},"state":"OPEN"}}}},"page":1}}"#);
    let expected = format!(r#"{{"page":1,{rest},"state":"OPEN"}}"#);
    assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), expected);
}

#[test]
fn words_of_a_list_are_taken_as_they_are() {
    let plan_of = |values: &[&str]| {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        let expects = Expects { kinds: Kinds::of(Kind::String), values, ..Expects::default() };
        let property = Property { name: "work_state".to_owned(), node: Contract::Any, required: true, expects };
        let contract = Some(Contract::Object { properties: vec![property] });
        let spec = PlanSpec { contract, similarity: Some(Settings::default()), ..PlanSpec::default() };
        Plan::compile(&spec).expect("plan")
    };
    let (small, capital, any) = (["in_progress", "done"], ["IN_PROGRESS", "DONE"], []);
    let rows = [
        (&small[..], "done", true),
        (&small, "DONE", false),
        (&small, "unheard-of", false),
        (&capital, "DONE", true),
        (&capital, "done", false),
        (&any, "DONE", true),
        (&any, "done", true),
    ];
    for (values, value, heals) in rows {
        let name = if heals { "work_state" } else { "workState" };
        let plan = plan_of(values);
        let healed = heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"workState":"{value}"}}"#));
        assert_eq!(healed, format!(r#"{{"{name}":"{value}"}}"#), "{values:?}");
    }
}

/// A day in no declared form may have been one in another form.
#[test]
fn a_day_needs_a_format() {
    let plan = plan(r#"{"start_day":"d","work_state":"s"}"#);
    let body = r#"{"startDay":"2026-11-21","workState":"a"}"#;
    let healed = r#"{"startDay":"2026-11-21","work_state":"a"}"#;
    assert_eq!(heal(&plan, &mut Memo::new(&plan), body), healed);
}

/// Rows: what it is about, an example of the contract, a body, and what becomes of it.
fn check(rows: &[(&str, &str, &str, &str)]) {
    for (what, example, body, healed) in rows {
        let plan = plan(example);
        let mut memo = Memo::new(&plan);
        for round in 0..3 {
            assert_eq!(heal(&plan, &mut memo, body), *healed, "{what}, round {round}");
        }
    }
}

/// A value that the contract rules out is not the field, whatever its name.
/// Records of one shape differ by what is in arrays that the plan does not know.
#[test]
fn an_array_of_something_else_stays() {
    let plan = plan(r#"{"flight_slices":[{"stops":[{"gate":"g"}],"cabin":"e"}],"id":1}"#);
    let same = r#"{"flightSlices":[{"stops":[{"gate":"g"}],"cabin":"e"}],"id":1}"#;
    let other = r#"{"flightSlices":[{"stops":2,"cabin":"e"}],"id":1}"#;
    let healed = r#"{"flight_slices":[{"stops":[{"gate":"g"}],"cabin":"e"}],"id":1}"#;
    let mut memo = Memo::new(&plan);
    for (body, expected) in [(same, healed), (other, other), (same, healed), (other, other)] {
        assert_eq!(heal(&plan, &mut memo, body), expected);
    }
}

#[test]
fn an_integer_is_neither_a_fraction_nor_what_stands_inside_by_another_name() {
    let property = |name: &str, kinds: Kinds| Property {
        name: name.to_owned(),
        node: Contract::Any,
        required: true,
        expects: Expects { kinds, ..Expects::default() },
    };
    let whole = Kinds::of(Kind::Integer);
    let properties = vec![property("user_id", whole), property("unit_price", whole.with(Kinds::of(Kind::Number)))];
    let contract = Some(Contract::Object { properties });
    let spec = PlanSpec { contract, similarity: Some(Settings::default()), ..PlanSpec::default() };
    let plan = Plan::compile(&spec).expect("plan");
    let rows = [
        (r#"{"userId":1.50,"unitPrice":1.50}"#, r#"{"userId":1.50,"unit_price":1.50}"#),
        (r#"{"userId":150,"unitPrice":150}"#, r#"{"user_id":150,"unit_price":150}"#),
        (r#"{"userId":{"value":1}}"#, r#"{"user_id":1}"#),
        (r#"{"userId":{"a":1}}"#, r#"{"userId":{"a":1}}"#),
        (r#"{"userId":{"of":1}}"#, r#"{"userId":{"of":1}}"#),
    ];
    for (body, healed) in rows {
        assert_eq!(heal(&plan, &mut Memo::new(&plan), body), healed);
    }
}

/// What is beyond a limit stays as it is and is counted, whatever came before.
/// Whatever came before, and whether it was healed by its skeleton or not.
#[test]
fn what_a_body_was_healed_by_is_told_of_that_body() {
    let plan = plan(r#"{"user_id":1,"full_name":"a","home_city":"c"}"#);
    let rows = [
        (r#"{"userId":1,"full_name":"a","home_city":"c"}"#, "userId"),
        (r#"{"user_id":1,"fullName":"a","home_city":"c"}"#, "fullName"),
        (r#"{"user_id":1,"full_name":"a","home_city":"c"}"#, ""),
        (r#"{"user_id":1,"full_name":"a","homeCity":"c"}"#, "homeCity"),
    ];
    let mut memo = Memo::new(&plan);
    for step in 0..64_usize {
        let (body, from) = rows[step * step / 3 % rows.len()];
        heal(&plan, &mut memo, body);
        let told: Vec<_> = memo.last_used().map(|resolution| resolution.from.clone()).collect();
        assert_eq!(told.concat(), from, "{body}");
    }
}

#[test]
fn names_beyond_a_limit_are_left_and_counted() {
    let example = r#"{"users":[{"user_id":1,"zip_code":"1"}]}"#;
    let healed = |left: &str| format!(r#"{{"users":[{{"user_id":1,"zip_code":"1"}},{left}]}}"#);
    let more = r#"{"users":[{"userId":1,"zipCode":"1"},{"userId":2},{"userId":3}]}"#;
    let rows = [
        ("all within", 8192, more, healed(r#"{"user_id":2},{"user_id":3}"#), 0),
        ("exactly", 3, more, healed(r#"{"user_id":2},{"user_id":3}"#), 0),
        ("the second shape is beyond, twice", 2, more, healed(r#"{"userId":2},{"userId":3}"#), 2),
        (
            "a shape that was within stays so",
            2,
            r#"{"users":[{"userId":1,"zipCode":"1"},{"userId":2},{"userId":3,"zipCode":"3"}]}"#,
            healed(r#"{"userId":2},{"user_id":3,"zip_code":"3"}"#),
            1,
        ),
    ];
    for (what, max_unknown, body, expected, unscored) in rows {
        let plan = plan_with(example, Settings { max_unknown, ..Settings::default() });
        let mut memo = Memo::new(&plan);
        for before in [body, more, r#"{"users":[{"userId":2}]}"#, more] {
            heal(&plan, &mut memo, before);
            assert_eq!(heal_and_count(&plan, &mut memo, body), (expected.clone(), unscored), "{what} after {before}");
        }
    }
}

/// Of a record with too many unknown names some are looked at, the same ones always.
#[test]
fn a_record_beyond_the_limit_is_looked_at_in_part() {
    let plan = plan(r#"{"user_id":1}"#);
    let made_up = |count: u32| (0..count).map(|at| format!(r#""n{at}x":0"#)).collect::<Vec<_>>().join(",");
    let body = format!(r#"{{{},"zz":1}}"#, made_up(300));
    assert_eq!(heal_and_count(&plan, &mut Memo::new(&plan), &body), (body.clone(), 301 - 256));
    let body = format!(r#"{{{},"userId":1}}"#, made_up(3000));
    assert_eq!(heal_and_count(&plan, &mut Memo::new(&plan), &body), (body.clone(), 3001));
}

/// Names, and what becomes of them: their words joined in other ways.
const NAMES: [&str; 12] = [
    "user_id",
    "full_name",
    "email",
    "zip_code",
    "created_at",
    "home_address",
    "order_items",
    "unit_price",
    "is_active",
    "phone_number",
    "total_amount",
    "status",
];

/// Names that rules have another name for.
const ALIASES: [&str; 3] = ["where", "what", "which"];

fn respelt(name: &str, how: u8) -> String {
    let words = name.split('_');
    match how % 8 {
        0 => name.to_owned(),
        1 => name.replace('_', "-"),
        2 if name == "zip_code" => "postal_code".to_owned(),
        2 if name == "phone_number" => "phone".to_owned(),
        3 => ALIASES[usize::from(how / 8) % ALIASES.len()].to_owned(),
        _ => words.enumerate().map(|(i, word)| if i == 0 { word.to_owned() } else { capitalised(word) }).collect(),
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// What a contract expects: members of a record, by number of name.
#[derive(Clone, Debug)]
enum Shape {
    Leaf,
    Object(Vec<(usize, Shape)>),
    Records(Vec<(usize, Shape)>),
}

fn members(depth: u32) -> BoxedStrategy<Vec<(usize, Shape)>> {
    let leaf = Just(Shape::Leaf).boxed();
    let shape = if depth == 0 {
        leaf
    } else {
        let inside = members(depth - 1);
        prop_oneof![4 => leaf, 1 => inside.clone().prop_map(Shape::Object), 1 => inside.prop_map(Shape::Records)]
            .boxed()
    };
    let by_name = proptest::collection::btree_map(0..NAMES.len(), shape, 1..6);
    by_name.prop_map(|members| members.into_iter().collect()).boxed()
}

/// Rules of a route that has similarity besides.
fn rules() -> impl Strategy<Value = PlanSpec> {
    let source = RuleSource::Route;
    let alias = || proptest::sample::select(&ALIASES[..]);
    let name = || proptest::sample::select(&NAMES[..]);
    let above = prop_oneof![Just(""), Just("data."), Just("home_address."), Just("order_items.")];
    let from = (alias(), above).prop_map(|(from, above)| format!("{above}{from}"));
    let to = (name(), proptest::option::weighted(0.3, name()))
        .prop_map(|(to, inside)| inside.map_or_else(|| to.to_owned(), |inside| format!("{to}.{inside}")));
    let rename = (alias(), name()).prop_map(move |(from, to)| RenameRule {
        from: from.to_owned(),
        to: to.to_owned(),
        rank: 0,
        source,
    });
    let path = |text: String| Path::parse(&text).expect("a path");
    let mv = (from, to).prop_map(move |(from, to)| MoveRule { from: path(from), to: path(to), rank: 0, source });
    let convention =
        ConventionRule { from: vec![Case::Camel, Case::Pascal, Case::Kebab], to: Case::Snake, rank: 1, source };
    (
        proptest::collection::vec(rename, 0..2),
        proptest::collection::vec(mv, 0..2),
        proptest::collection::vec(Just(convention), 0..2),
        prop_oneof![3 => Just(Unmapped::Keep), 1 => Just(Unmapped::Drop)],
    )
        .prop_map(|(renames, moves, conventions, unmapped)| PlanSpec {
            renames,
            moves,
            conventions,
            unmapped,
            ..PlanSpec::default()
        })
}

/// As configurations have them, those with which nearly everything is found to be something too.
fn settings() -> impl Strategy<Value = Settings> {
    let profile = prop_oneof![3 => Just(Profile::Default), 1 => Just(Profile::Reference)];
    let threshold = prop_oneof![2 => Just(Settings::default().threshold), 1 => Just(0.6), 1 => Just(0.3)];
    let margin = prop_oneof![2 => Just(Settings::default().margin), 1 => Just(0.0)];
    let max_unknown = prop_oneof![3 => Just(8192), 1 => 1u32..16];
    (profile, threshold, margin, max_unknown).prop_map(|(profile, threshold, margin, max_unknown)| Settings {
        profile,
        threshold,
        margin,
        max_unknown,
        ..Settings::default()
    })
}

/// A plan of an example and rules; without these where they contradict each other.
fn plan_by(example: &str, settings: Settings, rules: PlanSpec) -> Plan {
    let contract = contract_of(&serde_json::from_str(example).expect("example"));
    let spec = PlanSpec { contract: Some(contract), similarity: Some(settings), ..rules };
    Plan::compile(&spec).unwrap_or_else(|_| plan_with(example, settings))
}

fn object(
    members: &[(usize, Shape)],
    example: &mut dyn FnMut(&Shape) -> Value,
    name: &mut dyn FnMut(&str) -> String,
) -> Value {
    let mut object = serde_json::Map::new();
    for (at, shape) in members {
        object.insert(name(NAMES[*at]), example(shape));
    }
    Value::Object(object)
}

/// A document of that shape. Each choice of spelling, wrapping and number of elements is a byte of `tape`.
fn document(shape: &Shape, tape: &mut dyn FnMut() -> u8, next: &mut i64) -> Value {
    let mut leaf = || {
        *next += 1;
        Value::from(*next)
    };
    // Now and then a value is of another kind than expected.
    match tape() {
        16..20 => return leaf(),
        20..24 => return serde_json::json!({ respelt(NAMES[usize::from(tape()) % NAMES.len()], tape()): leaf() }),
        24..28 => return serde_json::json!([leaf()]),
        28..32 => return Value::Null,
        _ => (),
    }
    match shape {
        Shape::Leaf => leaf(),
        Shape::Object(inside) => record(inside, tape, next),
        Shape::Records(inside) => {
            let count = tape() % 4;
            (0..count).map(|_| record(inside, tape, next)).collect()
        }
    }
}

fn record(members: &[(usize, Shape)], tape: &mut dyn FnMut() -> u8, next: &mut i64) -> Value {
    let mut object = serde_json::Map::new();
    let mut inner = serde_json::Map::new();
    for (at, shape) in members {
        let (how, place) = (tape(), tape());
        let value = document(shape, tape, next);
        match place % 8 {
            0 => (),
            1 | 2 => _ = inner.insert(respelt(NAMES[*at], how), value),
            3 => {
                object.insert(respelt(NAMES[*at], tape()), document(shape, tape, next));
                object.insert(respelt(NAMES[*at], how), value);
            }
            _ => _ = object.insert(respelt(NAMES[*at], how), value),
        }
    }
    if !inner.is_empty() {
        object.insert("data".to_owned(), Value::Object(inner));
    }
    Value::Object(object)
}

/// A value whose arrays have each element so often.
fn resized(value: &Value, count: &mut dyn FnMut() -> usize) -> Value {
    match value {
        Value::Array(elements) => elements
            .iter()
            .flat_map(|element| (0..count()).map(|_| resized(element, count)).collect::<Vec<_>>())
            .collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), resized(value, count))).collect(),
        other => other.clone(),
    }
}

fn leaves(value: &Value, into: &mut Vec<i64>) {
    match value {
        Value::Object(members) => members.values().for_each(|value| leaves(value, into)),
        Value::Array(items) => items.iter().for_each(|value| leaves(value, into)),
        Value::Number(number) => into.push(number.as_i64().expect("whole")),
        _ => (),
    }
}

fn example(members: &[(usize, Shape)]) -> Value {
    fn of(shape: &Shape) -> Value {
        match shape {
            Shape::Leaf => Value::from(0),
            Shape::Object(inside) => example(inside),
            Shape::Records(inside) => Value::Array(vec![example(inside)]),
        }
    }
    object(members, &mut of, &mut str::to_owned)
}

/// The value at a path such as `a.b[3].c`.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let pointer = path.replace('[', "/").replace(']', "").replace('.', "/");
    value.pointer(&format!("/{pointer}"))
}

/// Members as a body has them.
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

/// Values of which each differs from the others to what is remembered of a shape, and some that do not.
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

/// The record, and records that differ from it in one place.
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

/// A body becomes the same, whichever shape its record was taken for.
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// No value is lost or doubled, every op is true, and what came before changes nothing.
    #[test]
    fn nothing_is_lost(
        shape in members(2),
        rules in rules(),
        tapes in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 64), 1..6),
        settings in settings(),
    ) {
        let plan = plan_by(&example(&shape).to_string(), settings, rules);
        let mut memo = Memo::new(&plan);
        let mut healer = Healer::new();
        for tape in tapes.iter().chain(&tapes) {
            let mut tape = tape.iter().copied().cycle();
            let body = record(&shape, &mut || tape.next().unwrap_or(0), &mut 0);
            let text = body.to_string();
            let after_others = heal_and_count(&plan, &mut memo, &text);
            let alone = heal_and_count(&plan, &mut Memo::new(&plan), &text);
            prop_assert_eq!(&after_others, &alone, "after others and alone");
            let (healed, _) = alone;
            let parsed: Value = serde_json::from_str(&healed).expect("healed JSON");
            let (mut before, mut after) = (Vec::new(), Vec::new());
            leaves(&body, &mut before);
            leaves(&parsed, &mut after);
            before.sort_unstable();
            after.sort_unstable();
            if plan.spec().unmapped == Unmapped::Drop {
                before.retain(|value| after.contains(value));
            }
            prop_assert_eq!(before, after, "{} became {}", text, healed);

            let mut intake = healer.intake(Limits::default());
            intake.push(text.as_bytes());
            intake.finish();
            healer.heal(&plan, &mut memo, &intake).expect("JSON");
            for op in healer.describe(&plan, &memo, text.as_bytes()) {
                if op.kind == OpKind::Move {
                    let source = at(&body, &op.from).expect("source");
                    // Records around the target may have moved as well, and members of the value moved on.
                    if let Some(stands) = at(&parsed, &op.to).filter(|_| source.is_number()) {
                        prop_assert_eq!(source, stands, "{} -> {} of {} in {}", op.from, op.to, text, healed);
                    }
                }
            }
            let matching = healer.matching(&plan, &mut memo, &intake).expect("JSON");
            let left = matching.matches.iter().filter(|m| m.score < settings.threshold).count();
            prop_assert_eq!(left, 0);
        }
    }

    /// Of bodies that differ in how many records their lists have, each becomes what it becomes alone.
    #[test]
    fn lists_have_any_length(
        shape in members(2),
        rules in rules(),
        tape in proptest::collection::vec(any::<u8>(), 64),
        counts in proptest::collection::vec(proptest::collection::vec(0usize..4, 24), 1..5),
        settings in settings(),
    ) {
        let plan = plan_by(&example(&shape).to_string(), settings, rules);
        let mut memo = Memo::new(&plan);
        let mut tape = tape.iter().copied().cycle();
        let first = record(&shape, &mut || tape.next().unwrap_or(0), &mut 0);
        for counts in std::iter::once(&vec![1]).chain(&counts).chain(&counts) {
            let mut counts = counts.iter().copied().cycle();
            let text = resized(&first, &mut || counts.next().unwrap_or(0)).to_string();
            let told = |(healed, summary): (String, Summary)| (healed, Summary { new_shapes: 0, ..summary });
            let after_others = told(common::heal(&plan, &mut memo, &text));
            prop_assert_eq!(&after_others, &told(common::heal(&plan, &mut Memo::new(&plan), &text)));
        }
    }

    /// Any body at all is survived, and one that is not changed is left byte for byte.
    #[test]
    fn any_body_is_survived(shape in members(2), body in "[\\[\\]{}:,\"a-c_0-9 ]{0,80}") {
        let plan = plan(&example(&shape).to_string());
        let _ = Healer::new().heal_bytes(&plan, body.as_bytes());
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

#[test]
fn a_declared_move_goes_into_an_object_that_similarity_renames() {
    let contract = r#"{"type":"object","properties":{"user_id":{},"work_item":{"type":"object","properties":
        {"state":{},"lead_name":{},"sub_part":{"type":"object","properties":{"item_state":{},"part_name":{}}}}}}}"#;
    let rows = [
        (
            r#""move":{"q":"work_item.state"}"#,
            r#"{"userId":1,"workItem":{"leadName":"l"},"q":"open"}"#,
            r#"{"user_id":1,"work_item":{"lead_name":"l","state":"open"}}"#,
        ),
        (
            r#""move":{"q":"work_item.sub_part.item_state"}"#,
            r#"{"userId":1,"work_item":{"leadName":"l","subPart":{"partName":"p"}},"q":"open"}"#,
            r#"{"user_id":1,"work_item":{"lead_name":"l","sub_part":{"part_name":"p","item_state":"open"}}}"#,
        ),
    ];
    for (moves, body, healed) in rows {
        let plan = configured(contract, &format!(",{moves}"));
        let mut memo = Memo::new(&plan);
        assert_eq!(heal(&plan, &mut memo, body), healed);
        assert_eq!(heal(&plan, &mut memo, body), healed);
    }
}

#[test]
fn an_object_that_a_declared_move_leads_through_is_the_move_s() {
    let plan = configured(
        r#"{"type":"array","items":{"type":"object","properties":{
            "e":{},"userID":{"type":"object","properties":{"f":{}}}}}}"#,
        r#","move":{"[].userId.b":"[].e"}"#,
    );
    let rows = [
        (r#"[{"userId":{"b":1}}]"#, r#"[{"e":1}]"#),
        (r#"[{"userId":{"b":"x"}}]"#, r#"[{"e":"x"}]"#),
        (r#"[{"userId":{"f":1}}]"#, r#"[{"userId":{"f":1}}]"#),
    ];
    for first in rows {
        let mut memo = Memo::new(&plan);
        for (body, healed) in [&[first][..], &rows, &rows].concat() {
            assert_eq!(heal(&plan, &mut memo, body), healed);
        }
    }
}

/// What a convention does to the name of an object is done whatever similarity finds inside.
#[test]
fn a_convention_holds_around_what_similarity_finds() {
    let contract = r#"{"type":"object","properties":{"id":{},"billing_details":{"type":"object","properties":{"name":{},
        "address":{"type":"object","properties":{"line1":{},"city":{}}}}}}}"#;
    let plan = configured(contract, r#","packs":["camel-case"]"#);
    let mut memo = Memo::new(&plan);
    let body = r#"{"id":1,"billingDetails":{"name":"x","address":{"line_1":"x","city":"y"}}}"#;
    for _ in 0..3 {
        let healed = heal(&plan, &mut memo, body);
        assert_eq!(healed, r#"{"id":1,"billing_details":{"name":"x","address":{"line1":"x","city":"y"}}}"#);
    }
    // The name that it would have stands already.
    let body = r#"{"id":1,"billingDetails":{"name":"x","address":{"line_1":"x"}},"billing_details":{}}"#;
    for _ in 0..2 {
        assert_eq!(heal(&plan, &mut memo, body), body);
    }
}

/// An object that a rule renames or moves is what it becomes, and what similarity finds in it goes and stays with it.
#[test]
fn what_is_in_an_object_that_a_rule_takes_is_found_there() {
    let contract = r#"{"type":"object","properties":{"id":{},"home_address":{"type":"object","properties":{
        "zip_code":{},"city":{},"geo":{"type":"object","properties":{"latitude":{},"longitude":{}}}}}}}"#;
    let check = |rules: &str, body: &str, expected: &str| {
        let plan = configured(contract, rules);
        let mut memo = Memo::new(&plan);
        for _ in 0..3 {
            assert_eq!(heal(&plan, &mut memo, body), expected, "{rules} {body}");
        }
    };
    let packs = r#","packs":["camel-case"]"#;
    check(
        packs,
        r#"{"id":1,"homeAddress":{"postal_code":"1","city":"a"}}"#,
        r#"{"id":1,"home_address":{"zip_code":"1","city":"a"}}"#,
    );
    check(
        packs,
        r#"{"id":1,"homeAddress":{"postalCode":"1","city":"a","geo":{"lat":1,"lng":2}}}"#,
        r#"{"id":1,"home_address":{"zip_code":"1","city":"a","geo":{"latitude":1,"longitude":2}}}"#,
    );
    let rename = r#","rename":{"where":"home_address"}"#;
    check(
        rename,
        r#"{"id":1,"where":{"postal_code":"1","city":"a"}}"#,
        r#"{"id":1,"home_address":{"zip_code":"1","city":"a"}}"#,
    );
    let moved = r#","move":{"data.where":"home_address"}"#;
    check(
        moved,
        r#"{"id":1,"data":{"where":{"postal_code":"1","city":"a"}}}"#,
        r#"{"id":1,"home_address":{"zip_code":"1","city":"a"}}"#,
    );
    // The rule does not fire, so that it is not what it would have become; and of two one is.
    for rules in [packs, rename, moved] {
        let stands = r#"{"id":1,"home_address":null,"homeAddress":{"postal_code":"1","city":"a"},
            "where":{"postal_code":"1","city":"a"},"data":{"where":{"postal_code":"1","city":"a"}}}"#;
        check(rules, stands, stands);
    }
    let twice = r#"{"id":1,"homeAddress":{"postal_code":"1","city":"a"},"HomeAddress":{"postal_code":"2","city":"a"}}"#;
    check(packs, twice, &twice.replace("homeAddress", "home_address"));
    // What stands outside stays outside, and what stands inside stays inside.
    check(
        packs,
        r#"{"id":1,"postal_code":"1","homeAddress":{"city":"a"}}"#,
        r#"{"id":1,"postal_code":"1","home_address":{"city":"a"}}"#,
    );
    check(
        packs,
        r#"{"homeAddress":{"city":"a","id":1,"data":{"postal_code":"1","geo":{"lat":1,"lng":2}}}}"#,
        r#"{"home_address":{"city":"a","id":1,"data":{"postal_code":"1","geo":{"lat":1,"lng":2}}}}"#,
    );
}

/// An object that moves takes along what moves inside it.
#[test]
fn what_moves_in_an_object_that_moves_moves_with_it() {
    let plan = plan(
        r#"{"id":1,"title":"","slug":"","author":{"id":1,"full_name":"","email":"","photo":{"url":"","width":1,"height":1}}}"#,
    );
    let rows = [
        (
            r#"{"data":{"id":1,"attributes":{"title":"a","slug":"b","author":{"data":{"id":2,"attributes":{"full_name":"c","email":"d"}}}}}}"#,
            r#"{"id":1,"title":"a","slug":"b","author":{"id":2,"full_name":"c","email":"d"}}"#,
        ),
        (
            r#"{"data":{"id":1,"attributes":{"title":"a","slug":"b","author":{"data":{"id":2,"attributes":{"fullName":"c","email":"d",
                "photo":{"data":{"attributes":{"url":"e","width":3,"height":4}}},"more":5}}}}}}"#,
            r#"{"id":1,"title":"a","slug":"b","author":{"data":{"attributes":{"more":5}},"id":2,"full_name":"c","email":"d","photo":{"url":"e","width":3,"height":4}}}"#,
        ),
    ];
    let mut memo = Memo::new(&plan);
    for (body, healed) in rows.into_iter().chain(rows).chain(rows) {
        let healed: Value = serde_json::from_str(healed).expect("JSON");
        let found: Value = serde_json::from_str(&heal(&plan, &mut memo, body)).expect("JSON");
        assert_eq!(found, healed);
    }
}

/// A member of an object that moves keeps its name, where nothing is found for it: no other may have that there.
#[test]
fn nothing_moves_to_a_name_that_stays_in_an_object_that_moves() {
    let name = r#"{"type":"object","properties":{"last_name":{}}}"#;
    let items = format!(r#"{{"type":"object","properties":{{"home_address":{name},"city":{name}}}}}"#);
    let properties = format!(r#"{{"user_id":{name},"order_items":{items}}}"#);
    let contract = format!(r#"{{"type":"object","properties":{properties}}}"#);
    let mut spec = configured(&contract, "").spec().clone();
    spec.similarity = Some(Settings { profile: Profile::Reference, ..Settings::default() });
    let plan = Plan::compile(&spec).expect("plan");
    let inner = r#""user_id":{"last_name":1},"order_items":{"home_address":{"last_name":{}},"city":{"last_name":2},"phone_number":{"last_name":3}}"#;
    let body = format!(r#"{{"data":{{{inner}}}}}"#);
    assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), format!("{{{inner}}}"));
}

/// What a rule does in an object that similarity renames, or where another rule does not fire, is not done twice.
#[test]
fn what_a_rule_may_yet_do_is_not_done_by_similarity() {
    let inner = r#"{"type":"object","properties":{"zip_code":{},"city":{},"street":{}}}"#;
    let contract = format!(
        r#"{{"type":"object","properties":{{"id":{{}},"email":{{}},"zip_code":{{}},"home_address":{inner}}}}}"#
    );
    let rows = [
        (
            r#","rename":{"where":"zip_code"}"#,
            r#"{"id":1,"homeAddress":{"data":{"city":"a","street":"b","zipCode":"2"},"where":"1"}}"#,
            r#"{"id":1,"home_address":{"data":{"zipCode":"2"},"zip_code":"1","city":"a","street":"b"}}"#,
        ),
        (
            r#","rename":{"where":"zip_code"},"move":{"where":"email"}"#,
            r#"{"data":{"zipCode":"2","id":1},"email":"a","where":"3"}"#,
            r#"{"data":{"zipCode":"2"},"email":"a","zip_code":"3","id":1}"#,
        ),
        (
            r#","move":{"home_address.where":"email"}"#,
            r#"{"id":1,"home_address":{"zipCode":"2","city":"a"}}"#,
            r#"{"id":1,"home_address":{"zip_code":"2","city":"a"}}"#,
        ),
        (
            r#","move":{"zip_code.where":"zip_code"}"#,
            r#"{"id":1,"zipCode":{"where":"2"}}"#,
            r#"{"id":1,"zipCode":{"where":"2"}}"#,
        ),
        // Nothing goes into an object that keeps another name, either.
        (
            r#","move":{"home_address.where":"home_address"}"#,
            r#"{"id":1,"homeAddress":{"city":"a"},"homeAddressZipCode":"2"}"#,
            r#"{"id":1,"homeAddress":{"city":"a"},"homeAddressZipCode":"2"}"#,
        ),
        // What stands for an object may belong inside, or have to stay.
        (
            "",
            r#"{"data":{"id":1,"zip_code":2,"email":"b","home_address":{"city":"c","zipCode":"d"}},"home_address":7}"#,
            r#"{"data":{"home_address":{"city":"c","zipCode":"d"}},"home_address":7,"id":1,"zip_code":2,"email":"b"}"#,
        ),
    ];
    for (rules, body, healed) in rows {
        let plan = configured(&contract, rules);
        let mut memo = Memo::new(&plan);
        for _ in 0..3 {
            assert_eq!(heal(&plan, &mut memo, body), healed, "{rules}");
        }
    }
}

/// Where no array is missing, no shape tells what is in arrays, and nothing depends on it.
#[test]
fn what_is_in_arrays_counts_only_where_shapes_tell() {
    let item = r#"{"type":"object","properties":{"email":{},"zip_code":{},"full_name":{}}}"#;
    let plan = configured(
        &format!(
            r#"{{"type":"object","properties":{{"users":{{"type":"array","items":{item}}},
               "full_name":{{}},"email":{{}},"zip_code":{{}}}}}}"#
        ),
        r#","rename":{"which":"users"}"#,
    );
    let body = |members: &str| format!(r#"{{"data":{{"fullName":1,"users":[{{{members}}}]}},"which":2}}"#);
    let bodies = [body(""), body(r#""email":3,"zip_code":4,"full_name":5"#)];
    let alone: Vec<String> = bodies.iter().map(|body| heal(&plan, &mut Memo::new(&plan), body)).collect();
    for order in [[0, 1, 0, 1], [1, 0, 1, 0]] {
        let mut memo = Memo::new(&plan);
        for at in order {
            assert_eq!(heal(&plan, &mut memo, &bodies[at]), alone[at]);
        }
    }
}

/// What is in the elements of an array of another name tells what the array is, under whatever names it is.
#[test]
fn an_array_is_known_by_the_values_in_it_also_where_the_plan_knows_their_names() {
    let item = r#"{"type":"object","properties":{"created_at":{"type":"string","format":"date-time"}}}"#;
    let plan = configured(
        &format!(r#"{{"type":"object","properties":{{"members":{{"type":"array","items":{item}}},"n":{{}}}}}}"#),
        "",
    );
    let body = |name: &str, value: &str| format!(r#"{{"n":1,"{name}":[{{"created_at":"{value}"}}]}}"#);
    let mut memo = Memo::new(&plan);
    for _ in 0..3 {
        for (value, name) in [("2026-11-21T10:00:00Z", "members"), ("hello", "member_list")] {
            let (healed, _) = common::heal(&plan, &mut memo, &body("member_list", value));
            assert_eq!(healed, body(name, value));
        }
    }
}

/// A name that a declared move only leads through is nothing that the plan knows: what its value is tells what it is.
#[test]
fn a_name_on_the_way_of_a_move_is_judged_by_its_value() {
    let contract = r#"{"type":"object","properties":{"created_at":{"type":"string","format":"date-time"},"n":{}}}"#;
    let plan = configured(contract, r#","move":{"createdAt.x":"n"}"#);
    let body = |name: &str, value: &str| format!(r#"{{"z":1,"{name}":"{value}"}}"#);
    let rows = [("2026-11-21T10:00:00Z", "created_at"), ("hello", "createdAt")];
    for order in [[0, 1, 0], [1, 0, 1]] {
        let mut memo = Memo::new(&plan);
        for (value, name) in order.map(|row: usize| rows[row]) {
            assert_eq!(heal(&plan, &mut memo, &body("createdAt", value)), body(name, value));
        }
    }
}
