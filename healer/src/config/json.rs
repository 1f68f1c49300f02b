//! Reads JSON text into [`Node`]s.
//!
//! It does not use `serde_json::Value`, which drops duplicate names, order and offsets. Refusals need all of these.
//! `serde_json` is also several times as large in the wasm module.

use super::error::ConfigError;
use super::node::{Member, Node, Value};

/// What is expected of a text that is too deep for this reader: [`Node::MAX_DEPTH`].
pub const NOT_AS_DEEP: &str = "at most 160 arrays and objects inside each other";

/// Returns line and column of what comes after a text, counted from 1.
pub fn place(before: &str) -> String {
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.chars().rev().take_while(|c| *c != '\n').count().saturating_add(1);
    format!("line {line} column {column}")
}

/// Reads a text that is one JSON value. The error of an invalid text has its line and column.
pub fn read(bytes: &[u8]) -> Result<Node, ConfigError> {
    read_whole::<true>(bytes)
}

/// Returns the error that [`read`] returns, and keeps nothing of the text: it may be long.
pub fn check(bytes: &[u8]) -> Result<(), ConfigError> {
    read_whole::<false>(bytes).map(|_| ())
}

fn read_whole<const KEEPS: bool>(bytes: &[u8]) -> Result<Node, ConfigError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        refusal(&String::from_utf8_lossy(before), before.len(), "a byte that is not UTF-8", "UTF-8 text")
    })?;
    let mut reader = Reader::<KEEPS> { text, at: 0 };
    let node = reader.value(0)?;
    reader.white_space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.refuse("the end of the configuration")),
    }
}

/// Reads values, and keeps what is in arrays and objects if it `KEEPS` anything.
struct Reader<'a, const KEEPS: bool> {
    text: &'a str,
    at: usize,
}

impl<'a, const KEEPS: bool> Reader<'a, KEEPS> {
    /// Calls itself through `array` and `object`, at most [`Node::MAX_DEPTH`] deep.
    fn value(&mut self, depth: usize) -> Result<Node, ConfigError> {
        self.white_space();
        if depth >= Node::MAX_DEPTH && matches!(self.peek(), Some('{' | '[')) {
            return Err(self.refuse(NOT_AS_DEEP));
        }
        let inside = depth.saturating_add(1);
        let offset = self.at;
        let value = match self.peek() {
            Some('{') => self.object(inside)?,
            Some('[') => self.array(inside)?,
            Some('"') => Value::String(self.string()?),
            Some('-' | '0'..='9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { offset, value })
    }

    fn object(&mut self, inside: usize) -> Result<Value, ConfigError> {
        self.skip(1);
        let mut members = Vec::new();
        if self.taken('}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.white_space();
            let offset = self.at;
            if self.peek() != Some('"') {
                return Err(self.refuse("a name in double quotes"));
            }
            let name = self.string()?;
            if !self.taken(':') {
                return Err(self.refuse("`:`"));
            }
            let node = self.value(inside)?;
            if KEEPS {
                members.push(Member { name, offset, node });
            }
            if self.closed('}', "`,` or `}`")? {
                return Ok(Value::Object(members));
            }
        }
    }

    fn array(&mut self, inside: usize) -> Result<Value, ConfigError> {
        self.skip(1);
        let mut items = Vec::new();
        if self.taken(']') {
            return Ok(Value::Array(items));
        }
        loop {
            let item = self.value(inside)?;
            if KEEPS {
                items.push(item);
            }
            if self.closed(']', "`,` or `]`")? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// Returns whether the container ends behind an element, or goes on behind a comma.
    fn closed(&mut self, end: char, expected: &str) -> Result<bool, ConfigError> {
        if self.taken(end) {
            return Ok(true);
        }
        if self.taken(',') {
            return Ok(false);
        }
        Err(self.refuse(expected))
    }

    fn string(&mut self) -> Result<String, ConfigError> {
        self.skip(1);
        let mut text = String::new();
        loop {
            match self.peek() {
                Some('"') => break,
                Some('\\') => text.push(self.escape()?),
                Some(c) if c >= ' ' => {
                    text.push(c);
                    self.skip(c.len_utf8());
                }
                _ => return Err(self.refuse("a closing `\"` on the same line")),
            }
        }
        self.skip(1);
        Ok(text)
    }

    fn escape(&mut self) -> Result<char, ConfigError> {
        let start = self.at;
        self.skip(1);
        let c = match self.peek() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(start),
            _ => return Err(self.refuse("an escape that JSON knows")),
        };
        self.skip(1);
        Ok(c)
    }

    /// Reads one `\uXXXX`, or the two of a surrogate pair.
    fn unicode(&mut self, start: usize) -> Result<char, ConfigError> {
        let high = self.hex();
        let low = match high {
            Some(0xd800..=0xdbff) if self.rest().starts_with("\\u") => {
                self.skip(1);
                self.hex()
            }
            _ => None,
        };
        let units = high.into_iter().chain(low);
        let mut decoded = char::decode_utf16(units);
        if let (Some(Ok(c)), None) = (decoded.next(), decoded.next()) {
            return Ok(c);
        }
        self.at = start;
        Err(self.refuse("`\\u` and four hexadecimal digits of a character"))
    }

    /// Reads the four digits behind the `u` at the current position.
    fn hex(&mut self) -> Option<u16> {
        let digits = self.rest().get(1..5)?;
        let unit = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)?;
        self.skip(5);
        u16::from_str_radix(unit, 16).ok()
    }

    fn number(&mut self) -> Result<Value, ConfigError> {
        let token = self.token();
        if !is_number(token) {
            return Err(self.refuse("a number"));
        }
        self.skip(token.len());
        Ok(Value::Number(token.to_owned()))
    }

    fn word(&mut self) -> Result<Value, ConfigError> {
        let token = self.token();
        let value = match token {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => return Err(self.refuse("a JSON value")),
        };
        self.skip(token.len());
        Ok(value)
    }

    fn token(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Whether the next character, white space aside, is `c`. If so, consumes it.
    fn taken(&mut self, c: char) -> bool {
        self.white_space();
        let found = self.peek() == Some(c);
        self.skip(usize::from(found));
        found
    }

    fn white_space(&mut self) {
        let rest = self.rest();
        let end = rest.find(|c| !matches!(c, ' ' | '\t' | '\n' | '\r')).unwrap_or(rest.len());
        self.skip(end);
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn refuse(&self, expected: &str) -> ConfigError {
        let found = match self.peek() {
            None => "the end of the text".to_owned(),
            // Spaces of other widths and a byte order mark would not be seen.
            Some(c) if c.is_control() || c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}') => {
                format!("the character U+{:04X}", u32::from(c))
            }
            Some(_) if self.token().len() > 1 => format!("`{}`", self.token()),
            Some(c) => format!("`{c}`"),
        };
        refusal(self.text.get(..self.at).unwrap_or(self.text), self.at, &found, expected)
    }
}

fn refusal(before: &str, offset: usize, found: &str, expected: &str) -> ConfigError {
    ConfigError { at: place(before), offset, found: found.to_owned(), expected: expected.to_owned() }
}

/// Whether a token is a number in the grammar of RFC 8259, which excludes `1.`, `.5`, `01`, `+1` and `inf`.
fn is_number(token: &str) -> bool {
    let token = token.strip_prefix('-').unwrap_or(token);
    let (mantissa, exponent) = match token.find(['e', 'E']) {
        Some(at) => (token.get(..at).unwrap_or_default(), token.get(at.saturating_add(1)..)),
        None => (token, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let signed = |text: &str| digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(signed)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Converts a node back, for comparison with what `serde_json` reads from the same bytes.
    fn to_serde(node: &Node) -> serde_json::Value {
        match &node.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(text) => text.parse::<f64>().unwrap().into(),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().map(to_serde).collect(),
            Value::Object(members) => {
                members.iter().map(|member| (member.name.clone(), to_serde(&member.node))).collect()
            }
        }
    }

    fn doubles(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Number(number) => number.as_f64().into(),
            serde_json::Value::Array(items) => items.into_iter().map(doubles).collect(),
            serde_json::Value::Object(members) => {
                members.into_iter().map(|(name, value)| (name, doubles(value))).collect()
            }
            other => other,
        }
    }

    #[test]
    fn reads_what_serde_json_reads_and_refuses_what_it_refuses() {
        let rows = [
            "{}",
            "[]",
            " [ ] ",
            r#"{"a":1,"b":[true,false,null]}"#,
            "1",
            "-0",
            "0.5",
            "1e6",
            "1.048576e+06",
            "1E-2",
            r#""""#,
            r#""\"\\\/\b\f\n\r\t""#,
            r#""\u0041\u00e9\ud83d\ude00""#,
            "\"é😀\"",
            "\t\r\n1 ",
            "[1,[2,[3]]]",
            "",
            " ",
            "{",
            "}",
            "[",
            "]",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "{\"a\" 1}",
            "[1 2]",
            "[,1]",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "1e+",
            "0x10",
            "NaN",
            "inf",
            "Infinity",
            "tru",
            "True",
            "nullx",
            "1 2",
            "'a'",
            "\"a",
            "\"a\nb\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud800x\"",
            "\"\\ud800\\n\"",
            "\"\\ud800\\u0041\"",
            "\"\u{1}\"",
            "// x\n1",
            "{\"a\":1 /* x */}",
            "\u{feff}1",
            "\u{a0}1",
        ];
        for text in rows {
            let ours = read(text.as_bytes()).ok().map(|node| to_serde(&node));
            let theirs = serde_json::from_str(text).ok().map(doubles);
            assert_eq!(ours, theirs, "{text:?}");
            assert_eq!(check(text.as_bytes()).err(), read(text.as_bytes()).err(), "{text:?}");
        }
    }

    #[test]
    fn duplicates_order_and_places_are_kept() {
        let node = read(br#" {"b":1, "a":2, "b":3}"#).unwrap();
        let names: Vec<_> = match &node.value {
            Value::Object(members) => members.iter().map(|member| (member.name.as_str(), member.offset)).collect(),
            _ => Vec::new(),
        };
        assert_eq!(names, [("b", 2), ("a", 9), ("b", 16)]);
        assert_eq!(node.get("b").map(|node| node.offset), Some(20));
    }

    #[test]
    fn an_error_says_line_and_column() {
        let rows: [(&[u8], &str); 7] = [
            (b"\xef\xbb\xbf{}", "line 1 column 1: found the character U+FEFF; expected a JSON value"),
            (b"{\n  \"a\": tru\n}", "line 2 column 8: found `tru`; expected a JSON value"),
            (b"{\"\xc3\xa9\": }", "line 1 column 7: found `}`; expected a JSON value"),
            (b"{", "line 1 column 2: found the end of the text; expected a name in double quotes"),
            (b"[1}", "line 1 column 3: found `}`; expected `,` or `]`"),
            (b"\"a\tb\"", "line 1 column 3: found the character U+0009; expected a closing `\"` on the same line"),
            (b"\"\n\xff\"", "line 2 column 1: found a byte that is not UTF-8; expected UTF-8 text"),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn depth_is_capped() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(nested(Node::MAX_DEPTH).as_bytes()).is_ok());
        assert!(read(nested(Node::MAX_DEPTH + 1).as_bytes()).is_err());
        let error = read("[".repeat(1_000_000).as_bytes()).unwrap_err();
        assert_eq!(error.expected, "at most 160 arrays and objects inside each other");
    }
}
