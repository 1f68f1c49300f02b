//! Heals a body that is too long to be held, value by value as it streams.
//!
//! The containers from the body's root down to where the stream stands are the *spine*. An array is always on it: its
//! elements are decided one by one, each as soon as it has closed. An object is held until it closes, and healed as a
//! whole, in the state of the plan that it would have inside the whole body. If it is longer than may be held and no
//! array is around it, it is entered: it is an *envelope*, whose members are decided one by one. Their names stay,
//! because a member that forbids a rule may come later; so do values that such a rule would make its own. If an object
//! that is too long is an element of an array, it leaves as it came.
//!
//! All of this depends on bytes alone, never on how they were cut into chunks. What is written is always well formed,
//! because a change is made inside one closed value. If the body turns out not to be JSON, nothing changes from there
//! on.

mod envelope;
mod soundness;
mod tape;
mod traced;

use crate::healer::{Healer, Summary};
use crate::intake::Intake;
use crate::limits::Limits;
use crate::memo::{Course, Memo};
use crate::plan::Plan;
use crate::plan::automaton::{Automaton, INERT, Id, State};
use crate::reason::{Failure, Reason};
use crate::scan::Status;
use crate::text::{is_scalar, trim_end};
use crate::walk::{Body, Part};
use envelope::{EnvelopeMember, held_state, moves_out};
use soundness::Soundness;
use tape::{Ahead, Probe, Sound, Tape};
use traced::Traced;

/// Bytes of elements that are healed at once: twice what a host hands over at once. With more, the lists of the walk
/// would need most of the memory.
const BATCH: usize = 128 << 10;

/// Bytes of a backlog that are taken at once: as many as most hosts hand over at once.
const PIECE: usize = 16 << 10;

/// A body that is healed while it streams.
#[derive(Debug)]
pub struct Incremental {
    /// The window: bytes that have not all left.
    window: Box<Intake>,
    /// Bytes of the window that have left.
    gone: usize,
    /// Bytes of the body before the window.
    before: usize,
    /// Bytes that came before the body was known to be too long, and how many of them are no longer needed.
    backlog: Vec<u8>,
    advanced: usize,
    /// Index of the first token that is not decided.
    next: usize,
    soundness: Soundness,
    spine: Vec<Level>,
    expects: Expects,
    /// In an envelope, the state of the next value.
    state: Id,
    /// How far the elements of the innermost array were searched for.
    ahead: Ahead,
    /// How far the ends of containers were searched for.
    probe: Probe,
    /// Whether an element is malformed. Then elements are healed one by one, to find out which.
    careful: bool,
    /// Stencils of elements of the innermost array.
    traced: Traced,
    course: Course,
    summary: Summary,
    /// Whether something was left alone because of its size.
    oversized: bool,
    failure: Option<Failure>,
}

/// A container on the spine.
#[derive(Clone, Copy, Debug)]
struct Level {
    state: Id,
    is_object: bool,
}

/// What the next token must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    /// A value, or if `first` the end of an array.
    Value { first: bool },
    /// A key, or if `first` the end of an envelope.
    Key { first: bool },
    /// The colon after a key that is too long to be known.
    Colon,
    /// A comma, or the end of a container.
    Separator,
    /// Anything, inside an element that leaves as it came, with this many containers open.
    Inside(u32),
    /// Nothing, because the body's value has closed.
    Nothing,
}

/// What follows a step.
enum Then {
    Next,
    /// More bytes are needed. Those before this offset may leave.
    Wait(usize),
    Fail(Reason, usize),
}

/// What is needed to heal.
struct Tools<'a> {
    healer: &'a mut Healer,
    plan: &'a Plan,
    memo: &'a mut Memo,
}

impl Healer {
    /// Starts with a body that is known to be longer than may be held.
    pub fn incremental(&mut self, limits: Limits) -> Incremental {
        Incremental::new(self.intake(limits))
    }

    /// Continues with a body that turned out to be longer than may be held. Call [`Incremental::advance`] next, until it
    /// returns `false`.
    pub fn outgrow(&mut self, mut intake: Box<Intake>) -> Incremental {
        let backlog = intake.restart();
        Incremental { backlog, ..Incremental::new(intake) }
    }

    /// Takes back the memory of a body.
    pub fn recycle_incremental(&mut self, body: Incremental) {
        self.recycle(body.window);
    }
}

impl Incremental {
    fn new(window: Box<Intake>) -> Self {
        Incremental {
            window,
            gone: 0,
            before: 0,
            backlog: Vec::new(),
            advanced: 0,
            next: 0,
            soundness: Soundness::default(),
            spine: Vec::new(),
            expects: Expects::Value { first: false },
            state: INERT,
            ahead: Ahead::default(),
            probe: Probe::default(),
            careful: false,
            traced: Traced::default(),
            course: Course::default(),
            summary: Summary::default(),
            oversized: false,
            failure: None,
        }
    }

    /// Takes a chunk, and appends what it makes decidable to [`Healer::output`].
    ///
    /// Costs the healing of what closed with the chunk, one more look at the tokens of what did not close, and one
    /// copy.
    pub fn push(&mut self, healer: &mut Healer, plan: &Plan, memo: &mut Memo, chunk: &[u8]) {
        self.compact();
        self.window.held.extend_from_slice(chunk);
        self.go_on(healer, plan, memo, chunk.len());
    }

    /// As [`Incremental::push`], for a chunk that `append` puts directly behind the held bytes, which saves a copy.
    ///
    /// # Errors
    ///
    /// Returns the error of `append`, which must not have appended anything then.
    pub fn push_by<E>(
        &mut self,
        healer: &mut Healer,
        plan: &Plan,
        memo: &mut Memo,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.compact();
        let before = self.window.held.len();
        append(&mut self.window.held)?;
        self.go_on(healer, plan, memo, self.window.held.len().saturating_sub(before));
        Ok(())
    }

    /// Takes a piece of what an intake held that the body outgrew, as [`Incremental::push`] takes a chunk. Returns
    /// whether there is more of it.
    ///
    /// Pieces are short, because elements are passed over only before they are scanned, and because the output may be
    /// taken away after each.
    pub fn advance(&mut self, healer: &mut Healer, plan: &Plan, memo: &mut Memo) -> bool {
        let backlog = std::mem::take(&mut self.backlog);
        let end = self.advanced.saturating_add(PIECE).min(backlog.len());
        self.push(healer, plan, memo, backlog.get(self.advanced..end).unwrap_or_default());
        self.advanced = end;
        let is_more = end < backlog.len();
        if is_more {
            self.backlog = backlog;
        }
        is_more
    }

    /// Decides what is decidable after `came` more bytes.
    fn go_on(&mut self, healer: &mut Healer, plan: &Plan, memo: &mut Memo, came: usize) {
        if self.failure.is_none() {
            memo.start(plan, came);
            memo.exchange(&mut self.course);
            let tools = &mut Tools { healer, plan, memo };
            if !self.trace(tools) {
                self.window.scanner.advance(&self.window.held);
                self.decide(tools);
            }
            memo.exchange(&mut self.course);
        }
        if self.failure.is_some() {
            self.release(healer, self.window.held.len());
        }
    }

    /// Ends the body: what is not decided leaves as it came. Afterwards `memo` tells about this body.
    pub fn finish(&mut self, healer: &mut Healer, memo: &mut Memo) {
        if self.failure.is_none() && self.expects != Expects::Nothing {
            self.fail_at_end();
        }
        self.release(healer, self.window.held.len());
        memo.restart();
        memo.exchange(&mut self.course);
        self.summary.new_shapes = memo.news();
    }

    /// Returns the bytes that came and have not left.
    pub fn held(&self) -> &[u8] {
        self.window.held.get(self.gone..).unwrap_or_default()
    }

    /// Returns its size in memory, in bytes.
    pub fn memory(&self) -> usize {
        self.window.memory().saturating_add(self.traced.memory()).saturating_add(self.backlog.capacity())
    }

    /// Returns how many shapes of records are known to be looked at.
    #[cfg(test)]
    pub(crate) fn shapes_seen(&self) -> usize {
        self.course.shapes_seen()
    }

    /// Returns whether the rest of the body leaves as it came.
    pub fn is_stuck(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns whether the body's value has closed.
    pub fn is_closed(&self) -> bool {
        self.expects == Expects::Nothing
    }

    /// Returns what was done so far. Does not tell whether required members are missing.
    pub fn summary(&self) -> Summary {
        Summary { lacks: false, ..self.summary }
    }

    /// Returns why the rest of the body leaves as it came, or why nothing of it was healed.
    pub fn failure(&self) -> Option<Failure> {
        let untouched = self.oversized && !self.summary.changed;
        let oversized = Failure { reason: Reason::TooLarge, offset: self.window.limits.max_held() };
        self.failure.or(untouched.then_some(oversized))
    }

    fn decide(&mut self, tools: &mut Tools<'_>) {
        let fault = self.soundness.check(&mut self.window);
        let bytes = fault.map_or(self.soundness.checked(), |(_, at)| at);
        let sound = Sound::up_to(&self.window, bytes);
        let free = loop {
            match self.step(tools, sound) {
                Then::Next => (),
                Then::Wait(free) => break free,
                Then::Fail(reason, at) => return self.fail(reason, at),
            }
        };
        match fault {
            Some((reason, at)) => self.fail(reason, at),
            None => self.release(tools.healer, free),
        }
    }

    /// Takes one step along the spine.
    fn step(&mut self, tools: &mut Tools<'_>, sound: Sound) -> Then {
        let tape = Tape::of(&self.window, sound);
        let Some(at) = tape.at(self.next) else { return Then::Wait(tape.bytes) };
        match (self.expects, tape.byte(self.next)) {
            (Expects::Value { first: true }, b']') | (Expects::Key { first: true }, b'}') => self.close(),
            // More bytes tell whether it is a word, and so a value.
            (Expects::Value { .. }, _) if self.window.begins_word() == Some(at) => Then::Wait(at),
            (Expects::Value { .. }, byte) => self.value(tools, sound, at, byte),
            (Expects::Key { .. }, b'"') => self.key(tools.plan.automaton(), sound, at),
            (Expects::Colon, b':') => self.colon(tools.plan.automaton()),
            (Expects::Separator, b',') if self.in_object() => self.go(Expects::Key { first: false }),
            (Expects::Separator, b',') => self.go(Expects::Value { first: false }),
            (Expects::Separator, close @ (b'}' | b']')) if self.in_object() == (close == b'}') => self.close(),
            (Expects::Inside(depth), _) => {
                let (next, depth) = tape.leave(self.next, depth);
                self.next = next;
                self.expects = if depth == 0 { Expects::Separator } else { Expects::Inside(depth) };
                Then::Next
            }
            _ => Then::Fail(Reason::Malformed, at),
        }
    }

    /// Goes to the next token.
    fn go(&mut self, expects: Expects) -> Then {
        self.next = self.next.wrapping_add(1);
        self.expects = expects;
        Then::Next
    }

    fn in_object(&self) -> bool {
        self.spine.last().is_some_and(|level| level.is_object)
    }

    fn close(&mut self) -> Then {
        self.spine.pop();
        self.traced.clear();
        self.ahead = Ahead::default();
        self.go(if self.spine.is_empty() { Expects::Nothing } else { Expects::Separator })
    }

    /// Begins a value on the spine.
    fn value(&mut self, tools: &mut Tools<'_>, sound: Sound, at: usize, byte: u8) -> Then {
        let in_array = self.spine.last().is_some_and(|level| !level.is_object);
        if in_array && !self.careful && self.elements(tools, sound) {
            return Then::Next;
        }
        let tape = Tape::of(&self.window, sound);
        match byte {
            b'{' if self.spine.is_empty() => self.enter(tools.plan.automaton().root, true),
            b'{' if in_array && !self.careful => self.wait_or(at, tape.bytes, Self::pass_object),
            b'{' => self.object(tools, sound, at, in_array),
            b'[' => self.enter(self.next_state(tools.plan.automaton()), false),
            b'"' => self.go(Expects::Separator),
            b',' | b':' | b']' | b'}' => Then::Fail(Reason::Malformed, at),
            _ => self.scalar(sound, at),
        }
    }

    fn next_state(&self, plan: &Automaton) -> Id {
        match self.spine.last() {
            None => plan.root,
            Some(level) if level.is_object => self.state,
            Some(level) => plan.state(level.state).element,
        }
    }

    fn enter(&mut self, state: Id, is_object: bool) -> Then {
        self.spine.push(Level { state, is_object });
        self.ahead = Ahead::default();
        self.traced.clear();
        self.go(if is_object { Expects::Key { first: true } } else { Expects::Value { first: true } })
    }

    /// Waits for the end of a value, unless it is already too long.
    fn wait_or(&mut self, start: usize, end: usize, too_long: fn(&mut Self) -> Then) -> Then {
        let most = self.window.limits.max_held();
        if end.saturating_sub(start) > most { too_long(self) } else { Then::Wait(start) }
    }

    /// Lets an element that is too long leave as it came.
    fn pass_object(&mut self) -> Then {
        self.oversized = true;
        self.go(Expects::Inside(1))
    }

    /// Heals the elements that are complete, many at once. Returns whether there are any.
    fn elements(&mut self, tools: &mut Tools<'_>, sound: Sound) -> bool {
        let tape = Tape::of(&self.window, sound);
        let (first, most) = (self.next, self.window.limits.max_held());
        let Some(start) = tape.at(first) else { return false };
        let enough = start.saturating_add(most.min(BATCH));
        let end = self.ahead.end_within(&mut self.probe, &tape, first, enough, start.saturating_add(most));
        let (Some((end, bytes)), Some(array)) = (end.filter(|(end, _)| *end > first), self.spine.last()) else {
            return false;
        };
        let part = Part::Elements(array.state);
        if tape.byte(first) == b'{'
            && self.traced.wants()
            && let (alone, 0) = tape.leave(first, 0)
            && let Some(close) = tape.at(alone.wrapping_sub(1))
            && close < bytes
            && self.heal_and_draw(tools, part, (first, alone), (start, close.wrapping_add(1)))
        {
            return true;
        }
        match self.heal(tools, part, (first, end), bytes) {
            Ok((walked, _)) => {
                self.next = walked;
                self.expects = Expects::Separator;
            }
            Err(_) => self.careful = true,
        }
        true
    }

    /// Heals an object whose end must be found first.
    fn object(&mut self, tools: &mut Tools<'_>, sound: Sound, start: usize, in_array: bool) -> Then {
        let tape = Tape::of(&self.window, sound);
        let most = start.saturating_add(self.window.limits.max_held());
        let (after, is_open) = self.probe.follow(&tape, self.next, most);
        let end = tape.at(after.wrapping_sub(1)).map_or(0, |close| close.wrapping_add(1));
        let state = self.next_state(tools.plan.automaton());
        if is_open || end > most {
            let passes: fn(&mut Self) -> Then = if in_array { Self::pass_object } else { Self::enter_object };
            // Beyond the limit the object is too long, wherever it ends.
            let reach = if end > most { end } else { tape.bytes };
            if !in_array {
                self.state = state;
            }
            return self.wait_or(start, reach, passes);
        }
        match self.heal(tools, Part::Value(held_state(tools.plan, state)), (self.next, after), end) {
            Ok((walked, _)) => {
                if !in_array {
                    let tape = Tape::of(&self.window, sound);
                    self.leave_undone(moves_out(tools.plan.automaton(), &tape, state, self.next));
                }
                self.next = walked;
                self.expects = Expects::Separator;
                Then::Next
            }
            Err(failure) => Then::Fail(failure.reason, failure.offset),
        }
    }

    fn enter_object(&mut self) -> Then {
        self.enter(self.state, true)
    }

    /// Heals a range of tokens that ends at the offset `end`. Returns the index of the first token after what was
    /// healed, and what was done.
    fn heal(
        &mut self,
        tools: &mut Tools<'_>,
        part: Part,
        (first, after): (usize, usize),
        end: usize,
    ) -> Result<(usize, Summary), Failure> {
        let Intake { held, scanner, limits, .. } = &*self.window;
        let body = Body::of(held, scanner, limits, part).cut(first..after, end);
        let (summary, to) = tools.healer.heal_part(tools.plan, tools.memo, &body, self.gone)?;
        self.gone = to;
        self.summary.add(&summary);
        // If the array of the elements ended earlier, less was taken: up to the token that closes it.
        let closed_at = body.tokens.partition_point(|at| (*at as usize) < to);
        Ok((if to < end { first.wrapping_add(closed_at) } else { after }, summary))
    }

    /// Passes a number or literal on the spine. It may leave before its end, but must be well formed.
    fn scalar(&mut self, sound: Sound, start: usize) -> Then {
        let tape = Tape::of(&self.window, sound);
        let following = tape.at(self.next.wrapping_add(1));
        let until = following.unwrap_or(tape.bytes);
        let whole = self.window.held.get(start..until).unwrap_or_default();
        let text = trim_end(whole);
        let end = start.saturating_add(text.len());
        if following.is_none() && text.len() == whole.len() || text.len() > self.window.limits.max_held() {
            return self.wait_or(start, end, Self::refuse_scalar);
        }
        if !is_scalar(text) {
            return Then::Fail(Reason::Malformed, start);
        }
        self.go(Expects::Separator)
    }

    fn refuse_scalar(&mut self) -> Then {
        let start = self.window.scanner.tokens().get(self.next).map_or(self.gone, |at| *at as usize);
        Then::Fail(Reason::TooLarge, start)
    }

    /// Begins a member of an envelope. Its name stays, and at the colon the state of its value is known.
    fn key(&mut self, plan: &Automaton, sound: Sound, quote: usize) -> Then {
        let tape = Tape::of(&self.window, sound);
        let after = self.next.wrapping_add(1);
        let Some(colon) = tape.at(after) else { return self.wait_or(quote, tape.bytes, Self::pass_key) };
        if tape.byte(after) != b':' {
            return Then::Fail(Reason::Malformed, colon);
        }
        if colon.saturating_sub(quote) > self.window.limits.max_held() {
            return self.pass_key();
        }
        let level = self.spine.last().map_or(&State::INERT, |level| plan.state(level.state));
        let known = EnvelopeMember::of(plan, level, tape.name(self.next));
        self.state = known.state;
        self.leave_undone(u32::from(known.ruled));
        self.summary.unscored = self.summary.unscored.saturating_add(u32::from(known.unscored));
        self.next = after;
        self.go(Expects::Value { first: false })
    }

    /// Counts rules that would need the whole envelope.
    fn leave_undone(&mut self, rules: u32) {
        self.oversized |= rules > 0;
        self.summary.conflicts = self.summary.conflicts.saturating_add(rules);
    }

    /// Passes a name that is too long to be held, which no plan knows.
    fn pass_key(&mut self) -> Then {
        self.go(Expects::Colon)
    }

    fn colon(&mut self, plan: &Automaton) -> Then {
        self.state = self.spine.last().map_or(INERT, |level| plan.state(level.state).unknown);
        self.go(Expects::Value { first: false })
    }

    fn fail(&mut self, reason: Reason, at: usize) {
        self.failure = Some(Failure { reason, offset: self.before.saturating_add(at) });
    }

    /// Fails a body that ends inside its value, with an earlier error if there is one. The beginning of an element that
    /// might have had a known skeleton is only scanned here.
    fn fail_at_end(&mut self) {
        let status = self.window.scanner.advance(&self.window.held);
        let reason = if status == Status::Blank { Reason::Empty } else { Reason::Truncated };
        let (reason, at) = self.soundness.check(&mut self.window).unwrap_or((reason, self.window.held.len()));
        self.fail(reason, at);
    }

    /// Lets the bytes up to an offset leave as they came.
    fn release(&mut self, healer: &mut Healer, to: usize) {
        if to > self.gone {
            healer.pass(&self.window.held, self.gone, to);
            self.gone = to;
        }
    }

    /// Forgets bytes that have left once they are half of the window, so that moving the rest costs no more than they
    /// did.
    fn compact(&mut self) {
        if self.gone < self.window.held.len().saturating_sub(self.gone) {
            return;
        }
        let Intake { held, scanner, .. } = &mut *self.window;
        let (bytes, tokens) = scanner.discard(self.gone.min(self.soundness.checked()));
        held.drain(..bytes);
        if held.capacity() > BATCH && held.len() < held.capacity() / 8 {
            // A body that needed much memory once need not do so again.
            held.shrink_to(BATCH);
        }
        self.before = self.before.saturating_add(bytes);
        self.gone = self.gone.wrapping_sub(bytes);
        self.soundness.discard(bytes);
        self.next = self.next.saturating_sub(tokens);
        self.ahead.discard(bytes, tokens);
        self.probe.discard(tokens);
    }
}

#[cfg(test)]
mod tests;
