//! What a walk reads: the bytes of a body and its tape.

use super::Passed;
use crate::limits::Limits;
use crate::plan::automaton::Id;
use crate::scan::Scanner;
use std::ops::Range;

/// A body and its tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub bytes: &'a [u8],
    pub tokens: &'a [u32],
    pub escapes: &'a [u32],
    /// Marks of scalars that must be checked, see [`crate::scan::Scanner::scalars`]. The walk takes them for sound.
    pub scalars: &'a [u32],
    pub max_depth: u32,
    pub max_keys: u32,
    pub part: Part,
    pub passed: Passed<'a>,
}

/// The part of a body that a tape belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// A value in this state.
    Value(Id),
    /// Elements of an array in this state, and what is between them. The tape may go on after the array.
    Elements(Id),
}

impl<'a> Body<'a> {
    /// Returns all that was scanned.
    pub(crate) fn of(bytes: &'a [u8], scanner: &'a Scanner, limits: &Limits, part: Part) -> Self {
        let Limits { max_depth, max_keys, .. } = *limits;
        let (tokens, escapes, scalars) = (scanner.tokens(), scanner.escapes(), scanner.scalars());
        Body { bytes, tokens, escapes, scalars, max_depth, max_keys, part, passed: Passed::NOTHING }
    }

    /// Returns bytes without a tape.
    pub(crate) fn plain(bytes: &'a [u8]) -> Self {
        let passed = Passed::NOTHING;
        Body { bytes, tokens: &[], escapes: &[], scalars: &[], max_depth: 0, max_keys: 0, part: Part::Whole, passed }
    }

    /// Returns a range of the tokens, with the bytes up to an offset.
    pub(crate) fn cut(self, tokens: Range<usize>, end: usize) -> Self {
        let tokens = self.tokens.get(tokens).unwrap_or_default();
        let start = tokens.first().copied().unwrap_or(0);
        let within = |positions: &'a [u32]| {
            let before = |end: u32| positions.partition_point(|at| *at < end);
            positions.get(before(start)..before(end as u32)).unwrap_or_default()
        };
        let bytes = self.bytes.get(..end).unwrap_or_default();
        Body { bytes, tokens, escapes: within(self.escapes), scalars: within(self.scalars), ..self }
    }

    pub(crate) fn byte(&self, at: u32) -> u8 {
        self.bytes.get(at as usize).copied().unwrap_or(0)
    }

    /// Returns the eight bytes from an offset on, if there are that many.
    #[inline(always)]
    pub(super) fn word(&self, at: u32) -> Option<u64> {
        let bytes = self.bytes.get(at as usize..).and_then(<[u8]>::first_chunk::<8>);
        bytes.map(|word| u64::from_le_bytes(*word))
    }

    /// Returns the end of the text before a token: the offset after the last byte that is not white space.
    #[inline(always)]
    pub(crate) fn end_before(&self, token: u32) -> u32 {
        let mut end = token.min(self.bytes.len() as u32);
        while let b' ' | b'\t' | b'\n' | b'\r' = self.byte(end.wrapping_sub(1)) {
            end = end.wrapping_sub(1);
        }
        end
    }

    /// Returns the offset of the quote that closes the string before a token.
    #[inline(always)]
    pub(crate) fn quote_before(&self, token: u32) -> u32 {
        self.end_before(token).wrapping_sub(1)
    }

    pub(crate) fn span(&self, (start, end): (u32, u32)) -> &[u8] {
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }
}
