//! Drawing stencils of elements from a list that was healed.

use super::{Healer, Summary, checked};
use crate::intake::{Intake, Stranger};
use crate::memo::{Course, Instance, Memo};
use crate::outermost;
use crate::plan::Plan;
use crate::plan::automaton::Id;
use crate::scratch::{Innermost, Scratch};
use crate::stencil::{ListPlace, Passed, Stencil};
use crate::walk::{Body, Cursor, Part, Records, walk};
use std::ops::Range;

/// Shorter bodies gain nothing: their elements take half a microsecond in all.
const MIN_BYTES: usize = 512;

impl Healer {
    /// Learns from the body that was healed last, once its output is no longer needed. If the body is or holds a list
    /// with an element of unknown skeleton, one such element is drawn, so that later bodies are healed faster. Learns
    /// nothing from a body that cannot be healed. Costs a look through the tape, a walk up to the element, and four
    /// times the healing of that element; happens ever more rarely where what was learned is of no use.
    pub fn learn(&mut self, plan: &Plan, memo: &mut Memo, intake: &Intake) {
        let stranger = intake.known.stranger();
        let is_familiar = intake.known.stencil.is_some() || matches!(stranger, Stranger::Nowhere);
        if is_familiar || intake.held.len() < MIN_BYTES || !memo.elements().wants() {
            return;
        }
        let Ok(body) = checked(intake) else { return };
        if outermost::is_elsewhere(plan, &body) {
            return;
        }
        let body = Body { passed: Passed::NOTHING, ..body };
        let found = match stranger {
            Stranger::Nowhere => None,
            Stranger::Anywhere => first_of_list(&body),
            Stranger::At(open) => element_at(&body, open),
        };
        let drawn = found.and_then(|(array, element)| {
            let place = Healer::place_of((&body, array), plan, memo, (&mut self.scratch, &self.settled))?;
            let is_known = memo.depth_of_elements().is_some();
            // If a list is known, an element of unknown skeleton in another list proves nothing about it.
            let is_there = matches!(stranger, Stranger::Anywhere) || !is_known || memo.elements().is_at(place);
            is_there.then(|| (place, self.draw_element(&body, place.state, element, plan, memo)))
        });
        match drawn {
            Some((place, stencil)) => memo.elements().add(place, stencil),
            None => memo.elements().add_nothing(),
        }
        self.clear_output();
    }

    /// Returns the place of an array, given the token that opens it.
    pub(super) fn place_of(
        (body, array): (&Body<'_>, usize),
        plan: &Plan,
        memo: &Memo,
        (scratch, settled): (&mut Scratch, &[Instance]),
    ) -> Option<ListPlace> {
        let tokens = body.tokens.get(..=array)?;
        let records = Records { memo: Some(memo), settled };
        let records = memo.is_used().then_some(&records);
        // The tape ends inside the array, so the walk fails there and reports the innermost container.
        let walked = walk(&Body { tokens, ..*body }, memo.automaton(plan), records, scratch);
        let Innermost { state, depth, is_evidence } = scratch.innermost;
        (walked.is_err() && !is_evidence).then_some(ListPlace { state, depth })
    }

    #[inline(never)]
    pub(super) fn draw_element(
        &mut self,
        body: &Body<'_>,
        array: Id,
        element: Range<usize>,
        plan: &Plan,
        memo: &mut Memo,
    ) -> Option<Stencil> {
        let open = *body.tokens.get(element.start)? as usize;
        let close = *body.tokens.get(element.end.checked_sub(1)?)? as usize;
        let part = Body { part: Part::Elements(array), ..*body }.cut(element, close.wrapping_add(1));
        let (summary, end) = self.heal_alone(&part, open, plan, memo)?;
        let summary = Summary { lacks: self.scratch.lacks, ..summary };
        self.draw(&part, plan, memo, (open, end), 0, summary)
    }

    /// Heals a part of a body from an offset on, as if nothing had come before it, in order to draw it. Also returns
    /// where the part ends.
    #[inline(never)]
    pub(super) fn heal_alone(
        &mut self,
        body: &Body<'_>,
        from: usize,
        plan: &Plan,
        memo: &mut Memo,
    ) -> Option<(Summary, usize)> {
        self.clear_output();
        let mut course = Course::default();
        memo.exchange(&mut course);
        self.set_draws(true);
        let healed = self.heal_part(plan, memo, body, from);
        self.set_draws(false);
        memo.exchange(&mut course);
        healed.ok()
    }
}

/// Returns the array around the element that opens at an offset, and the element's tokens.
fn element_at(body: &Body<'_>, open: u32) -> Option<(usize, Range<usize>)> {
    let first = body.tokens.binary_search(&open).ok()?;
    let mut depth = 0usize;
    let array = (0..first).rev().find(|token| match byte(body, *token) {
        b'}' | b']' => {
            depth = depth.saturating_add(1);
            false
        }
        b'{' | b'[' if depth == 0 => true,
        b'{' | b'[' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => false,
    })?;
    element(body, array, first)
}

/// Returns the outermost array that begins with an object, has two or more elements and is at least half as long as the
/// body, and the tokens of its first element.
fn first_of_list(body: &Body<'_>) -> Option<(usize, Range<usize>)> {
    let mut open: Vec<Open> = Vec::new();
    let mut list = None;
    for (token, at) in body.tokens.iter().enumerate() {
        match byte(body, token) {
            b'{' | b'[' => open.push(Open { token, at: *at, has_more: false }),
            b',' => open.last_mut()?.has_more = true,
            b'}' | b']' => {
                let Open { token: first, at: start, has_more } = open.pop()?;
                let is_long = (at.wrapping_sub(start) as usize) >= body.bytes.len() / 2;
                if is_long && has_more && byte(body, first) == b'[' && byte(body, first.wrapping_add(1)) == b'{' {
                    list = Some(first);
                }
            }
            _ => (),
        }
    }
    list.and_then(|array| element(body, array, array.wrapping_add(1)))
}

/// An open container, and whether it has more than one element.
struct Open {
    token: usize,
    at: u32,
    has_more: bool,
}

/// Returns the element that begins at a token, if it is an object in an array.
fn element(body: &Body<'_>, array: usize, first: usize) -> Option<(usize, Range<usize>)> {
    let mut cursor = Cursor::new(body, first);
    let is_element = byte(body, array) == b'[' && cursor.byte() == b'{';
    cursor.skip();
    is_element.then_some((array, first..cursor.token()))
}

fn byte(body: &Body<'_>, token: usize) -> u8 {
    Cursor::new(body, token).byte()
}
