//! A response body on its way through the module, chunk by chunk, without ever being paused.
//!
//! While its value is open a body's bytes are taken out of the host's hands and kept here; white space before it is only
//! read. Once it has closed, they are healed and written back in the callback that brought the last of them; so nothing
//! waits for the end of the stream, which may come late, or with trailers, when writing is over. Where the length is
//! known from content-length all of the body is awaited: then bytes after the value are seen too, and it leaves as it came.
//!
//! A body that is longer than may be kept is healed value by value as it streams: each callback's chunk is replaced by
//! what is decided with it.
//!
//! The chunk that a callback is about stays with the host until it is known what to do with it. So whenever
//! something fails, it is enough to put the earlier bytes before it.

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

/// What to do with a body.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// How to heal it.
    pub plan: &'a Plan,
    /// What is kept for its route: what similarity found so far, and where to report.
    pub tag: &'a RouteTag,
    /// Whether it is an answer such as the contract describes, and not one that tells of an error.
    pub succeeds: bool,
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
        Job { plan: &route.plan, tag, succeeds: true, limits, writes, held: None, max_output: usize::MAX }
    }
}

/// A body on its way.
#[derive(Debug, Default)]
pub struct Incoming {
    intake: Option<Box<Intake>>,
    /// In the place of `intake` for a body that is too long for it.
    stream: Option<Box<Incremental>>,
    expected: Option<u64>,
    seen: u64,
    /// How much at the beginning of what is kept has left all the same: white space, which is the same in any form of the
    /// body, and could not be written any more where trailers follow it.
    passed: usize,
    /// What of [`Tools::bodies`] is this one's.
    memory: usize,
    /// Time that went into healing pieces.
    nanoseconds: u64,
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
        let step = self.take(tools, job, size, ends);
        self.account(tools);
        step
    }

    fn take<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, size: usize, ends: bool) -> Step {
        tools.recover();
        let before = self.waiting();
        let last = ends || self.completes(size);
        if self.stream.is_none() && self.seen == 0 && self.expected.is_some_and(|length| length > most_held(job)) {
            self.stream = Some(Box::new(tools.healer.incremental(job.limits)));
        }
        if self.stream.is_some() {
            tools.healer.clear_output();
            self.seen = self.seen.saturating_add(count(size));
            return self.flow(tools, job, &Piece { size, start: 0, before, last });
        }
        let absorbed = self.absorb(tools, job, size, last);
        self.settle(tools, job, size, before, absorbed)
    }

    /// Whether nothing of it has come yet.
    pub fn is_new(&self) -> bool {
        self.seen == 0
    }

    /// The body has ended where nothing can be written any more, and nothing need be.
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

    /// Keeps [`Tools::bodies`] true.
    pub fn account<H: Host>(&mut self, tools: &mut Tools<H>) {
        let held = self.intake.as_deref().map(Intake::memory).or(self.stream.as_ref().map(|stream| stream.memory()));
        let memory = held.unwrap_or(0);
        tools.bodies = tools.bodies.saturating_sub(self.memory).saturating_add(memory);
        self.memory = memory;
    }

    /// What was done to a body that breaks off, where pieces of it have left.
    pub fn work_so_far(&self, job: &Job<'_>) -> Option<Work> {
        let summary = self.stream.as_ref()?.summary();
        Some(self.work_of(summary, job.writes && summary.changed, self.nanoseconds))
    }

    /// Reads a chunk, and says what is known of the body with it. Writes nothing.
    pub fn absorb<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        size: usize,
        last: bool,
    ) -> Result<Absorbed, Fail> {
        if tools.lack_memory(size) {
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
            // Of a body of known length, all is looked at before it is healed.
            progress = Progress::Hold;
        }
        Ok(Absorbed { progress, began, read, last, ended_unseen })
    }

    /// Does what a chunk led to. `before` is how many bytes were kept before it came.
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
            Progress::Release(Reason::TooLarge) => self.outgrow(tools, job, &Piece { size, start: read, before, last }),
            Progress::Release(reason) => self.release(tools, job, before, Fail::Body(reason), Some(began)),
        }
    }

    /// What is kept.
    fn held(&self) -> &[u8] {
        let held = self.intake.as_deref().map(Intake::held).or(self.stream.as_ref().map(|stream| stream.held()));
        held.unwrap_or_default()
    }

    /// What of it has not left.
    fn withheld(&self) -> &[u8] {
        self.held().get(self.passed..).unwrap_or_default()
    }

    /// How many bytes that is.
    pub fn waiting(&self) -> usize {
        self.withheld().len()
    }

    /// Whether that is nothing but white space. All that came before it is, if nothing else was withheld.
    fn is_blank(&self) -> bool {
        self.withheld().iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }

    /// Whether the client misses bytes that it will only get from here.
    pub fn withholds(&self, job: &Job<'_>) -> bool {
        job.writes && self.waiting() > 0
    }

    /// Frees what is kept.
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

    /// Whether an open value will never close, though no callback says so: behind a decompressor the last data is
    /// followed by trailers, and then it is too late to write. The host may know that the upstream has ended.
    ///
    /// A filter that hands out the end of a body piece by piece after that (a rate limit, an external processor) must
    /// come after this one in the response path; bodies that it leaves open for so long pass as they came.
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
            // Nothing of it was carried out, nor would be.
            work.summary = Summary { changed: false, renames: 0, moves: 0, dropped: 0, similar: 0, ..work.summary };
        }
        if let (Some(intake), Ok(_)) = (&self.intake, healed) {
            with_memo(job, |memo| tools.healer.learn(job.plan, memo, intake));
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
        Work { bytes: count(self.held().len()), ..self.work_of(summary, false, nanoseconds) }
    }

    fn work_of(&self, summary: Summary, written: bool, nanoseconds: u64) -> Work {
        Work { summary, nanoseconds, bytes: self.seen, written }
    }

    /// Goes on with a body that turned out to be longer than may be kept.
    fn outgrow<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &Piece) -> Step {
        let Some(intake) = self.intake.take() else { return Step::More };
        let began = tools.host.clock().now_ns();
        let mut stream = Box::new(tools.healer.outgrow(intake));
        tools.healer.clear_output();
        with_memo(job, |memo| stream.advance(&mut tools.healer, job.plan, memo));
        self.nanoseconds = tools.host.clock().now_ns().saturating_sub(began);
        self.stream = Some(stream);
        self.flow(tools, job, piece)
    }

    /// Heals what is decided with a piece, and puts it in the place of the piece.
    fn flow<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &Piece) -> Step {
        let starved = tools.lack_memory(piece.size);
        let (read, began) =
            if starved { (Err(piece.start), tools.host.clock().now_ns()) } else { self.push(tools, job, piece) };
        let fail = read.is_err().then_some(if starved { Fail::NoMemory } else { Fail::Host });
        let read = read.unwrap_or_else(|read| read);
        let is_over = self
            .stream
            .as_ref()
            .is_none_or(|stream| stream.is_stuck() || stream.is_closed() && self.expected.is_none());
        let over = fail.is_some() || piece.last || is_over || self.has_ended_unseen(&mut tools.host);
        if over {
            self.finish(tools, job);
        }
        self.nanoseconds = self.nanoseconds.saturating_add(tools.host.clock().now_ns().saturating_sub(began));
        let written = self.write_piece(tools, job, piece, read);
        if job.writes && written.is_ok() {
            let change =
                i64::try_from(self.waiting()).unwrap_or(0).saturating_sub(i64::try_from(piece.before).unwrap_or(0));
            tools.metrics.hold(&mut tools.host, change);
        }
        match written {
            Ok(()) if !over => Step::More,
            Ok(()) => Step::Done(self.finding(tools, job, fail)),
            Err(fail) => {
                let finding = self.finding(tools, job, Some(fail));
                self.discard(tools, job, piece.before);
                Step::Done(finding)
            }
        }
    }

    /// Reads a piece into the engine, up to where it wants no more. How much was read, as an error where the host gave
    /// less than it said; and when that began.
    fn push<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &Piece) -> (Result<usize, usize>, u64) {
        let Tools { host, healer, .. } = tools;
        let mut slices = Slices::of(piece.start, piece.size);
        let mut read = Ok(());
        while let Some(stream) = self.stream.as_mut().filter(|stream| slices.is_left() && !stream.is_stuck()) {
            read = with_memo(job, |memo| stream.push_by(healer, job.plan, memo, |to| slices.read(host, to)));
            if read.is_err() {
                break;
            }
        }
        (read.map(|()| slices.start).map_err(|_| slices.start), slices.began(host))
    }

    fn finish<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>) {
        if let Some(stream) = &mut self.stream {
            with_memo(job, |memo| stream.finish(&mut tools.healer, memo));
        }
    }

    /// What became of a body that streamed. Frees what is kept.
    fn finding<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, fail: Option<Fail>) -> Finding {
        let Some(stream) = self.stream.take() else { return Finding::without_work(Outcome::Clean) };
        let summary = stream.summary();
        if report::has_drift(&summary) {
            report::tell_drift(tools, job, None, &summary);
        }
        let fail = fail.or_else(|| stream.failure().map(|failure| Fail::Body(failure.reason)));
        let outcome = match fail {
            Some(fail) => Outcome::Failed(fail),
            None if !summary.changed => Outcome::Clean,
            None if !job.writes => Outcome::Observed,
            None => Outcome::Healed,
        };
        tools.healer.recycle_incremental(*stream);
        let work = self.work_of(summary, job.writes && summary.changed, self.nanoseconds);
        Finding { outcome, work: Some(work) }
    }

    /// Puts the engine's output in the place of what was read of a piece. If the host refuses, which is not known to happen,
    /// the response is reset rather than passed on with a hole.
    fn write_piece<H: Host>(
        &mut self,
        tools: &mut Tools<H>,
        job: &Job<'_>,
        piece: &Piece,
        read: usize,
    ) -> Result<(), Fail> {
        let Tools { host, healer, .. } = tools;
        let (_, output) = healer.output().split_at_checked(self.passed).unwrap_or_default();
        self.passed = self.passed.saturating_sub(healer.output().len());
        if !job.writes || piece.before == 0 && read == 0 && output.is_empty() {
            return Ok(());
        }
        if host.replace_body(read, output).is_ok() || host.replace_body(read, output).is_ok() {
            return Ok(());
        }
        let _ = host.reset_response();
        Err(Fail::Host)
    }

    /// Puts the healed body in the place of the chunk, if there is anything to put. If not, the chunk stays as it is.
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
            Ok(_) => match write_healed(host, job, size, healer.output().get(self.passed..).unwrap_or_default()) {
                Ok(()) => Outcome::Healed,
                Err(fail) => Outcome::Failed(fail),
            },
        }
    }

    /// Puts the bytes that came before this chunk before it. If the host cannot, which is not known to happen, the
    /// response is reset rather than passed on with a hole.
    fn give_back<H: Host>(&self, tools: &mut Tools<H>, job: &Job<'_>, before: usize) -> Result<(), Fail> {
        let held = self.withheld().get(..before).unwrap_or_default();
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
    /// How much of the chunk was read: all of it, unless no more is wanted.
    read: usize,
    /// Whether it is the last.
    last: bool,
    /// Whether it seems to be, since the upstream has ended, while its value is open.
    pub ended_unseen: bool,
}

/// A chunk of a body that streams.
struct Piece {
    size: usize,
    /// How much of it was read already.
    start: usize,
    /// Bytes kept before it came.
    before: usize,
    last: bool,
}

/// A length as the engine and headers tell it.
pub fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn most_held(job: &Job<'_>) -> u64 {
    count(job.limits.max_held_bytes)
}

/// Reads a chunk. Also tells when that began, and how much was wanted.
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
    // No call leaves the VM while the engine works, so nothing else can have it.
    match job.tag.memo.try_borrow_mut() {
        Ok(mut memo) => work(&mut memo),
        Err(_) => work(&mut Memo::default()),
    }
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
