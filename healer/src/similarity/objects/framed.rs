//! Which members are directly in what stands for an expected object, or in a wrapper there.

use super::frames::frame_around;
use crate::order::{run, sort};
use crate::similarity::Id;
use crate::similarity::record::Record;

/// The members that are in frames, by the frame and their names ([`Name::joined`]), ascending. The frame of the record
/// itself is [`NONE`]. It holds as long as no frame changes.
///
/// [`Name::joined`]: crate::similarity::names::Name::joined
/// [`NONE`]: crate::similarity::NONE
pub(crate) struct Framed(Vec<((Id, u64), Id)>);

impl Framed {
    #[inline(never)]
    pub(crate) fn of(record: &Record<'_, '_>) -> Framed {
        let place = |(joined, id): &(u64, Id)| Some(((frame_around(record, *id)?, *joined), *id));
        let mut members: Vec<((Id, u64), Id)> = record.scratch.named.iter().filter_map(place).collect();
        sort(&mut members);
        Framed(members)
    }

    /// Returns the members of a name in a frame.
    pub(crate) fn named(&self, frame: Id, joined: u64) -> impl Iterator<Item = Id> {
        run(&self.0, (frame, joined)).iter().map(|(_, id)| *id)
    }

    /// Whether a member of a name is in a frame.
    #[inline(never)]
    pub(crate) fn has(&self, frame: Id, joined: u64) -> bool {
        self.0.binary_search_by_key(&(frame, joined), |(place, _)| *place).is_ok()
    }
}
