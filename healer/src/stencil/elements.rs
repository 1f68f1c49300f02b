//! The stencils of elements of one list of a route.

use super::{ListPlace, Stencil, Stencils};
use std::sync::Arc;

/// The stencils of elements, and where the list is.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    place: Option<Arc<ListPlace>>,
    stencils: Stencils,
}

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
        self.stencils.wants()
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

    /// Takes in that there was nothing to draw.
    pub(crate) fn add_nothing(&mut self) {
        self.stencils.add(None);
    }
}
