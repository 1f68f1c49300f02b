//! A body that is longer than may be kept, and so is healed value by value as it streams.
//!
//! Each callback replaces its chunk by the output that is decided so far. A chunk may be of any length: Envoy's
//! decompressor hands over a hundred times what it read. So once the output of a chunk is longer than `PART`, it is put
//! behind the chunk, and what was read is removed; the memory of the module then depends on its limits alone.

use super::{Incoming, Job, Step, insist, with_memo};
use crate::host::{Clock, Host};
use crate::outcome::{Fail, Outcome};
use crate::report::{self, Finding};
use crate::slices::Slices;
use crate::tools::Tools;

/// The output of a chunk in bytes that is passed on before the rest of the chunk is read: as much as Envoy buffers by
/// default, so that usual chunks take one call.
const PART: usize = 1 << 20;

/// A chunk of a body that streams.
pub(super) struct Piece {
    slices: Slices,
    /// The number of bytes kept before it came.
    before: usize,
    last: bool,
    /// Whether output was put behind it. Then the rest must follow that, whatever it is.
    is_parted: bool,
}

impl Piece {
    /// Returns a piece of which `read` bytes have been read already.
    pub(super) fn of(read: usize, size: usize, before: usize, last: bool) -> Self {
        Piece { slices: Slices::of(read, size), before, last, is_parted: false }
    }
}

impl Incoming {
    /// Continues with a body that turned out to be longer than may be kept.
    pub(super) fn outgrow<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &mut Piece) -> Step {
        let Some(intake) = self.intake.take() else { return Step::More };
        let began = tools.host.clock().now_ns();
        self.stream = Some(Box::new(tools.healer.outgrow(intake)));
        tools.healer.clear_output();
        while let Some(stream) = &mut self.stream
            && with_memo(job, |memo| stream.advance(&mut tools.healer, job.plan, memo))
        {
            if let Err(fail) = self.pass_part(tools, job, piece) {
                return self.lose(tools, job, piece, fail);
            }
        }
        self.nanoseconds = tools.host.clock().now_ns().saturating_sub(began);
        self.flow(tools, job, piece)
    }

    /// Heals what is decided with a piece, and replaces the piece by the output.
    pub(super) fn flow<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &mut Piece) -> Step {
        let starved = tools.lack_memory(piece.slices.size().min(job.limits.max_held_bytes));
        let fail = if starved { Some(Fail::NoMemory) } else { self.push(tools, job, piece).err() };
        let began = piece.slices.began(&tools.host);
        let is_over = self
            .stream
            .as_ref()
            .is_none_or(|stream| stream.is_stuck() || stream.is_closed() && self.expected.is_none());
        let over = fail.is_some() || piece.last || is_over || self.has_ended_unseen(&mut tools.host);
        if over {
            self.finish(tools, job);
        }
        self.nanoseconds = self.nanoseconds.saturating_add(tools.host.clock().now_ns().saturating_sub(began));
        let mut written = self.write_piece(tools, job, piece);
        if piece.is_parted && written.is_ok() {
            written = pass_rest(&mut tools.host, &mut piece.slices);
        }
        if job.writes && written.is_ok() {
            let change =
                i64::try_from(self.waiting()).unwrap_or(0).saturating_sub(i64::try_from(piece.before).unwrap_or(0));
            tools.metrics.hold(&mut tools.host, change);
        }
        match written {
            Ok(()) if !over => Step::More,
            Ok(()) => Step::Done(self.finding(tools, job, fail)),
            Err(fail) => self.lose(tools, job, piece, fail),
        }
    }

    /// Gives up a body of which bytes could not be written.
    fn lose<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &Piece, fail: Fail) -> Step {
        let finding = self.finding(tools, job, Some(fail));
        self.discard(tools, job, piece.before);
        Step::Done(finding)
    }

    /// Reads a piece into the engine, as far as the engine wants it. Fails if the host gives fewer bytes than it
    /// announced.
    fn push<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &mut Piece) -> Result<(), Fail> {
        while let Some(stream) = self.stream.as_mut().filter(|stream| piece.slices.is_left() && !stream.is_stuck()) {
            let Tools { host, healer, .. } = tools;
            with_memo(job, |memo| stream.push_by(healer, job.plan, memo, |to| piece.slices.read(host, to)))
                .map_err(|_| Fail::Host)?;
            if piece.slices.is_left() {
                self.pass_part(tools, job, piece)?;
            }
        }
        Ok(())
    }

    /// Passes on the output so far if it is long.
    fn pass_part<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &mut Piece) -> Result<(), Fail> {
        if tools.healer.output().len() >= PART {
            piece.is_parted = job.writes;
            self.write_piece(tools, job, piece)?;
            tools.healer.clear_output();
        }
        Ok(())
    }

    pub(super) fn finish<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>) {
        if let Some(stream) = &mut self.stream {
            with_memo(job, |memo| stream.finish(&mut tools.healer, memo));
        }
    }

    /// Returns the outcome of a body that streamed, and frees what is kept of it.
    pub(super) fn finding<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, fail: Option<Fail>) -> Finding {
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

    /// Replaces the part of a piece that was read by the engine's output.
    fn write_piece<H: Host>(&mut self, tools: &mut Tools<H>, job: &Job<'_>, piece: &mut Piece) -> Result<(), Fail> {
        let Tools { host, healer, .. } = tools;
        let (_, output) = healer.output().split_at_checked(self.passed).unwrap_or_default();
        self.passed = self.passed.saturating_sub(healer.output().len());
        let read = piece.slices.start;
        if !job.writes || piece.before == 0 && read == 0 && output.is_empty() {
            return Ok(());
        }
        if piece.is_parted {
            return put_behind(host, &mut piece.slices, output);
        }
        insist(host, |host| host.replace_body(read, output))
    }
}

/// Puts bytes behind a chunk in place of what was read of it.
fn put_behind<H: Host>(host: &mut H, chunk: &mut Slices, bytes: &[u8]) -> Result<(), Fail> {
    insist(host, |host| host.replace_body(chunk.start, &[]))?;
    chunk.forget_read();
    insist(host, |host| host.append_body(bytes))
}

/// Puts the part of a chunk that was not read behind what was put there, as it came.
#[cold]
fn pass_rest<H: Host>(host: &mut H, chunk: &mut Slices) -> Result<(), Fail> {
    let mut bytes = Vec::new();
    while chunk.is_left() {
        if chunk.read(host, &mut bytes).is_err() && chunk.read(host, &mut bytes).is_err() {
            let _ = host.reset_response();
            return Err(Fail::Host);
        }
        put_behind(host, chunk, &bytes)?;
        bytes.clear();
    }
    Ok(())
}
