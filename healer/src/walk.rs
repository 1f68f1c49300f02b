//! One pass along the tape: checks the grammar, and finds at each member what it is to the plan.
//!
//! Open containers are on an explicit stack, so depth costs bounded memory and no native stack. Nothing is decided
//! before its object closes, because a rule must not fire if the expected name stands further on. What may become an
//! edit gets its place in the list of edits when it is seen, so the list is in order of position without sorting.

mod body;
mod consider;
mod cursor;
mod member;
mod sequence;
mod shape;

use crate::plan::Automaton;
use crate::plan::automaton::{INERT, Id, NONE, State};
use crate::reason::{Failure, Reason};
use crate::required;
use crate::resolve;
use crate::scratch::{Astray, Container, EditKind, Frame, Innermost, Scratch};
use crate::stencil::Passed;
use crate::text::set_of;
use consider::Asked;
use shape::Shapes;

pub(crate) use body::{Body, Part};
pub(crate) use cursor::Cursor;
pub(crate) use sequence::{
    KIND_MASK, NUMBER, STRING, Sequences, WHOLE, class_of, fits_in_detail, kind, string_code, value_code,
};
pub(crate) use shape::{Progress, Records};

/// Walks one body. Afterwards `scratch` holds its edits.
///
/// Most bodies have no member that a move could start from, and they need no positions. So the first walk keeps none,
/// and stops at such a member. Then a second walk keeps them.
pub(crate) fn walk(
    body: &Body<'_>,
    plan: &Automaton,
    records: Option<&Records<'_>>,
    scratch: &mut Scratch,
) -> Result<(), Failure> {
    let first = match records {
        _ if plan.drops => Err(Stop::Tracks),
        None => Walk::<false, false>::new(body, plan, &Records::NONE, scratch).run(),
        Some(records) if records.expect_moves() => Err(Stop::Tracks),
        Some(records) => Walk::<false, true>::new(body, plan, records, scratch).run(),
    };
    let done = match first {
        // If no state is that of a record, telling shapes costs next to nothing.
        Err(Stop::Tracks) => {
            scratch.make_room();
            Walk::<true, true>::new(body, plan, records.unwrap_or(&Records::NONE), scratch).run()
        }
        done => done,
    };
    match done {
        Ok(()) => Ok(()),
        Err(Stop::Failed(failure)) => Err(failure),
        // A walk that keeps positions never stops for want of them. If it did, half a body would be healed, so the whole
        // one leaves as it came.
        Err(Stop::Tracks) => Err(Failure { reason: Reason::Malformed, offset: 0 }),
    }
}

/// Why a walk stops before the end.
enum Stop {
    Failed(Failure),
    /// A move could start here, and this walk keeps no positions.
    Tracks,
}

impl Frame {
    /// The frame around the body.
    const OUTSIDE: Frame = Frame {
        state: INERT,
        is_object: false,
        contested: false,
        open: 0,
        bits: 0,
        hits: 0,
        names: 0,
        container: NONE,
        members: 0,
        lead: 0,
        last_end: 0,
        member: NONE,
        hit: NONE,
        instance: NONE,
        foreign: false,
    };
}

/// A walk over one body. `TRACKS`: whether it keeps what moves and drops need. `SHAPES`: whether it tells the shapes of
/// records.
struct Walk<'a, 's, const TRACKS: bool, const SHAPES: bool> {
    body: Body<'a>,
    plan: &'a Automaton,
    scratch: &'s mut Scratch,
    /// Index of the next token.
    next: usize,
    /// Index of the first escape that may be ahead.
    escape: usize,
    /// Where the next run of passed-over elements opens, and the number of that run.
    run_at: u32,
    run: Id,
    /// The innermost open container; those around it are on the stack.
    frame: Frame,
    asked: Asked,
    shapes: Shapes<'a>,
}

/// How a run of members ends, all of which have a string or scalar as value.
enum Run {
    /// At a value in that state, which may be a container.
    Value(Id),
    /// With the object, whose closing brace is at this offset.
    Closed(u32),
    /// Near the end of the tape, where members are read one by one.
    Tail,
}

/// What comes after a value.
enum Then {
    /// Another value, in that state.
    Value(Id),
    /// The end of the container, whose last byte is before this offset.
    Ended(u32),
}

impl<'a, 's, const TRACKS: bool, const SHAPES: bool> Walk<'a, 's, TRACKS, SHAPES> {
    fn new(body: &Body<'a>, plan: &'a Automaton, records: &'a Records<'a>, scratch: &'s mut Scratch) -> Self {
        scratch.clear();
        let (frame, asked, shapes) = (Frame::OUTSIDE, Asked::NOTHING, Shapes::new(records));
        let run_at = body.passed.runs.first().map_or(NONE, |run| run.open);
        Walk { body: *body, plan, scratch, next: 0, escape: 0, run_at, run: 0, frame, asked, shapes }
    }

    /// Returns the state of the first value. If the part is the elements of an array, opens that array.
    fn start(&mut self) -> Id {
        match self.body.part {
            Part::Whole => self.plan.root,
            Part::Value(state) => state,
            Part::Elements(array) => {
                self.scratch.frames.push(Frame::OUTSIDE);
                self.frame = Frame { state: array, ..Frame::OUTSIDE };
                self.plan.state(array).element
            }
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let done = self.run_to_end();
        self.scratch.walked = self.next;
        if done.is_err() {
            self.scratch.innermost = self.innermost();
        }
        done
    }

    fn run_to_end(&mut self) -> Result<(), Stop> {
        let mut state = self.start();
        let outside = self.scratch.frames.len();
        loop {
            let mut end = match self.value(state)? {
                Then::Value(inside) => {
                    state = inside;
                    continue;
                }
                Then::Ended(end) => end,
            };
            loop {
                if self.scratch.frames.len() <= outside && self.is_at_end() {
                    return self.nothing_follows();
                }
                match self.after_value(end)? {
                    Then::Value(next) => {
                        state = next;
                        break;
                    }
                    Then::Ended(closed) => end = closed,
                }
            }
        }
    }

    /// Reads a value up to its end, or up to the first value inside it.
    #[inline(always)]
    fn value(&mut self, state: Id) -> Result<Then, Stop> {
        let at = self.take()?;
        match self.body.byte(at) {
            b'{' if at == self.run_at => Ok(self.pass()),
            b'{' => {
                self.open(at, state, true)?;
                if self.peek_byte() == b'}' {
                    let close = self.take()?;
                    return Ok(self.close_object(close));
                }
                self.members()
            }
            b'[' => {
                self.open(at, state, false)?;
                if self.peek_byte() == b']' {
                    let close = self.take()?;
                    return Ok(self.close_array(close));
                }
                Ok(Then::Value(self.plan.state(state).element))
            }
            byte if is_structural(byte) => Err(malformed(at)),
            // A string or scalar reaches up to the next token, less white space.
            _ => Ok(Then::Ended(self.body.end_before(self.peek()))),
        }
    }

    /// Steps over elements that were passed over.
    #[inline(never)]
    fn pass(&mut self) -> Then {
        let runs = self.body.passed.runs;
        let run = runs.get(self.run as usize);
        let (end, changes) = run.map_or((self.run_at, false), |run| (run.end, run.summary.changed));
        let innermost = self.innermost();
        if innermost.is_evidence {
            self.scratch.astray = Astray::InEvidence;
        } else if self.body.passed.place.is_none_or(|place| !innermost.is(place)) {
            self.scratch.astray = Astray::Elsewhere;
        }
        if changes {
            self.scratch.add_edit(self.run_at, end, EditKind::Pass(self.run));
        }
        self.run = self.run.wrapping_add(1);
        self.run_at = runs.get(self.run as usize).map_or(NONE, |run| run.open);
        self.next = self.next.wrapping_add(1);
        Then::Ended(end)
    }

    #[cold]
    fn innermost(&self) -> Innermost {
        let depth = self.scratch.frames.len() as u32;
        Innermost { state: self.frame.state, depth, is_evidence: SHAPES && self.is_in_evidence() }
    }

    #[inline(always)]
    fn after_value(&mut self, end: u32) -> Result<Then, Stop> {
        self.value_ended(end);
        let at = self.take()?;
        match (self.body.byte(at), self.frame.is_object) {
            (b',', true) => {
                self.frame.lead = at;
                self.members()
            }
            (b',', false) => Ok(Then::Value(self.plan.state(self.frame.state).element)),
            (b'}', true) => Ok(self.close_object(at)),
            (b']', false) => Ok(self.close_array(at)),
            _ => Err(malformed(at)),
        }
    }

    /// Reads from a key up to the next value that may be a container, or up to the end of the object.
    #[inline(always)]
    fn members(&mut self) -> Result<Then, Stop> {
        if TRACKS { self.tracked_members() } else { self.plain_members(self.plan.state(self.frame.state)) }
    }

    /// As [`Walk::members`], keeping positions.
    #[inline(never)]
    fn tracked_members(&mut self) -> Result<Then, Stop> {
        let body = self.body;
        let state = self.plan.state(self.frame.state);
        loop {
            // Near the end of the tape, members are read one by one.
            let ahead = body.tokens.get(self.next..).and_then(<[u32]>::first_chunk::<5>);
            let Some(&[quote, colon, value, after, key]) = ahead else { return self.member().map(Then::Value) };
            self.next = self.next.wrapping_add(2);
            let inside = self.member_at(state, quote, colon)?;
            if is_structural(body.byte(value)) {
                return Ok(Then::Value(inside));
            }
            self.next = self.next.wrapping_add(2);
            let separator = body.byte(after);
            self.member_ended(body.end_before(after), if separator == b',' { key } else { NONE });
            match separator {
                b',' => self.frame.lead = after,
                b'}' => return Ok(self.close_object(after)),
                _ => return Err(malformed(after)),
            }
        }
    }

    /// As [`Walk::members`], keeping no positions. Not inlined, so that what all members share stays in registers.
    #[inline(never)]
    fn plain_members(&mut self, state: &State) -> Result<Then, Stop> {
        let first = self.next;
        let run = self.run_of_members(state);
        self.count_members(first);
        // Checked before the last member's own error is returned, so that the reason does not depend on where runs end.
        self.check_members()?;
        match run? {
            Run::Value(inside) => Ok(Then::Value(inside)),
            Run::Closed(at) => Ok(self.close_object(at)),
            Run::Tail => self.member().map(Then::Value),
        }
    }

    /// Reads members up to the first value that may be a container, or to the end of the object.
    #[inline(always)]
    fn run_of_members(&mut self, state: &State) -> Result<Run, Stop> {
        let body = self.body;
        loop {
            if SHAPES
                && state.shaped
                && let Some(run) = self.run_as_foreseen()?
            {
                return Ok(run);
            }
            // At the very end of the tape, members are read one by one.
            let ahead = body.tokens.get(self.next..).and_then(<[u32]>::first_chunk::<4>);
            let Some(&[quote, colon, value, after]) = ahead else {
                return Ok(Run::Tail);
            };
            // A hit only matters to values that have something inside, and no string or scalar does.
            self.frame.hit = NONE;
            self.next = self.next.wrapping_add(2);
            let inside = if !state.looks {
                self.nameless_member(quote, colon)?
            } else if let Some(name) = self.short_name(quote, colon) {
                self.short_member(state, name, [quote, colon, value, after])?
            } else {
                self.other_member(state, [quote, colon, value, after])?
            };
            let first = body.byte(value);
            if is_structural(first) {
                return if matches!(first, b'{' | b'[') { Ok(Run::Value(inside)) } else { Err(malformed(value)) };
            }
            self.next = self.next.wrapping_add(2);
            match body.byte(after) {
                b',' => (),
                b'}' => return Ok(Run::Closed(after)),
                _ => return Err(malformed(after)),
            }
        }
    }

    /// Counts the members begun since token `first`: four tokens each, and two for a member whose value is still ahead.
    #[inline(always)]
    fn count_members(&mut self, first: usize) {
        let tokens = self.next.wrapping_sub(first) as u32;
        self.frame.members = self.frame.members.wrapping_add(tokens.wrapping_add(2) >> 2);
    }

    #[inline(always)]
    fn check_members(&self) -> Result<(), Stop> {
        if self.frame.members > self.body.max_keys { Err(self.too_many_keys()) } else { Ok(()) }
    }

    #[cold]
    fn too_many_keys(&self) -> Stop {
        Stop::Failed(Failure { reason: Reason::TooManyKeys, offset: self.frame.open as usize })
    }

    #[inline(always)]
    fn take(&mut self) -> Result<u32, Stop> {
        match self.body.tokens.get(self.next) {
            Some(at) => {
                self.next = self.next.wrapping_add(1);
                Ok(*at)
            }
            None => Err(self.cut_off()),
        }
    }

    #[cold]
    fn cut_off(&self) -> Stop {
        Stop::Failed(Failure { reason: Reason::Truncated, offset: self.body.bytes.len() })
    }

    #[inline(always)]
    fn peek(&self) -> u32 {
        self.body.tokens.get(self.next).copied().unwrap_or(NONE)
    }

    #[inline(always)]
    fn peek_byte(&self) -> u8 {
        self.body.byte(self.peek())
    }

    /// Whether the outermost value has ended, or, after an element, the tape.
    fn is_at_end(&self) -> bool {
        self.scratch.frames.is_empty() || self.next >= self.body.tokens.len()
    }

    /// Refuses what follows the outermost value, unless that is an element.
    fn nothing_follows(&self) -> Result<(), Stop> {
        match self.body.tokens.get(self.next) {
            Some(at) if !matches!(self.body.part, Part::Elements(_)) => Err(malformed(*at)),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn open(&mut self, at: u32, state: Id, is_object: bool) -> Result<(), Stop> {
        if self.scratch.frames.len() >= self.body.max_depth as usize {
            return Err(Stop::Failed(Failure { reason: Reason::TooDeep, offset: at as usize }));
        }
        self.scratch.frames.push(self.frame);
        let around = self.frame.container;
        let member = self.frame.member;
        let around_is_object = self.frame.is_object;
        let (state, instance) = if SHAPES && is_object { self.enter_record(state) } else { (state, NONE) };
        let foreign = SHAPES && instance == NONE && !self.shapes.knows_member();
        let is_in_shape = foreign && is_object && around_is_object && self.plan.state(self.frame.state).shaped;
        let state = if is_in_shape { self.plan.shaped(state) } else { state };
        self.frame = Frame {
            instance,
            foreign,
            state,
            is_object,
            open: at,
            bits: self.scratch.bits.len() as u32,
            hits: self.scratch.hits.len() as u32,
            names: self.scratch.names.len() as u32,
            ..Frame::OUTSIDE
        };
        if is_object && state != INERT {
            let known = self.plan.state(state);
            let words = self.scratch.bits.len().wrapping_add((known.words as usize).wrapping_mul(2));
            self.scratch.bits.resize(words, 0);
            if TRACKS && known.tracked {
                let parent = if known.tree_root || !around_is_object { NONE } else { around };
                self.track(parent, if parent == NONE { NONE } else { member });
            }
        }
        Ok(())
    }

    fn track(&mut self, parent: Id, member: Id) {
        let id = self.scratch.containers.len() as Id;
        self.frame.container = id;
        self.asked = Asked::NOTHING;
        self.scratch.containers.push(Container {
            parent,
            member,
            last_member: NONE,
            members: 0,
            open: self.frame.open,
            first_member: self.scratch.members.len() as Id,
            first_source: self.scratch.sources.len() as Id,
            first_target: self.scratch.targets.len() as Id,
            first_key: self.peek(),
            insert_edit: NONE,
            inserts: 0,
            first_node: NONE,
            last_node: NONE,
            taken: false,
            twice: false,
            fits: false,
            dropped: false,
            removed: 0,
            removed_first: 0,
        });
        if let Some(member) = self.scratch.members.get_mut(member as usize) {
            member.child = id;
        }
    }

    #[inline(always)]
    fn value_ended(&mut self, end: u32) {
        // The next token is not taken yet. If it is a comma, the token after it is the next member's key.
        let key = || self.body.tokens.get(self.next.wrapping_add(1)).copied();
        let key = if TRACKS && self.peek_byte() == b',' { key() } else { None };
        self.member_ended(end, key.unwrap_or(NONE));
    }

    /// Notes where a value ends, and where the next member's key is.
    #[inline(always)]
    fn member_ended(&mut self, end: u32, next: u32) {
        self.frame.last_end = end;
        let edits = self.scratch.edits.len() as u32;
        if self.frame.hit != NONE {
            if let Some(hit) = self.scratch.hits.get_mut(self.frame.hit as usize) {
                hit.inner.1 = edits;
                hit.value.1 = end;
            }
            self.frame.hit = NONE;
        }
        if TRACKS && self.frame.member != NONE {
            if let Some(member) = self.scratch.members.get_mut(self.frame.member as usize) {
                member.value_end = end;
                member.inner.1 = edits;
                member.next = next;
            }
            self.frame.member = NONE;
        }
    }

    fn close_array(&mut self, at: u32) -> Then {
        self.frame = self.scratch.frames.pop().unwrap_or(Frame::OUTSIDE);
        Then::Ended(at.wrapping_add(1))
    }

    #[inline(always)]
    fn close_object(&mut self, at: u32) -> Then {
        if SHAPES {
            self.leave_object();
        }
        if self.frame.state != INERT {
            self.resolve(at);
        }
        self.frame = self.scratch.frames.pop().unwrap_or(Frame::OUTSIDE);
        Then::Ended(at.wrapping_add(1))
    }

    #[inline(never)]
    fn resolve(&mut self, at: u32) {
        let frame = self.frame;
        let state = self.plan.state(frame.state);
        if self.scratch.hits.len() > frame.hits as usize && resolve::are_contested(&frame, self.scratch) {
            resolve::renames(&self.body, self.plan, &frame, self.scratch);
        }
        self.scratch.hits.truncate(frame.hits as usize);
        self.scratch.names.truncate(frame.names as usize);
        if TRACKS && state.tracked {
            let end = if frame.members == 0 { at } else { frame.last_end };
            let insert_edit = self.scratch.reserve_edit(end, end);
            if let Some(container) = self.scratch.containers.get_mut(frame.container as usize) {
                container.members = frame.members;
                container.insert_edit = insert_edit;
                if container.twice {
                    resolve::mark_twice(frame.container, self.scratch);
                }
            }
            if state.anchor {
                resolve::moves(self.plan, frame.container, self.scratch);
            }
        }
        if state.required.0 < state.required.1 {
            required::note(self.plan, state, &frame, self.scratch);
        }
        self.scratch.bits.truncate(frame.bits as usize);
        if TRACKS && state.tracked && state.tree_root {
            resolve::layout(self.plan, frame.container, self.scratch);
        }
    }
}

/// Whether a token is neither a string nor a scalar. By a table: which kind of value comes next is random, and a branch
/// for each kind would be mispredicted too often.
#[inline(always)]
fn is_structural(first: u8) -> bool {
    STRUCTURAL.get(usize::from(first)).copied().unwrap_or(false)
}

static STRUCTURAL: [bool; 256] = set_of(b"{}[]:,");

#[cold]
fn malformed(at: u32) -> Stop {
    Stop::Failed(Failure { reason: Reason::Malformed, offset: at as usize })
}
