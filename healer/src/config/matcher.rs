//! Decides which requests a route is for.

use std::fmt;

use super::conditions::{self, Conditions};
use super::cursor::{Cursor, Problems};
use super::vocabulary::MATCH;

const ONE_TARGET: &str = "one of path, prefix and template, such as {path: /api/user}; {prefix: /} is every path";

/// The requests and responses that a route is for. Query and fragment of a request do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matcher {
    target: Target,
    /// The methods of these requests; empty for any.
    methods: Vec<String>,
    /// The conditions on the responses to these requests.
    pub conditions: Conditions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Path(String),
    /// A prefix of the text, as in Envoy: `/api` is also a prefix of `/apiary`.
    Prefix(String),
    Template(Vec<Segment>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Literal(String),
    /// `{name}`: any text that is not empty.
    Parameter(String),
}

impl Matcher {
    /// Whether a request matches. Allocates nothing.
    pub fn matches(&self, method: &[u8], path: &[u8]) -> bool {
        self.target.matches(without_query(path)) && self.has_method(method)
    }

    /// Whether all requests match: any method, and any path, which is `{prefix: /}`.
    pub fn takes_all(&self) -> bool {
        self.methods.is_empty() && matches!(&self.target, Target::Prefix(text) if text == "/")
    }

    /// Whether requests with this method may match.
    pub fn has_method(&self, method: &[u8]) -> bool {
        self.methods.is_empty() || self.methods.iter().any(|known| known.as_bytes() == method)
    }
}

impl Target {
    fn matches(&self, path: &[u8]) -> bool {
        match self {
            Target::Path(text) => path == text.as_bytes(),
            Target::Prefix(text) => path.starts_with(text.as_bytes()),
            Target::Template(segments) => {
                let Some(path) = path.strip_prefix(b"/") else { return false };
                let mut parts = path.split(|byte| *byte == b'/');
                segments.iter().all(|segment| parts.next().is_some_and(|part| segment.matches(part)))
                    && parts.next().is_none()
            }
        }
    }
}

impl Segment {
    fn matches(&self, part: &[u8]) -> bool {
        match self {
            Segment::Literal(text) => part == text.as_bytes(),
            Segment::Parameter(_) => !part.is_empty(),
        }
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.methods.is_empty() {
            write!(f, "{} ", self.methods.join("|"))?;
        }
        match &self.target {
            Target::Path(text) => f.write_str(text),
            Target::Prefix(text) => write!(f, "{text}*"),
            Target::Template(segments) => segments.iter().try_for_each(|segment| match segment {
                Segment::Literal(text) => write!(f, "/{text}"),
                Segment::Parameter(name) => write!(f, "/{{{name}}}"),
            }),
        }?;
        self.conditions.fmt(f)
    }
}

/// Reads the `match` of a route.
pub(super) fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Matcher> {
    cursor.only_fields(problems, &format!("an object with {ONE_TARGET}"), &MATCH)?;
    let methods = match cursor.field("methods") {
        Some(methods) => read_methods(&methods, problems),
        None => Some(Vec::new()),
    };
    let target = read_target(cursor, problems);
    let conditions = conditions::read(cursor, problems);
    Some(Matcher { target: target?, methods: methods?, conditions })
}

fn read_target(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Target> {
    match (cursor.field("path"), cursor.field("prefix"), cursor.field("template")) {
        (Some(path), None, None) => read_path(&path, problems).map(Target::Path),
        (None, Some(prefix), None) => read_path(&prefix, problems).map(Target::Prefix),
        (None, None, Some(template)) => read_template(&template, problems).map(Target::Template),
        (None, None, None) => {
            cursor.refuse(problems, "none of them", format!("exactly {ONE_TARGET}"));
            None
        }
        _ => {
            cursor.refuse(problems, "more than one of them", "exactly one of path, prefix and template");
            None
        }
    }
}

fn read_path(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<String> {
    let text = read_absolute(cursor, problems)?;
    if text.contains(['{', '}']) {
        cursor.expected(problems, "a path without braces; a path with {parameters} is a `template`");
        return None;
    }
    Some(text.to_owned())
}

fn read_absolute<'a>(cursor: &Cursor<'a>, problems: &mut Problems) -> Option<&'a str> {
    let text = cursor.text(problems, "a path that starts with /")?;
    if !text.starts_with('/') {
        cursor.expected(problems, "a path that starts with /");
        return None;
    }
    if text.contains(|c: char| matches!(c, '?' | '#') || c.is_whitespace() || c.is_control()) {
        cursor.expected(problems, "a path without query, fragment and white space; they are not matched");
        return None;
    }
    Some(text)
}

fn read_template(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Vec<Segment>> {
    let text = read_absolute(cursor, problems)?;
    let segments: Option<Vec<Segment>> = text.split('/').skip(1).map(read_segment).collect();
    if segments.is_none() {
        cursor.expected(problems, "segments that are either plain text or one {name}, as in /users/{id}/orders");
    }
    segments
}

fn read_segment(text: &str) -> Option<Segment> {
    let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let plain = !name.unwrap_or(text).contains(['{', '}']);
    match name {
        Some("") => None,
        Some(name) => plain.then(|| Segment::Parameter(name.to_owned())),
        None => plain.then(|| Segment::Literal(text.to_owned())),
    }
}

fn read_methods(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let expected = "an array of methods such as [GET, POST]; leave the field out for any method";
    let before = problems.len();
    let is_method = |text: &str| text.bytes().all(is_method_byte);
    let methods = cursor.words(problems, expected, "a method in capitals, such as GET", &is_method);
    (problems.len() == before).then_some(methods)
}

/// Whether a method may have this byte. Methods are case-sensitive tokens (RFC 9110, 9.1), and all registered ones are
/// in capitals.
fn is_method_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_')
}

fn without_query(path: &[u8]) -> &[u8] {
    path.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or(path)
}
