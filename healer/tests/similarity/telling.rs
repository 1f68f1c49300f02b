//! What is reported of a body, and the limits of unknown names.

use super::*;

/// The report is about the last body, whatever came before, and whether the body was healed by its skeleton or not.
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

/// Names beyond a limit stay as they are and are counted, whatever came before.
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

/// Only some names of a record with too many unknown names are looked at, and always the same ones.
#[test]
fn a_record_beyond_the_limit_is_looked_at_in_part() {
    let plan = plan(r#"{"user_id":1}"#);
    let made_up = |count: u32| (0..count).map(|at| format!(r#""n{at}x":0"#)).collect::<Vec<_>>().join(",");
    let body = format!(r#"{{{},"zz":1}}"#, made_up(300));
    assert_eq!(heal_and_count(&plan, &mut Memo::new(&plan), &body), (body.clone(), 301 - 256));
    let body = format!(r#"{{{},"userId":1}}"#, made_up(3000));
    assert_eq!(heal_and_count(&plan, &mut Memo::new(&plan), &body), (body.clone(), 3001));
}

/// The reference profile has no index: it compares every unknown name with every missing field. So it scores fewer names
/// the more fields there are, and always the same ones.
#[test]
fn the_reference_profile_scores_as_many_names_as_it_has_time_for() {
    let fields: Vec<String> = (0..500).map(|at| format!(r#""field_{at}":{{}}"#)).collect();
    let contract = format!(r#"{{"items":{{"properties":{{"user_id":{{}},{}}}}}}}"#, fields.join(","));
    let text = |settings: &str| {
        format!(r#"{{"routes":[{{"match":{{"prefix":"/"}},"similarity":{settings},"contract":{contract}}}]}}"#)
    };
    let plan = |settings: &str| {
        let config = healer::config::Config::parse(text(settings).as_bytes()).expect("a configuration");
        config.routes[0].plan.clone()
    };
    let record = |at: u32| {
        let names: Vec<String> = (0..100).map(|name| format!(r#""made_up_{at}_{name}":0"#)).collect();
        format!("{{{}}}", names.join(","))
    };
    let records: Vec<String> = (0..20).map(record).collect();
    let body = format!(r#"[{{"USER_ID":1}},{}]"#, records.join(","));
    let healed = body.replace("USER_ID", "user_id");
    // 4096 pairs are 8 names: one is in the first record, and with the 8 of the second one they are too many.
    let rows = [
        (r#"{"profile":"reference","threshold":0.5}"#, healed.clone(), 2000),
        (r#"{"profile":"reference","threshold":0.5,"max_unknown":1}"#, healed.clone(), 2000),
        (r#"{"threshold":0.5}"#, healed, 0),
    ];
    for (settings, expected, unscored) in rows {
        let plan = plan(settings);
        let mut memo = Memo::new(&plan);
        for before in ["[]", &body, &format!("[{}]", records[3])] {
            heal(&plan, &mut memo, before);
            assert_eq!(heal_and_count(&plan, &mut memo, &body), (expected.clone(), unscored), "{settings}");
        }
    }
}
