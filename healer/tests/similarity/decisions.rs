//! Decides which members are the same field under another name or in another place, and which are not.

use super::*;

#[test]
fn a_time_of_day_is_told_from_an_address() {
    let contract = r#"{"type":"object","properties":{"id":{},"opening_time":{"type":"string","format":"time"}}}"#;
    let plan = configured(contract, "");
    let healed = |value: &str| heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"id":1,"openingTime":"{value}"}}"#));
    for time in ["09:30", "09:30:00", "09:30:00.5", "09:30:00Z", "09:30:00.5+01:00"] {
        assert_eq!(healed(time), format!(r#"{{"id":1,"opening_time":"{time}"}}"#));
    }
    for other in ["2001:db8::1", "20:10::1", "00:1b:44:11:3a:b7", "soon"] {
        assert_eq!(healed(other), format!(r#"{{"id":1,"openingTime":"{other}"}}"#));
    }
}

#[test]
fn an_address_is_told_from_other_numbers_with_colons() {
    let contract = r#"{"type":"object","properties":{"id":{},"host_address":{"type":"string","format":"ipv6"}}}"#;
    let plan = configured(contract, "");
    let healed = |value: &str| heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"id":1,"hostAddress":"{value}"}}"#));
    for address in ["::1", "2001:db8::8:800:200c:417a", "2001:db8:0:0:8:800:200c:417a", "::ffff:10.0.0.1"] {
        assert_eq!(healed(address), format!(r#"{{"id":1,"host_address":"{address}"}}"#));
    }
    for other in ["00:1b:44:11:3a:b7", "1:02:03", "aa:bb:cc", "09:30:00"] {
        assert_eq!(healed(other), format!(r#"{{"id":1,"hostAddress":"{other}"}}"#));
    }
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
            "out of a pair of coordinates",
            r#"{"id":1,"latitude":1.5,"longitude":2.5}"#,
            r#"{"id":1,"coordinates":{"lat":1.5,"lon":2.5}}"#,
            r#"{"id":1,"latitude":1.5,"longitude":2.5}"#,
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
            "all that there is, which holds what is expected",
            r#"{"username":"u","email":"e","locked":true}"#,
            r#"{"account":{"username":"v","email":"f","locked":false}}"#,
            r#"{"username":"v","email":"f","locked":false}"#,
        ),
        (
            "all that there is, where one object is all that is expected",
            r#"{"iteration":{"author_id":"a","bucket_slug":"b","fingerprint":"f","revoked_at":"r"}}"#,
            r#"{"version":{"author_id":"b","bucket_slug":"c","fingerprint":"g","parents":1}}"#,
            r#"{"iteration":{"author_id":"b","bucket_slug":"c","fingerprint":"g","parents":1}}"#,
        ),
        (
            "names that lost a word together",
            r#"{"adjusted_close":1,"adjusted_high":1,"adjusted_low":1}"#,
            r#"{"close":1,"high":2,"low":3}"#,
            r#"{"close":1,"high":2,"low":3}"#,
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

/// However many names have another word in the place of the same one, the words may be two things.
#[test]
fn names_that_exchanged_a_word_are_left() {
    let contract = r#"{"id":1,"opening_employee_id":"a","ending_employee_id":"b","closing_employee_id":"c"}"#;
    let crew = r#"{"id":1,"opening_crew_id":"a","ending_crew_id":"b","closing_crew_id":"c"}"#;
    let two = r#"{"id":1,"opening_crew_id":"a","ending_crew_id":"b"}"#;
    let both = r#"{"id":1,"opening_crew_id":"a","ending_crew_id":"b","closing_crew_id":"c","employee_note":"n"}"#;
    let standing = contract.replace('}', r#","employee_note":"n"}"#);
    let bodies = [
        (contract, crew),
        (contract, two),
        (contract, both),
        (&standing, both),
        (
            r#"{"creation_tsz":1,"ending_tsz":2,"state_tsz":3}"#,
            r#"{"creation_timestamp":1,"ending_timestamp":2,"state_timestamp":3}"#,
        ),
        (
            r#"{"id":1,"billing_city":"c","billing_street":"s","billing_zip":"z"}"#,
            r#"{"id":1,"shipping_city":"c","shipping_street":"s","shipping_zip":"z"}"#,
        ),
        (
            r#"{"id":1,"field_goals_made":1,"three_pointers_made":2,"free_throws_made":3}"#,
            r#"{"id":1,"field_goals_attempted":1,"three_pointers_attempted":2,"free_throws_attempted":3}"#,
        ),
        (
            r#"{"id":1,"sms_price":1,"sms_number":2,"sms_limit":3}"#,
            r#"{"id":1,"voice_price":1,"voice_number":2,"voice_limit":3}"#,
        ),
        (
            r#"{"id":1,"sms_price":1,"sms_number":2,"sms_limit":3,"voice_rate":4}"#,
            r#"{"id":1,"voice_price":1,"voice_number":2,"voice_limit":3}"#,
        ),
        (
            r#"{"id":1,"sms_price":1,"sms_number":2,"sms_limit":3}"#,
            r#"{"id":1,"voice_price":1,"voice_number":2,"voice_limit":3,"fax_price":1,"fax_number":2,"fax_limit":3}"#,
        ),
        (
            r#"{"id":1,"subtotal":1,"subtotal_usd":2,"subtotal_formatted":"3"}"#,
            r#"{"id":1,"total":1,"total_usd":2,"total_formatted":"3"}"#,
        ),
    ];
    check(&bodies.map(|(example, body)| ("exchanged", example, body, body)));
}

/// Little is known of these records, so a name needs several words. It does not matter on which side they are written
/// apart.
#[test]
fn words_that_are_written_together_are_several() {
    let example = r#"{"id":1,"paymenttype":"p","fee":1,"flow":"f","origin":"o","panel":"q","scheme":"s"}"#;
    let rows = [
        ("apart now", example, r#"{"payment_type":"p","x":1,"y":2}"#, r#"{"paymenttype":"p","x":1,"y":2}"#),
        ("a single word", example, r#"{"Origin":"p","x":1,"y":2}"#, r#"{"Origin":"p","x":1,"y":2}"#),
    ];
    check(&rows);
}

/// A member that is there once belongs to one object.
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

/// GraphQL has other words, identifiers and addresses than REST under the same names, and lists that are objects.
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
    // Beside members that GraphQL does not have, `data` is an ordinary envelope.
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
        let contract = Some(Contract::Object { properties: vec![property], open: false });
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

/// A date without a declared format may have been one in another form.
#[test]
fn a_day_needs_a_format() {
    let plan = plan(r#"{"start_day":"d","work_state":"s"}"#);
    let body = r#"{"startDay":"2026-11-21","workState":"a"}"#;
    let healed = r#"{"startDay":"2026-11-21","work_state":"a"}"#;
    assert_eq!(heal(&plan, &mut Memo::new(&plan), body), healed);
}

/// Checks rows of a description, an example of the contract, a body, and the healed body.
pub fn check(rows: &[(&str, &str, &str, &str)]) {
    for (what, example, body, healed) in rows {
        let plan = plan(example);
        let mut memo = Memo::new(&plan);
        for round in 0..3 {
            assert_eq!(heal(&plan, &mut memo, body), *healed, "{what}, round {round}");
        }
    }
}

/// If a member would have to go into an object that is a scalar and stays one, it stays too.
#[test]
fn no_name_is_made_twice() {
    let date = r#"{"type":"string","format":"date-time"}"#;
    let state = r#"{"properties":{"value":{"type":"string","enum":["on","off"]},"changed_at":DATE}}"#;
    let plan = configured(&format!(r#"{{"properties":{{"id":{{}},"state":{state}}}}}"#).replace("DATE", date), "");
    let at = "2026-01-01T00:00:00Z";
    let (known, unknown) = (
        format!(r#"{{"id":1,"state":"on","state_changed_at":"{at}"}}"#),
        format!(r#"{{"id":1,"state":"paused","state_changed_at":"{at}"}}"#),
    );
    let mut memo = Memo::new(&plan);
    for _ in 0..3 {
        let healed = format!(r#"{{"id":1,"state":{{"value":"on","changed_at":"{at}"}}}}"#);
        assert_eq!(heal(&plan, &mut memo, &known), healed);
        assert_eq!(heal(&plan, &mut memo, &unknown), unknown);
    }

    let inner = r#"{"properties":{"created_at":{"type":"string"}}}"#;
    let info = r#"{"properties":{"open_issues_count":{}}}"#;
    let contract = format!(r#"{{"properties":{{"id":{{}},"info":{info},"open_issues_count":{inner}}}}}"#);
    let plan = configured(&contract, "");
    for info in ["null", "[]", "\"x\""] {
        let body = format!(r#"{{"id":1,"info":{info},"open_issues_count":"x","open_issues_count_created_at":"y"}}"#);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body);
    }
}

/// A name that only says what its record is called still says something about its content.
#[test]
fn the_name_of_the_record_is_no_filler() {
    let example = r#"{"messages":[{"id":"1","created_at":"c","sender":{"name":"n","message":"m"}}]}"#;
    let body = r#"{"messages":[{"id":"1","created_at":"c","sender":"bob"}]}"#;
    check(&[("a sender is no message", example, body, body)]);
    let healed = r#"{"messages":[{"id":"1","created_at":"c","sender":{"value":"bob"}}]}"#;
    check(&[("its value is", &example.replace("message\":\"m", "value\":\"m"), body, healed)]);
}

/// Names without words, such as those that are too long to be looked at, are the same only if they are equal.
#[test]
fn names_without_words_are_told_apart() {
    let (long, other) = ("a".repeat(97), "b".repeat(97));
    let rows = [
        (
            "an object",
            r#"{"id":1,"headshot":{"caption":"c","LONG":2}}"#,
            r#"{"id":1,"mugshot":{"caption":"c","OTHER":2}}"#,
        ),
        (
            "the elements of an array",
            r#"{"id":1,"headshots":[{"caption":"c","LONG":2}]}"#,
            r#"{"id":1,"mugshots":[{"caption":"c","OTHER":2}]}"#,
        ),
        ("signs", r#"{"id":1,"headshot":{"caption":"c","+":2}}"#, r#"{"id":1,"mugshot":{"caption":"c","-":2}}"#),
        (
            "an object that moved up",
            r#"{"id":1,"price":2,"depot":{"LONG":3,"+":4,"*":5,"name":"n"}}"#,
            r#"{"id":1,"price":2,"OTHER":3,"name":"n"}"#,
        ),
        (
            "a wrapper",
            r#"{"caption":"c","length":1,"LONG":2,"hue":3}"#,
            r#"{"zebra":{"caption":"c","length":1,"OTHER":2}}"#,
        ),
    ];
    let named = |text: &str| text.replace("LONG", &long).replace("OTHER", &other);
    for (what, example, body) in rows.map(|(what, example, body)| (what, named(example), named(body))) {
        check(&[(what, &example, &body, &body)]);
    }
    let [example, body] =
        ["headshot", "mugshot"].map(|name| rows[0].1.replace("headshot", name)).map(|row| named(&row));
    check(&[("an equal name", &example, &body, &example)]);
}

/// Two objects that have a member of the same name each have members of their own.
#[test]
fn what_another_record_has_is_its_own() {
    let address = r#""address":{"city":"c","zip_code":"z"}"#;
    let example = format!(r#"{{"id":1,"name":"n","phone_number":"p","is_active":true,{address},"owner_email":"e"}}"#);
    let plan = plan(&example);
    let rows = [
        r#"{"id":1,"name":"n","is_active":true,"address":{"city":"c"},"manager":{"id":2,"phone_number":"p"}}"#,
        r#"{"id":1,"name":"n","is_active":true,"address":{"city":"c"},"firm":{"address":{"city":"d","zip_code":"z"}}}"#,
        r#"{"id":1,"name":"n","phone_number":"p","data":{"id":2,"name":"m","is_active":true,"address":{"city":"c","zip_code":"z"}}}"#,
    ];
    for body in rows {
        assert_eq!(heal(&plan, &mut Memo::new(&plan), body), body);
    }
    let stands = format!(r#"{{"id":1,"name":"n","phone_number":"p","is_active":true,{address}"#);
    let owned = format!(r#"{stands},"owner":{{"name":"m","email":"e"}}}}"#);
    let healed = format!(r#"{stands},"owner":{{"name":"m"}},"owner_email":"e"}}"#);
    assert_eq!(heal(&plan, &mut Memo::new(&plan), &owned), healed);
}

/// The content of arrays that the plan does not know is part of the shape of a record.
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

/// A value that the contract rules out is not the field, whatever its name is.
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
    let contract = Some(Contract::Object { properties, open: false });
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

/// If no array is missing, shapes do not include the content of arrays, and nothing depends on it.
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

/// The content of the elements tells what an array of another name is, even if the plan knows the names in it.
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

/// A member that was taken for another field, in vain, still has its name: no object of that name is made beside it, and
/// nothing leaves it.
#[test]
fn no_object_is_made_beside_a_member_of_its_name() {
    let settings = Settings { profile: Profile::Reference, ..Settings::default() };
    let example = r#"[{"userid":{"user-id":{"user":1},"userId":{"user":{"user-id":1}}}}]"#;
    let plan = plan_with(example, settings);
    let body = r#"[{"UserID":{"userid":{"user-id":1,"user":2}}}]"#;
    assert_eq!(heal(&plan, &mut Memo::new(&plan), body), body);
}

/// Envoy's `Struct` keeps no order. What fits two missing objects alike goes into neither.
#[test]
fn the_order_in_a_contract_has_no_meaning() {
    let address = r#"{"properties":{"street":{},"city":{},"postal_code":{}}}"#;
    let (billing, shipping) = (format!(r#""billing":{address}"#), format!(r#""shipping":{address}"#));
    let creator = r#""creator":{"properties":{"id":{}}}"#;
    let own = r#""id":{},"node_id":{},"avatar_url":{}"#;
    let rows = [
        (
            r#""order_no":{}"#,
            billing.as_str(),
            shipping.as_str(),
            r#"{"order_no":1,"street":"s","city":"c","postal_code":"p"}"#,
        ),
        (r#""name":{}"#, own, creator, r#"{"app":{"owner":{"login":"l","id":1,"node_id":"M","avatar_url":"u"}}}"#),
    ];
    for (first, second, third, body) in rows {
        let heals = |names: [&str; 3]| {
            let text = format!(
                r#"{{"routes":[{{"match":{{"prefix":"/"}},"similarity":{{}},"contract":{{"properties":{{{}}}}}}}]}}"#,
                names.join(",")
            );
            let config = healer::config::Config::parse(text.as_bytes()).expect("a configuration");
            let plan = &config.routes[0].plan;
            heal(plan, &mut Memo::new(plan), body)
        };
        assert_eq!(heals([first, second, third]), heals([first, third, second]), "{body}");
        assert_eq!(heals([first, second, third]), heals([third, second, first]), "{body}");
        if second == billing {
            assert_eq!(heals([first, second, third]), body);
        }
    }
}

/// What groups members inside one of two envelopes is not beside the record, whichever envelope comes first.
#[test]
fn the_order_of_envelopes_has_no_meaning() {
    let plan = plan(r#"{"a":{"id":1,"title":"t","channel":"c","size":2,"duration":5}}"#);
    let (one, other) = (r#""data":{"id":1,"title":"t"}"#, r#""result":{"channel":"c","size":2,"meta":{"duration":5}}"#);
    let healed = |body: String| {
        let healed = heal(&plan, &mut Memo::new(&plan), &body);
        serde_json::from_str::<Value>(&healed).expect("healed")
    };
    let expected = serde_json::json!({"a": {"id": 1, "title": "t", "channel": "c", "size": 2, "duration": 5}});
    for body in [format!(r#"{{"a":{{{one},{other}}}}}"#), format!(r#"{{"a":{{{other},{one}}}}}"#)] {
        assert_eq!(healed(body.clone()), expected, "{body}");
    }
}
