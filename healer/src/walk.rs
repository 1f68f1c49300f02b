//! One pass along the tape: grammar, and at each member what it is to the plan.
//!
//! Open containers are on an explicit stack, so depth costs memory that is bounded, and no native stack. Nothing is
//! decided before its object closes, because a rule must not fire where the expected name stands further on. What
//! may become an edit gets its place in the list of edits when it is seen, so that list is in order of position
//! without sorting.

mod consider;
mod cursor;
mod sequence;
mod shape;

use crate::limits::Limits;
use crate::memo::MAX_NAME;
use crate::plan::Automaton;
use crate::plan::automaton::{Action, INERT, Id, NONE, State};
use crate::plan::table::{Fingerprint, Glance, SHORT};
use crate::reason::{Failure, Reason};
use crate::required;
use crate::resolve;
use crate::scan::Scanner;
use crate::scratch::{Astray, Container, EditKind, Frame, Innermost, Scratch, claimed, stands};
use crate::stencil::Passed;
use consider::{Asked, Kept};
use shape::Shapes;
use std::ops::Range;

pub(crate) use cursor::Cursor;
pub(crate) use sequence::{
    KIND_MASK, NUMBER, STRING, Sequences, WHOLE, class_of, fits_in_detail, kind, string_code, value_code,
};
pub(crate) use shape::{Progress, Records};

use crate::text::{decode, set_of};

/// Walks one body. Afterwards `scratch` holds its edits.
///
/// Most bodies hold no member that a move could start from, and for them no positions need be kept. So the first walk
/// keeps none, and stops where it meets such a member; then a second one does.
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
        // Where no state is one of a record, telling shapes costs next to nothing.
        Err(Stop::Tracks) => {
            scratch.make_room();
            Walk::<true, true>::new(body, plan, records.unwrap_or(&Records::NONE), scratch).run()
        }
        done => done,
    };
    match done {
        Err(Stop::Failed(failure)) => Err(failure),
        Err(Stop::Tracks) | Ok(()) => Ok(()),
    }
}

/// Why a walk stops before the end.
enum Stop {
    Failed(Failure),
    /// A move could start here, and this walk keeps no positions.
    Tracks,
}

/// A body and its tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub bytes: &'a [u8],
    pub tokens: &'a [u32],
    pub escapes: &'a [u32],
    /// Marks of scalars that have to be looked at, see [`crate::scan::Scanner::scalars`]. The walk takes them for sound.
    pub scalars: &'a [u32],
    pub max_depth: u32,
    pub max_keys: u32,
    pub part: Part,
    pub passed: Passed<'a>,
}

/// Which part of a body a tape is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// A value in this state.
    Value(Id),
    /// Elements of an array in this state, and what is between them. The tape may go on after the array.
    Elements(Id),
}

impl<'a> Body<'a> {
    /// All that was scanned.
    pub(crate) fn of(bytes: &'a [u8], scanner: &'a Scanner, limits: &Limits, part: Part) -> Self {
        let Limits { max_depth, max_keys, .. } = *limits;
        let (tokens, escapes, scalars) = (scanner.tokens(), scanner.escapes(), scanner.scalars());
        Body { bytes, tokens, escapes, scalars, max_depth, max_keys, part, passed: Passed::NOTHING }
    }

    /// Bytes without a tape.
    pub(crate) fn plain(bytes: &'a [u8]) -> Self {
        let passed = Passed::NOTHING;
        Body { bytes, tokens: &[], escapes: &[], scalars: &[], max_depth: 0, max_keys: 0, part: Part::Whole, passed }
    }

    /// Some of its tokens, and the bytes up to an offset.
    pub(crate) fn cut(self, tokens: Range<usize>, end: usize) -> Self {
        let tokens = self.tokens.get(tokens).unwrap_or_default();
        let start = tokens.first().copied().unwrap_or(0);
        let within = |positions: &'a [u32]| {
            let before = |end: u32| positions.partition_point(|at| *at < end);
            positions.get(before(start)..before(end as u32)).unwrap_or_default()
        };
        let bytes = self.bytes.get(..end).unwrap_or_default();
        Body { bytes, tokens, escapes: within(self.escapes), scalars: within(self.scalars), ..self }
    }

    fn byte(&self, at: u32) -> u8 {
        self.bytes.get(at as usize).copied().unwrap_or(0)
    }

    /// The eight bytes from an offset on, if there are as many.
    #[inline(always)]
    fn word(&self, at: u32) -> Option<u64> {
        let bytes = self.bytes.get(at as usize..).and_then(<[u8]>::first_chunk::<8>);
        bytes.map(|word| u64::from_le_bytes(*word))
    }

    /// End of the text before a token: after the last byte that is not white space.
    #[inline(always)]
    pub(crate) fn end_before(&self, token: u32) -> u32 {
        let mut end = token.min(self.bytes.len() as u32);
        while let b' ' | b'\t' | b'\n' | b'\r' = self.byte(end.wrapping_sub(1)) {
            end = end.wrapping_sub(1);
        }
        end
    }

    /// The quote that closes the string before a token.
    #[inline(always)]
    fn quote_before(&self, token: u32) -> u32 {
        self.end_before(token).wrapping_sub(1)
    }

    pub(crate) fn span(&self, (start, end): (u32, u32)) -> &[u8] {
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl Frame {
    /// Around the body.
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

/// `TRACKS`: whether it keeps what moves and drops need. `SHAPES`: whether it tells the shapes of records.
struct Walk<'a, 's, const TRACKS: bool, const SHAPES: bool> {
    body: Body<'a>,
    plan: &'a Automaton,
    scratch: &'s mut Scratch,
    /// Index of the next token.
    next: usize,
    /// Index of the first escape that may be ahead.
    escape: usize,
    /// Where the next elements begin that were passed over, and which of the runs of them that is.
    run_at: u32,
    run: Id,
    /// The innermost open container; those around it are on the stack.
    frame: Frame,
    asked: Asked,
    shapes: Shapes<'a>,
}

/// How a run of members ends whose values have nothing inside.
enum Run {
    /// At a value in that state that may be a container.
    Value(Id),
    /// With the object, whose brace is at this offset.
    Closed(u32),
    /// Near the end of the tape, where members are read one by one.
    Tail,
}

/// What comes after a value.
enum Then {
    /// Another value, in that state.
    Value(Id),
    /// The container ended; its last byte is before this offset.
    Ended(u32),
}

impl<'a, 's, const TRACKS: bool, const SHAPES: bool> Walk<'a, 's, TRACKS, SHAPES> {
    fn new(body: &Body<'a>, plan: &'a Automaton, records: &'a Records<'a>, scratch: &'s mut Scratch) -> Self {
        scratch.clear();
        let (frame, asked, shapes) = (Frame::OUTSIDE, Asked::NOTHING, Shapes::new(records));
        let run_at = body.passed.runs.first().map_or(NONE, |run| run.open);
        Walk { body: *body, plan, scratch, next: 0, escape: 0, run_at, run: 0, frame, asked, shapes }
    }

    /// The state of the first value. Around elements, their array is open.
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

    /// Reads a value up to its end, or up to its first part.
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

    /// Reads members, keeping positions, up to the first whose value may be a container, or to the end of the object.
    #[inline(never)]
    fn tracked_members(&mut self) -> Result<Then, Stop> {
        let body = self.body;
        let state = self.plan.state(self.frame.state);
        loop {
            // Near the end of the tape, one by one.
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

    /// Reads members of an object in that state, keeping no positions. Not inlined: what is common to all of them stays
    /// in registers.
    #[inline(never)]
    fn plain_members(&mut self, state: &State) -> Result<Then, Stop> {
        let first = self.next;
        let run = self.run_of_members(state);
        self.count_members(first);
        // Before what is wrong with the last of them, so that the reason does not depend on where runs end.
        self.check_members()?;
        match run? {
            Run::Value(inside) => Ok(Then::Value(inside)),
            Run::Closed(at) => Ok(self.close_object(at)),
            Run::Tail => self.member().map(Then::Value),
        }
    }

    /// Reads members up to the first whose value may be a container, or to the end of the object.
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
            // At the very end of the tape, one by one.
            let ahead = body.tokens.get(self.next..).and_then(<[u32]>::first_chunk::<4>);
            let Some(&[quote, colon, value, after]) = ahead else {
                return Ok(Run::Tail);
            };
            // What a look keeps are positions from the value on, and no string or scalar has anything inside.
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

    /// A key of up to 16 bytes without escapes, its colon next to it, not at the very end of the body. One bound is checked
    /// for all that is read of it.
    #[inline(always)]
    fn short_name(&mut self, quote: u32, colon: u32) -> Option<Fingerprint> {
        let window: &[u8; SHORT as usize + 4] = self.body.bytes.get(quote as usize..)?.first_chunk()?;
        let len = colon.wrapping_sub(quote).wrapping_sub(2) as usize;
        let [b'"', near @ ..] = window else { return None };
        let name = Fingerprint::at_start(near.first_chunk()?, len)?;
        // As a number: bytes are compared by a call in WebAssembly.
        let end = u16::from_le_bytes(*near.get(len..)?.first_chunk()?);
        let is_plain = end == u16::from_le_bytes(*b"\":") && !self.has_escape(quote, colon);
        is_plain.then_some(name)
    }

    /// What a member of a short name is to the plan. The state of its value.
    #[inline(always)]
    fn short_member(
        &mut self,
        state: &State,
        name: Fingerprint,
        [quote, colon, value, after]: [u32; 4],
    ) -> Result<Id, Stop> {
        let close = colon.wrapping_sub(1);
        let inside = self.glance(state, name, quote, close)?;
        if SHAPES && state.shaped {
            self.shape_value(value, after);
        }
        Ok(inside)
    }

    /// The same as far as one look tells. Where something else was foreseen, it does not.
    #[inline(always)]
    fn glance(&mut self, state: &State, name: Fingerprint, quote: u32, close: u32) -> Result<Id, Stop> {
        let is_shaped = SHAPES && state.shaped;
        let action = match self.plan.glance(state, name) {
            Glance::Unsettled => return self.look_further(state, name, quote, close),
            _ if is_shaped && self.foresees() => return self.look_further(state, name, quote, close),
            Glance::Found(action) => Some(action),
            Glance::Absent => None,
        };
        if is_shaped {
            self.shape_name(name, &[], action);
        }
        self.known_member(state, action, quote, close, None)
    }

    /// A member of any name, or none.
    #[inline(never)]
    fn other_member(&mut self, state: &State, [quote, colon, value, after]: [u32; 4]) -> Result<Id, Stop> {
        self.nameless_member(quote, colon)?;
        let inside = self.look(state, quote, self.body.quote_before(colon))?;
        if SHAPES && state.shaped {
            self.shape_value(value, after);
        }
        Ok(inside)
    }

    /// A member where no name means anything.
    #[inline(always)]
    fn nameless_member(&self, quote: u32, colon: u32) -> Result<Id, Stop> {
        let (is_key, is_colon) = (self.body.byte(quote) == b'"', self.body.byte(colon) == b':');
        if is_key & is_colon { Ok(INERT) } else { Err(malformed(if is_key { colon } else { quote })) }
    }

    /// Counts the members begun since token `first`: four tokens each, and two of one whose value is ahead.
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

    /// Whether the value around all others has ended, or after an element the tape.
    fn is_at_end(&self) -> bool {
        self.scratch.frames.is_empty() || self.next >= self.body.tokens.len()
    }

    fn nothing_follows(&mut self) -> Result<(), Stop> {
        match self.body.tokens.get(self.next) {
            Some(_) if matches!(self.body.part, Part::Elements(_)) => Ok(()),
            Some(at) => Err(malformed(*at)),
            None => Ok(()),
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
            removed: 0,
            removed_first: 0,
        });
        if let Some(member) = self.scratch.members.get_mut(member as usize) {
            member.child = id;
        }
    }

    #[inline(always)]
    fn value_ended(&mut self, end: u32) {
        // Not yet the comma's neighbour: the token after the next one is the next member's key, if there is one.
        let key = || self.body.tokens.get(self.next.wrapping_add(1)).copied();
        let key = if TRACKS && self.peek_byte() == b',' { key() } else { None };
        self.member_ended(end, key.unwrap_or(NONE));
    }

    /// Takes in where a value ends, and the next member's key.
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

    /// Reads a key and its colon. The state of the value that follows.
    #[inline(always)]
    fn member(&mut self) -> Result<Id, Stop> {
        let quote = self.take()?;
        let colon = if self.body.byte(quote) == b'"' { self.take()? } else { quote };
        self.member_at(self.plan.state(self.frame.state), quote, colon)
    }

    /// As above, of these two.
    #[inline(always)]
    fn member_at(&mut self, state: &State, quote: u32, colon: u32) -> Result<Id, Stop> {
        if self.frame.members == 0 {
            self.frame.lead = quote;
        }
        self.frame.members = self.frame.members.wrapping_add(1);
        // Before what is wrong with it, as where no positions are kept.
        self.check_members()?;
        self.nameless_member(quote, colon)?;
        let inside = match self.short_name(quote, colon) {
            _ if !state.looks => INERT,
            Some(name) if TRACKS => self.glance(state, name, quote, colon.wrapping_sub(1))?,
            _ => self.look(state, quote, self.body.quote_before(colon))?,
        };
        if SHAPES && state.shaped {
            let after = self.body.tokens.get(self.next.wrapping_add(1)).copied();
            self.shape_value(self.peek(), after.unwrap_or(self.body.bytes.len() as u32));
        }
        Ok(inside)
    }

    /// What a member of a name without escapes is to the plan. The state of its value.
    #[inline(never)]
    fn look_further(&mut self, state: &State, name: Fingerprint, quote: u32, close: u32) -> Result<Id, Stop> {
        let body = self.body;
        let action = self.action(state, name, body.span((quote.wrapping_add(1), close)));
        self.known_member(state, action, quote, close, None)
    }

    /// What a member is to the plan. The state of its value.
    #[inline(never)]
    fn look(&mut self, state: &State, quote: u32, close: u32) -> Result<Id, Stop> {
        if self.has_escape(quote, close) {
            return self.look_decoded(state, quote, close);
        }
        let name = Fingerprint::of(self.body.bytes, quote.wrapping_add(1) as usize, close as usize);
        self.look_further(state, name, quote, close)
    }

    /// What a name is to the plan, taken into the shape.
    fn action(&mut self, state: &State, name: Fingerprint, whole: &[u8]) -> Option<&'a Action> {
        let is_shaped = SHAPES && state.shaped;
        if is_shaped && let Some(item) = self.foreseen(name, whole) {
            return self.plan.actions.get(item.action as usize);
        }
        let action = self.plan.action_of(state, name, whole);
        if is_shaped {
            self.shape_name(name, whole, action);
            if whole.len() > MAX_NAME {
                self.is_too_long();
            }
        }
        action
    }

    #[inline(always)]
    fn has_escape(&mut self, quote: u32, close: u32) -> bool {
        // Nearly always there is none left.
        while let Some(at) = self.body.escapes.get(self.escape) {
            if *at > quote {
                return *at < close;
            }
            self.escape = self.escape.wrapping_add(1);
        }
        false
    }

    #[inline(never)]
    fn look_decoded(&mut self, state: &State, quote: u32, close: u32) -> Result<Id, Stop> {
        let mut name = std::mem::take(&mut self.scratch.key);
        name.clear();
        decode(self.body.span((quote.wrapping_add(1), close)), &mut name);
        let action = self.action(state, Fingerprint::of(&name, 0, name.len()), &name);
        let inside = self.known_member(state, action, quote, close, Some(&name));
        self.scratch.key = name;
        inside
    }

    /// A member in a state where names mean something. `name`: the decoded key, where it has escapes.
    #[inline(always)]
    fn known_member(
        &mut self,
        state: &State,
        action: Option<&Action>,
        quote: u32,
        close: u32,
        name: Option<&[u8]>,
    ) -> Result<Id, Stop> {
        match action {
            None if state.skips_unknown => Ok(state.unknown),
            Some(action) if !TRACKS && state.tracked && action.on_source_path => Err(Stop::Tracks),
            Some(action)
                if !state.converts && !(TRACKS && state.tracked && (state.every_member || action.has_moves())) =>
            {
                // The commonest member of all: expected, or looked for, and under its own name.
                if action.rename == NONE {
                    self.see(action.slot);
                    return Ok(action.next);
                }
                Ok(self.rename(action, quote, close))
            }
            // Its place counts, and it keeps its name.
            Some(action) if TRACKS && !state.converts && action.rename == NONE => {
                let seen = self.see(action.slot);
                let remove_edit = self.reserve_removal();
                let unmapped = state.every_member && !action.expected;
                self.keep(
                    Some(action),
                    action.targets,
                    Kept { quote, close, seen, unmapped, remove_edit, rename_edit: NONE },
                );
                Ok(action.next)
            }
            _ => Ok(self.consider(state, action, quote, close, name)),
        }
    }

    /// Notes that a name is there. Whether it was before.
    #[inline(always)]
    fn see(&mut self, slot: Id) -> bool {
        self.scratch.set_bit(stands(self.frame.bits, slot), slot) == Some(true)
    }

    /// Notes that a rule would give a member that name.
    #[inline(always)]
    fn claim(&mut self, slot: Id) {
        self.frame.contested |= self.scratch.set_bit(claimed(self.frame.bits, slot), slot) != Some(false);
    }
}

/// Whether a token is neither a string nor a scalar. By a table: which kind of value comes next is chance, and a branch
/// for each would be foreseen wrong too often.
#[inline(always)]
fn is_structural(first: u8) -> bool {
    STRUCTURAL.get(usize::from(first)).copied().unwrap_or(false)
}

static STRUCTURAL: [bool; 256] = set_of(b"{}[]:,");

#[cold]
fn malformed(at: u32) -> Stop {
    Stop::Failed(Failure { reason: Reason::Malformed, offset: at as usize })
}
