//! Why the engine does not read a body, and where.

use healer::config::{ConfigError, json};
use healer::{Failure, Healer, Limits, Reason};

/// Says where the engine stopped, what it found there, and what it expected.
pub fn refusal(body: &[u8], failure: Failure, limits: &Limits) -> ConfigError {
    let (found, expected) = match failure.reason {
        Reason::Empty | Reason::Malformed | Reason::Truncated => return no_json(body, failure.offset),
        Reason::Scalar => ("a value without members".to_owned(), "an object or an array of objects".to_owned()),
        Reason::TooLarge => over(limits.max_held_bytes, "bytes to hold"),
        Reason::TooDeep => over(limits.max_depth as usize, "arrays and objects inside each other"),
        Reason::TooManyKeys => over(limits.max_keys as usize, "members in one object"),
        Reason::TooManyTokens => over(limits.max_tokens, "tokens"),
        Reason::OutputTooLarge => over(Healer::MAX_OUTPUT_BYTES, "bytes, which the healed body may have"),
    };
    ConfigError { at: place(body, failure.offset), offset: failure.offset, found, expected }
}

/// Returns the setting whose value a body is over.
pub fn setting(reason: Reason) -> Option<&'static str> {
    match reason {
        Reason::TooLarge => Some("max_held_bytes"),
        Reason::TooDeep => Some("max_depth"),
        Reason::TooManyKeys => Some("max_keys"),
        Reason::TooManyTokens => Some("max_tokens"),
        Reason::Empty | Reason::Malformed | Reason::Truncated | Reason::Scalar | Reason::OutputTooLarge => None,
    }
}

fn over(limit: usize, what: &str) -> (String, String) {
    (format!("more than {limit} {what}"), format!("at most {limit}"))
}

/// Says what the reader of configurations says, because the engine does not keep what it expected. That reader does not
/// go as deep, so of a deep body it may not have seen the place.
fn no_json(body: &[u8], offset: usize) -> ConfigError {
    match json::check(body) {
        Err(error) if error.expected != json::NOT_AS_DEEP => {
            let expected = error.expected.replace("end of the configuration", "end of the body");
            ConfigError { expected, ..error }
        }
        _ => {
            let found = "what JSON does not allow here".to_owned();
            ConfigError { at: place(body, offset), offset, found, expected: "JSON".to_owned() }
        }
    }
}

/// Returns line and column of an offset.
fn place(body: &[u8], offset: usize) -> String {
    json::place(&String::from_utf8_lossy(body.get(..offset).unwrap_or(body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use healer::config::node::Node;

    fn said(body: &str, reason: Reason, offset: usize) -> String {
        refusal(body.as_bytes(), Failure { reason, offset }, &Limits::default()).to_string()
    }

    #[test]
    fn places_are_lines_and_columns() {
        let rows = [("", 0, (1, 1)), ("a\nbc", 3, (2, 2)), ("é\té", 3, (1, 3)), ("a\n", 2, (2, 1)), ("ab", 99, (1, 3))];
        for (body, offset, (line, column)) in rows {
            assert_eq!(place(body.as_bytes(), offset), format!("line {line} column {column}"), "{body:?} {offset}");
        }
    }

    #[test]
    fn deep_bodies_are_no_worse_for_being_deep() {
        let deep = "[".repeat(Node::MAX_DEPTH + 1);
        let expected = "line 1 column 162: found what JSON does not allow here; expected JSON";
        assert_eq!(said(&deep, Reason::Malformed, deep.len()), expected);
    }

    #[test]
    fn whatever_stops_the_engine_is_said() {
        for reason in Reason::ALL {
            let said = said("{}", reason, 1);
            let is_complete = ["line 1 column 2: found ", "; expected "].iter().all(|part| said.contains(part));
            assert!(is_complete, "{said}");
        }
    }
}
