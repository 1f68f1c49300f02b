//! Members: what a name is to the plan.

use super::consider::Kept;
use super::{Stop, Walk, malformed};
use crate::memo::MAX_NAME;
use crate::plan::automaton::{Action, INERT, Id, NONE, Others, State};
use crate::plan::table::{Fingerprint, Glance, SHORT};
use crate::scratch::{claimed, stands};
use crate::text::decode;

impl<'a, const TRACKS: bool, const SHAPES: bool> Walk<'a, '_, TRACKS, SHAPES> {
    /// Reads a key and its colon. Returns the state of the value that follows.
    #[inline(always)]
    pub(super) fn member(&mut self) -> Result<Id, Stop> {
        let quote = self.take()?;
        let colon = if self.body.byte(quote) == b'"' { self.take()? } else { quote };
        self.member_at(self.plan.state(self.frame.state), quote, colon)
    }

    /// As [`Walk::member`], with the offsets of both.
    #[inline(always)]
    pub(super) fn member_at(&mut self, state: &State, quote: u32, colon: u32) -> Result<Id, Stop> {
        if self.frame.members == 0 {
            self.frame.lead = quote;
        }
        self.frame.members = self.frame.members.wrapping_add(1);
        // Checked before the member's own error, as in a walk that keeps no positions.
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

    /// Returns the fingerprint of a key of up to 16 bytes that has no escapes, is directly followed by its colon, and
    /// is not at the very end of the body. One bounds check covers all that is read.
    #[inline(always)]
    pub(super) fn short_name(&mut self, quote: u32, colon: u32) -> Option<Fingerprint> {
        let window: &[u8; SHORT as usize + 4] = self.body.bytes.get(quote as usize..)?.first_chunk()?;
        let len = colon.wrapping_sub(quote).wrapping_sub(2) as usize;
        let [b'"', near @ ..] = window else { return None };
        let name = Fingerprint::at_start(near.first_chunk()?, len)?;
        // Compared as a number, because WebAssembly compares bytes by a call.
        let end = u16::from_le_bytes(*near.get(len..)?.first_chunk()?);
        let is_plain = end == u16::from_le_bytes(*b"\":") && !self.has_escape(quote, colon);
        is_plain.then_some(name)
    }

    /// Reads a member with a short name. Returns the state of its value.
    #[inline(always)]
    pub(super) fn short_member(
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

    /// As [`Walk::short_member`], up to the value. Probes the table once, and looks further if that settles nothing or
    /// another member was foreseen.
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

    /// Checks key and colon, and reads a member with any name. Returns the state of its value.
    #[inline(never)]
    pub(super) fn other_member(&mut self, state: &State, [quote, colon, value, after]: [u32; 4]) -> Result<Id, Stop> {
        self.nameless_member(quote, colon)?;
        let inside = self.look(state, quote, self.body.quote_before(colon))?;
        if SHAPES && state.shaped {
            self.shape_value(value, after);
        }
        Ok(inside)
    }

    /// Checks a member where no name means anything.
    #[inline(always)]
    pub(super) fn nameless_member(&self, quote: u32, colon: u32) -> Result<Id, Stop> {
        let (is_key, is_colon) = (self.body.byte(quote) == b'"', self.body.byte(colon) == b':');
        if is_key & is_colon { Ok(INERT) } else { Err(malformed(if is_key { colon } else { quote })) }
    }

    /// Reads a member whose name has no escapes. Returns the state of its value.
    #[inline(never)]
    fn look_further(&mut self, state: &State, name: Fingerprint, quote: u32, close: u32) -> Result<Id, Stop> {
        let body = self.body;
        let action = self.action(state, name, body.span((quote.wrapping_add(1), close)));
        self.known_member(state, action, quote, close, None)
    }

    /// Reads a member with any name. Returns the state of its value.
    #[inline(never)]
    fn look(&mut self, state: &State, quote: u32, close: u32) -> Result<Id, Stop> {
        if self.has_escape(quote, close) {
            return self.look_decoded(state, quote, close);
        }
        let name = Fingerprint::between(self.body.bytes, quote.wrapping_add(1) as usize, close as usize);
        self.look_further(state, name, quote, close)
    }

    /// Returns what a name is to the plan, and adds the name to the shape.
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
        // Nearly always no escape is left.
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
        let action = self.action(state, Fingerprint::of(&name), &name);
        let inside = self.known_member(state, action, quote, close, Some(&name));
        self.scratch.key = name;
        inside
    }

    /// Reads a member in a state where names mean something. `name`: the decoded key, if it has escapes.
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
                if !state.converts
                    && !(TRACKS && state.tracked && (state.others != Others::Passed || action.has_moves())) =>
            {
                // The commonest member: expected or watched for, and under its own name.
                if action.rename == NONE {
                    self.see(action.slot);
                    return Ok(action.next);
                }
                Ok(self.rename(action, quote, close))
            }
            // Its position matters, and it keeps its name.
            Some(action) if TRACKS && !state.converts && action.rename == NONE => {
                let seen = self.see(action.slot);
                let remove_edit = self.reserve_removal();
                let unmapped = state.others == Others::Dropped && !action.expected;
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

    /// Notes that a name stands. Returns whether it stood before.
    #[inline(always)]
    pub(super) fn see(&mut self, slot: Id) -> bool {
        self.scratch.set_bit(stands(self.frame.bits, slot), slot) == Some(true)
    }

    /// Notes that a rule would give a member that name.
    #[inline(always)]
    pub(super) fn claim(&mut self, slot: Id) {
        self.frame.contested |= self.scratch.set_bit(claimed(self.frame.bits, slot), slot) != Some(false);
    }
}
