//! Rules, moves and conventions beside similarity.

use super::*;

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

/// A convention renames an object, whatever similarity finds inside.
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
    // The new name is taken already.
    let body = r#"{"id":1,"billingDetails":{"name":"x","address":{"line_1":"x"}},"billing_details":{}}"#;
    for _ in 0..2 {
        assert_eq!(heal(&plan, &mut memo, body), body);
    }
}

/// An object that a rule renames or moves is judged as what it becomes. What similarity finds in it goes or stays with
/// it.
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
    // The rules do not fire, so the objects do not become what they would have become. Of two objects, one does.
    for rules in [packs, rename, moved] {
        let stands = r#"{"id":1,"home_address":null,"homeAddress":{"postal_code":"1","city":"a"},
            "where":{"postal_code":"1","city":"a"},"data":{"where":{"postal_code":"1","city":"a"}}}"#;
        check(rules, stands, stands);
    }
    let twice = r#"{"id":1,"homeAddress":{"postal_code":"1","city":"a"},"HomeAddress":{"postal_code":"2","city":"a"}}"#;
    check(packs, twice, &twice.replace("homeAddress", "home_address"));
    // A member outside stays outside, and a member inside stays inside.
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

/// So does what moves farther inside, below objects that only go along. It keeps nothing from being renamed beside them,
/// in any order.
#[test]
fn what_moves_far_inside_an_object_that_moves_moves_with_it() {
    let plan = plan(r#"{"avatar":{"large":{"phone":{"typePostalCreated":1}},"longitudeUrlId":true}}"#);
    let members =
        [r#""large":{"phone":{"result":{"type_postal_created":1}}}"#, r#""longitude_url_id":true"#].map(str::to_owned);
    let renamed = [r#""large":{"phone":{"typePostalCreated":1}}"#, r#""longitudeUrlId":true"#].map(str::to_owned);
    for order in [[0, 1], [1, 0]] {
        let of = |members: &[String; 2]| order.map(|at| members[at].as_str()).join(",");
        let healed =
            heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"response":{{"avatar":{{{}}}}}}}"#, of(&members)));
        assert_eq!(healed, format!(r#"{{"avatar":{{{}}}}}"#, of(&renamed)));
    }
}

/// A member without match keeps its name in an object that moves, so no other member may get that name there.
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

/// Similarity does not repeat what a rule does in an object that similarity renames, or where another rule does not
/// fire.
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
        // A value in the place of an object may belong inside it, or have to stay.
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

/// A name that a declared move only leads through is unknown to the plan. Its value tells what it is.
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
