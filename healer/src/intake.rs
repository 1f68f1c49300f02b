//! One body as it arrives.

use crate::limits::Limits;
use crate::memo::Memo;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::scan::{Scanner, Status};
use crate::stencil::Stencil;
use std::sync::Arc;

/// Keeps the bytes of one body, and knows when its value closes.
#[derive(Debug)]
pub struct Intake {
    pub(crate) limits: Limits,
    pub(crate) scanner: Scanner,
    pub(crate) held: Vec<u8>,
    pub(crate) known: Known,
}

/// What is known of a body by its skeleton.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The stencil that all bytes so far fit; they are not scanned.
    pub stencil: Option<Arc<Stencil>>,
    /// Where their values end.
    pub ends: Vec<u32>,
    /// Whether they were held against stencils, and fitted none.
    pub is_stranger: bool,
}

impl Known {
    /// Forgets the body, keeps the memory.
    pub(crate) fn clear(&mut self) {
        (self.stencil, self.is_stranger) = (None, false);
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Give more: the value is still open.
    Hold,
    /// The value has closed: heal the held bytes.
    Whole,
    /// The body can never be healed: send the held bytes as they came, and look no further.
    Release(Reason),
}

impl Intake {
    /// Keeps a chunk. Cost: one copy, and one scan of the chunk and of at most 63 bytes before it.
    ///
    /// Whether a body is too large depends on where its value closes, not on what came in one chunk with that.
    pub fn push(&mut self, chunk: &[u8]) -> Progress {
        self.held.extend_from_slice(chunk);
        let most = self.limits.max_held();
        self.known.clear();
        if chunk.len() > Limits::HARD_HELD_BYTES {
            return Progress::Release(Reason::TooLarge);
        }
        let status = self.scanner.advance(&self.held);
        // Where both bounds are crossed, the one that comes first counts, however the bytes were cut.
        if self.scanner.tokens().get(self.limits.max_tokens).is_some_and(|at| (*at as usize) < most) {
            return Progress::Release(Reason::TooManyTokens);
        }
        match status {
            Status::Blank | Status::Open if self.held.len() > most => Progress::Release(Reason::TooLarge),
            Status::Blank | Status::Open => Progress::Hold,
            Status::Closed(end) | Status::Dead(_, end) if end > most => Progress::Release(Reason::TooLarge),
            Status::Closed(_) => Progress::Whole,
            Status::Dead(reason, at) => Progress::Release(self.dead(reason, at)),
        }
    }

    /// As [`Intake::push`]. If the first chunk is a body of a skeleton that `memo` knows it is not scanned, and
    /// [`Healer::heal`](crate::Healer::heal) with that memo costs a fraction of what it would. But then it has no tape:
    /// [`Healer::report`](crate::Healer::report) has nothing to tell of it, and [`Healer::decide`](crate::Healer::decide) and
    /// [`Healer::matching`](crate::Healer::matching) refuse it.
    pub fn receive(&mut self, chunk: &[u8], plan: &Plan, memo: &mut Memo) -> Progress {
        let fits = self.held.is_empty() && chunk.len() <= self.limits.max_held().min(self.limits.max_tokens);
        if !fits {
            return self.push(chunk);
        }
        if let Some(stencil) = memo.recognise(plan, &self.limits, chunk, &mut self.known.ends) {
            self.held.extend_from_slice(chunk);
            self.known.stencil = Some(stencil);
            return Progress::Whole;
        }
        let progress = self.push(chunk);
        self.known.is_stranger = progress == Progress::Whole;
        progress
    }

    /// No more bytes come.
    pub fn finish(&mut self) -> Progress {
        if self.known.stencil.is_some() {
            return Progress::Whole;
        }
        match self.scanner.status() {
            Status::Blank => Progress::Release(Reason::Empty),
            Status::Open => Progress::Release(Reason::Truncated),
            Status::Closed(_) => Progress::Whole,
            Status::Dead(reason, at) => Progress::Release(self.dead(reason, at)),
        }
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        let ends = self.known.ends.capacity().saturating_mul(size_of::<u32>());
        self.held.capacity().saturating_add(self.scanner.capacity()).saturating_add(ends)
    }

    /// All bytes so far.
    pub fn held(&self) -> &[u8] {
        &self.held
    }

    /// A body that starts like no JSON value is not a scalar.
    pub(crate) fn dead(&self, reason: Reason, at: usize) -> Reason {
        match (reason, self.held.get(at)) {
            (Reason::Scalar, Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')) => Reason::Scalar,
            (Reason::Scalar, _) => Reason::Malformed,
            _ => reason,
        }
    }
}
