//! Names that occur twice in an object.

use crate::plan::automaton::{Id, NONE};
use crate::scratch::{Best, Scratch};

/// Marks the members of a closing container whose names occur again later; the later members are marked already. One
/// pass from the last member to the first, so the cost depends only on the number of members, however often names
/// occur.
#[cold]
#[inline(never)]
pub(crate) fn mark_twice(container: Id, scratch: &mut Scratch) {
    let epoch = scratch.next_epoch();
    let Scratch { members, containers, best, .. } = scratch;
    let mut at = containers.get(container as usize).map_or(NONE, |container| container.last_member);
    while let Some(member) = members.get_mut(at as usize) {
        at = member.before;
        let slot = member.slot as usize;
        if member.twice {
            if best.len() <= slot {
                best.resize(slot.saturating_add(1), Best::default());
            }
            best.get_mut(slot).into_iter().for_each(|later| later.epoch = epoch);
        } else if best.get(slot).is_some_and(|later| later.epoch == epoch) {
            member.twice = true;
        }
    }
}
