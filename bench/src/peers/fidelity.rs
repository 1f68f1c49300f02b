//! Finds out how peers change bodies apart from the renames, by sending bodies.

use std::fmt;

use nomos_tests::client::{End, Reply};
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::stand::Stand;
use super::untimed;

/// The field whose value is observed. The peer that needs a list of all fields has it in its list.
const PROBE: &str = "probe";

/// A body, and the property that is checked.
pub struct Case {
    /// The name in paths.
    pub path: &'static str,
    /// The title in tables.
    pub title: &'static str,
    /// The body that is sent.
    pub body: &'static str,
    look: fn(&str, &Reply) -> String,
}

const fn case(path: &'static str, title: &'static str, body: &'static str, look: fn(&str, &Reply) -> String) -> Case {
    Case { path, title, body, look }
}

/// All cases.
pub static CASES: [Case; 12] = [
    case("integer", "2^53+1", r#"{"mail":"a@b.c","probe":9007199254740993}"#, probe),
    case("float", "`1.0`", r#"{"mail":"a@b.c","probe":1.0}"#, probe),
    case("decimal", "20 digits", r#"{"mail":"a@b.c","probe":0.12345678901234567890}"#, probe),
    case("array", "`[]`", r#"{"mail":"a@b.c","probe":[]}"#, probe),
    case("object", "`{}`", r#"{"mail":"a@b.c","probe":{}}"#, probe),
    case("null", "`null`", r#"{"mail":"a@b.c","probe":null}"#, probe),
    case("escapes", "string escapes", r#"{"mail":"a@b.c","probe":"\u00eb \/ \ud83c\udfc3 <b> & ë"}"#, probe),
    case("order", "key order", r#"{"status":1,"mail":"a@b.c","city":2,"desk":3,"gender":4}"#, order),
    case("duplicates", "duplicate keys", r#"{"mail":"a@b.c","probe":1,"probe":2}"#, duplicates),
    case("unlisted", "field no rule names", r#"{"mail":"a@b.c","unlisted":7}"#, unlisted),
    case("unmatched", "unmatched body", "{\"status\": \"ok\",\n \"probe\": 1.50}", unmatched),
    case("malformed", "malformed body", r#"{"mail":"a@b.c","probe":}"#, malformed),
];

/// The results of one side, in the order of [`CASES`].
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name of the side.
    pub name: &'static str,
    /// The result for each body.
    pub cells: Vec<String>,
}

/// Sends all bodies to all sides that heal.
pub fn run(stand: &Stand) -> Vec<Row> {
    let healing = stand.running.iter().filter(|running| running.side.heals());
    let cell = |running, case: &Case| match untimed::fetch(running, case.path) {
        Ok(reply) => judge(case, &reply),
        Err(error) => format!("no answer: {error}"),
    };
    healing
        .map(|running| {
            let cells = CASES.iter().map(|case| cell(&running.place, case)).collect();
            Row { name: running.side.name, cells }
        })
        .collect()
}

fn judge(case: &Case, reply: &Reply) -> String {
    if reply.status == 0 || reply.end != End::Complete {
        return "cut".to_owned();
    }
    if reply.status != 200 {
        return format!("status {}", reply.status);
    }
    (case.look)(case.body, reply)
}

/// Returns whether the value is spelled as before.
fn probe(sent: &str, reply: &Reply) -> String {
    let (Some(sent), Some(found)) = (Members::of(sent.as_bytes()), Members::of(&reply.body)) else {
        return unhealed(sent, reply);
    };
    if !found.is_healed() {
        return "not healed".to_owned();
    }
    let (Some(sent), Some(found)) = (sent.last(PROBE), found.last(PROBE)) else { return "lost".to_owned() };
    if found == sent {
        return "kept".to_owned();
    }
    let strings = (serde_json::from_str::<String>(sent), serde_json::from_str::<String>(found));
    match strings {
        (Ok(sent), Ok(found)) if sent == found => "respelled".to_owned(),
        _ => format!("`{}`", shortened(found)),
    }
}

fn order(sent: &str, reply: &Reply) -> String {
    let (Some(sent_members), Some(found)) = (Members::of(sent.as_bytes()), Members::of(&reply.body)) else {
        return unhealed(sent, reply);
    };
    let names = found.names();
    let kept: Vec<&str> =
        sent_members.names().iter().map(|name| if *name == "mail" { "email_address" } else { name }).collect();
    match () {
        () if !found.is_healed() => "not healed",
        () if names == kept => "kept",
        () if names.is_sorted() => "sorted",
        () => "changed",
    }
    .to_owned()
}

fn duplicates(sent: &str, reply: &Reply) -> String {
    let Some(found) = Members::of(&reply.body) else { return unhealed(sent, reply) };
    let values: Vec<&str> = found.all(PROBE).collect();
    match values[..] {
        _ if !found.is_healed() => "not healed".to_owned(),
        ["1", "2"] => "both kept".to_owned(),
        [] => "lost".to_owned(),
        // Some print numbers in another form.
        [one] if one.parse() == Ok(1.0) => "first kept".to_owned(),
        [one] if one.parse() == Ok(2.0) => "last kept".to_owned(),
        _ => shortened(&values.join(", ")),
    }
}

fn unlisted(sent: &str, reply: &Reply) -> String {
    match Members::of(&reply.body) {
        None => unhealed(sent, reply),
        Some(found) if !found.is_healed() => "not healed".to_owned(),
        Some(found) => found.last("unlisted").map_or("lost", |_| "kept").to_owned(),
    }
}

fn unmatched(sent: &str, reply: &Reply) -> String {
    if reply.body == sent.as_bytes() {
        return "identical".to_owned();
    }
    let values = (serde_json::from_str::<Value>(sent), serde_json::from_slice::<Value>(&reply.body));
    match values {
        (Ok(sent), Ok(found)) if sent == found => "rewritten".to_owned(),
        _ => format!("`{}`", shortened(&String::from_utf8_lossy(&reply.body))),
    }
}

fn malformed(sent: &str, reply: &Reply) -> String {
    unhealed(sent, reply)
}

/// Returns the result for a response that is not an object.
fn unhealed(sent: &str, reply: &Reply) -> String {
    if reply.body == sent.as_bytes() {
        "unchanged".to_owned()
    } else if reply.body.is_empty() {
        "200 without a body".to_owned()
    } else {
        format!("`{}`", shortened(&String::from_utf8_lossy(&reply.body)))
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() { short + "..." } else { short }
}

/// The members of an object as they are written, including duplicates.
struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    fn of(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    fn is_healed(&self) -> bool {
        self.all("email_address").count() == 1 && self.all("mail").count() == 0
    }

    fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.get())
    }

    fn last<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).last()
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of a cell about a response.
    fn cell(path: &str, status: u16, body: &str) -> String {
        let case = CASES.iter().find(|case| case.path == path).expect("a case");
        let reply = Reply { status, body: body.as_bytes().to_vec(), end: End::Complete, ..Reply::nothing() };
        judge(case, &reply)
    }

    #[test]
    fn cells_say_what_became_of_a_body() {
        let rows = [
            ("integer", r#"{"email_address":"a@b.c","probe":9007199254740993}"#, "kept"),
            ("integer", r#"{"probe":9007199254740992,"email_address":"a@b.c"}"#, "`9007199254740992`"),
            ("integer", r#"{"mail":"a@b.c","probe":9007199254740993}"#, "not healed"),
            ("integer", r#"{"email_address":"a@b.c"}"#, "lost"),
            ("array", r#"{"email_address":"a@b.c","probe":{}}"#, "`{}`"),
            ("escapes", r#"{"email_address":"a@b.c","probe":"ë / 🏃 <b> & ë"}"#, "respelled"),
            ("order", r#"{"status":1,"email_address":"a@b.c","city":2,"desk":3,"gender":4}"#, "kept"),
            ("order", r#"{"city":2,"desk":3,"email_address":"a@b.c","gender":4,"status":1}"#, "sorted"),
            ("order", r#"{"city":2,"desk":3,"email_address":"a@b.c","status":1,"gender":4}"#, "changed"),
            ("duplicates", r#"{"email_address":"a@b.c","probe":1,"probe":2}"#, "both kept"),
            ("duplicates", r#"{"email_address":"a@b.c","probe":2.0}"#, "last kept"),
            ("unlisted", r#"{"email_address":"a@b.c"}"#, "lost"),
            ("unmatched", "{\"status\": \"ok\",\n \"probe\": 1.50}", "identical"),
            ("unmatched", r#"{"probe":1.5,"status":"ok"}"#, "rewritten"),
            ("malformed", r#"{"mail":"a@b.c","probe":}"#, "unchanged"),
            ("malformed", "", "200 without a body"),
        ];
        for (path, body, expected) in rows {
            assert_eq!(cell(path, 200, body), expected, "{path}: {body}");
        }
        assert_eq!(cell("malformed", 500, "no"), "status 500");
    }
}
