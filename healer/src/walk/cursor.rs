//! Steps along the tape of a body that a walk found well formed.

use super::Body;
use crate::text::{decode, trim_end};

/// A place on the tape.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    pub body: &'a Body<'a>,
    next: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the token with this number.
    pub(crate) fn new(body: &'a Body<'a>, token: usize) -> Self {
        Cursor { body, next: token }
    }

    /// Starts inside the object whose opening brace is token number `token`.
    pub(crate) fn inside(body: &'a Body<'a>, token: u32) -> Self {
        Cursor::new(body, (token as usize).wrapping_add(1))
    }

    /// Returns the number of the next token.
    pub(crate) fn token(&self) -> usize {
        self.next
    }

    fn at(&self, index: usize) -> u32 {
        self.body.tokens.get(index).copied().unwrap_or(self.body.bytes.len() as u32)
    }

    pub(crate) fn byte_at(&self, index: usize) -> u8 {
        self.body.byte(self.at(index))
    }

    /// Returns the first byte of the next token.
    pub(crate) fn byte(&self) -> u8 {
        self.byte_at(self.next)
    }

    pub(crate) fn step(&mut self) {
        self.next = self.next.wrapping_add(1);
    }

    /// Takes a key and its colon. Returns the bytes between its quotes.
    pub(crate) fn key(&mut self) -> &'a [u8] {
        let (start, end) = (self.at(self.next).wrapping_add(1), self.at(self.next.wrapping_add(1)));
        self.next = self.next.wrapping_add(2);
        let quoted = trim_end(self.body.span((start, end)));
        quoted.get(..quoted.len().saturating_sub(1)).unwrap_or_default()
    }

    /// As [`Cursor::key`], with escapes decoded. Uses `name` if there are any.
    pub(crate) fn name<'n>(&mut self, name: &'n mut Vec<u8>) -> &'n [u8]
    where
        'a: 'n,
    {
        let key = self.key();
        if !key.contains(&b'\\') {
            return key;
        }
        name.clear();
        decode(key, name);
        name
    }

    /// Returns the offsets of the next value and of the token after it.
    pub(crate) fn bounds(&self) -> (u32, u32) {
        (self.at(self.next), self.at(self.next.wrapping_add(1)))
    }

    /// Returns the span of the next string or scalar, or the beginning of a container.
    pub(crate) fn value(&self) -> (u32, u32) {
        let (start, end) = self.bounds();
        (start, start.wrapping_add(trim_end(self.body.span((start, end))).len() as u32))
    }

    /// Returns the text of the first element of the next array.
    pub(crate) fn first_item(&self) -> Option<&'a [u8]> {
        let first = self.next.wrapping_add(1);
        if self.byte_at(first) == b']' {
            return None;
        }
        Some(trim_end(self.body.span((self.at(first), self.at(first.wrapping_add(1))))))
    }

    /// Steps over the next value.
    pub(crate) fn skip(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.byte() {
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => (),
            }
            self.step();
            if depth == 0 || self.next >= self.body.tokens.len() {
                return;
            }
        }
    }
}
