//! A response whose headers wait for its body, so that they can report the outcome.
//!
//! This is opt-in, and only for small bodies. A paused body waits in Envoy's buffers. If it outgrows them, Envoy
//! refuses it with a 500; or worse, if a filter writes too much into them, the whole process ends. So the body itself
//! is paused only if it may be changed, and only while content-length says that more of it comes, and how much.
//!
//! A body of unknown length may have come through a decompressor, which adds trailers after its last data; pausing that
//! data would pause it for ever. Such a body is healed here if its first chunk contains all of it, and otherwise
//! continues unheld. There is one exception: the upstream has ended, but the value is still open. Then a filter behind
//! this one may hand out the rest later (a rate limit, an external processor). If headers were let go at that point,
//! Envoy would end the response there (1.36 always, 1.40 if there are trailers). Such a body waits for as long as more
//! of it comes.
//!
//! A filter behind this one may also write a body when it gets trailers: the gRPC-JSON transcoder does for a stream
//! without messages, and for an error that becomes JSON (`convert_grpc_status`). If headers were let go at that point,
//! trailers would leave along with them and end the stream, while that filter still works on it: Envoy ends with a
//! segmentation fault (1.36 and 1.40). So such a body waits for its trailers. It is known by the content-length that
//! the held headers have got meanwhile, or, for an empty list, by its own length.
//!
//! Other filters behind this one write the length of each chunk into content-length, for example Lua with `setBytes` on
//! `bodyChunks`. Usually that comes too late to have an effect. Held headers would leave with it, and the body would be
//! cut off there. So content-length is made true before they do.

use healer::{Progress, Reason};

use crate::body::{Absorbed, Incoming, Job, Step, count, insist};
use crate::dependent::Dependents;
use crate::host::Host;
use crate::outcome::{Fail, Outcome};
use crate::report::Finding;
use crate::tools::Tools;

/// The longest body in bytes that is paused: half of the smallest buffer limit met in the field (32 KiB, Envoy
/// Gateway's).
pub const MAX_BODY: u64 = 16 << 10;

/// The longest body in bytes that is written while paused: that buffer limit.
const MAX_OUTPUT: usize = 32 << 10;

/// The longest body in bytes that a filter writes when it gets trailers: `[]`.
const EMPTY_LIST: usize = 2;

/// A response whose headers are paused.
#[derive(Debug)]
pub struct Held {
    /// The content-length that the headers came with.
    expected: Option<u64>,
    /// Whether the part of the body that has come is paused.
    pub waits: bool,
    /// The outcome, if it is known and only trailers are awaited.
    pub known: Option<Finding>,
}

/// The result of a callback about the body.
#[derive(Debug)]
pub enum HeldStep {
    /// The rest of the body is awaited, and all of it is paused.
    Wait,
    /// As `Wait`, but it is unknown whether more of the body comes. If the outcome is known already, trailers may come.
    WaitAWhile(Option<Finding>),
    /// The outcome is known, the headers can report it, and everything passes.
    Done(Finding),
    /// The outcome is unknown, and everything passes from here on as if it had never been paused.
    Unhold(Incoming),
}

impl Held {
    /// Holds the headers of a body of this length, unless it is too long for that.
    pub fn new(expected: Option<u64>) -> Option<Self> {
        let is_short = expected.is_none_or(|length| length <= MAX_BODY);
        is_short.then_some(Held { expected, waits: false, known: None })
    }

    /// Takes a callback about the body. `size` is the number of its bytes that are paused, this chunk included.
    pub fn chunk<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> HeldStep {
        if let Some(known) = self.known {
            return HeldStep::Done(self.end_known(tools, known, ends.then(|| count(size))));
        }
        match self.expected {
            Some(expected) if !ends && count(size) < expected => {
                // A paused body may outgrow Envoy's buffer. That risk is only taken if the body may change, or if
                // another filter hands out a body whose upstream has ended: Envoy 1.36 takes the chunk with which the
                // headers leave for the end of such a body.
                let waits = job.writes || tools.host.upstream_has_ended();
                if waits { HeldStep::Wait } else { self.take(tools, job, size, ends) }
            }
            Some(_) => self.take(tools, &Job { max_output: MAX_OUTPUT, ..*job }, size, ends),
            None => self.take(tools, job, size, ends),
        }
    }

    /// Returns whether a paused body is awaited without knowing that more of it comes.
    pub fn waits_a_while(&self) -> bool {
        self.waits && self.expected.is_none()
    }

    /// Ends a response of whose body no more comes. If the body was not waited for, none of it has come.
    pub fn end<H: Host>(&self, tools: &mut Tools<H>) -> Finding {
        if let Some(known) = self.known {
            return known;
        }
        if !self.waits {
            return Finding::without_work(Outcome::Failed(Fail::Body(Reason::Empty)));
        }
        let is_false = Dependents::of(&mut tools.host).is_ok_and(|now| now.length() != self.expected);
        let mut fail = Fail::Body(Reason::Truncated);
        if is_false && insist(&mut tools.host, |host| Dependents::correct_length(host, None)).is_err() {
            fail = Fail::Host;
        }
        Finding::without_work(Outcome::Failed(fail))
    }

    /// Releases a response before any of its body was seen.
    pub fn unhold<H: Host>(&self, tools: &mut Tools<H>, writes: bool) -> Result<Incoming, Fail> {
        if writes {
            let dependents = Dependents::of(&mut tools.host);
            dependents.and_then(|dependents| dependents.fix_for_any_body(&mut tools.host)).map_err(|_| Fail::Host)?;
        }
        Ok(Incoming::new(self.expected))
    }

    /// Heals the body if it is complete, and otherwise continues with it.
    fn take<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> HeldStep {
        let last = ends || self.expected.is_some_and(|expected| count(size) >= expected);
        let mut incoming = Incoming::new(self.expected);
        let mut absorbed = incoming.absorb(tools, job, size, last);
        if absorbed.is_ok_and(|absorbed| absorbed.ended_unseen) && count(size) <= MAX_BODY {
            incoming.discard(tools, job, 0);
            return HeldStep::WaitAWhile(None);
        }
        let goes_on =
            matches!(absorbed, Ok(Absorbed { progress: Progress::Hold | Progress::Release(Reason::TooLarge), .. }));
        let read = Dependents::of(&mut tools.host).map_err(|_| Fail::Host);
        let has_length = read.as_ref().map_or(true, |now| now.length().is_some());
        let awaits_trailers = job.writes && !goes_on && !last && self.may_have_trailers(tools, has_length, size);
        let all = (ends || awaits_trailers).then(|| count(size));
        let mut fixed = read.and_then(|now| self.correct(&mut tools.host, now, all, ends));
        if goes_on && job.writes {
            fixed = fixed.and_then(|now| now.fix_for_any_body(&mut tools.host).map(|()| now).map_err(|_| Fail::Host));
        }
        let dependents = fixed.unwrap_or_else(|fail| {
            absorbed = Err(fail);
            Dependents::default()
        });
        let max_output = if awaits_trailers { MAX_OUTPUT } else { job.max_output };
        let job = &Job { held: Some(&dependents), max_output, ..*job };
        match incoming.settle(tools, job, size, 0, absorbed) {
            Step::More => {
                incoming.account(tools);
                HeldStep::Unhold(incoming)
            }
            Step::Done(finding) if awaits_trailers => HeldStep::WaitAWhile(Some(finding)),
            Step::Done(finding) => HeldStep::Done(finding),
        }
    }

    /// Ends a response that waited for trailers and got more of the body. What was healed before is not the upstream's
    /// body any more, so it is not looked at again. `all`: the length of what is there, if no more comes.
    fn end_known<H: Host>(&self, tools: &mut Tools<H>, known: Finding, all: Option<u64>) -> Finding {
        let read = Dependents::of(&mut tools.host).map_err(|_| Fail::Host);
        match read.and_then(|now| self.correct(&mut tools.host, now, all, all.is_some())) {
            Ok(_) => known,
            Err(fail) => Finding { outcome: Outcome::Failed(fail), ..known },
        }
    }

    /// Whether a complete body may have been written by a filter that is at work on trailers. `has_length`: the headers
    /// have a content-length, or cannot be read.
    fn may_have_trailers<H: Host>(&self, tools: &mut Tools<H>, has_length: bool, size: usize) -> bool {
        self.expected.is_none() && (has_length || size <= EMPTY_LIST) && tools.host.upstream_has_ended()
    }

    /// Makes content-length true if a filter has changed it since the headers came. Returns the headers as they are then.
    /// `all`: the length of the body, if all of it seems to be there, which `ends` says for sure.
    fn correct<H: Host>(
        &self,
        host: &mut H,
        now: Dependents,
        all: Option<u64>,
        ends: bool,
    ) -> Result<Dependents, Fail> {
        if now.length() == self.expected || all.is_some() && now.length() == all {
            return Ok(now);
        }
        let length = if ends { all } else { self.expected };
        insist(host, |host| Dependents::correct_length(host, length))?;
        Ok(now.with_length(length))
    }
}
