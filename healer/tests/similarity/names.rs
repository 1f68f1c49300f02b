//! Names that mean the same, and names that only look alike: each in a record of which all else is known.

use super::recorded::schema;
use super::*;

/// Values of each type of [`schema`] that a field may have.
const VALUES: [(&str, &str); 5] = [("S", r#""x""#), ("I", "5"), ("B", "true"), ("N", "0.5"), ("A", "5")];

/// Expected and found names, and the type.
const SAME: &[(&str, &str, &str)] = &[
    // Misspellings of known words, and swaps and doubled letters in any.
    ("customer_id", "cutomer_id", "I"),
    ("category_name", "catgory_name", "S"),
    ("received_by", "recieved_by", "S"),
    ("address", "adress", "S"),
    ("balance", "balence", "I"),
    ("environment", "enviroment", "S"),
    ("last_name", "last_nmae", "S"),
    ("zygomorph", "zygomoprh", "S"),
    ("vapor_pressure", "vapour_pressure", "I"),
    // Words that keep their sense in any place.
    ("created_date", "date_created", "S"),
    ("max_price", "price_max", "I"),
    ("user_ids", "userIDs", "S"),
    // Short forms of one thing.
    ("quantity", "qty", "I"),
    ("comments", "comment_count", "I"),
    ("department_name", "dept_name", "S"),
    ("discount_percent", "discount_pct", "I"),
];

const OTHER: &[(&str, &str, &str)] = &[
    // Two words of English, one letter apart.
    ("contact_id", "contract_id", "I"),
    ("contact_email", "contract_email", "S"),
    ("patient_id", "patent_id", "I"),
    ("packing_station", "picking_station", "S"),
    ("nitrite", "nitrate", "N"),
    ("sulfite_level", "sulfate_level", "N"),
    ("altitude", "attitude", "N"),
    ("stream_url", "steam_url", "S"),
    ("project_id", "protect_id", "I"),
    ("heating_status", "hearing_status", "S"),
    ("trial_id", "trail_id", "I"),
    ("compliant_count", "complaint_count", "I"),
    // The other word is what it is.
    ("last_status_message", "last_message_status", "S"),
    ("url_type", "type_url", "S"),
    ("key_value", "value_key", "S"),
    ("time_unit", "unit_time", "S"),
    ("first_order_item", "first_item_order", "I"),
    ("is_group_owner", "is_owner_group", "B"),
    ("speed_limit", "limit_speed", "I"),
    // Short forms of several things.
    ("deposit_id", "dep_id", "I"),
    ("department_id", "dep_id", "I"),
    ("country_code", "cc", "S"),
    ("security", "sec", "S"),
    ("author_id", "auth_id", "I"),
    // Other units, and another number to begin with.
    ("tax_rate", "tax_percent", "N"),
    ("vat_percent", "vat_rate", "N"),
    ("latency_ms", "latency", "N"),
    ("response_time", "response_time_ms", "N"),
    ("humidity", "humidity_percent", "N"),
    ("page_number", "page_index", "I"),
    ("track_number", "track_index", "I"),
    // The value is not what the expected name says, or identifies another thing.
    ("paid_at", "paid", "A"),
    ("registration_date", "registration", "S"),
    ("due_on", "due_value", "S"),
    ("permalink_url", "permalink", "S"),
    ("organization_animal_id", "organization_id", "I"),
    ("city", "town", "S"),
    // A number of things, where the things themselves may be expected.
    ("comments", "comment_count", "A"),
    ("users", "user_count", "A"),
];

#[test]
fn names_of_the_same_are_healed() {
    for row in SAME {
        let (before, after) = outcome(row);
        let expected = before.replace(&format!("{:?}", row.1), &format!("{:?}", row.0));
        assert_eq!(after, expected, "{row:?}");
    }
}

#[test]
fn names_of_another_thing_are_left() {
    let healed: Vec<_> = OTHER.iter().filter(|row| outcome(row).0 != outcome(row).1).collect();
    assert_eq!(healed, Vec::<&(&str, &str, &str)>::new());
}

/// Returns a body in which only this field drifted, and what comes of it.
fn outcome((expected, found, kind): &(&str, &str, &str)) -> (String, String) {
    let contract = schema(&format!("{{id:I,name:S,email:S,phone:S,{expected}:{kind}}}"));
    let value = VALUES.iter().find(|(of, _)| of == kind).expect("a type").1;
    let body = format!(r#"{{"id":1,"name":"n","email":"a@b.c","phone":"1","{found}":{value}}}"#);
    let plan = configured(&contract, "");
    let healed = heal(&plan, &mut Memo::new(&plan), &body);
    (body, healed)
}
