//! Elements of an array that have the skeleton of earlier ones.
//!
//! They are healed as they stand in the window, before it is scanned. The scan continues after the last of them.

use super::tape::{Ahead, Probe};
use super::{Expects, Incremental, Tools};
use crate::intake::Intake;
use crate::stencil::{MAX_BYTES, MAX_LOOKS, Miss, Reading, Stencil, Stencils, white};
use crate::walk::{Body, Part};
use std::sync::Arc;

/// What is known of the elements of the innermost array.
#[derive(Debug, Default)]
pub(super) struct Traced {
    stencils: Stencils,
    /// The generation of shapes in which a stencil was last drawn.
    generation: u32,
    reading: Reading,
    /// The stencil of the last elements, which all became the same, and how many of them are not counted yet.
    last: Option<Arc<Stencil>>,
    repeats: u32,
    /// The element that was last compared and did not fit, as an offset in the body, and how often it was compared.
    misfit: usize,
    looks: u32,
}

impl Traced {
    /// Forgets the stencils: another array is the innermost, or shapes were forgotten.
    pub(super) fn clear(&mut self) {
        self.stencils.clear();
    }

    /// Returns its size in memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.stencils.memory().saturating_add(self.reading.memory())
    }

    /// Counts a look at the element at an offset in the body that did not fit. Returns what to do with the element.
    fn miss(&mut self, at: usize, miss: Miss) -> Miss {
        self.looks = if self.misfit == at { self.looks.saturating_add(1) } else { 1 };
        self.misfit = at;
        if miss == Miss::Short && self.looks < MAX_LOOKS {
            return Miss::Short;
        }
        self.looks = MAX_LOOKS;
        Miss::Other
    }

    /// Whether the element at an offset in the body was compared often enough.
    fn is_done_with(&self, at: usize) -> bool {
        self.misfit == at && self.looks >= MAX_LOOKS
    }

    /// Whether the element that comes next is to be drawn.
    pub(super) fn wants(&mut self) -> bool {
        self.stencils.wants()
    }
}

impl Incremental {
    /// Heals elements by their skeletons, up to one that has another. Returns whether all that is left is the beginning
    /// of an element.
    pub(super) fn trace(&mut self, tools: &mut Tools<'_>) -> bool {
        if self.traced.generation != tools.memo.generation() {
            self.traced.clear();
        }
        let in_array = self.spine.last().is_some_and(|level| !level.is_object);
        let at_border = match self.expects {
            Expects::Value { .. } => true,
            // Strings leave while they are still open.
            Expects::Separator => !self.window.scanner.in_string(),
            _ => false,
        };
        if !(in_array && at_border) || self.careful || self.traced.stencils.is_empty() {
            return false;
        }
        let start = self.gone;
        let mut at = start;
        let waits = loop {
            match self.trace_element(tools, &mut at) {
                Ok(()) => (),
                Err(miss) => break miss == Miss::Short,
            }
        };
        self.count_repeats();
        self.release(tools.healer, at);
        if at > start {
            self.window.scanner.resume(self.gone, self.spine.len() as u32);
            self.soundness.resume(self.gone);
            (self.next, self.ahead, self.probe) = (0, Ahead::default(), Probe::default());
        }
        waits
    }

    /// Heals the element that follows the offset `at`, and moves `at` behind it. If no element fits, moves `at` only
    /// behind the separator. What stays as it came at the end is left for later.
    fn trace_element(&mut self, tools: &mut Tools<'_>, at: &mut usize) -> Result<(), Miss> {
        self.pass_separator(at)?;
        let bytes = self.window.held.as_slice();
        let place = self.before.saturating_add(*at);
        if self.traced.is_done_with(place) {
            return Err(Miss::Other);
        }
        let Traced { stencils, reading, last, .. } = &mut self.traced;
        let most = self.window.limits.max_held();
        let (stencil, end) = match stencils.find(tools.memo.automaton(tools.plan), bytes, *at, reading) {
            Ok(found) => found,
            Err(miss) => {
                let is_long = bytes.len().wrapping_sub(*at) > MAX_BYTES.min(most);
                return Err(self.traced.miss(place, if is_long { Miss::Other } else { miss }));
            }
        };
        if end.wrapping_sub(*at) > most {
            return Err(Miss::Other);
        }
        self.gone = tools.healer.trace_part(stencil, bytes, (self.gone, end), reading);
        *at = end;
        self.expects = Expects::Separator;
        if stencil.has_lists() {
            self.summary.add(stencil.summary(reading));
            return Ok(());
        }
        if !last.as_ref().is_some_and(|last| Arc::ptr_eq(last, stencil)) {
            let stencil = Arc::clone(stencil);
            self.count_repeats();
            self.traced.last = Some(stencil);
        }
        self.traced.repeats = self.traced.repeats.saturating_add(1);
        Ok(())
    }

    /// Counts what was done to elements of one skeleton. At once for all, since most elements are like the one before.
    fn count_repeats(&mut self) {
        let repeats = std::mem::take(&mut self.traced.repeats);
        if let Some(stencil) = self.traced.last.take() {
            self.summary.add_times(&stencil.own, repeats);
        }
    }

    /// Passes what is before the object that is to come next.
    fn pass_separator(&mut self, at: &mut usize) -> Result<(), Miss> {
        let bytes = self.window.held.as_slice();
        *at = white(bytes, *at);
        if self.expects == Expects::Separator && bytes.get(*at) == Some(&b',') {
            *at = white(bytes, at.wrapping_add(1));
            self.expects = Expects::Value { first: false };
        }
        match bytes.get(*at) {
            None => Err(Miss::Short),
            Some(b'{') if self.expects != Expects::Separator => Ok(()),
            Some(_) => Err(Miss::Other),
        }
    }

    /// Heals one element, given its tokens and its offsets, and draws it. Returns whether it could be healed.
    pub(super) fn heal_and_draw(
        &mut self,
        tools: &mut Tools<'_>,
        part: Part,
        (first, after): (usize, usize),
        (start, end): (usize, usize),
    ) -> bool {
        let healed = tools.healer.output().len().saturating_add(start.saturating_sub(self.gone));
        tools.healer.set_draws(true);
        let done = self.heal(tools, part, (first, after), end);
        tools.healer.set_draws(false);
        let Ok((walked, summary)) = done else { return false };
        let Intake { held, scanner, limits, .. } = &*self.window;
        let body = Body::of(held, scanner, limits, part).cut(first..after, end);
        let stencil = tools.healer.draw(&body, tools.plan, tools.memo, (start, end), healed, summary);
        self.traced.generation = tools.memo.generation();
        self.traced.stencils.add(stencil);
        self.next = walked;
        self.expects = Expects::Separator;
        true
    }
}
