//! The stencils of elements of one list of a route.

use super::{ListPlace, Stencil, Stencils};
use std::sync::Arc;

/// The stencils of elements, and where the list is.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    place: Option<Arc<ListPlace>>,
    stencils: Stencils,
    /// After elements were passed over in vain, nothing is learned from this many bodies; and how many of them are
    /// still to come.
    penalty: u32,
    ahead: u32,
}

/// What is added to a penalty after doubling it, and its maximum. Each body in which elements were rightly passed over
/// takes one off. So two lists that take turns soon cost next to nothing.
const PENALTY: u32 = 8;
const MAX_PENALTY: u32 = 1024;

impl Elements {
    /// Returns where the list is and the stencils of its elements, if there are any.
    pub(crate) fn known(&mut self) -> Option<(&Arc<ListPlace>, &mut Stencils)> {
        let place = self.place.as_ref().filter(|_| !self.stencils.is_empty())?;
        Some((place, &mut self.stencils))
    }

    /// Whether the list is at that place, and nothing was forgotten since.
    pub(crate) fn is_place(&self, place: &Arc<ListPlace>) -> bool {
        self.place.as_ref().is_some_and(|own| Arc::ptr_eq(own, place))
    }

    /// Whether the list is there.
    pub(crate) fn is_at(&self, place: ListPlace) -> bool {
        self.place.as_deref() == Some(&place)
    }

    /// Whether an element is to be drawn, after a body with an element of unknown skeleton.
    pub(crate) fn wants(&mut self) -> bool {
        let is_ahead = self.ahead > 0;
        self.ahead = self.ahead.saturating_sub(1);
        !is_ahead && self.stencils.wants()
    }

    /// Notes that elements were passed over that are not of the list.
    pub(crate) fn went_astray(&mut self) {
        self.clear();
        self.penalty = self.penalty.saturating_mul(2).saturating_add(PENALTY).min(MAX_PENALTY);
        self.ahead = self.penalty;
    }

    /// Notes that elements were passed over that are of the list.
    pub(crate) fn went_right(&mut self) {
        self.penalty = self.penalty.saturating_sub(1);
    }

    /// Takes what was drawn of an element.
    pub(crate) fn add(&mut self, place: ListPlace, stencil: Option<Stencil>) {
        if !self.is_at(place) {
            self.clear();
            self.place = Some(Arc::new(place));
        }
        self.stencils.add(stencil);
    }

    /// Notes that there was nothing to draw.
    pub(crate) fn add_nothing(&mut self) {
        self.stencils.add(None);
    }

    /// Forgets everything except how often drawing was of use.
    pub(crate) fn clear(&mut self) {
        self.place = None;
        self.stencils.clear();
    }

    /// Returns their size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.stencils.memory()
    }
}
