//! One body as it arrives.

use crate::limits::Limits;
use crate::reason::Reason;
use crate::scan::{Scanner, Status};

/// Keeps the bytes of one body, and knows when its value closes.
#[derive(Debug)]
pub struct Intake {
    pub(crate) limits: Limits,
    pub(crate) scanner: Scanner,
    pub(crate) held: Vec<u8>,
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

    /// No more bytes come.
    pub fn finish(&mut self) -> Progress {
        match self.scanner.status() {
            Status::Blank => Progress::Release(Reason::Empty),
            Status::Open => Progress::Release(Reason::Truncated),
            Status::Closed(_) => Progress::Whole,
            Status::Dead(reason, at) => Progress::Release(self.dead(reason, at)),
        }
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        self.held.capacity().saturating_add(self.scanner.capacity())
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
