//! Readable paths to tokens of a body.

use crate::text::{decoded, trim_end, unquoted};
use nomos_rules::path::Path;
use std::fmt::Write as _;

/// A step of a path in a body.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    Name(String),
    Element(usize),
    /// Every element of an array.
    Each,
}

/// Follows a body's tape and keeps the path of the current token. All paths together cost one pass.
pub(crate) struct Places<'a> {
    body: &'a [u8],
    tokens: &'a [u32],
    next: usize,
    path: Vec<Segment>,
    is_key: bool,
}

impl<'a> Places<'a> {
    pub(crate) fn new(body: &'a [u8], tokens: &'a [u32]) -> Self {
        Places { body, tokens, next: 0, path: Vec::new(), is_key: false }
    }

    /// Returns the path of the value or key at `at`. Offsets must be asked for in ascending order.
    pub(crate) fn path_to(&mut self, at: u32) -> &[Segment] {
        while let Some(token) = self.tokens.get(self.next).copied().filter(|token| *token <= at) {
            if token == at && matches!(self.byte(token), b'{' | b'[') {
                break;
            }
            self.step(token);
        }
        &self.path
    }

    fn byte(&self, at: u32) -> u8 {
        self.body.get(at as usize).copied().unwrap_or(0)
    }

    fn step(&mut self, token: u32) {
        self.next = self.next.saturating_add(1);
        match self.byte(token) {
            b'{' => {
                self.path.push(Segment::Name(String::new()));
                self.is_key = true;
            }
            b'[' => self.path.push(Segment::Element(0)),
            b'}' | b']' => {
                self.path.pop();
                self.is_key = false;
            }
            b',' => match self.path.last_mut() {
                Some(Segment::Element(index)) => *index = index.saturating_add(1),
                _ => self.is_key = true,
            },
            b'"' if self.is_key => {
                let name = self.name(token);
                if let Some(Segment::Name(known)) = self.path.last_mut() {
                    *known = name;
                    self.is_key = false;
                }
            }
            _ => (),
        }
    }

    /// Decodes the key at `token`.
    fn name(&self, token: u32) -> String {
        let next = self.tokens.get(self.next).map_or(self.body.len(), |next| *next as usize);
        let key = trim_end(self.body.get(token as usize..next).unwrap_or_default());
        String::from_utf8_lossy(&decoded(unquoted(key))).into_owned()
    }
}

/// Formats a path.
pub(crate) fn show(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Element(index) => _ = write!(text, "[{index}]"),
            Segment::Each => text.push_str("[]"),
            Segment::Name(name) => Path::push_member(&mut text, name),
        }
    }
    text
}
