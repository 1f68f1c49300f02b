//! A response whose headers wait for its body, so that they can tell about it.
//!
//! Opt-in, and only for bodies that are small: what is paused waits in Envoy's buffers, and a body that outgrows
//! those is refused, by Envoy with a 500, or worse, by a filter that writes too much into them, with the whole
//! process. So the body itself is paused only to change it, and while content-length says that more comes, and how much.
//! A body of unknown length may have come through a decompressor, which adds trailers after its last data; pausing
//! that data would pause it for ever. It is healed here if its first chunk has all of it, and goes on unheld if not. But
//! where its upstream has ended, and its value is open all the same, a filter behind this one may hand out the rest later
//! (a rate limit, an external processor): letting go of headers then, Envoy ends the response where it is (1.36 always, 1.40
//! where there are trailers). Such a body waits, for as long as more of it comes.

use healer::{Progress, Reason};

use crate::body::{Absorbed, Incoming, Job, Step, count};
use crate::dependent::Dependents;
use crate::host::Host;
use crate::outcome::{Fail, Outcome};
use crate::report::Finding;
use crate::tools::Tools;

/// The longest body that is paused: half of the smallest buffer limit met in the field (32 KiB, Envoy Gateway's).
pub const MAX_BODY: u64 = 16 << 10;

/// The longest body that is written while paused: just that limit.
const MAX_OUTPUT: usize = 32 << 10;

/// A response whose headers are paused.
#[derive(Debug)]
pub struct Held {
    expected: Option<u64>,
    dependents: Dependents,
    /// Whether what has come of the body is paused.
    pub waits: bool,
}

/// What a chunk led to.
#[derive(Debug)]
pub enum HeldStep {
    /// The rest of the body is awaited, all of it paused.
    Wait,
    /// The same, while it is not known whether there is more.
    WaitAWhile,
    /// That is settled, the headers can tell about it, and everything passes.
    Done(Finding),
    /// Nothing can be told yet, and everything passes from here on as if it had never been paused.
    Unhold(Incoming),
}

impl Held {
    /// Gives the headers back if those of a body of this length must not be held.
    pub fn new(expected: Option<u64>, dependents: Dependents) -> Result<Self, Dependents> {
        if expected.is_some_and(|length| length > MAX_BODY) {
            Err(dependents)
        } else {
            Ok(Held { expected, dependents, waits: false })
        }
    }

    /// Takes a callback about the body. `size` counts all of it that is paused.
    pub fn chunk<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> HeldStep {
        let job = Job { held: Some(&self.dependents), ..*job };
        match self.expected {
            Some(expected) if !ends && count(size) < expected => {
                // A paused body may be more than Envoy's buffer takes. Where nothing is to change, that is not risked,
                // unless a filter hands out a body that has ended long ago: Envoy 1.36 takes the piece with which
                // headers are let go for the end of such a one.
                let waits = job.writes || tools.host.upstream_has_ended();
                if waits { HeldStep::Wait } else { self.take(tools, &job, size, false) }
            }
            Some(_) => self.take(tools, &Job { max_output: MAX_OUTPUT, ..job }, size, true),
            None => self.take(tools, &job, size, ends),
        }
    }

    /// Whether it is not known if more of a paused body comes.
    pub fn waits_a_while(&self) -> bool {
        self.waits && self.expected.is_none()
    }

    /// Nothing more of the body comes. Of one that was not waited for, nothing has come.
    pub fn end(&self) -> Finding {
        let reason = if self.waits { Reason::Truncated } else { Reason::Empty };
        Finding::without_work(Outcome::Failed(Fail::Body(reason)))
    }

    /// Lets go of a response before any of its body was seen.
    pub fn unhold<H: Host>(&self, tools: &mut Tools<H>, writes: bool) -> Result<Incoming, Fail> {
        if writes {
            self.dependents.fix_for_any_body(&mut tools.host).map_err(|_| Fail::Host)?;
        }
        Ok(Incoming::new(self.expected))
    }

    /// Heals what there is, or if that is not all, goes on with it.
    fn take<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, last: bool) -> HeldStep {
        tools.recover();
        let mut incoming = Incoming::new(self.expected);
        let mut absorbed = incoming.absorb(tools, job, size, last);
        if absorbed.is_ok_and(|absorbed| absorbed.ended_unseen) && count(size) <= MAX_BODY {
            incoming.discard(tools, job, 0);
            return HeldStep::WaitAWhile;
        }
        let goes_on =
            matches!(absorbed, Ok(Absorbed { progress: Progress::Hold | Progress::Release(Reason::TooLarge), .. }));
        if goes_on && job.writes && self.dependents.fix_for_any_body(&mut tools.host).is_err() {
            absorbed = Err(Fail::Host);
        }
        match incoming.settle(tools, job, size, 0, absorbed) {
            Step::More => {
                incoming.account(tools);
                HeldStep::Unhold(incoming)
            }
            Step::Done(finding) => HeldStep::Done(finding),
        }
    }
}
