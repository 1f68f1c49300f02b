//! Trees as JSON text.

use healer::config::node::{Member, Node, Value};

use crate::text::plain;

/// A value that fits into this many characters stays on one line.
const WIDTH: usize = 100;

/// Returns the text on one line. Recurses at most [`Node::MAX_DEPTH`] deep.
pub fn compact(node: &Node) -> String {
    write(node, ":", ",")
}

/// Returns readable text: short values on one line, others on several.
pub fn pretty(node: &Node) -> String {
    indented(node, 0, 0, WIDTH)
}

/// Returns the text with every member and element on a line of its own.
pub fn lines(node: &Node) -> String {
    indented(node, 0, 0, 0)
}

/// Returns a text as a JSON string that may be shown on a terminal.
pub fn quote(text: &str) -> String {
    plain(&serde_json::Value::from(text).to_string()).into_owned()
}

fn write(node: &Node, colon: &str, comma: &str) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(text) => text.clone(),
        Value::String(text) => quote(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write(item, colon, comma)).collect();
            format!("[{}]", items.join(comma))
        }
        Value::Object(members) => {
            let member =
                |Member { name, node, .. }: &Member| format!("{}{colon}{}", quote(name), write(node, colon, comma));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(comma))
        }
    }
}

/// Writes a node. `before` characters are on its line already; `width` is the maximum for the line.
fn indented(node: &Node, depth: usize, before: usize, width: usize) -> String {
    let is_flat = match &node.value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => true,
    };
    let room = width.saturating_sub(before);
    let line = if is_flat || room > 0 { write(node, ": ", ", ") } else { String::new() };
    if is_flat || (room > 0 && line.chars().count() <= room) {
        return line;
    }
    let indent = "  ".repeat(depth + 1);
    let parts: Vec<String> = match &node.value {
        Value::Array(items) => items.iter().map(|item| indented(item, depth + 1, indent.len(), width)).collect(),
        Value::Object(members) => {
            let member = |Member { name, node, .. }: &Member| {
                let name = quote(name) + ": ";
                let before = indent.len() + name.chars().count();
                name + &indented(node, depth + 1, before, width)
            };
            members.iter().map(member).collect()
        }
        _ => return line,
    };
    let (open, close) = if matches!(node.value, Value::Array(_)) { ('[', ']') } else { ('{', '}') };
    let lines: Vec<String> = parts.iter().map(|part| format!("{indent}{part}")).collect();
    format!("{open}\n{}\n{}{close}", lines.join(",\n"), "  ".repeat(depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use healer::config::json;

    #[test]
    fn every_member_may_have_its_line() {
        let node = json::read(br#"{"a":[1.50,{}],"b":{"c":[]}}"#).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(lines(&node), "{\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}");
    }

    #[test]
    fn what_is_short_stands_on_a_line() {
        let node = json::read(br#"{"a":[1,{"b":null}],"c\n":{}}"#).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(compact(&node), r#"{"a":[1,{"b":null}],"c\n":{}}"#);
        assert_eq!(pretty(&node), r#"{"a": [1, {"b": null}], "c\n": {}}"#);
        let long = format!(r#"{{"a":["{}",1],"b":2}}"#, "x".repeat(100));
        let node = json::read(long.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        let expected = format!("{{\n  \"a\": [\n    \"{}\",\n    1\n  ],\n  \"b\": 2\n}}", "x".repeat(100));
        assert_eq!(pretty(&node), expected);
    }
}
