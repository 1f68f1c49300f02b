mod draw;
mod elsewhere;
mod learn;
mod summary;

use crate::intake::{Intake, Progress, Recognition};
use crate::limits::Limits;
use crate::matching::{Matching, matching};
use crate::memo::{Instance, Memo};
use crate::outermost;
use crate::plan::automaton::{Id, RuleRef};
use crate::plan::{Automaton, Plan};
use crate::reason::{Failure, Reason};
use crate::render::{Output, Renderer, Task};
use crate::report::{self, Description, Op, OpKind};
use crate::required;
use crate::scan::{Scanner, Status};
use crate::scratch::{Astray, Scratch};
use crate::stencil::{Passed, Reading, Run, Runs, Stencil};
use crate::text::{bad_escape, bad_scalar, utf8_error};
use crate::walk::{Body, Part, Records, walk};
use std::sync::Arc;

pub use summary::Summary;

/// Heals one body after the other in memory that it reuses.
#[derive(Debug, Default)]
pub struct Healer {
    scratch: Scratch,
    tasks: Vec<Task>,
    output: Output,
    ops: Vec<Op>,
    /// Records of the last body, and the states they were walked in.
    settled: Vec<Instance>,
    /// Runs of passed-over elements in the last output: how many ops precede the run there, and the run's number.
    passes: Vec<(usize, Id)>,
    /// Intakes for reuse, boxed so that none is copied when it is handed out.
    #[expect(clippy::vec_box, reason = "they are handed out as they are")]
    spare: Vec<Box<Intake>>,
    /// How many lists are around the text that is being drawn.
    nesting: u32,
    /// The effort for the shapes of the last walk.
    effort: u32,
}

impl Healer {
    /// Most memory of one intake that is kept between bodies. A larger one is freed, so that one large body does not
    /// hold memory for ever. Lists of 100 KB fit; allocating their intake anew takes a sixth of the time of healing
    /// them.
    const SPARE_BYTES: usize = 512 << 10;
    /// Most memory of the output that is kept. A host that buffers 1 MiB, as Envoy does by default, hands over that
    /// much of a streaming body at once, and what it becomes is no longer than this.
    const OUTPUT_BYTES: usize = 2 << 20;
    /// Most bytes that a body or a part of it may become. A quarter of the memory that a host such as Envoy grants a
    /// module; beside it, the body and what is known of it need to have room.
    pub const MAX_OUTPUT_BYTES: usize = 256 << 20;
    /// A body that surely becomes no longer than this is written without counting how long.
    const USUAL_BYTES: usize = 32 << 20;
    /// Intakes kept between bodies. A worker has few bodies under way at once.
    const SPARES: usize = 4;

    /// Creates a healer without any memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts receiving a body.
    pub fn intake(&mut self, limits: Limits) -> Box<Intake> {
        if let Some(mut intake) = self.spare.pop() {
            intake.limits = limits;
            intake.held.clear();
            intake.known.clear();
            intake.scanner.reset(limits.max_depth);
            return intake;
        }
        let scanner = Scanner::new(limits.max_depth);
        Box::new(Intake { limits, scanner, held: Vec::new(), known: Recognition::default() })
    }

    /// Takes back the memory of an intake.
    pub fn recycle(&mut self, intake: Box<Intake>) {
        if self.spare.len() < Self::SPARES && intake.memory() <= Self::SPARE_BYTES {
            self.spare.push(intake);
        }
    }

    /// Heals a body that has arrived whole. If the result is `Ok` with `changed`, the healed body is
    /// [`Healer::output`]. In every other case the body must leave as it came.
    pub fn heal(&mut self, plan: &Plan, memo: &mut Memo, intake: &Intake) -> Result<Summary, Failure> {
        self.forget_last();
        memo.start(plan, intake.held.len());
        let (stencil, runs) = (intake.known.stencil.as_ref(), intake.known.runs());
        if let Some(stencil) = stencil.filter(|stencil| memo.stencils().has(stencil)) {
            return Ok(self.trace(stencil, plan, memo, intake));
        }
        if stencil.is_some() || runs.is_some_and(|runs| !runs.are_of(memo.elements())) {
            return self.heal_scanned(plan, memo, intake);
        }
        let body = checked(intake)?;
        let is_elsewhere = outermost::is_elsewhere(plan, &body);
        if is_elsewhere {
            if runs.is_some() {
                return self.heal_scanned(plan, memo, intake);
            }
            if let Some(result) = self.heal_outermost(plan, memo, &body) {
                self.drop_large_scratch();
                return result;
            }
        }
        // What becomes of such a body may depend on more than its skeleton.
        self.scratch.draws = intake.known.is_stranger && !is_elsewhere && memo.stencils().wants();
        let walked = self.walk(&body, plan, memo);
        if runs.is_some_and(|runs| self.passed_in_vain(runs, plan, memo)) {
            return self.heal_scanned(plan, memo, intake);
        }
        let result = walked.and_then(|()| self.render_whole(&body, plan, memo, runs));
        self.scratch.draws = false;
        self.drop_large_scratch();
        result
    }

    /// Whether elements were passed over that should not have been: the last walk found them elsewhere, or they might
    /// cross a limit of the body.
    fn passed_in_vain(&self, runs: &Runs, plan: &Plan, memo: &mut Memo) -> bool {
        if self.scratch.astray != Astray::No {
            memo.elements().went_astray();
            return true;
        }
        if memo.might_be_spent(plan, runs.names()) {
            return true;
        }
        memo.elements().went_right();
        false
    }

    /// Renders a whole body that was walked, and draws its stencil if one is wanted.
    fn render_whole(
        &mut self,
        body: &Body<'_>,
        plan: &Plan,
        memo: &mut Memo,
        runs: Option<&Runs>,
    ) -> Result<Summary, Failure> {
        let mut summary = self.render(body, plan, memo, 0, body.bytes.len())?;
        if summary.similar > 0 {
            self.note_used(runs, memo);
        }
        summary.new_shapes = memo.news();
        summary.lacks = self.scratch.lacks
            || body.passed.runs.iter().any(|run| run.summary.lacks)
            || moves_may_unmake(plan, &summary);
        if self.scratch.draws {
            let stencil = self.draw(body, plan, memo, (0, body.bytes.len()), 0, summary);
            memo.stencils().add(stencil);
        }
        Ok(summary)
    }

    /// Heals a body that was only scanned in part, as if it had been scanned completely.
    #[cold]
    fn heal_scanned(&mut self, plan: &Plan, memo: &mut Memo, intake: &Intake) -> Result<Summary, Failure> {
        let mut scanned = self.intake(intake.limits);
        let _ = scanned.push(&intake.held);
        let result = self.heal(plan, memo, &scanned);
        self.recycle(scanned);
        result
    }

    /// Heals a body by its skeleton.
    fn trace(&mut self, stencil: &Arc<Stencil>, plan: &Plan, memo: &mut Memo, intake: &Intake) -> Summary {
        self.scratch.unlisted.clear();
        self.scratch.conflicts.clear();
        self.settled.clear();
        let reading = &intake.known.reading;
        let mut summary = *stencil.summary(reading);
        if summary.changed {
            self.output.reserve(intake.held.len().saturating_add(stencil.growth()));
            let rest = stencil.write(&intake.held, 0, reading, &mut self.output);
            self.pass(&intake.held, rest, intake.held.len());
        }
        memo.note_moves(summary.moves > 0);
        if stencil.has_lists() {
            summary.lacks |= moves_may_unmake(plan, &summary);
            stencil.note(reading, &mut self.ops, 0);
            memo.note_used(&self.ops);
            self.ops.clear();
        } else if summary.similar > 0 {
            memo.note_stencil(stencil);
        }
        summary
    }

    /// Sets whether a stencil is to be drawn of what is healed next.
    pub(crate) fn set_draws(&mut self, draws: bool) {
        self.scratch.draws = draws;
    }

    /// Heals a part of a body by its skeleton. Appends to the output what the part becomes, and before it the bytes
    /// since `from` as they came, but not the unchanged bytes at the end of the part. Returns the offset at which those
    /// begin.
    pub(crate) fn trace_part(
        &mut self,
        stencil: &Stencil,
        bytes: &[u8],
        (from, end): (usize, usize),
        reading: &Reading,
    ) -> usize {
        if !stencil.summary(reading).changed {
            return from;
        }
        self.output.reserve(end.saturating_sub(from).saturating_add(stencil.growth()));
        stencil.write(bytes, from, reading, &mut self.output)
    }

    /// Walks a body and makes the decisions, as the first half of [`Healer::heal`], but writes nothing. For measuring
    /// the cost of that half.
    pub fn decide(&mut self, plan: &Plan, memo: &mut Memo, intake: &Intake) -> Result<(), Failure> {
        self.forget_last();
        let body = on_tape(intake)?;
        memo.start(plan, intake.held.len());
        let result = self.walk(&body, plan, memo);
        self.drop_large_scratch();
        result
    }

    /// Returns the numbers of the required members that are missing somewhere in the last body as it was healed: see
    /// [`Plan::required`]. For bodies with [`Summary::lacks`]; costs one more pass.
    pub fn missing(&self, plan: &Plan, intake: &Intake) -> Vec<usize> {
        let output = self.output.as_slice();
        if output.is_empty() && intake.known.stencil.is_none() && intake.known.runs().is_none() {
            return required::missing(intake.held(), intake.scanner.tokens(), plan.automaton());
        }
        let output = if output.is_empty() { intake.held() } else { output };
        let mut scanner = Scanner::new(u32::MAX);
        scanner.advance(output);
        required::missing(output, scanner.tokens(), plan.automaton())
    }

    /// Heals a part of a body that begins at `from`, and appends it to the output whether or not it changes. Also
    /// returns where the part ends.
    #[inline(never)]
    pub(crate) fn heal_part(
        &mut self,
        plan: &Plan,
        memo: &mut Memo,
        body: &Body<'_>,
        from: usize,
    ) -> Result<(Summary, usize), Failure> {
        self.ops.clear();
        self.walk(body, plan, memo)?;
        let walked = self.scratch.walked;
        // If tokens follow the elements, the last token walked is the bracket that closes their array.
        let close = body.tokens.get(walked.wrapping_sub(1)).filter(|_| walked < body.tokens.len());
        let end = close.map_or(body.bytes.len(), |close| *close as usize);
        let summary = self.render(body, plan, memo, from, end)?;
        if summary.similar > 0 {
            memo.note_used(&self.ops);
        }
        if !summary.changed {
            self.output.put_plainly(body.bytes, (from as u32, end as u32));
        }
        self.drop_large_scratch();
        Ok((summary, end))
    }

    /// Appends bytes to the output as they came.
    pub(crate) fn pass(&mut self, bytes: &[u8], from: usize, to: usize) {
        self.output.put_plainly(bytes, (from as u32, to as u32));
    }

    /// Forgets the output.
    pub fn clear_output(&mut self) {
        self.output.clear(Self::OUTPUT_BYTES);
    }

    fn walk(&mut self, body: &Body<'_>, plan: &Plan, memo: &mut Memo) -> Result<(), Failure> {
        self.settled.clear();
        self.effort = 0;
        if let Some(at) = bad_scalar(body.bytes, body.scalars) {
            self.stop_at(body, plan, at)?;
        }
        if !memo.is_used() {
            return walk(body, plan.automaton(), None, &mut self.scratch);
        }
        // The first pass guesses the states of records. Each further pass settles the records inside those that the
        // pass before settled, so there are at most as many passes as records are nested. Only then is it known where a
        // limit is reached, and what follows may take as many passes again. More than one in all is rare.
        for _ in 0..=plan.nesting().saturating_mul(2) {
            let records = Records { memo: Some(memo), settled: &self.settled };
            walk(body, memo.automaton(plan), Some(&records), &mut self.scratch)?;
            if self.scratch.astray == Astray::InEvidence {
                return Ok(());
            }
            std::mem::swap(&mut self.settled, &mut self.scratch.instances);
            if memo.settle(plan, body, &mut self.settled) {
                self.effort = memo.effort();
                if body.part != Part::Whole {
                    memo.part_is_done();
                }
                return Ok(());
            }
        }
        debug_assert!(false, "records that are not settled");
        walk(body, plan.automaton(), None, &mut self.scratch)
    }

    /// Refuses a malformed scalar at `at`, unless the walk ends or fails before it.
    #[cold]
    fn stop_at(&mut self, body: &Body<'_>, plan: &Plan, at: usize) -> Result<(), Failure> {
        let walked = walk(body, plan.automaton(), None, &mut self.scratch);
        let last = body.tokens.get(self.scratch.walked.wrapping_sub(1)).map_or(0, |at| *at as usize);
        match walked {
            Ok(()) if last < at => Ok(()),
            Err(failure) if last <= at => Err(failure),
            _ => Err(Failure { reason: Reason::Malformed, offset: at }),
        }
    }

    /// Heals a body that is in one piece, within the default limits and without memory of other bodies.
    pub fn heal_bytes(&mut self, plan: &Plan, body: &[u8]) -> Result<Summary, Failure> {
        let limits = Limits::default();
        let mut intake = self.intake(limits);
        let progress = match intake.push(body) {
            Progress::Hold => intake.finish(),
            known => known,
        };
        let result = match progress {
            Progress::Release(Reason::TooLarge) => {
                Err(Failure { reason: Reason::TooLarge, offset: limits.max_held_bytes })
            }
            _ => self.heal(plan, &mut Memo::new(plan), &intake),
        };
        self.recycle(intake);
        result
    }

    /// Returns where in a body each expected field is. Only for plans with similarity.
    pub fn matching(&mut self, plan: &Plan, memo: &mut Memo, intake: &Intake) -> Result<Matching, Failure> {
        let body = on_tape(intake)?;
        memo.start(plan, intake.held.len());
        let found = outermost::find(plan, memo, &body);
        if let Some(found) = found
            && self.walk(&found.part, plan, memo).is_ok()
        {
            return Ok(matching(plan, &body, Some(&found), memo, &self.settled));
        }
        self.walk(&body, plan, memo)?;
        Ok(matching(plan, &body, None, memo, &self.settled))
    }

    /// Returns the healed body.
    pub fn output(&self) -> &[u8] {
        self.output.as_slice()
    }

    /// Returns the ops of the last body in the order in which they show in the output.
    pub fn report(&self) -> &[Op] {
        &self.ops
    }

    /// Describes the ops of the last body in words. `body`: the original body.
    pub fn describe(&self, plan: &Plan, memo: &Memo, body: &[u8]) -> Vec<Description> {
        report::describe(&self.ops, plan, memo, body, &self.scratch.arena)
    }

    /// Describes what the last body would have become, had similarity not left members alone because of their values:
    /// see [`Summary::unlisted`].
    pub fn describe_unlisted(&self, plan: &Plan, memo: &Memo, body: &[u8]) -> Vec<Description> {
        self.describe_undone(&self.scratch.unlisted, plan, memo, body)
    }

    /// Describes what the last body would have become by the rules that did not fire: see [`Summary::conflicts`].
    pub fn describe_conflicts(&self, plan: &Plan, memo: &Memo, body: &[u8]) -> Vec<Description> {
        self.describe_undone(&self.scratch.conflicts, plan, memo, body)
    }

    /// Describes ops that were not carried out.
    fn describe_undone(&self, ops: &[Op], plan: &Plan, memo: &Memo, body: &[u8]) -> Vec<Description> {
        let mut described = report::describe(ops, plan, memo, body, &self.scratch.arena);
        let dropped = self.scratch.dropped();
        for (op, description) in ops.iter().zip(&mut described) {
            let before = dropped.partition_point(|(at, _)| *at <= op.at);
            let last = before.checked_sub(1).and_then(|last| dropped.get(last));
            description.dropped = last.is_some_and(|(_, end)| op.at < *end);
        }
        described
    }

    fn render(
        &mut self,
        body: &Body<'_>,
        plan: &Plan,
        memo: &mut Memo,
        from: usize,
        to: usize,
    ) -> Result<Summary, Failure> {
        let summary = self.splice(body, memo.automaton(plan), memo.unscored(), from, to)?;
        memo.note_moves(summary.moves > 0);
        Ok(summary)
    }

    /// Notes the ops that the body was healed by, in the order in which they show in the output.
    fn note_used(&self, runs: Option<&Runs>, memo: &mut Memo) {
        let mut noted = 0;
        for (ops, run) in &self.passes {
            memo.note_used(self.ops.get(noted..*ops).unwrap_or_default());
            memo.note_used(runs.map_or(&[], |runs| runs.ops_of(*run)));
            noted = *ops;
        }
        memo.note_used(self.ops.get(noted..).unwrap_or_default());
    }

    fn splice(
        &mut self,
        body: &Body<'_>,
        automaton: &Automaton,
        unscored: u32,
        from: usize,
        to: usize,
    ) -> Result<Summary, Failure> {
        let shape = self.first_shape(body);
        let (conflicts, unlisted) = (self.scratch.conflicts.len() as u32, self.scratch.unlisted.len() as u32);
        let mut summary = Summary { shape, conflicts, unlisted, unscored, ..Summary::default() };
        for Run { summary: done, .. } in body.passed.runs {
            let Summary { conflicts, unlisted, unscored, .. } = *done;
            summary.add(&Summary { conflicts, unlisted, unscored, ..Summary::default() });
        }
        if !self.scratch.has_edits() {
            return Ok(summary);
        }
        let most = self.make_room(body, automaton, from, to)?;
        let (tasks, out, ops) = (&mut self.tasks, &mut self.output, &mut self.ops);
        let (scratch, passes) = (&self.scratch, &mut self.passes);
        let mut renderer = Renderer { body: *body, plan: automaton, scratch, tasks, out, ops, passes, dropped: 0 };
        renderer.run(from as u32, to as u32);
        summary.dropped = renderer.dropped;
        debug_assert!(self.output.as_slice().len() <= most, "an output longer than its bound");
        summary.changed = true;
        for op in &self.ops {
            summary.moves = summary.moves.wrapping_add(u32::from(op.kind == OpKind::Move));
            summary.similar = summary.similar.wrapping_add(u32::from(matches!(op.rule, RuleRef::Similar(_))));
        }
        summary.renames = (self.ops.len() as u32).wrapping_sub(summary.moves);
        for (_, run) in &self.passes {
            let Some(Run { summary: done, .. }) = body.passed.runs.get(*run as usize) else { continue };
            let Summary { renames, moves, dropped, similar, .. } = *done;
            summary.add(&Summary { renames, moves, dropped, similar, ..Summary::default() });
        }
        Ok(summary)
    }

    /// Makes room for what a part of a body becomes. Fails if that is too much. Returns how long the output is then at
    /// most.
    fn make_room(&mut self, body: &Body<'_>, plan: &Automaton, from: usize, to: usize) -> Result<usize, Failure> {
        let (len, done) = (to.saturating_sub(from), self.output.as_slice().len());
        let rough = self.scratch.rough_growth(plan, body.bytes.len()).saturating_add(body.passed.text.len());
        let rough = rough.saturating_add(len);
        if rough <= Self::USUAL_BYTES {
            self.output.reserve(len.saturating_add(len >> 3));
            return Ok(done.saturating_add(rough));
        }
        let most = len.saturating_add(body.passed.growth()).saturating_add(self.scratch.growth());
        if most > Self::MAX_OUTPUT_BYTES {
            return Err(Failure { reason: Reason::OutputTooLarge, offset: from });
        }
        // At once, because memory that doubles takes three times as much for a moment.
        self.output.reserve(most);
        Ok(done.saturating_add(most))
    }

    /// Returns the shape of the first record.
    fn first_shape(&self, body: &Body<'_>) -> Option<u64> {
        let run = body.passed.runs.iter().find(|run| run.summary.shape.is_some());
        let is_before = |instance: &&Instance| {
            let at = body.tokens.get(instance.token as usize);
            run.is_none_or(|run| at.is_some_and(|at| *at < run.open))
        };
        let scanned = self.settled.first().filter(is_before).map(|instance| instance.shape);
        scanned.or(run.and_then(|run| run.summary.shape))
    }

    fn forget_last(&mut self) {
        self.output.clear(Self::OUTPUT_BYTES);
        self.ops.clear();
        self.passes.clear();
        if self.ops.capacity() > Scratch::KEPT {
            self.ops = Vec::new();
        }
    }

    fn drop_large_scratch(&mut self) {
        if self.scratch.draws {
            // The stencil is still to be drawn from this memory.
            return;
        }
        if self.settled.capacity() > Scratch::KEPT {
            self.settled = Vec::new();
        }
        if self.scratch.edits.capacity() > Scratch::KEPT {
            let arena = std::mem::take(&mut self.scratch.arena);
            self.scratch = Scratch { arena, ..Scratch::default() };
        }
    }
}

/// Whether a move may have taken away a required member.
#[inline(never)]
fn moves_may_unmake(plan: &Plan, summary: &Summary) -> bool {
    summary.moves > 0 && !plan.required().is_empty() && (plan.moves_may_unmake() || summary.similar > 0)
}

/// As [`checked`], but refuses bodies with passed-over elements: their tape ends at the first of them.
fn on_tape(intake: &Intake) -> Result<Body<'_>, Failure> {
    let body = checked(intake)?;
    match body.passed.runs.first() {
        Some(run) => Err(Failure { reason: Reason::Truncated, offset: run.open as usize }),
        None => Ok(body),
    }
}

/// Checks what the walk relies on: one value, valid escapes, valid UTF-8.
fn checked(intake: &Intake) -> Result<Body<'_>, Failure> {
    let bytes = intake.held.as_slice();
    let fail = |reason, offset| Err(Failure { reason, offset });
    if let Some(at) = intake.scanner.tokens().get(intake.limits.max_tokens) {
        return fail(Reason::TooManyTokens, *at as usize);
    }
    match intake.scanner.status() {
        Status::Closed(_) => (),
        Status::Blank => return fail(Reason::Empty, bytes.len()),
        Status::Open => return fail(Reason::Truncated, bytes.len()),
        Status::Dead(reason, at) => return fail(intake.dead(reason, at), at),
    }
    if intake.scanner.in_string() {
        return fail(Reason::Malformed, bytes.len());
    }
    if intake.scanner.non_ascii()
        && let Some((at, _)) = utf8_error(bytes)
    {
        return fail(Reason::Malformed, at);
    }
    if let Some(at) = bad_escape(bytes, intake.scanner.escapes()) {
        return fail(Reason::Malformed, at);
    }
    let passed = intake.known.runs().map_or(Passed::NOTHING, Runs::passed);
    Ok(Body { passed, ..Body::of(bytes, &intake.scanner, &intake.limits, Part::Whole) })
}
