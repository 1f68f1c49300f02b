//! Fields that the contract describes by the words of a name that is found.

use super::*;

/// Heals a body by a contract of string fields: name and description.
fn healed(fields: &[(&str, &str)], body: &str) -> String {
    let field = |(name, description): &(&str, &str)| {
        format!("{}:{{\"type\":\"string\",\"description\":{}}}", Value::from(*name), Value::from(*description))
    };
    let properties: Vec<String> = fields.iter().map(field).collect();
    let plan = configured(&format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(",")), "");
    heal(&plan, &mut Memo::new(&plan), body)
}

#[test]
fn a_field_is_what_its_description_calls_it() {
    let rows = [
        ("wert", "Postal code", "postal_code"),
        ("wert", "the postal code", "postalCode"),
        ("wert", "Postal codes (up to nine characters).", "PostalCode"),
        ("wert", "Postal code: five digits, or nine.", "postal_code"),
        ("owner", "ID of the user", "user_id"),
        ("owner", "The user's ID.\nAlways set.", "user_id"),
        ("b", "Date of birth", "birth_date"),
        ("b", "Birth date", "date_of_birth"),
        ("zeile2", "Address line 2", "address_line_2"),
    ];
    for (name, description, found) in rows {
        let (body, expected) = (format!(r#"{{"{found}":"x"}}"#), format!(r#"{{"{name}":"x"}}"#));
        assert_eq!(healed(&[(name, description)], &body), expected, "{description}");
        assert_eq!(healed(&[(name, "")], &body), body, "{name} is not {found} by its name");
    }
}

#[test]
fn a_description_that_says_less_or_more_or_another_thing_is_none() {
    let rows = [
        ("wert", "Code", "code"),
        ("wert", "Postal code of the sender", "postal_code"),
        ("wert", "Postal code", "postal_code_type"),
        ("wert", "Postal code", "code_postal"),
        ("n", "Number of items", "item_number"),
        ("n", "The number of the items", "item_number"),
        ("n", "Number of items of the order", "order_item_number"),
        ("first_name", "Last name", "last_name"),
        ("updated_at", "Created time", "created_time"),
        ("report_id", "The ID of the check (if there is one)", "check_id"),
        ("phonetic_middle_name", "The middle name (as it sounds)", "middle_name"),
        ("zeile2", "Address line 1", "address_line_1"),
        ("wert", "", "postal_code"),
        ("wert", "of the", "postal_code"),
    ];
    for (name, description, found) in rows {
        let body = format!(r#"{{"{found}":"x"}}"#);
        assert_eq!(healed(&[(name, description)], &body), body, "{name}: {description}");
    }
}

#[test]
fn a_description_of_several_fields_tells_none_of_them_apart() {
    let both = [("wert", "Postal code"), ("feld", "Postal code")];
    let body = r#"{"postal_code":"x"}"#;
    assert_eq!(healed(&both, body), body);
    let body = r#"{"wert":"y","postal_code":"x"}"#;
    assert_eq!(healed(&both, body), body);
    let body = r#"{"postal_code":"x","postalCode":"y"}"#;
    assert_eq!(healed(&both[..1], body), body);
}

#[test]
fn a_name_goes_before_a_description() {
    let fields = [("wert", "Postal code"), ("postal_code", "Code of the post office")];
    assert_eq!(healed(&fields, r#"{"postalCode":"x"}"#), r#"{"postal_code":"x"}"#);
}

#[test]
fn a_described_value_is_of_the_expected_kind_and_format() {
    let contract = r#"{"type":"object","properties":{"id":{},"owner":{"type":"integer","description":"ID of the user"},
        "at":{"type":"string","format":"date-time","description":"Time of day"}}}"#;
    let plan = configured(contract, "");
    let mut memo = Memo::new(&plan);
    let body = r#"{"id":1,"user_id":"x","day_time":"noon"}"#;
    assert_eq!(heal(&plan, &mut memo, body), body);
    let body = r#"{"id":1,"user_id":7,"day_time":"2026-11-24T12:00:00Z"}"#;
    assert_eq!(heal(&plan, &mut memo, body), r#"{"id":1,"owner":7,"at":"2026-11-24T12:00:00Z"}"#);
}

#[test]
fn what_is_described_in_another_object_stays() {
    let contract = r#"{"type":"object","properties":{"id":{},"return_address":{"type":"object","properties":{
        "city":{"type":"string","description":"The city of the address."},"name":{}}}}}"#;
    let plan = configured(contract, "");
    let body = r#"{"id":1,"return_address":{"name":"n"},"address_city":"Rome"}"#;
    assert_eq!(heal(&plan, &mut Memo::new(&plan), body), body);
}
