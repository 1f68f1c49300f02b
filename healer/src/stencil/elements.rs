//! The stencils of elements of one list of a route.

use super::{ListPlace, Stencil, Stencils};
use std::sync::Arc;

/// The stencils of elements, and where the list is.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    place: Option<Arc<ListPlace>>,
    stencils: Stencils,
    /// How many bodies nothing is learned from after elements were passed over in vain, and how many of them are ahead.
    penalty: u32,
    ahead: u32,
}

/// What a penalty grows by, beyond doubling, and its most. Each body in which elements were passed over for good takes one
/// off. So two lists that take turns soon cost next to nothing.
const PENALTY: u32 = 8;
const MAX_PENALTY: u32 = 1024;

impl Elements {
    /// Where the list is, and the stencils of its elements, if there are any.
    pub(crate) fn known(&mut self) -> Option<(&Arc<ListPlace>, &mut Stencils)> {
        let place = self.place.as_ref().filter(|_| !self.stencils.is_empty())?;
        Some((place, &mut self.stencils))
    }

    /// Whether it is that place, and nothing was forgotten since.
    pub(crate) fn is_place(&self, place: &Arc<ListPlace>) -> bool {
        self.place.as_ref().is_some_and(|own| Arc::ptr_eq(own, place))
    }

    /// Whether the list is there.
    pub(crate) fn is_at(&self, place: ListPlace) -> bool {
        self.place.as_deref() == Some(&place)
    }

    /// Whether an element is to be drawn, of a body that had one of no known skeleton.
    pub(crate) fn wants(&mut self) -> bool {
        let is_ahead = self.ahead > 0;
        self.ahead = self.ahead.saturating_sub(1);
        !is_ahead && self.stencils.wants()
    }

    /// Elements were passed over that are not of the list.
    pub(crate) fn went_astray(&mut self) {
        self.clear();
        self.penalty = self.penalty.saturating_mul(2).saturating_add(PENALTY).min(MAX_PENALTY);
        self.ahead = self.penalty;
    }

    /// Elements were passed over, and are of the list.
    pub(crate) fn went_right(&mut self) {
        self.penalty = self.penalty.saturating_sub(1);
    }

    /// Takes in what was drawn of an element.
    pub(crate) fn add(&mut self, place: ListPlace, stencil: Option<Stencil>) {
        if !self.is_at(place) {
            self.clear();
            self.place = Some(Arc::new(place));
        }
        self.stencils.add(stencil);
    }

    /// Forgets all, but how often drawing was of use.
    pub(crate) fn clear(&mut self) {
        self.place = None;
        self.stencils.clear();
    }

    /// Bytes of memory that they take.
    pub(crate) fn memory(&self) -> usize {
        self.stencils.memory()
    }

    /// Takes in that there was nothing to draw.
    pub(crate) fn add_nothing(&mut self) {
        self.stencils.add(None);
    }
}
