//! Objects and lists that are known by their members.

use super::*;

/// `items` says nothing of what is in it, so the elements tell which list it is.
#[test]
fn a_list_without_a_name_of_its_own_is_known_by_its_elements() {
    let users = r#"[{"user_id":1,"nickname":"n","birthday":"b","shoe_size":4}]"#;
    let drifted = r#"[{"userId":1,"nickname":"n","birthday":"b","shoe_size":4},{"nickname":"m"}]"#;
    let healed = r#"[{"user_id":1,"nickname":"n","birthday":"b","shoe_size":4},{"nickname":"m"}]"#;
    let list = |name: &str, elements: &str| format!(r#"{{"{name}":{elements}}}"#);
    for (expected, found) in [("users", "items"), ("items", "users"), ("data", "results")] {
        let plan = plan(&list(expected, users));
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &list(found, drifted)), list(expected, healed), "{found}");
    }
    let out_of_object = plan(&list("d", &list("results", users)));
    let moved = heal(&out_of_object, &mut Memo::new(&out_of_object), &list("value", drifted));
    assert_eq!(moved, list("d", &list("results", healed)));

    let few = r#"[{"id":1,"name":"n","created_at":"c"}]"#;
    let with_pets = r#"[{"nickname":"n","birthday":"b","shoe_size":4,"pets":[{"species":"s"}]}]"#;
    let with_ages = r#"[{"nickname":"n","birthday":"b","shoe_size":4,"pets":[1]}]"#;
    let two = |a: &str, b: &str| format!(r#"{{"{a}":{users},"{b}":{users}}}"#);
    let stays = [
        ("both have a name", list("followers", users), list("following", users)),
        ("some of them", list("items", users), list("failed_items", users)),
        ("little is told", list("users", few), list("items", few)),
        ("another kind", list("users", with_pets), list("items", with_ages)),
        ("two could be", list("users", users), two("items", "idols")),
        ("two are missing", two("fans", "idols"), list("items", users)),
        ("one stands", two("fans", "idols"), two("fans", "items")),
    ];
    for (case, example, body) in stays {
        let plan = plan(&example);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body, "{case}");
    }
}

/// A response about one list may call it anything, if there is no other list, and the response is no record.
#[test]
fn the_only_list_of_a_response_is_known_by_its_elements() {
    let zone = r#"{"serial":1,"ttl":60,"pool_id":"p","owner_email":"o","masters":"m"}"#;
    let response = |name: &str, zone: &str| format!(r#"{{"{name}":[{zone}],"total":1}}"#);
    let in_envelope = format!(r#"{{"_embedded":{{"zones":[{zone}]}},"total":1}}"#);
    let plan_of_domains = plan(&response("domains", zone));
    for body in [response("zones", zone), in_envelope, response("unites_legales", zone)] {
        let healed = heal(&plan_of_domains, &mut Memo::new(&plan_of_domains), &body);
        assert!(healed.contains(&format!(r#""domains":[{zone}]"#)), "{healed}");
    }

    let two = |a: &str, b: &str| format!(r#"{{"{a}":[{zone}],"{b}":[{zone}],"total":1}}"#);
    let record = |name: &str, more: &str| format!(r#"{{"{name}":[{zone}],"total":1,{more}}}"#);
    let large = r#""a":1,"b":2,"c":3,"d":4,"e":5"#;
    let in_record = |more: &str| format!(r#"{{"_embedded":{{"zones":[{zone}]}},"total":1,{more}}}"#);
    let inside = |name: &str| format!(r#"{{"total":1,"view":{{"{name}":[{zone}]}}}}"#);
    let element = |name: &str| format!(r#"{{"views":[{{"{name}":[{zone}]}}]}}"#);
    let with_hosts = zone.replace(r#""m""#, r#"[{"ip":"i"}]"#);
    let with_numbers = zone.replace(r#""m""#, "[1]");
    let few = r#"{"serial":1,"ttl":60,"pool_id":"p","x":1,"y":2}"#;
    let stays = [
        ("opposites", response("senders", zone), response("recipients", zone)),
        ("what is left out", response("domains", zone), response("archived_zones", zone)),
        ("other relations", response("domains", zone), response("suggestions", zone)),
        ("a common word", response("zone_domains", zone), response("zone_records", zone)),
        ("a record with an identifier", record("domains", r#""id":1"#), record("zones", r#""id":1"#)),
        ("a record with many members", record("domains", large), record("zones", large)),
        ("a record without the expected identifier", record("domains", r#""id":1"#), record("zones", r#""zone_no":1"#)),
        ("an identified record around an envelope", response("domains", zone), in_record(r#""id":1"#)),
        ("a large record around an envelope", response("domains", zone), in_record(large)),
        ("two are there", response("domains", zone), two("zones", "views")),
        ("two are expected", two("domains", "views"), response("zones", zone)),
        ("in another object", inside("domains"), inside("zones")),
        ("in an element", element("domains"), element("zones")),
        ("another kind", response("domains", &with_hosts), response("zones", &with_numbers)),
        ("few members are the same", response("domains", zone), response("zones", few)),
    ];
    for (case, example, body) in stays {
        let plan = plan(&example);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body, "{case}");
    }
}

/// `storefront_address` alone may stand beside an `address`. With the same members, and where nothing else has these, it is
/// the address.
#[test]
fn an_object_with_a_word_more_is_known_by_the_members() {
    let place = r#"{"street":"s","postal_code":"p","region_code":"r","language_code":"l","latitude":1.5}"#;
    let list = &format!("[{place}]");
    let one = |name: &str, value: &str| format!(r#"{{"id":1,"title":"t","{name}":{value}}}"#);
    let two = |a: &str, b: &str, value: &str| format!(r#"{{"id":1,"title":"t","{a}":{value},"{b}":{value}}}"#);
    for (expected, found) in [("address", "storefront_address"), ("product", "product_at_stop")] {
        let plan = plan(&one(expected, place));
        let body = one(found, place);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), one(expected, place), "{found}");
    }

    let few = r#"{"street":"s","postal_code":"p","x":1,"y":2,"z":3}"#;
    let stays = [
        ("each has a word of its own", one("sold_to_address", place), one("bill_to_address", place)),
        ("a word of another state", one("address", place), one("previous_address", place)),
        ("a word that groups", one("address", place), one("extra_address", place)),
        ("another relation", one("organization", place), one("parent_organization", place)),
        ("another number", one("address", place), one("address2", place)),
        ("one of several is expected", one("business_address", place), one("address", place)),
        ("one of several is there", one("address", place), one("agency_address", place)),
        ("a list of some of them", one("addresses", list), one("suggestion_addresses", list)),
        ("a list of those of some", one("addresses", list), one("customer_addresses", list)),
        ("a list of some of them, by a participle", one("addresses", list), one("featured_addresses", list)),
        ("some of them", one("items", list), one("affected_items", list)),
        ("few members are the same", one("address", place), one("storefront_address", few)),
        (
            "another thing",
            one("address", place),
            one("address_survey", &place.replace('}', r#","x":1,"y":2,"z":3,"w":4}"#)),
        ),
        (
            "another may be there",
            one("address", place),
            format!(r#"{{"billing_address":{place},"shipping_address":null}}"#),
        ),
        (
            "another may be there, of several",
            one("address", place),
            format!(r#"{{"id":1,"title":"t","storefront_address":{place},"shipping_address":null}}"#),
        ),
        (
            "elsewhere is another",
            one("address", place),
            format!(r#"{{"id":1,"title":"t","storefront_address":{place},"agent":{{"main_office":{place}}}}}"#),
        ),
        ("two could be", one("address", place), two("storefront_address", "warehouse", place)),
        ("two are missing", two("address", "warehouse", place), one("storefront_address", place)),
        ("one stands", two("address", "warehouse", place), two("warehouse", "storefront_address", place)),
        ("elsewhere", one("address", place), one("x", &one("storefront_address", place))),
    ];
    for (case, example, body) in stays {
        let plan = plan(&example);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body), body, "{case}");
    }
}

/// Which of two objects with the same members took the place of a missing one, the members do not tell. That says nothing
/// of members that moved up out of an object into one that is expected and there.
#[test]
fn an_object_that_has_a_twin_is_left() {
    let place = r#"{"street":"s","postal_code":"p","region_code":"r"}"#;
    let plan = &plan(&format!(r#"{{"id":1,"title":"t","address":{place}}}"#));
    let healed = |body: &str| heal(plan, &mut Memo::new(plan), body);
    let one = format!(r#"{{"id":1,"title":"t","spot":{place}}}"#);
    let two = format!(r#"{{"id":1,"title":"t","spot":{place},"nook":{place}}}"#);
    assert_eq!(healed(&one), format!(r#"{{"id":1,"title":"t","address":{place}}}"#));
    assert_eq!(healed(&two), two);

    let probe = |inside: &str| format!(r#"{{"ready":{inside},"alive":{inside},"id":1,"title":"t"}}"#);
    let (nested, flat) = (
        r#"{"delay":1,"handler":{"tcp_socket":"a","http_get":"b"}}"#,
        r#"{"delay":1,"tcp_socket":"a","http_get":"b"}"#,
    );
    let lifted = super::plan(&probe(nested));
    assert_eq!(heal(&lifted, &mut Memo::new(&lifted), &probe(flat)), probe(nested));
}
