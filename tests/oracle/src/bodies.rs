//! Random bodies in which the rules of a plan have something to do, in any layout.

use crate::plans;
use crate::tape::Tape;
use healer::plan::spec::{Contract, PlanSpec};
use nomos_rules::path::Step;
use std::fmt::Write as _;

const SCALARS: &[&str] = &[
    "1",
    "0",
    "-0",
    "1.50",
    "1E400",
    "12345678901234567890123456789",
    "-1e-7",
    "true",
    "false",
    "null",
    "\"\"",
    "\"x\"",
    "\"a\"",
    "\"{\\\"a\\\":1}\"",
    "\"\\u00e9 \\ud83d\\ude00 é\"",
    "\"\\ud800\"",
    "\"[,:]\\\\\"",
    "\"\\/\\b\\f\\n\\r\\t\"",
    "\"ada@example.org\"",
    "\"2026-11-22T10:00:00Z\"",
    "\"2026-11-22\"",
    "\"7d444840-9dc0-11d1-b245-5ffdce74fad2\"",
    "\"IN_PROGRESS\"",
    "\"12.50\"",
    "\"https://example.org/a\"",
];

#[derive(Clone, Debug)]
pub(crate) enum Doc {
    Scalar(&'static str),
    Array(Vec<Doc>),
    Object(Vec<(String, Doc)>),
}

/// Returns the text of a body for `spec`.
pub fn body(tape: &mut Tape<'_>, spec: &PlanSpec) -> String {
    let doc = doc_for(tape, spec);
    write(tape, &doc)
}

/// Builds a body for `spec`, mostly of the shape that its contract expects.
pub(crate) fn doc_for(tape: &mut Tape<'_>, spec: &PlanSpec) -> Doc {
    let mut doc = match (&spec.contract, tape.below(8)) {
        (Some(contract), 0..7) => shaped(tape, spec, contract),
        (_, 5 | 6) => Doc::Array((0..=tape.below(3)).map(|_| object(tape, 2)).collect()),
        _ => object(tape, 3),
    };
    if let Doc::Scalar(_) = doc {
        doc = Doc::Object(Vec::new());
    }
    for rule in &spec.moves {
        for _ in 0..tape.below(3) {
            plant(tape, &mut doc, rule.from.scope(), rule.from.segments());
        }
    }
    doc
}

/// Writes a body in any layout.
pub(crate) fn write(tape: &mut Tape<'_>, doc: &Doc) -> String {
    let style = Style::any(tape);
    let mut text = String::new();
    style.space(tape, 0, &mut text);
    style.write(tape, doc, 0, &mut text);
    style.space(tape, 0, &mut text);
    text
}

/// Replaces some values of a text.
///
/// In half of all cases the skeleton stays the same. In the others, arrays have other numbers of elements. Sometimes an
/// array or object replaces a value, or the other way round.
pub fn revalued(tape: &mut Tape<'_>, text: &str) -> String {
    let resized = if tape.happens(1, 2) { resized(tape, text) } else { text.to_owned() };
    let (mut out, mut rest) = (String::new(), resized.as_str());
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => string_len(rest),
            '-' | '0'..='9' | 't' | 'f' | 'n' => {
                rest.find([',', ']', '}', ' ', '\n', '\t', '\r']).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        let is_key = first == '"' && after.trim_start().starts_with(':');
        let stays = is_key || matches!(first, '{' | '}' | '[' | ']' | ':' | ',' | ' ' | '\n' | '\t' | '\r');
        match tape.below(if stays { 1 } else { 8 }) {
            4..7 => out.push_str(tape.of(SCALARS)),
            7 => out.push_str(tape.of(&["[]", "[1, \"a\"]", "{}", "[[null]]", "{\"a\":1}", "[{\"a\":1}]"])),
            _ => out.push_str(token),
        }
        rest = after;
    }
    out
}

/// Repeats or drops some elements of the arrays of a text.
fn resized(tape: &mut Tape<'_>, text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => string_len(rest),
            '[' => container_len(rest),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        match token.strip_prefix('[').and_then(|inside| inside.strip_suffix(']')) {
            Some(inside) if first == '[' => {
                let mut elements: Vec<String> = Vec::new();
                for element in elements_of(inside) {
                    for _ in 0..tape.of(&[1, 1, 1, 0, 2, 3]) {
                        elements.push(resized(tape, element));
                    }
                }
                let _ = write!(out, "[{}]", elements.join(","));
            }
            _ => out.push_str(token),
        }
        rest = after;
    }
    out
}

/// Returns the elements of an array, with the white space around them.
fn elements_of(inside: &str) -> Vec<&str> {
    let (mut elements, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(first) = inside[at..].chars().next() {
        if first == ',' {
            elements.push(&inside[start..at]);
            start = at + 1;
        }
        at += match first {
            '"' => string_len(&inside[at..]),
            '[' | '{' => container_len(&inside[at..]),
            _ => first.len_utf8(),
        };
    }
    elements.push(&inside[start..]);
    if inside.trim().is_empty() { Vec::new() } else { elements }
}

/// Returns the length in bytes of the array or object at the start of a text.
fn container_len(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(first) = text[at..].chars().next() {
        at += if first == '"' { string_len(&text[at..]) } else { first.len_utf8() };
        match first {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length in bytes of the string at the start of a text.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

fn doc(tape: &mut Tape<'_>, depth: usize) -> Doc {
    match tape.below(8) {
        _ if depth == 0 => Doc::Scalar(tape.of(SCALARS)),
        0..4 => Doc::Scalar(tape.of(SCALARS)),
        4 => Doc::Array((0..tape.below(4)).map(|_| doc(tape, depth - 1)).collect()),
        _ => object(tape, depth),
    }
}

fn object(tape: &mut Tape<'_>, depth: usize) -> Doc {
    let count = tape.below(5);
    Doc::Object((0..count).map(|_| (plans::name(tape), doc(tape, depth - 1))).collect())
}

/// Builds a value that differs a little from what a contract says.
fn shaped(tape: &mut Tape<'_>, spec: &PlanSpec, contract: &Contract) -> Doc {
    match contract {
        _ if tape.happens(1, 16) => doc(tape, 2),
        Contract::Any => doc(tape, 2),
        Contract::Array { items } => Doc::Array((0..tape.below(4)).map(|_| shaped(tape, spec, items)).collect()),
        Contract::Object { properties, .. } => {
            let mut members = Vec::new();
            for property in properties {
                if tape.happens(1, 3) {
                    continue;
                }
                let drifted: Vec<&str> =
                    spec.renames.iter().filter(|r| r.to == property.name).map(|r| r.from.as_str()).collect();
                let name = if drifted.is_empty() || tape.happens(1, 3) { &property.name } else { tape.of(&drifted) };
                members.push((name.to_owned(), shaped(tape, spec, &property.node)));
            }
            for _ in 0..tape.below(3) {
                let at = tape.below(members.len() + 1);
                members.insert(at, (plans::name(tape), doc(tape, 2)));
            }
            let mut doc = Doc::Object(members);
            for rule in &spec.moves {
                if rule.from.scope().is_empty() && tape.happens(1, 3) {
                    plant(tape, &mut doc, &[], rule.from.segments());
                }
            }
            doc
        }
    }
}

/// Puts a value where a path leads, into existing objects and arrays or new ones.
fn plant(tape: &mut Tape<'_>, doc: &mut Doc, scope: &[Step], names: &[String]) {
    if let Some((Step::Each, rest)) = scope.split_first() {
        if !matches!(doc, Doc::Array(_)) {
            *doc = Doc::Array(vec![Doc::Object(Vec::new())]);
        }
        let Doc::Array(elements) = doc else { return };
        for element in elements {
            plant(tape, element, rest, names);
        }
        return;
    }
    let (name, scope, names) = match (scope.split_first(), names.split_first()) {
        (Some((Step::Name(name), rest)), _) => (name, rest, names),
        (_, Some((name, rest))) => (name, scope, rest),
        _ => return,
    };
    match doc {
        Doc::Array(elements) => {
            for element in elements {
                plant_in(tape, element, name, scope, names);
            }
        }
        _ => plant_in(tape, doc, name, scope, names),
    }
}

fn plant_in(tape: &mut Tape<'_>, doc: &mut Doc, name: &str, scope: &[Step], names: &[String]) {
    if !matches!(doc, Doc::Object(_)) {
        *doc = Doc::Object(Vec::new());
    }
    let Doc::Object(members) = doc else { return };
    let at = members.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
        let at = tape.below(members.len() + 1);
        members.insert(at, (name.to_owned(), Doc::Scalar("1")));
        at
    });
    if scope.is_empty() && names.is_empty() {
        if tape.happens(1, 2) {
            members[at].1 = self::doc(tape, 2);
        }
    } else {
        plant(tape, &mut members[at].1, scope, names);
    }
}

/// The layout of a body.
struct Style {
    kind: usize,
    escapes: bool,
}

impl Style {
    fn any(tape: &mut Tape<'_>) -> Style {
        Style { kind: tape.below(4), escapes: tape.happens(1, 4) }
    }

    fn write(&self, tape: &mut Tape<'_>, doc: &Doc, depth: usize, out: &mut String) {
        match doc {
            Doc::Scalar(text) => out.push_str(text),
            Doc::Array(elements) => {
                self.items(tape, depth, '[', ']', elements.len(), out, &mut |style, tape, i, out| {
                    style.write(tape, &elements[i], depth + 1, out);
                });
            }
            Doc::Object(members) => {
                self.items(tape, depth, '{', '}', members.len(), out, &mut |style, tape, i, out| {
                    style.key(tape, &members[i].0, out);
                    style.write(tape, &members[i].1, depth + 1, out);
                });
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn items(
        &self,
        tape: &mut Tape<'_>,
        depth: usize,
        open: char,
        close: char,
        count: usize,
        out: &mut String,
        item: &mut dyn FnMut(&Style, &mut Tape<'_>, usize, &mut String),
    ) {
        out.push(open);
        for i in 0..count {
            if i > 0 {
                out.push(',');
            }
            self.space(tape, depth + 1, out);
            item(self, tape, i, out);
            if self.kind == 3 {
                self.space(tape, depth, out);
            }
        }
        if count > 0 || self.kind == 3 {
            self.space(tape, depth, out);
        }
        out.push(close);
    }

    fn key(&self, tape: &mut Tape<'_>, name: &str, out: &mut String) {
        out.push('"');
        for c in name.chars() {
            if c < ' ' || c == '"' || c == '\\' || (self.escapes && tape.happens(1, 3)) {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            } else {
                out.push(c);
            }
        }
        out.push_str(["\":", "\": ", "\": ", "\" :\t"][self.kind]);
    }

    /// Writes white space before an item: none, one space, a line break with indentation, or anything.
    fn space(&self, tape: &mut Tape<'_>, depth: usize, out: &mut String) {
        match self.kind {
            0 => {}
            1 => out.push_str(&" ".repeat(depth.min(1))),
            2 => {
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
            _ => {
                for _ in 0..tape.below(3) {
                    out.push(tape.of(&[' ', '\t', '\n', '\r']));
                }
            }
        }
    }
}
