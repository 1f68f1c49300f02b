//! One body as it arrives.

mod elements;

use crate::limits::Limits;
use crate::memo::Memo;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::scan::{Scanner, Status};
use crate::stencil::{MAX_BYTES, MAX_LOOKS, Miss, Reading, Runs, Stencil};
use crate::text::trim_end;
use elements::Search;
pub(crate) use elements::Stranger;
use std::sync::Arc;

/// Holds the bytes of one body, and knows when its value closes.
#[derive(Debug)]
pub struct Intake {
    pub(crate) limits: Limits,
    pub(crate) scanner: Scanner,
    pub(crate) held: Vec<u8>,
    pub(crate) known: Recognition,
}

/// Memory for what elements become that is kept between bodies.
const KEPT: usize = 256 << 10;

/// What is known of a body by its skeleton.
#[derive(Debug, Default)]
pub(crate) struct Recognition {
    /// The stencil that all bytes so far fit. They are not scanned.
    pub stencil: Option<Arc<Stencil>>,
    /// How often the bytes so far were compared and might have come to fit a stencil. They are not scanned.
    looks: u32,
    /// What was found in the bytes so far.
    pub reading: Reading,
    /// Whether the body was compared with stencils and fitted none.
    pub is_stranger: bool,
    /// The search for elements of lists, once there was one.
    lists: Option<Box<Lists>>,
}

/// Elements of lists that were passed over, and how far the body was searched for them.
#[derive(Debug, Default)]
struct Lists {
    runs: Runs,
    search: Search,
}

impl Recognition {
    /// Forgets the body and keeps the memory.
    pub(crate) fn clear(&mut self) {
        (self.stencil, self.looks, self.is_stranger) = (None, 0, false);
        if let Some(lists) = &mut self.lists {
            lists.runs.clear(KEPT);
            lists.search = Search::over();
        }
    }

    /// Returns the elements that were passed over, if there are any.
    pub(crate) fn runs(&self) -> Option<&Runs> {
        self.lists.as_deref().map(|lists| &lists.runs).filter(|runs| !runs.is_empty())
    }

    /// Returns where an element is that ought to be drawn.
    pub(crate) fn stranger(&self) -> Stranger {
        self.lists.as_deref().map_or(Stranger::Anywhere, |lists| lists.search.stranger())
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The value is still open: give more bytes.
    Hold,
    /// The value has closed: heal the held bytes.
    Whole,
    /// The body can never be healed: send the held bytes as they came, and look no further.
    Release(Reason),
}

impl Intake {
    /// Takes a chunk. Costs one copy, and one scan of the chunk and of at most 63 bytes before it.
    ///
    /// Whether a body is too large depends on where its value closes, not on what else came in the same chunk.
    pub fn push(&mut self, chunk: &[u8]) -> Progress {
        self.held.extend_from_slice(chunk);
        self.read(chunk.len())
    }

    /// As [`Intake::push`], but does not scan what has a skeleton that `memo` knows: a short body, or elements of
    /// lists. [`Healer::heal`](crate::Healer::heal) with that memo then costs a fraction. But these parts have no tape:
    /// [`Healer::report`](crate::Healer::report) does not report them, and [`Healer::decide`](crate::Healer::decide)
    /// and [`Healer::matching`](crate::Healer::matching) refuse the body.
    pub fn receive(&mut self, chunk: &[u8], plan: &Plan, memo: &mut Memo) -> Progress {
        let before = self.held.len();
        self.held.extend_from_slice(chunk);
        self.go_on(before, plan, memo)
    }

    /// As [`Intake::receive`], for a chunk that `append` puts directly behind the held bytes, which saves a copy.
    ///
    /// # Errors
    ///
    /// Returns the error of `append`, which must not have appended anything then.
    pub fn receive_by<E>(
        &mut self,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
        plan: &Plan,
        memo: &mut Memo,
    ) -> Result<Progress, E> {
        let before = self.held.len();
        append(&mut self.held)?;
        Ok(self.go_on(before, plan, memo))
    }

    /// Takes what is held from the offset `before` on.
    fn go_on(&mut self, before: usize, plan: &Plan, memo: &mut Memo) -> Progress {
        let is_first = before == 0 || self.known.looks > 0;
        // The limit of tokens also counts tokens that are not scanned.
        let is_short = self.held.len() <= self.limits.max_held().min(self.limits.max_tokens);
        if is_first && is_short {
            match self.recognise(plan, memo) {
                Ok(stencil) => {
                    (self.known.stencil, self.known.looks) = (Some(stencil), 0);
                    return Progress::Whole;
                }
                Err(Miss::Short) => {
                    self.known.looks = self.known.looks.wrapping_add(1);
                    return Progress::Hold;
                }
                Err(Miss::Other) => (),
            }
        }
        self.known.looks = 0;
        if is_first && memo.depth_of_elements().is_some() {
            self.known.lists.get_or_insert_default().search = Search::default();
        }
        let progress = if is_short && self.known.stencil.is_none() && self.known.lists.is_some() {
            self.pass_over(plan, memo)
        } else {
            self.read(self.held.len().saturating_sub(before))
        };
        let may_be_drawn = is_short && self.held.len() <= MAX_BYTES;
        self.known.is_stranger = may_be_drawn && progress == Progress::Whole && self.known.runs().is_none();
        progress
    }

    /// Returns the stencil that all bytes so far fit, or whether more bytes may make them fit one.
    fn recognise(&mut self, plan: &Plan, memo: &mut Memo) -> Result<Arc<Stencil>, Miss> {
        let found = memo.recognise(plan, &self.limits, &self.held, &mut self.known.reading);
        // A value that has closed may lack only white space, which is not waited for.
        let may_be_closed = || matches!(trim_end(&self.held).last(), None | Some(b'}' | b']'));
        let may_wait = || self.known.looks < MAX_LOOKS && self.held.len() <= MAX_BYTES && !may_be_closed();
        found.map_err(|miss| if miss == Miss::Short && may_wait() { Miss::Short } else { Miss::Other })
    }

    /// Reads what came, except elements that are passed over.
    fn pass_over(&mut self, plan: &Plan, memo: &mut Memo) -> Progress {
        let status = self.scan(plan, memo);
        match self.judge(status) {
            // The reason is told by a scan of everything.
            Progress::Release(_) if self.look_back() => {
                let status = self.scanner.advance(&self.held);
                self.judge(status)
            }
            progress => progress,
        }
    }

    /// Scans everything held. `chunk`: the length of the last chunk.
    fn read(&mut self, chunk: usize) -> Progress {
        self.look_back();
        self.known.clear();
        if chunk > Limits::HARD_HELD_BYTES {
            return Progress::Release(Reason::TooLarge);
        }
        let status = self.scanner.advance(&self.held);
        self.judge(status)
    }

    /// Returns what a scan led to.
    fn judge(&self, status: Status) -> Progress {
        let most = self.limits.max_held();
        // If both bounds are crossed, the first one counts, however the bytes were cut.
        if self.scanner.tokens().get(self.limits.max_tokens).is_some_and(|at| (*at as usize) < most) {
            return Progress::Release(Reason::TooManyTokens);
        }
        match status {
            Status::Blank | Status::Open if self.held.len() > most => Progress::Release(Reason::TooLarge),
            Status::Blank | Status::Open => Progress::Hold,
            Status::Closed(end) | Status::Dead(_, end) if end > most => Progress::Release(Reason::TooLarge),
            Status::Closed(_) => Progress::Whole,
            Status::Dead(..) if self.begins_word().is_some() => Progress::Hold,
            Status::Dead(reason, at) => Progress::Release(self.dead(reason, at)),
        }
    }

    /// Forgets that elements were passed over, so that they are scanned. Returns whether there were any.
    pub(crate) fn look_back(&mut self) -> bool {
        if self.known.runs().is_none() {
            return false;
        }
        self.known.clear();
        self.scanner.reset(self.limits.max_depth);
        true
    }

    /// Starts again without bytes. Returns those so far.
    pub(crate) fn restart(&mut self) -> Vec<u8> {
        self.known.clear();
        self.scanner.reset(self.limits.max_depth);
        std::mem::take(&mut self.held)
    }

    /// Takes the end of the body.
    pub fn finish(&mut self) -> Progress {
        if self.known.stencil.is_some() {
            return Progress::Whole;
        }
        // Bytes that might have come to fit a stencil are not scanned yet.
        match self.scanner.advance(&self.held) {
            Status::Blank => Progress::Release(Reason::Empty),
            Status::Open => Progress::Release(Reason::Truncated),
            Status::Closed(_) => Progress::Whole,
            Status::Dead(reason, at) => Progress::Release(self.dead(reason, at)),
        }
    }

    /// Returns its size in memory, in bytes.
    pub fn memory(&self) -> usize {
        let reading = self.known.reading.memory();
        let runs = self.known.lists.as_deref().map_or(0, |lists| lists.runs.memory());
        self.held.capacity().saturating_add(self.scanner.capacity()).saturating_add(reading).saturating_add(runs)
    }

    /// Returns all bytes so far.
    pub fn held(&self) -> &[u8] {
        &self.held
    }

    /// Returns the reason of a dead scan. A body that starts like no JSON value is malformed, not a scalar. What
    /// follows the start is not read.
    pub(crate) fn dead(&self, reason: Reason, at: usize) -> Reason {
        match (reason, self.held.get(at)) {
            (Reason::Scalar, Some(b'"' | b'-' | b'0'..=b'9')) => Reason::Scalar,
            (Reason::Scalar, _) => match self.word(at) {
                Some(Word::Whole) => Reason::Scalar,
                Some(Word::Begun) => Reason::Truncated,
                None => Reason::Malformed,
            },
            _ => reason,
        }
    }

    /// Returns where the body begins like a word, if more bytes must tell whether it is one.
    pub(crate) fn begins_word(&self) -> Option<usize> {
        match self.scanner.status() {
            Status::Dead(Reason::Scalar, at) if self.word(at) == Some(Word::Begun) => Some(at),
            _ => None,
        }
    }

    /// Returns how much of `true`, `false` or `null` is held from an offset on. `None`: there is none of these.
    fn word(&self, at: usize) -> Option<Word> {
        let held = self.held.get(at..)?;
        [&b"true"[..], b"false", b"null"].into_iter().find_map(|word| match () {
            () if held.starts_with(word) => Some(Word::Whole),
            () if word.starts_with(held) => Some(Word::Begun),
            () => None,
        })
    }
}

/// How much of a literal word is held.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Begun,
    Whole,
}
