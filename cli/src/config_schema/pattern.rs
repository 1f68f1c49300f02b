//! Regular expressions for texts, in the syntax that JavaScript (with and without `u`) and Rust read alike: no
//! look-around.

/// A number in quotes.
pub const NUMBER: &str = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$";

/// A class of statuses, or a status in quotes.
pub const STATUS: &str = r"^([2-5]xx|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)$";

/// A method.
pub const METHOD: &str = "^[A-Z_-]+$";

/// A media type that looks like one of JSON, in any case.
pub const MEDIA_TYPE: &str = "^([aA][pP][pP][lL][iI][cC][aA][tT][iI][oO][nN]/[jJ][sS][oO][nN]\
    |[tT][eE][xX][tT]/[jJ][sS][oO][nN]\
    |[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+\\+[jJ][sS][oO][nN])$";

/// No control characters.
pub const NAME: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";

/// Returns the pattern of a request path: no query, fragment, braces, white space or control characters.
pub fn request_path() -> String {
    format!("^/[^?#{{}}{CONTROL}{SPACE}]*$")
}

/// Returns the pattern of a request path whose segments may be `{names}`.
pub fn template() -> String {
    let plain = format!("[^?#{{}}/{CONTROL}{SPACE}]");
    format!(r"^(/({plain}*|\{{{plain}+\}}))+$")
}

/// Returns the pattern of a path to a member: names, which may be in quotes, with `[]` for each element between them or
/// at the start.
pub fn member_path() -> String {
    let plain = format!(r#"[^.\[\]"\\{SPACE}]"#);
    let name = format!(r#"({plain}([^.\[\]"\\]*{plain})?|"([^"\\]|\\["\\])*")"#);
    format!(r"^((\[\])+\.)?{name}((\[\])*\.{name})*$")
}

/// Returns the pattern of those media types that [`MEDIA_TYPE`] takes, but which are of frames or parts.
pub fn framed() -> String {
    let [multipart, application, grpc] = ["multipart/", "application/", "grpc"].map(any_case);
    let [connect, stream, json] = ["connect", "stream", "json"].map(any_case);
    format!(r"^({multipart}|{application}({grpc}|({connect}|{stream})\+{json}$))")
}

fn any_case(text: &str) -> String {
    let letter = |c: char| match (c.to_ascii_lowercase(), c.to_ascii_uppercase()) {
        (lower, upper) if lower != upper => format!("[{lower}{upper}]"),
        _ => c.to_string(),
    };
    text.chars().map(letter).collect()
}

const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";

/// Unicode's `White_Space`, written out, because `\s` is a different set in every language.
const SPACE: &str = r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
