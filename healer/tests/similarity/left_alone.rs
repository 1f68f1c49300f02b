//! Bodies that similarity leaves as they came, most of them found in documents of real APIs.

use super::*;

#[test]
fn what_is_something_else_stays() {
    let price = r#"{"id":{"type":"integer"},"name":{"type":"string"},"price":{"oneOf":[{"type":"number"},
        {"type":"object","properties":{"value":{"type":"number"},"currency":{"type":"string"}}}]}}"#;
    let person = r#"{"id":{},"name":{"type":"string"},"email_address":{"type":"string","format":"email"},
        "phone_number":{"type":"string"},"date_of_birth":{"type":"string","format":"date"}}"#;
    let managed = r#"{"id":{"type":"integer"},"name":{"type":"string"},"manager":{"properties":{"id":{"type":"integer"},
        "name":{"type":"string"},"address":{"properties":{"street":{},"city":{},"zip":{}}}}}}"#;
    let suspended = r#"{"id":{},"app_id":{},"app_slug":{},"suspended_at":{},"suspended_by":{"properties":{"login":{},
        "id":{},"avatar_url":{},"gists_url":{},"site_admin":{"type":"boolean"}}}}"#;
    let order =
        r#"{"id":{},"name":{},"status":{},"total":{"type":"number"},"currency":{},"created_at":{},"paid_at":{}}"#;
    let created = r#"{"createdBy":{"type":"string"},"id":{},"title":{},"url":{}}"#;
    let country = r#"{"country":{"type":"string"},"country_code":{"type":"string"},"name":{"type":"string"}}"#;
    let page = r#"{"continuation_token":{"type":"string"},"next_continuation_token":{"type":"string"},"count":{}}"#;
    let address = r#""address":{"street":"s","city":"c","zip":"1"}"#;
    let rows = [
        ("a value where an object may be too", price, r#"{"id":1,"name":"x","price":3.5}"#.to_owned()),
        (
            "members of another record, by other names",
            person,
            r#"{"id":1,"name":"a","spouse":{"id":2,"name":"t","email":"a@b.c","phone":"+1","birth_date":"1999-01-01"}}"#
                .to_owned(),
        ),
        (
            "an object for another record",
            managed,
            format!(r#"{{"id":1,"name":"a",{address},"manager":{{"id":2,"name":"m"}}}}"#),
        ),
        ("an object for another record that is missing", managed, format!(r#"{{"id":1,"name":"a",{address}}}"#)),
        (
            "half of an object",
            suspended,
            r#"{"id":1,"app_id":2,"app_slug":"x","suspended_at":null,"account":{"login":"b","id":5,"avatar_url":"u",
                "gists_url":"g","site_admin":false}}"#
                .to_owned(),
        ),
        (
            "two names with the same first word",
            order,
            r#"{"reference":"S","plan_id":"p","plan_name":"Gold","status":"open","total":1.5,"currency":"EUR",
                "created_at":"2024-01-01T00:00:00Z","paid_at":"2024-01-01T00:00:00Z"}"#
                .to_owned(),
        ),
        ("the type of an object", created, r#"{"created_by":{"object":"user"},"id":"1","title":"x","url":"y"}"#.to_owned()),
        ("two or three letters", country, r#"{"country":"UK","name":"London","country_iso":"GBR"}"#.to_owned()),
        ("this page and the next", page, r#"{"nextPageToken":"t","count":1}"#.to_owned()),
    ];
    for (what, properties, body) in rows {
        let plan = configured(&format!(r#"{{"properties":{properties}}}"#), "");
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body, "{what}");
    }
}

/// A list that the API leaves out because it is empty is not another list that stands in its place.
#[test]
fn a_list_of_other_things_of_the_kind_stays() {
    let task = r#"{"id":"1","title":"n","due_date":"2024-01-01","assignee":"x","priority":1}"#;
    let list = |name: &str| format!(r#"{{"{name}":[{task}],"sync_token":"t","has_more":false}}"#);
    let lists = [
        "deleted",
        "archived",
        "included",
        "errors",
        "suggestions",
        "duplicates",
        "refunds",
        "parents",
        "children",
        "blocked_users",
        "saved_for_later",
        "previous",
        "history",
        "former_members",
        "promotions",
        "substitutions",
        "vouchers",
        "drafts",
    ];
    for name in lists {
        for (expected, found) in [("items", name), (name, "items"), ("data", name)] {
            let (plan, body) = (plan(&list(expected)), list(found));
            assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body, "{found} for {expected}");
        }
    }
    let plan = plan(&list("items"));
    assert_eq!(heal(&plan, &mut Memo::new(&plan), &list("tasks")), list("items"));
}

/// A second address that stands in the record itself does not leave it in parts, where its names tell of either.
#[test]
fn an_address_is_not_torn_apart() {
    let address = r#"{"street":"x","city":"y","postal_code":"z"}"#;
    let plan = plan(&format!(r#"{{"order_no":1,"billing":{address},"shipping":{address}}}"#));
    let body = format!(r#"{{"order_no":1,"billing":{address},"street":"s","city":"c","postal_code":"p"}}"#);
    assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body);
}

/// An object that is taken for something in vain keeps all that is in it, wherever that is expected, and in whatever order.
#[test]
fn an_object_that_stays_stays_whole() {
    let list = |members: &str| format!(r#"{{"type":"array","items":{{"properties":{{{members}}}}}}}"#);
    let entry =
        list(&format!(r#""max_price":{{}},"user_id":{{}},"email":{{}},"zip_code":{}"#, list(r#""user_id":{}"#)));
    let members = [
        r#""created_at":{}"#.to_owned(),
        r#""status":{"properties":{"status":{},"user_id":{"type":"array"}}}"#.to_owned(),
        format!(r#""min_price":{entry}"#),
        r#""user_id":{"type":"array"},"email":{"type":"array"}"#.to_owned(),
    ];
    let body = r#"{"zipCode":{"created_at":1,"status":{},"min_price":[{"max_price":1,"user_id":1,"email":1,
        "zip_code":[{}]}],"user_id":{"d":1}},"address":1,"full_name":1,"home_address":{"c":1,"status":[1]}}"#;
    for members in [members.clone(), [3, 2, 1, 0].map(|at| members[at].clone())] {
        let plan = configured(
            &format!(
                r#"{{"properties":{{"zip_code":{{"properties":{{{}}}}},"address":{{}},"full_name":{{}},
                "home_address":{{"properties":{{"status":{{}},"user_id":{{}}}}}}}}}}"#,
                members.join(",")
            ),
            "",
        );
        assert_eq!(heal(&plan, &mut Memo::new(&plan), body), body, "{}", members.join(","));
    }
}

/// The order of members does not matter, also where one object goes into another that moves.
#[test]
fn objects_that_move_are_the_same_in_any_order() {
    let plan = plan(
        r#"{"computer":{"general":{"serial_number":"s","mac_address":"m","alt_mac_address":"a","entry_date":"d",
            "supervised":true},"hardware":{"make":"m","model":"m","bus_speed":1,"boot_rom":"b"}}}"#,
    );
    let hardware = r#""hardware":{"make":"m","model":"m","bus_speed":1,"boot_rom":"b","serial_number":"s","mac_address":"m","alt_mac_address":"a"}"#;
    let general = r#""general":{"supervised":true,"entry_date":"d"}"#;
    for members in [format!("{hardware},{general}"), format!("{general},{hardware}")] {
        let healed = heal(&plan, &mut Memo::new(&plan), &format!("{{{members}}}"));
        assert_eq!(healed, format!(r#"{{"computer":{{{members}}}}}"#));
    }
}

/// What a response says of itself, times of day, durations, counts, and things beside what was asked for.
#[test]
fn what_only_sounds_alike_stays() {
    let account = r#""id":{"type":"string"},"name":{"type":"string"},"plan":{"type":"string"},
        "balance":{"type":"number"},"status":{"type":"string"}"#;
    let backup = r#""id":{"type":"integer"},"name":{"type":"string"},"backups":{"type":"array","items":{"properties":
        {"id":{},"name":{},"regions":{},"min_disk_size":{},"size_gigabytes":{},"created_at":{}}}}"#;
    let payslip = r#""employee_number":{"type":"string"},"period":{"type":"string"},"earnings":{"type":"array","items":
        {"properties":{"code":{},"label":{},"amount":{},"hours":{},"tax_code":{},"cost_center":{}}}}"#;
    let incident = r#""id":{"type":"string"},"title":{"type":"string"},"address":{"properties":{"street":{},"city":{},
        "postal_code":{},"country":{},"latitude":{}}}"#;
    let place = r#"{"street":"s","city":"c","postal_code":"1","country":"x","latitude":1}"#;
    let rows = [
        (
            "how long it took",
            r#""id":{},"branch":{"type":"string"},"deployed_at":{"type":"integer"}"#,
            r#"{"id":1,"branch":"b","deploy_time":46}"#.to_owned(),
        ),
        (
            "a time of day",
            r#""id":{},"venue":{"type":"string"},"start_date":{"type":"string"}"#,
            r#"{"id":1,"venue":"v","start_time":"19:30"}"#.to_owned(),
        ),
        (
            "a day",
            r#""id":{},"venue":{"type":"string"},"start_time":{"type":"string"}"#,
            r#"{"id":1,"venue":"v","start_date":"Sat, 14 Mar 2026"}"#.to_owned(),
        ),
        (
            "how many",
            r#""id":{},"title":{"type":"string"},"registered_at":{"type":"integer"}"#,
            r#"{"id":1,"title":"t","registered":120}"#.to_owned(),
        ),
        (
            "what many say",
            r#""id":{},"author":{},"rating":{"type":"number"},"text":{}"#,
            r#"{"id":1,"author":"a","text":"t","aggregate":{"rating":4.6,"reviews":120}}"#.to_owned(),
        ),
        (
            "other copies",
            backup,
            r#"{"id":1,"name":"n","snapshots":[{"id":1,"name":"n","regions":["r"],"min_disk_size":1,"size_gigabytes":1,
                "created_at":"x"}]}"#
                .to_owned(),
        ),
        (
            "the other side of a payslip",
            payslip,
            r#"{"employee_number":"1","period":"p","deductions":[{"code":"c","label":"l","amount":1,"hours":1,"tax_code":"t",
                "cost_center":"x"}]}"#
                .to_owned(),
        ),
        ("one of several addresses", incident, format!(r#"{{"id":"1","title":"t","incident_address":{place}}}"#)),
    ];
    for (what, properties, body) in rows {
        let plan = configured(&format!(r#"{{"properties":{{{properties}}}}}"#), "");
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body, "{what}");
    }
    let left = [
        (
            "what became of the request",
            account,
            r#"{"result":{"id":"req_8","status":"success"},"data":{"account_id":"a1","name":"n","plan":"p","balance":1.5}}"#,
            "result",
        ),
        (
            "what the response says of itself",
            r#""id":{},"title":{"type":"string"},"channel":{"type":"string"},"duration":{"type":"integer"}"#,
            r#"{"data":{"id":1,"title":"t","channel":"c"},"meta":{"duration":120,"request_id":"r"}}"#,
            "meta",
        ),
        (
            "an error",
            r#""id":{},"name":{"type":"string"},"code":{"type":"integer"},"message":{"type":"string"},
                "type":{"type":"string"}"#,
            r#"{"error":{"code":5,"message":"m","type":"t"}}"#,
            "error",
        ),
    ];
    for (what, properties, body, member) in left {
        let plan = configured(&format!(r#"{{"properties":{{{properties}}}}}"#), "");
        let healed: Value = serde_json::from_str(&heal(&plan, &mut Memo::new(&plan), body)).expect("healed");
        let body: Value = serde_json::from_str(body).expect("body");
        assert_eq!(healed[member], body[member], "{what}: {healed}");
    }
}

/// What keeps the members of objects in a record apart does so in an envelope around the record too: nothing moves but
/// the record's own members.
#[test]
fn an_envelope_is_no_licence() {
    let manager = r#""manager":{"id":3,"name":"Bob","email":"b@x.org","phone":"+1 555"}"#;
    let person = r#""id":7,"name":"Ann","email":"a@x.org","title":"Dev","created":"2024-01-01T00:00:00Z""#;
    let employee = r#""number":{},"first_name":{},"last_name":{},"title":{},"grade":{},"emergency_contact":{"properties":
        {"name":{},"phone":{},"email":{},"city":{}}}"#;
    let rows = [
        (
            "another of the kind",
            r#""id":{},"name":{},"email":{},"phone":{"type":"string"},"title":{},"created":{}"#,
            format!("{{{person},{manager}}}"),
        ),
        (
            "another of the kind, beside null",
            r#""id":{},"name":{},"email":{},"phone":{"type":["string","null"]},"title":{},"created":{}"#,
            format!(r#"{{{person},"phone":null,{manager}}}"#),
        ),
        (
            "an object that is an envelope elsewhere",
            r#""id":{},"rating":{},"text":{"type":"string"},"author":{},"likes":{}"#,
            r#"{"id":"a","rating":1,"author":"u","likes":0,"reply":{"text":"Thanks","by":"shop"}}"#.to_owned(),
        ),
        (
            "two members of one",
            r#""id":{},"guest_name":{},"adults":{},"total":{},"phone":{},"email":{}"#,
            r#"{"id":1,"guest_name":"A","adults":2,"total":9,"property":{"name":"H","phone":"1","email":"h@x.org"}}"#
                .to_owned(),
        ),
        (
            "members of the record, for a missing object",
            employee,
            r#"{"number":1,"first_name":"A","last_name":"R","title":"D","grade":2,"phone":"1","email":"e","city":"c"}"#
                .to_owned(),
        ),
        (
            "a value with its unit",
            r#""id":{},"sku":{},"status":{},"total":{"type":"number"},"color":{}"#,
            r#"{"id":1,"sku":"s","status":"ok","total":{"amount":1099,"currency":"EUR"},"color":"red"}"#.to_owned(),
        ),
    ];
    for (what, properties, record) in rows {
        let plan = configured(&format!(r#"{{"properties":{{{properties}}}}}"#), "");
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &record), record, "{what}");
        let enclosed = heal(&plan, &mut Memo::new(&plan), &format!(r#"{{"data":{record}}}"#));
        let object = |text: &str| serde_json::from_str::<serde_json::Map<_, Value>>(text).expect("an object");
        let (mut healed, mut own) = (object(&enclosed), object(&record));
        let left = healed.remove("data").unwrap_or_default();
        assert!(!healed.is_empty(), "{what}: {enclosed}");
        for (name, value) in healed {
            assert_eq!(own.remove(&name), Some(value), "{what}: {name} in {enclosed}");
        }
        assert_eq!(left, Value::Object(own), "{what}: {enclosed}");
    }
}
