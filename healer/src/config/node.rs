//! A configuration as it is read, before it is understood. It keeps order, duplicates and offsets.

/// A value and its offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The offset in bytes from the start of the text.
    pub offset: usize,
    /// The value.
    pub value: Value,
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written. `decimal.rs` reads it, so that the wasm module needs no code for floats.
    Number(String),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// Members in the order of the text. A name may occur twice; [`super::Config`] refuses that.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The name, without escapes.
    pub name: String,
    /// The offset of the name.
    pub offset: usize,
    /// The value.
    pub node: Node,
}

impl Node {
    /// The largest number of containers inside each other, in JSON and YAML alike.
    ///
    /// Functions that walk a tree call themselves, so this bounds their stack. A contract of
    /// [`super::contract::MAX_DEPTH`] levels needs two containers a level.
    pub const MAX_DEPTH: usize = 160;

    /// Returns the member with this name; of several, the last one, as most parsers do.
    pub fn get(&self, name: &str) -> Option<&Node> {
        let Value::Object(members) = &self.value else { return None };
        members.iter().rev().find(|member| member.name == name).map(|member| &member.node)
    }

    /// Returns the text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Describes the value for people.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) => text.clone(),
            Value::String(text) => quote(text),
            Value::Array(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        }
    }
}

/// Returns a text in double quotes, shortened if it is too long for a line.
pub(super) fn quote(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut quoted = String::from("\"");
    let mut rest = text.chars();
    for c in rest.by_ref().take(MAX_CHARS) {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(char::REPLACEMENT_CHARACTER),
            c => quoted.push(c),
        }
    }
    quoted.push_str(if rest.next().is_some() { "...\"" } else { "\"" });
    quoted
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn a_quoted_text_stays_on_one_line() {
        let rows = [("a", r#""a""#), ("a\"\\\n\u{1}", "\"a\\\"\\\\\\n\u{fffd}\""), ("", r#""""#)];
        for (text, expected) in rows {
            assert_eq!(quote(text), expected);
        }
        assert_eq!(quote(&"x".repeat(61)), format!("\"{}...\"", "x".repeat(60)));
    }
}
