//! The plugin's configuration as JSON text, from either form in which the host hands it over.
//!
//! Envoy passes on the text of a `StringValue`. A `google.protobuf.Struct`, which YAML in an Envoy configuration
//! becomes, arrives in protobuf's wire format, whatever Envoy's documentation says (measured on 1.36.2 and 1.40.0).
//! Both forms may begin with a line feed, so the content decides: bytes that parse as a Struct from end to end are a
//! Struct, and JSON never does.

use std::borrow::Cow;

use healer::order::sort;

use crate::decimal;

/// The maximum depth of a configuration, above what configurations themselves allow.
const MAX_DEPTH: u32 = 256;
/// Field 1, length-delimited: the first byte of every Struct with a member.
const STRUCT_START: u8 = 0x0a;

/// Returns the JSON text of a configuration.
pub fn as_json(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.first() == Some(&STRUCT_START) {
        let mut json = Vec::new();
        if object(bytes, &mut json, 0).is_some() {
            return Cow::Owned(json);
        }
    }
    Cow::Borrowed(bytes)
}

/// A field of a message: its number and its content.
enum Field<'a> {
    Varint(u64, u64),
    Fixed64(u64, u64),
    Bytes(u64, &'a [u8]),
}

/// `Struct { map<string, Value> fields = 1; }`
///
/// A map has no order on the wire (Envoy 1.40 gives another one at each start). So members are sorted by name, and the
/// same configuration always means the same.
fn object(mut message: &[u8], json: &mut Vec<u8>, depth: u32) -> Option<()> {
    let depth = deeper(depth)?;
    let mut members = Vec::new();
    while !message.is_empty() {
        let Field::Bytes(1, entry) = field(&mut message)? else { return None };
        members.push(member(entry)?);
    }
    sort(&mut members);
    json.push(b'{');
    for (index, (name, held)) in members.into_iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        string(name, json)?;
        json.push(b':');
        value(held, json, depth)?;
    }
    json.push(b'}');
    Some(())
}

/// A map entry: key 1, value 2, in either order.
fn member(mut entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let (mut name, mut held) = (&[][..], &[][..]);
    while !entry.is_empty() {
        match field(&mut entry)? {
            Field::Bytes(1, key) => name = key,
            Field::Bytes(2, bytes) => held = bytes,
            _ => return None,
        }
    }
    Some((name, held))
}

/// `ListValue { repeated Value values = 1; }`
fn list(mut message: &[u8], json: &mut Vec<u8>, depth: u32) -> Option<()> {
    let depth = deeper(depth)?;
    json.push(b'[');
    let mut first = true;
    while !message.is_empty() {
        let Field::Bytes(1, element) = field(&mut message)? else { return None };
        if !std::mem::take(&mut first) {
            json.push(b',');
        }
        value(element, json, depth)?;
    }
    json.push(b']');
    Some(())
}

/// `Value`: one of null 1, double 2, string 3, bool 4, `Struct` 5, `ListValue` 6. An empty message is null.
fn value(mut message: &[u8], json: &mut Vec<u8>, depth: u32) -> Option<()> {
    if message.is_empty() {
        json.extend_from_slice(b"null");
        return Some(());
    }
    match field(&mut message)? {
        Field::Varint(1, _) => json.extend_from_slice(b"null"),
        Field::Fixed64(2, bits) => number(f64::from_bits(bits), json)?,
        Field::Bytes(3, text) => string(text, json)?,
        Field::Varint(4, flag) => json.extend_from_slice(if flag == 0 { b"false" } else { b"true" }),
        Field::Bytes(5, inside) => object(inside, json, depth)?,
        Field::Bytes(6, inside) => list(inside, json, depth)?,
        _ => return None,
    }
    message.is_empty().then_some(())
}

fn deeper(depth: u32) -> Option<u32> {
    depth.checked_add(1).filter(|depth| *depth <= MAX_DEPTH)
}

/// Writes a number. Whole numbers have no fraction, as they were written; others have at most nine decimal places, and
/// no setting takes more than six. Written by hand, because the standard library's formatting of floats takes 16 KB of
/// the module.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "in range")]
fn number(number: f64, json: &mut Vec<u8>) -> Option<()> {
    const BILLION: u64 = 1_000_000_000;
    let (mut rest, mut exponent) = (number.abs(), 0i32);
    if !number.is_finite() {
        return None;
    }
    // Above this bound an f64 is not exact; below the other one nine places are too few.
    while rest >= 9_007_199_254_740_992.0 {
        (rest, exponent) = (rest / 10.0, exponent.wrapping_add(1));
    }
    while rest > 0.0 && rest < 1e-6 {
        (rest, exponent) = (rest * 10.0, exponent.wrapping_sub(1));
    }
    if number < 0.0 {
        json.push(b'-');
    }
    let mut whole = rest as u64;
    let mut billionths = ((rest - whole as f64) * BILLION as f64 + 0.5) as u64;
    if billionths >= BILLION {
        (whole, billionths) = (whole.wrapping_add(1), 0);
    }
    decimal::push(json, whole);
    if billionths > 0 {
        let start = json.len();
        // A leading digit keeps the zeros, and is then replaced by the point.
        decimal::push(json, billionths.wrapping_add(BILLION));
        if let Some(first) = json.get_mut(start) {
            *first = b'.';
        }
        while json.last() == Some(&b'0') {
            json.pop();
        }
    }
    if exponent != 0 {
        json.push(b'e');
        if exponent < 0 {
            json.push(b'-');
        }
        decimal::push(json, u64::from(exponent.unsigned_abs()));
    }
    Some(())
}

fn string(text: &[u8], json: &mut Vec<u8>) -> Option<()> {
    healer::quote(std::str::from_utf8(text).ok()?, json);
    Some(())
}

/// Takes a field off the front of a message.
fn field<'a>(message: &mut &'a [u8]) -> Option<Field<'a>> {
    let tag = varint(message)?;
    let number = tag >> 3;
    match tag & 7 {
        0 => Some(Field::Varint(number, varint(message)?)),
        1 => {
            let (bits, rest) = message.split_first_chunk::<8>()?;
            *message = rest;
            Some(Field::Fixed64(number, u64::from_le_bytes(*bits)))
        }
        2 => {
            let length = usize::try_from(varint(message)?).ok()?;
            let (bytes, rest) = message.split_at_checked(length)?;
            *message = rest;
            Some(Field::Bytes(number, bytes))
        }
        _ => None,
    }
}

fn varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = message.split_first()?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: u8, inside: &[u8]) -> Vec<u8> {
        let mut field = vec![(number << 3) | 2];
        let mut length = inside.len();
        while length >= 0x80 {
            field.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        field.push(u8::try_from(length).unwrap());
        [field, inside.to_vec()].concat()
    }

    fn entry(name: &str, value: &[u8]) -> Vec<u8> {
        bytes(1, &[bytes(1, name.as_bytes()), bytes(2, value)].concat())
    }

    fn double(value: f64) -> Vec<u8> {
        [vec![0x11], value.to_bits().to_le_bytes().to_vec()].concat()
    }

    fn json_of(message: &[u8]) -> String {
        String::from_utf8(as_json(message).into_owned()).unwrap()
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let list = bytes(6, &[bytes(1, &double(1.5)), bytes(1, &bytes(3, b"x"))].concat());
        let message = [
            entry("mode", &bytes(3, b"he\"al\n")),
            entry("max_held_bytes", &double(1_048_576.0)),
            entry("on", &[0x20, 1]),
            entry("off", &[0x20, 0]),
            entry("nothing", &[0x08, 0]),
            entry("blank", &[]),
            entry("list", &list),
            entry("inside", &bytes(5, &entry("a", &bytes(3, "é".repeat(100).as_bytes())))),
        ]
        .concat();
        let expected = format!(
            r#"{{"blank":null,"inside":{{"a":"{}"}},"list":[1.5,"x"],"max_held_bytes":1048576,"mode":"he\"al\u000a","nothing":null,"off":false,"on":true}}"#,
            "é".repeat(100)
        );
        assert_eq!(json_of(&message), expected);
    }

    #[test]
    fn numbers_are_those_that_were_written() {
        let rows = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-5.0, "-5"),
            (0.85, "0.85"),
            (0.05, "0.05"),
            (0.000_001, "0.000001"),
            (0.333_333, "0.333333"),
            (1.999_999_999_9, "2"),
            (1_073_741_824.0, "1073741824"),
            (5e-10, "0.000005e-4"),
            (0.1 + 0.2, "0.3"),
            (9_007_199_254_740_991.0, "9007199254740991"),
        ];
        for (number, text) in rows {
            assert_eq!(json_of(&entry("a", &double(number))), format!(r#"{{"a":{text}}}"#), "{number}");
        }
        for share in 0..=1000u32 {
            let share = f64::from(share) / 1000.0;
            let text = json_of(&entry("a", &double(share)));
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["a"].as_f64(), Some(share), "{text}");
        }
    }

    #[test]
    fn text_stays_text() {
        for text in ["", "{}", "\n{\"mode\":\"off\"}", "\n\n", "\n\u{1}", "not json"] {
            assert_eq!(json_of(text.as_bytes()), text);
        }
    }

    #[test]
    fn what_is_no_struct_from_end_to_end_is_left_alone() {
        let whole = entry("mode", &bytes(3, b"heal"));
        for cut in 1..whole.len() {
            let cut = whole.get(..cut).unwrap();
            assert_eq!(as_json(cut), Cow::Borrowed(cut));
        }
        for value in [&[0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f][..], &[0x2a, 1, 0xff], &[0x1a, 1, 0xff], &[0x7a, 0]] {
            let message = entry("a", value);
            assert_eq!(as_json(&message), Cow::Borrowed(message.as_slice()));
        }
    }

    #[test]
    fn depth_is_capped() {
        let mut value = bytes(3, b"x");
        for _ in 0..1000 {
            value = bytes(5, &entry("a", &value));
        }
        let message = entry("a", &value);
        assert_eq!(as_json(&message), Cow::Borrowed(message.as_slice()));
    }
}
