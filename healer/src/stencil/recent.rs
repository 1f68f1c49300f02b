//! The stencils of one plan, or of one list, that were used last.

use super::{Miss, Reading, Stencil};
use crate::plan::Automaton;
use std::sync::Arc;

/// Stencils kept. A route answers with few skeletons at a time, and each that does not fit costs a look.
const MOST: usize = 4;
/// What a text that fits adds to the credit by which others are looked at, and the maximum of that credit. So looking
/// costs next to nothing if fewer than one text in nine fits.
const EARNED: u32 = 8;
const MOST_CREDIT: u32 = 64;
/// Without credit, one text in this many is looked at.
const RARELY: u32 = 16;
/// Most texts between two drawings.
const MOST_WAIT: u32 = 1024;

/// Stencils, the last used one first.
#[derive(Debug)]
pub(crate) struct Stencils {
    list: Vec<Arc<Stencil>>,
    credit: u32,
    asked: u32,
    /// Texts that fitted no stencil since the last drawing, and how many there must be before the next.
    strangers: u32,
    wait: u32,
}

impl Default for Stencils {
    fn default() -> Self {
        Stencils { list: Vec::new(), credit: MOST_CREDIT, asked: 0, strangers: 0, wait: 1 }
    }
}

impl Stencils {
    /// Returns the stencil that the bytes from an offset on fit, and where the fitting text ends. `reading`: see
    /// [`Stencil::fit`].
    pub(crate) fn find(
        &mut self,
        plan: &Automaton,
        bytes: &[u8],
        from: usize,
        reading: &mut Reading,
    ) -> Result<(&Arc<Stencil>, usize), Miss> {
        self.asked = self.asked.wrapping_add(1);
        if self.credit == 0 && !self.asked.is_multiple_of(RARELY) {
            return Err(Miss::Other);
        }
        let mut miss = Miss::Other;
        for place in 0..self.list.len() {
            match self.list.get(place).map_or(Err(Miss::Other), |stencil| stencil.fit(plan, bytes, from, reading)) {
                Ok(end) => {
                    if place > 0 {
                        self.list.get_mut(..=place).unwrap_or_default().rotate_right(1);
                    }
                    self.credit = self.credit.saturating_add(EARNED).min(MOST_CREDIT);
                    self.wait = 1;
                    return self.list.first().map(|stencil| (stencil, end)).ok_or(Miss::Other);
                }
                Err(Miss::Short) => miss = Miss::Short,
                Err(Miss::Other) => (),
            }
        }
        if miss == Miss::Other && !self.list.is_empty() {
            self.credit = self.credit.saturating_sub(1);
        }
        Err(miss)
    }

    /// Whether a text that fitted no stencil is to be drawn. The answer is yes ever more rarely while what was drawn is
    /// of no use.
    pub(crate) fn wants(&mut self) -> bool {
        self.strangers = self.strangers.saturating_add(1);
        self.strangers >= self.wait
    }

    /// Takes what was drawn of a text. If a stencil of the same skeleton lacks an element of a list, the two are
    /// merged.
    pub(crate) fn add(&mut self, stencil: Option<Stencil>) {
        self.strangers = 0;
        self.wait = self.wait.saturating_mul(2).min(MOST_WAIT);
        if let Some(stencil) = stencil.and_then(|stencil| stencil.merge(&mut self.list)) {
            self.list.truncate(MOST.saturating_sub(1));
            self.list.insert(0, Arc::new(stencil));
        }
    }

    /// Whether a stencil is still one of them.
    pub(crate) fn has(&self, stencil: &Arc<Stencil>) -> bool {
        self.list.iter().any(|own| Arc::ptr_eq(own, stencil))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Forgets all stencils. How often drawing was of use is kept: otherwise a list of short lists would cost a drawing
    /// for each.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// Returns their size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.list.iter().fold(0, |sum, stencil| sum.saturating_add(stencil.memory()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_in_vain_is_not_drawn_again_at_once() {
        let mut stencils = Stencils::default();
        let mut drawn = 0;
        for _ in 0..1000 {
            if stencils.wants() {
                stencils.add(None);
                drawn += 1;
            }
            stencils.clear();
        }
        assert_eq!(drawn, 9);
    }
}
