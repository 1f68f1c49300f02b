//! A response body that passes through the module chunk by chunk, without ever being paused.
//!
//! While the JSON value is open, the module takes the body's bytes out of the host's buffer and keeps them; white space
//! before the value is only read. Once the value has closed, the bytes are healed and written back in the callback that
//! brought the last of them. So nothing waits for the end of the stream, which may come late, or with trailers, when
//! nothing can be written any more. If content-length gives the length, the module waits for the whole body: it then
//! sees bytes after the value too, and lets such a body leave as it came.
//!
//! A body longer than the limit for kept bytes is healed value by value as it streams: `streaming`.
//!
//! The chunk of the running callback stays with the host until its fate is decided. So if something fails, it is enough
//! to put the earlier bytes in front of that chunk. What streams is an exception once a part of a long chunk has left.

mod streaming;

use healer::config::Route;
use healer::{Failure, Incremental, Intake, Limits, Memo, Plan, Progress, Reason, Summary};

use crate::dependent::Dependents;
use crate::host::{Clock, Host, Status};
use crate::metrics::Work;
use crate::outcome::{Fail, Outcome};
use crate::report::{self, Finding};
use crate::root::RouteTag;
use crate::slices::Slices;
use crate::tools::Tools;
use streaming::Piece;

/// How to process a body.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The plan to heal it by.
    pub plan: &'a Plan,
    /// The state kept for its route: what similarity has found so far, and where to report.
    pub tag: &'a RouteTag,
    /// Whether the status is 2xx, so that the contract describes the body. Other responses report an error.
    pub succeeds: bool,
    /// The limits on it.
    pub limits: Limits,
    /// Whether the body may be changed. If not, its bytes are read but stay with the host.
    pub writes: bool,
    /// If headers are held, those to correct before the body changes.
    pub held: Option<&'a Dependents>,
    /// The maximum length of a healed body in bytes. A longer one is not written.
    pub max_output: usize,
}

impl<'a> Job<'a> {
    /// Returns the job for a body whose headers have left already.
    pub fn new(route: &'a Route, tag: &'a RouteTag, limits: Limits, writes: bool) -> Self {
        Job { plan: &route.plan, tag, succeeds: true, limits, writes, held: None, max_output: usize::MAX }
    }
}

/// A body being read chunk by chunk.
#[derive(Debug, Default)]
pub struct Incoming {
    intake: Option<Box<Intake>>,
    /// Takes the place of `intake` for a body that is too long to be kept.
    stream: Option<Box<Incremental>>,
    expected: Option<u64>,
    seen: u64,
    /// How many bytes at the beginning of the kept ones have already been passed on. They are white space, which is the
    /// same in the healed body, and which could not be written any more if trailers follow it.
    passed: usize,
    /// Whether anything but white space has come.
    begun: bool,
    /// The share of this body in [`Tools::bodies`].
    memory: usize,
    /// The time spent on healing chunks of a body that streams.
    nanoseconds: u64,
}

/// The result of a chunk.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// More of the body is needed.
    More,
    /// The outcome is known. All kept bytes have been written, and the rest of the body passes.
    Done(Finding),
}

impl Incoming {
    /// Returns a body before its first chunk. `expected` is its length, if known.
    pub fn new(expected: Option<u64>) -> Self {
        Incoming { expected, ..Incoming::default() }
    }

    /// Takes a chunk of this size. `ends` says that it is the last one.
    pub fn chunk<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> Step {
        let step = self.take(tools, job, size, ends);
        self.account(tools);
        step
    }

    fn take<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> Step {
        let before = self.waiting();
        let last = ends || self.completes(size);
        if self.stream.is_none() && self.seen == 0 && self.expected.is_some_and(|length| length > most_held(job)) {
            self.stream = Some(Box::new(tools.healer.incremental(job.limits)));
        }
        if self.stream.is_some() {
            tools.healer.clear_output();
            self.seen = self.seen.saturating_add(count(size));
            return self.flow(tools, job, &mut Piece::of(0, size, before, last));
        }
        let absorbed = self.absorb(tools, job, size, last);
        self.settle(tools, job, size, before, absorbed)
    }

    /// Returns whether no byte of the body has come yet.
    pub fn is_new(&self) -> bool {
        self.seen == 0
    }

    /// Ends a body when nothing can be written any more, and nothing needs to be.
    pub fn end<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>) -> Finding {
        if self.stream.is_none() {
            let reason = if self.is_blank() { Reason::Empty } else { Reason::Truncated };
            self.discard(tools, job, 0);
            return Finding::without_work(Outcome::Failed(Fail::Body(reason)));
        }
        tools.healer.clear_output();
        self.finish(tools, job);
        let finding = self.finding(tools, job, None);
        self.account(tools);
        finding
    }

    /// Updates [`Tools::bodies`] to the memory that this body takes.
    pub fn account<H: Host>(&mut self, tools: &mut Tools<H>) {
        let held = self.intake.as_deref().map(Intake::memory).or(self.stream.as_ref().map(|stream| stream.memory()));
        let memory = held.unwrap_or(0);
        tools.bodies = tools.bodies.saturating_sub(self.memory).saturating_add(memory);
        self.memory = memory;
    }

    /// Returns the work done on a body that breaks off after parts of it have left. `None` for a body that does not
    /// stream.
    pub fn work_so_far(&self, job: &Job<'_>) -> Option<Work> {
        let summary = self.stream.as_ref()?.summary();
        Some(self.work_of(summary, job.writes && summary.changed, self.nanoseconds))
    }

    /// Reads a chunk, and returns what is known of the body after it. Writes nothing.
    pub fn absorb<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        size: usize,
        last: bool,
    ) -> Result<Absorbed, Fail> {
        if tools.lack_memory(size.min(job.limits.max_held_bytes)) {
            return Err(Fail::NoMemory);
        }
        let Tools { host, healer, .. } = tools;
        let intake = self.intake.get_or_insert_with(|| healer.intake(job.limits));
        let (mut progress, began, read) = read(host, job, intake, size).map_err(|_| Fail::Host)?;
        self.seen = self.seen.saturating_add(count(size));
        let open = matches!(progress, Progress::Hold);
        let ended_unseen = open && !last && self.has_ended_unseen(host);
        if open && last || ended_unseen {
            progress = self.intake.as_deref_mut().map_or(progress, Intake::finish);
        } else if !last && self.expected.is_some() && matches!(progress, Progress::Whole) {
            // If the length is known, all of the body is read before it is healed.
            progress = Progress::Hold;
        }
        Ok(Absorbed { progress, began, read, last, ended_unseen })
    }

    /// Acts on the result of [`Incoming::absorb`]. `before` is the number of bytes that were kept before the chunk.
    pub fn settle<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        size: usize,
        before: usize,
        absorbed: Result<Absorbed, Fail>,
    ) -> Step {
        let Absorbed { progress, began, read, last, .. } = match absorbed {
            Ok(absorbed) => absorbed,
            Err(fail) => return self.release(tools, job, before, fail, None),
        };
        match progress {
            Progress::Hold if self.is_blank() => {
                self.passed = self.held().len();
                Step::More
            }
            Progress::Hold if keep(tools, job, size).is_ok() => Step::More,
            Progress::Hold => self.release(tools, job, before, Fail::Host, None),
            Progress::Whole => self.heal(tools, job, size, before, began),
            Progress::Release(Reason::TooLarge) => self.outgrow(tools, job, &mut Piece::of(read, size, before, last)),
            Progress::Release(reason) => self.release(tools, job, before, Fail::Body(reason), Some(began)),
        }
    }

    /// The bytes that are kept.
    fn held(&self) -> &[u8] {
        let held = self.intake.as_deref().map(Intake::held).or(self.stream.as_ref().map(|stream| stream.held()));
        held.unwrap_or_default()
    }

    /// The kept bytes that have not been passed on.
    fn withheld(&self) -> &[u8] {
        self.held().get(self.passed..).unwrap_or_default()
    }

    /// Returns the number of kept bytes that have not been passed on.
    pub fn waiting(&self) -> usize {
        self.withheld().len()
    }

    /// Returns whether these are only white space. If so, everything before them was white space too.
    fn is_blank(&mut self) -> bool {
        self.begun = self.begun || !self.withheld().iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        !self.begun
    }

    /// Returns whether the client would take a part for the whole if the body ended now: the module has bytes that the
    /// client has not got yet, or content-length is gone from the headers and said that more comes.
    pub fn is_short(&self, job: &Job<'_>) -> bool {
        job.writes && (self.waiting() > 0 || self.expected.is_some_and(|expected| self.seen < expected))
    }

    /// Frees the kept bytes. `counted` is how many of them the gauge of held bytes counts.
    pub fn discard<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, counted: usize) {
        if let Some(intake) = self.intake.take() {
            tools.healer.recycle(intake);
        }
        if let Some(stream) = self.stream.take() {
            tools.healer.recycle_incremental(*stream);
        }
        if job.writes {
            let counted = i64::try_from(counted).unwrap_or(0);
            tools.metrics.hold(&mut tools.host, counted.saturating_neg());
        }
        self.account(tools);
    }

    /// Returns whether the body has ended inside an open value without a callback that says so. Behind a decompressor,
    /// trailers follow the last data, and then it is too late to write. The host may know that the upstream has ended.
    ///
    /// A filter that hands out the end of a body piece by piece after that (a rate limit, an external processor) must
    /// come after this one in the response path. Otherwise bodies whose value is still open at that time pass as they
    /// came.
    fn has_ended_unseen<H: Host>(&self, host: &mut H) -> bool {
        self.expected.is_none() && self.waiting() > 0 && host.upstream_has_ended()
    }

    fn completes(&self, size: usize) -> bool {
        let seen = self.seen.saturating_add(count(size));
        self.expected.is_some_and(|expected| seen >= expected)
    }

    fn heal<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, before: usize, began: u64) -> Step {
        let healed = match &self.intake {
            Some(intake) => heal(tools, job, intake),
            None => Ok(Summary::default()),
        };
        let mut work = self.work(tools, healed.unwrap_or_default(), began);
        if report::has_drift(&work.summary) || work.summary.lacks {
            report::tell_drift(tools, job, self.intake.as_deref(), &work.summary);
        }
        let mut outcome = self.write(tools, job, size, healed);
        work.written = outcome == Outcome::Healed;
        if outcome != Outcome::Healed {
            outcome = self.give_back(tools, job, before).map_or_else(Outcome::Failed, |()| outcome);
        }
        if let Outcome::Failed(_) = outcome {
            // No op was carried out, nor would have been in mode `observe`.
            work.summary = Summary { changed: false, renames: 0, moves: 0, dropped: 0, similar: 0, ..work.summary };
        }
        if let (Some(intake), Ok(_)) = (&self.intake, healed) {
            with_memo(job, |memo| tools.healer.learn(job.plan, memo, intake));
        }
        self.discard(tools, job, before);
        Step::Done(Finding { outcome, work: Some(work) })
    }

    /// Lets the body leave as it came.
    fn release<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        before: usize,
        fail: Fail,
        began: Option<u64>,
    ) -> Step {
        let work = began.map(|began| self.work(tools, Summary::default(), began));
        let given_back = self.give_back(tools, job, before);
        self.discard(tools, job, before);
        Step::Done(Finding { outcome: Outcome::Failed(given_back.err().unwrap_or(fail)), work })
    }

    fn work<H: Host>(&self, tools: &Tools<H>, summary: Summary, began: u64) -> Work {
        let nanoseconds = tools.host.clock().now_ns().saturating_sub(began);
        Work { bytes: count(self.held().len()), ..self.work_of(summary, false, nanoseconds) }
    }

    fn work_of(&self, summary: Summary, written: bool, nanoseconds: u64) -> Work {
        Work { summary, nanoseconds, bytes: self.seen, written }
    }

    /// Replaces the chunk by the healed body if the body changed and may be written. Otherwise the chunk stays as it
    /// is.
    fn write<H: Host>(
        &self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        size: usize,
        healed: Result<Summary, Failure>,
    ) -> Outcome {
        let Tools { host, healer, .. } = tools;
        match healed {
            Err(failure) => Outcome::Failed(Fail::Body(failure.reason)),
            Ok(summary) if !summary.changed => Outcome::Clean,
            Ok(_) if !job.writes => Outcome::Observed,
            Ok(_) => {
                // What has been passed on cannot be taken back, so the rest has to follow it.
                let passed = self.held().get(..self.passed).unwrap_or_default();
                let output = healer.output().strip_prefix(passed).ok_or(Fail::Host);
                match output.and_then(|output| write_healed(host, job, size, output)) {
                    Ok(()) => Outcome::Healed,
                    Err(fail) => Outcome::Failed(fail),
                }
            }
        }
    }

    /// Puts the kept bytes back in front of this chunk.
    fn give_back<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, before: usize) -> Result<(), Fail> {
        let held = self.withheld().get(..before).unwrap_or_default();
        if !job.writes || held.is_empty() {
            return Ok(());
        }
        insist(&mut tools.host, |host| host.replace_body(0, held))
    }
}

/// What is known of a body after a chunk was read.
#[derive(Clone, Copy, Debug)]
pub struct Absorbed {
    /// The engine's answer.
    pub progress: Progress,
    /// When reading the chunk began.
    began: u64,
    /// How many bytes of the chunk were read: all of them, unless the engine wants no more.
    read: usize,
    /// Whether this is the last chunk.
    last: bool,
    /// Whether the body seems to have ended: the upstream has, and the value is still open.
    pub ended_unseen: bool,
}

/// Converts a length to the type that the engine and headers use.
pub fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn most_held(job: &Job<'_>) -> u64 {
    count(job.limits.max_held_bytes)
}

/// Reads a chunk. Returns the engine's answer, when reading began, and how many bytes were read.
fn read<H: Host>(
    host: &mut H,
    job: &Job<'_>,
    intake: &mut Intake,
    size: usize,
) -> Result<(Progress, u64, usize), Status> {
    let (mut progress, mut slices) = (Progress::Hold, Slices::of(0, size));
    while slices.is_left() && !matches!(progress, Progress::Release(_)) {
        progress = with_memo(job, |memo| intake.receive_by(|to| slices.read(host, to), job.plan, memo))?;
    }
    Ok((progress, slices.began(host), slices.start))
}

fn heal<H: Host>(tools: &mut Tools<H>, job: &Job<'_>, intake: &Intake) -> Result<Summary, Failure> {
    with_memo(job, |memo| tools.healer.heal(job.plan, memo, intake))
}

fn with_memo<T>(job: &Job<'_>, work: impl FnOnce(&mut Memo) -> T) -> T {
    // The engine makes no call out of the VM, so the memo cannot be in use elsewhere.
    match job.tag.memo.try_borrow_mut() {
        Ok(mut memo) => work(&mut memo),
        Err(_) => work(&mut Memo::default()),
    }
}

/// Makes a call without which bytes of the body would be missing or in the wrong place, or their length would be false.
/// If the host refuses twice, which is not known to happen, the response is reset.
pub fn insist<H: Host>(host: &mut H, call: impl Fn(&mut H) -> Result<(), Status>) -> Result<(), Fail> {
    if call(host).is_ok() || call(host).is_ok() {
        return Ok(());
    }
    let _ = host.reset_response();
    Err(Fail::Host)
}

/// Removes the chunk, which has been read, from the host's buffer.
fn keep<H: Host>(tools: &mut Tools<H>, job: &Job<'_>, size: usize) -> Result<(), Status> {
    if !job.writes || size == 0 {
        return Ok(());
    }
    tools.host.replace_body(size, &[])?;
    tools.metrics.hold(&mut tools.host, i64::try_from(size).unwrap_or(0));
    Ok(())
}

fn write_healed<H: Host>(host: &mut H, job: &Job<'_>, size: usize, output: &[u8]) -> Result<(), Fail> {
    if output.len() > job.max_output {
        return Err(Fail::Body(Reason::OutputTooLarge));
    }
    let Some(headers) = job.held else {
        return host.replace_body(size, output).map_err(|_| Fail::Host);
    };
    let fixed = headers.fix_for_length(host, output.len());
    if fixed.is_ok() && host.replace_body(size, output).is_ok() {
        return Ok(());
    }
    if headers.restore_length(host, size).or_else(|_| headers.restore_length(host, size)).is_err() {
        let _ = host.reset_response();
    }
    Err(Fail::Host)
}
