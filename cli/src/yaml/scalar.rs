//! The meaning of an unquoted YAML word to Envoy.
//!
//! Envoy 1.40 tries null, then the booleans of YAML 1.1 (so `y`, `no` and `off` are booleans), then a 64-bit integer,
//! which may be hexadecimal or octal. Everything else becomes text, including fractions and integers beyond 32 bits.
//! This was observed by starting Envoy on such a file; `ValueUtil::loadFromYaml` is the place in its source.

use healer::config::json;
use healer::config::node::Value;

use super::Dialect;

const TRUE: [&str; 4] = ["y", "yes", "true", "on"];
const FALSE: [&str; 4] = ["n", "no", "false", "off"];

/// Returns the value of a word without quotes.
pub fn value(word: &str, dialect: Dialect) -> Value {
    if matches!(word, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    match dialect {
        Dialect::Envoy => envoy(word),
        Dialect::Core => core(word),
    }
}

fn core(word: &str) -> Value {
    match word {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if json::read(word.as_bytes()).is_ok() => Value::Number(word.to_owned()),
        _ => Value::String(word.to_owned()),
    }
}

fn envoy(word: &str) -> Value {
    if let Some(value) = boolean(word) {
        return Value::Bool(value);
    }
    match integer(word).map(i32::try_from) {
        Some(Ok(number)) => Value::Number(number.to_string()),
        _ => Value::String(word.to_owned()),
    }
}

/// Reads a boolean in lower case, in upper case, or with a capital first letter; not `tRUE`.
fn boolean(word: &str) -> Option<bool> {
    let lower = word.to_ascii_lowercase();
    let rest = word.get(1..)?;
    let is_cased = rest == lower.get(1..)? || word == word.to_ascii_uppercase();
    if !is_cased {
        return None;
    }
    let listed = |words: [&str; 4]| words.contains(&lower.as_str());
    if listed(TRUE) { Some(true) } else { listed(FALSE).then_some(false) }
}

fn integer(word: &str) -> Option<i64> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None if digits.len() > 1 && digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    // Checked because the standard library would accept a second sign.
    let plain = digits.chars().all(|digit| digit.is_digit(radix));
    plain.then(|| i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_what_envoy_takes_them_for() {
        let number = |text: &str| Value::Number(text.to_owned());
        let text = |text: &str| Value::String(text.to_owned());
        let rows = [
            ("", Value::Null),
            ("~", Value::Null),
            ("NULL", Value::Null),
            ("nULL", text("nULL")),
            ("y", Value::Bool(true)),
            ("N", Value::Bool(false)),
            ("Yes", Value::Bool(true)),
            ("OFF", Value::Bool(false)),
            ("tRue", text("tRue")),
            ("t", text("t")),
            ("é", text("é")),
            ("12", number("12")),
            ("+3", number("3")),
            ("-0", number("0")),
            ("0x10", number("16")),
            ("-0x10", number("-16")),
            ("010", number("8")),
            ("08", text("08")),
            ("2147483648", text("2147483648")),
            ("99999999999999999999", text("99999999999999999999")),
            ("1.0", text("1.0")),
            ("1e6", text("1e6")),
            ("1_000", text("1_000")),
            ("+-1", text("+-1")),
            ("-", text("-")),
            ("2020-01-01", text("2020-01-01")),
        ];
        for (word, expected) in rows {
            assert_eq!(value(word, Dialect::Envoy), expected, "{word:?}");
        }
    }

    #[test]
    fn other_documents_have_the_words_of_yaml_1_2() {
        let number = |text: &str| Value::Number(text.to_owned());
        let text = |text: &str| Value::String(text.to_owned());
        let rows = [
            ("~", Value::Null),
            ("True", Value::Bool(true)),
            ("y", text("y")),
            ("off", text("off")),
            ("3.0", number("3.0")),
            ("-1e6", number("-1e6")),
            ("3.0.1", text("3.0.1")),
            ("{id}", text("{id}")),
        ];
        for (word, expected) in rows {
            assert_eq!(value(word, Dialect::Core), expected, "{word:?}");
        }
    }
}
