//! A response body on its way through the module, chunk by chunk, without ever being paused.
//!
//! While its value is open a body's bytes are taken out of the host's hands and kept here. Once it has closed, they
//! are healed and written back in the callback that brought the last of them; so nothing waits for the end of the
//! stream, which may come late, or with trailers, when writing is over. Where the length is known from
//! content-length all of the body is awaited: then bytes after the value are seen too, and it leaves as it came.
//!
//! The chunk that a callback is about stays with the host until it is known what to do with it. So whenever
//! something fails, it is enough to put the earlier bytes before it.

use std::cell::RefCell;

use healer::config::Route;
use healer::{Failure, Healer, Intake, Limits, Memo, Plan, Progress, Summary};

use crate::dependent::Dependents;
use crate::host::{Clock, Host, Status};
use crate::metrics::{Metrics, Work};
use crate::outcome::{Fail, Outcome};
use crate::report::Finding;
use crate::root::RouteTag;

/// Bytes read from the host at once. Larger chunks are read in slices, so that the window for host data stays small.
/// Nearly every chunk fits: Envoy reads 16 KiB at a time from a socket where that is all there is.
pub const SLICE: usize = 64 << 10;

/// Scratch space and connections of a VM, which all its streams share.
#[derive(Debug)]
pub struct Tools<H> {
    /// The proxy.
    pub host: H,
    /// The engine with its scratch memory.
    pub healer: Healer,
    /// The ids of metrics.
    pub metrics: Metrics,
    /// For texts that are built.
    pub text: Vec<u8>,
}

/// What to do with a body.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// How to heal it.
    pub plan: &'a Plan,
    /// What similarity found so far.
    pub memo: &'a RefCell<Memo>,
    /// Bounds on it.
    pub limits: Limits,
    /// Whether it may be changed. If not, its bytes are read and stay with the host.
    pub writes: bool,
    /// Where headers are held: those to make true before the body changes.
    pub held: Option<&'a Dependents>,
    /// A healed body longer than this is not written.
    pub max_output: usize,
}

impl<'a> Job<'a> {
    /// A body whose headers have left already.
    pub fn new(route: &'a Route, tag: &'a RouteTag, limits: Limits, writes: bool) -> Self {
        Job { plan: &route.plan, memo: &tag.memo, limits, writes, held: None, max_output: usize::MAX }
    }
}

/// A body on its way.
#[derive(Debug, Default)]
pub struct Incoming {
    intake: Option<Intake>,
    expected: Option<u64>,
    seen: u64,
}

/// What a chunk led to.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// More of the body is needed.
    More,
    /// That is settled. All that was kept is written, and the rest of the body passes.
    Done(Finding),
}

impl Incoming {
    /// A body of which nothing has come yet. `expected` is its length, where it is known.
    pub fn new(expected: Option<u64>) -> Self {
        Incoming { expected, ..Incoming::default() }
    }

    /// Takes a chunk of this size. `ends` says that it is the last.
    pub fn chunk<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> Step {
        let before = self.held();
        let absorbed = self.absorb(tools, job, size, ends || self.completes(size));
        self.settle(tools, job, size, before, absorbed)
    }

    /// Reads a chunk, and says what is known of the body with it. Writes nothing.
    pub fn absorb<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        size: usize,
        last: bool,
    ) -> Result<Absorbed, Status> {
        let Tools { host, healer, .. } = tools;
        let intake = self.intake.get_or_insert_with(|| healer.intake(job.limits));
        let (mut progress, began) = read(host, intake, size)?;
        self.seen = self.seen.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
        let open = matches!(progress, Progress::Hold);
        if open && (last || self.has_ended_unseen(host, job)) {
            progress = self.intake.as_mut().map_or(progress, Intake::finish);
        } else if !last && self.expected.is_some() && matches!(progress, Progress::Whole) {
            // Of a body of known length, all is looked at before it is healed.
            progress = Progress::Hold;
        }
        Ok(Absorbed { progress, began })
    }

    /// Does what a chunk led to. `before` is how many bytes were kept before it came.
    pub fn settle<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        size: usize,
        before: usize,
        absorbed: Result<Absorbed, Status>,
    ) -> Step {
        let Ok(Absorbed { progress, began }) = absorbed else {
            return self.release(tools, job, before, Fail::Host, None);
        };
        match progress {
            Progress::Hold if keep(tools, job, size).is_ok() => Step::More,
            Progress::Hold => self.release(tools, job, before, Fail::Host, None),
            Progress::Whole => self.heal(tools, job, size, before, began),
            Progress::Release(reason) => self.release(tools, job, before, Fail::Body(reason), Some(began)),
        }
    }

    /// How many bytes are kept.
    pub fn held(&self) -> usize {
        self.intake.as_ref().map_or(0, |intake| intake.held().len())
    }

    /// Whether the client misses bytes that it will only get from here.
    pub fn withholds(&self, job: &Job<'_>) -> bool {
        job.writes && self.held() > 0
    }

    /// Frees what is kept.
    pub fn discard<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, counted: usize) {
        if let Some(intake) = self.intake.take() {
            tools.healer.recycle(intake);
        }
        if job.writes {
            let counted = i64::try_from(counted).unwrap_or(0);
            tools.metrics.hold(&mut tools.host, counted.saturating_neg());
        }
    }

    /// Whether an open value will never close, though no callback says so: behind a decompressor the last data is
    /// followed by trailers, and then it is too late to write. The host may know that the upstream has ended.
    ///
    /// A filter that hands out the end of a body piece by piece after that (a rate limit, an external processor) must
    /// come after this one in the response path; bodies that it leaves open for so long pass as they came.
    fn has_ended_unseen<H: Host>(&self, host: &mut H, job: &Job<'_>) -> bool {
        self.expected.is_none() && self.withholds(job) && host.upstream_has_ended()
    }

    fn completes(&self, size: usize) -> bool {
        let seen = self.seen.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
        self.expected.is_some_and(|expected| seen >= expected)
    }

    fn heal<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, before: usize, began: u64) -> Step {
        let healed = match &self.intake {
            Some(intake) => heal(tools, job, intake),
            None => Ok(Summary::default()),
        };
        let work = self.work(tools, healed.unwrap_or_default(), began);
        let mut outcome = write(tools, job, size, healed);
        if outcome != Outcome::Healed {
            outcome = self.give_back(tools, job, before).map_or_else(Outcome::Failed, |()| outcome);
        }
        self.discard(tools, job, before);
        Step::Done(Finding { outcome, work: Some(work) })
    }

    /// Lets the body go as it came.
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
        Work { summary, nanoseconds, bytes: u64::try_from(self.held()).unwrap_or(u64::MAX) }
    }

    /// Puts the bytes that came before this chunk before it. If the host cannot, which is not known to happen, the
    /// response is reset rather than passed on with a hole.
    fn give_back<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, before: usize) -> Result<(), Fail> {
        let held = self.intake.as_ref().map(Intake::held).and_then(|held| held.get(..before)).unwrap_or_default();
        if !job.writes || held.is_empty() {
            return Ok(());
        }
        let host = &mut tools.host;
        if host.replace_body(0, held).is_ok() || host.replace_body(0, held).is_ok() {
            return Ok(());
        }
        let _ = host.reset_response();
        Err(Fail::Host)
    }
}

/// What is known of a body once a chunk was read.
#[derive(Clone, Copy, Debug)]
pub struct Absorbed {
    /// What the engine says.
    pub progress: Progress,
    /// When reading the chunk began.
    began: u64,
}

/// Reads a chunk. Also tells when that began.
fn read<H: Host>(host: &mut H, intake: &mut Intake, size: usize) -> Result<(Progress, u64), Status> {
    let clock = host.clock();
    let (mut progress, mut began) = (Progress::Hold, None);
    let mut start = 0;
    while start < size && !matches!(progress, Progress::Release(_)) {
        let slice = host.body(start, size.saturating_sub(start).min(SLICE))?;
        if slice.is_empty() {
            // Less than the callback said. What was not read must not be taken from the host.
            return Err(Status::SHORT);
        }
        began.get_or_insert_with(|| clock.now_ns());
        progress = intake.push(slice);
        start = start.saturating_add(slice.len());
    }
    Ok((progress, began.unwrap_or_else(|| clock.now_ns())))
}

fn heal<H: Host>(tools: &mut Tools<H>, job: &Job<'_>, intake: &Intake) -> Result<Summary, Failure> {
    // No call leaves the VM while the engine works, so nothing else can have it.
    let Ok(mut memo) = job.memo.try_borrow_mut() else {
        return tools.healer.heal(job.plan, &mut Memo::default(), intake);
    };
    tools.healer.heal(job.plan, &mut memo, intake)
}

/// Takes the chunk, which was read before, out of the host's hands.
fn keep<H: Host>(tools: &mut Tools<H>, job: &Job<'_>, size: usize) -> Result<(), Status> {
    if !job.writes || size == 0 {
        return Ok(());
    }
    tools.host.replace_body(size, &[])?;
    tools.metrics.hold(&mut tools.host, i64::try_from(size).unwrap_or(0));
    Ok(())
}

/// Puts the healed body in the place of the chunk, if there is anything to put. If not, the chunk stays as it is.
fn write<H: Host>(tools: &mut Tools<H>, job: &Job<'_>, size: usize, healed: Result<Summary, Failure>) -> Outcome {
    let Tools { host, healer, .. } = tools;
    match healed {
        Err(failure) => Outcome::Failed(Fail::Body(failure.reason)),
        Ok(summary) if !summary.changed => Outcome::Clean,
        Ok(_) if !job.writes => Outcome::Observed,
        Ok(_) => match write_healed(host, job, size, healer.output()) {
            Ok(()) => Outcome::Healed,
            Err(fail) => Outcome::Failed(fail),
        },
    }
}

fn write_healed<H: Host>(host: &mut H, job: &Job<'_>, size: usize, output: &[u8]) -> Result<(), Fail> {
    if output.len() > job.max_output {
        return Err(Fail::OutputTooLarge);
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
