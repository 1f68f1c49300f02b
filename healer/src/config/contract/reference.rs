//! `$ref`: JSON pointers (RFC 6901) into the document.

use super::super::cursor::Place;
use super::super::node::{Member, Node, Value};
use super::super::suggest::did_you_mean;

const EXPECTED: &str = "a reference into this document, in quotes, such as '#/$defs/user'";

/// Why a reference cannot be resolved: what was found and what was expected.
pub type Complaint = (String, String);

/// The targets of the references of a document, and which of them lead back to themselves.
///
/// The graph of references is built lazily: a document may be far larger than the part that one contract needs.
pub struct References<'a> {
    root: Place<'a>,
    targets: Vec<Target<'a>>,
}

struct Target<'a> {
    node: &'a Node,
    /// The indices of all targets that are referred to anywhere below.
    next: Option<Vec<usize>>,
    is_recursive: Option<bool>,
}

impl<'a> References<'a> {
    /// Returns the references of a document, none of which is followed yet.
    pub fn new(root: Place<'a>) -> Self {
        References { root, targets: Vec::new() }
    }

    /// Returns the schema that a `$ref` stands for.
    pub(super) fn resolve(&self, reference: &Node) -> Result<Place<'a>, Complaint> {
        resolve(&self.root, reference)
    }

    /// Whether a node refers to itself, directly or through others.
    pub(super) fn is_recursive(&mut self, node: &'a Node) -> bool {
        let start = self.index(node);
        if let Some(known) = self.targets.get(start).and_then(|target| target.is_recursive) {
            return known;
        }
        let found = self.reaches(start);
        if let Some(target) = self.targets.get_mut(start) {
            target.is_recursive = Some(found);
        }
        found
    }

    fn reaches(&mut self, start: usize) -> bool {
        let mut seen: Vec<bool> = Vec::new();
        let mut open = vec![start];
        while let Some(target) = open.pop() {
            for next in self.next(target) {
                if next == start {
                    return true;
                }
                seen.resize(self.targets.len(), false);
                if let Some(seen @ false) = seen.get_mut(next) {
                    *seen = true;
                    open.push(next);
                }
            }
        }
        false
    }

    fn next(&mut self, target: usize) -> Vec<usize> {
        let Some(Target { node, next, .. }) = self.targets.get(target) else { return Vec::new() };
        if let Some(next) = next {
            return next.clone();
        }
        let mut next: Vec<usize> = Vec::new();
        for reference in references(node) {
            if let Ok(place) = resolve(&self.root, reference) {
                next.push(self.index(place.node));
            }
        }
        if let Some(target) = self.targets.get_mut(target) {
            target.next = Some(next.clone());
        }
        next
    }

    fn index(&mut self, node: &'a Node) -> usize {
        let known = self.targets.iter().position(|target| std::ptr::eq(target.node, node));
        known.unwrap_or_else(|| {
            self.targets.push(Target { node, next: None, is_recursive: None });
            self.targets.len().saturating_sub(1)
        })
    }
}

/// Returns what a reference stands for in a document.
pub fn resolve<'a>(root: &Place<'a>, reference: &Node) -> Result<Place<'a>, Complaint> {
    let complain = || (reference.describe(), EXPECTED.to_owned());
    let text = reference.as_str().ok_or_else(complain)?;
    let steps = steps(text).ok_or_else(complain)?;
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    root.follow(&steps).map_err(|(last, step)| {
        let known: Vec<&Member> = match &last.value {
            Value::Object(members) => members.iter().filter(|member| leads_on(&member.node)).collect(),
            _ => Vec::new(),
        };
        let known = known.iter().map(|member| member.name.as_str());
        let found = format!("{}, which is not in this document", reference.describe());
        (found, format!("a reference to what is there{}", did_you_mean(step, known)))
    })
}

/// Whether a reference may lead to this, or through it: `$ref` beside a misspelt `$defs` is never meant.
fn leads_on(node: &Node) -> bool {
    matches!(node.value, Value::Object(_) | Value::Array(_))
}

/// Returns the steps of the pointer behind a `#`.
fn steps(reference: &str) -> Option<Vec<String>> {
    let pointer = percent_decoded(reference.strip_prefix('#')?)?;
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    Some(steps.map(unescaped).collect())
}

/// Replaces `~1` and `~0` in a step by what they stand for.
fn unescaped(step: &str) -> String {
    let mut parts = step.split('~');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (sign, rest) = match part.as_bytes().first() {
            Some(b'1') => ('/', part.get(1..)),
            Some(b'0') => ('~', part.get(1..)),
            _ => ('~', Some(part)),
        };
        name.push(sign);
        name.push_str(rest.unwrap_or_default());
    }
    name
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)?.checked_mul(16)?.checked_add(hex(rest.next()?)?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns every `$ref` below a node. Some may be none, such as names in an example.
fn references(node: &Node) -> Vec<&Node> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match &node.value {
            Value::Object(members) => {
                for member in members {
                    if member.name == "$ref" {
                        found.push(&member.node);
                    }
                    open.push(&member.node);
                }
            }
            Value::Array(items) => open.extend(items),
            _ => (),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn pointers_are_those_of_the_rfc() {
        let rows: [(&str, Option<&[&str]>); 14] = [
            ("#", Some(&[])),
            ("#/", Some(&[""])),
            ("#/a/b", Some(&["a", "b"])),
            ("#/a~1b/m~0n", Some(&["a/b", "m~n"])),
            ("#/~01", Some(&["~1"])),
            ("#/m~n/~~1", Some(&["m~n", "~/"])),
            ("#/c%25d/e%5Ef/%C3%A9", Some(&["c%d", "e^f", "é"])),
            ("#/paths/~1users~1%7Bid%7D", Some(&["paths", "/users/{id}"])),
            ("#/a b", Some(&["a b"])),
            ("#user", None),
            ("user.json", None),
            ("user.json#/a", None),
            ("#/%zz", None),
            ("#/%ff", None),
        ];
        for (reference, expected) in rows {
            let expected = expected.map(|steps| steps.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(steps(reference), expected, "{reference}");
        }
    }
}
