//! Which renames of one object fire.
//!
//! The expected name wins where it stands. Among names for the same target the lower rank wins, then the earlier
//! one; every occurrence of the winning name is renamed, so that a parser sees the duplicates that it saw before.

use super::moves::undo_inside;
use crate::order;
use std::ops::Range;

use crate::plan::Automaton;
use crate::plan::automaton::{Id, NONE};
use crate::scratch::{Best, EditKind, Frame, Scratch};
use crate::text::decode;
use crate::walk::Body;

/// Decides the hits of the object that `frame` describes.
pub(crate) fn renames(body: &Body<'_>, plan: &Automaton, frame: &Frame, scratch: &mut Scratch) {
    let hits = frame.hits..scratch.hits.len() as u32;
    let epoch = scratch.next_epoch();
    let (mut contested, mut unslotted) = (false, false);
    for id in hits.clone() {
        let Some(hit) = scratch.hits.get(id as usize) else { continue };
        let (slot, rank) = (hit.slot, hit.rank);
        if slot == NONE {
            unslotted = true;
        } else {
            contested |= is_present(scratch, frame, slot) || !claim(scratch, epoch, slot, rank, id);
        }
    }
    if !contested && !unslotted {
        return fire_all(scratch, hits);
    }
    for id in hits.clone() {
        decide_slotted(body, scratch, epoch, id);
    }
    if unslotted {
        decide_unslotted(body, frame, scratch);
    }
    for id in hits {
        carry_out(plan, scratch, id);
    }
}

/// Where no two want the same name and none of them stands, there is nothing to decide.
fn fire_all(scratch: &mut Scratch, hits: Range<u32>) {
    for hit in scratch.hits.get(hits.start as usize..hits.end as usize).unwrap_or_default() {
        if let Some(edit) = scratch.edits.get_mut(hit.edit as usize) {
            edit.kind = EditKind::Key { text: hit.text, in_arena: hit.in_arena, rule: hit.rule };
        }
    }
}

fn is_present(scratch: &Scratch, frame: &Frame, slot: Id) -> bool {
    let word = frame.bits.wrapping_add(slot >> 6) as usize;
    scratch.bits.get(word).is_some_and(|word| word & (1u64 << (slot & 63)) != 0)
}

/// Claims a slot for a hit, unless one of a better rank has it. Whether it was free.
fn claim(scratch: &mut Scratch, epoch: u32, slot: Id, rank: u16, id: Id) -> bool {
    if scratch.best.len() <= slot as usize {
        scratch.best.resize((slot as usize).saturating_add(1), Best::default());
    }
    let Some(best) = scratch.best.get_mut(slot as usize) else { return false };
    let free = best.epoch != epoch;
    if free || rank < best.rank {
        *best = Best { epoch, rank, hit: id };
    }
    free
}

fn decide_slotted(body: &Body<'_>, scratch: &mut Scratch, epoch: u32, id: Id) {
    let Some(slot) = scratch.hits.get(id as usize).map(|hit| hit.slot) else { return };
    let best = scratch.best.get(slot as usize).copied().unwrap_or_default();
    if slot != NONE && best.epoch == epoch {
        fire_if_named_alike(body, scratch, id, best.hit);
    }
}

fn fire_if_named_alike(body: &Body<'_>, scratch: &mut Scratch, id: Id, winner: Id) {
    let name = |id: Id| scratch.hits.get(id as usize).map(|hit| body.span(hit.key)).unwrap_or_default();
    let alike = id == winner || same_name(name(id), name(winner));
    if let Some(hit) = scratch.hits.get_mut(id as usize) {
        hit.fired = alike;
    }
}

fn same_name(left: &[u8], right: &[u8]) -> bool {
    if !left.contains(&b'\\') && !right.contains(&b'\\') {
        return left == right;
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    decode(left, &mut a);
    decode(right, &mut b);
    a == b
}

/// Names that conventions make and no rule knows have no slot: they are found among the hashes of all names.
fn decide_unslotted(body: &Body<'_>, frame: &Frame, scratch: &mut Scratch) {
    let mut wanted = std::mem::take(&mut scratch.wanted);
    wanted.clear();
    let hits = scratch.hits.iter().zip(0u32..).skip(frame.hits as usize);
    wanted.extend(hits.filter(|(hit, _)| hit.slot == NONE).map(|(hit, id)| (hit.hash, id)));
    // All conventions of a plan apply in one order of rank, so the earlier of two has the better rank or the same
    // convention; the rank decides first where several conventions meet.
    let rank = |id: Id| scratch.hits.get(id as usize).map_or(u16::MAX, |hit| hit.rank);
    order::sort_by_key(&mut wanted, |(hash, id)| (*hash, rank(*id), *id));
    let mut present = vec![false; wanted.len()];
    for name in scratch.names.get(frame.names as usize..).unwrap_or_default() {
        let first = wanted.partition_point(|(hash, _)| hash < name);
        if wanted.get(first).is_some_and(|(hash, _)| hash == name)
            && let Some(place) = present.get_mut(first)
        {
            *place = true;
        }
    }
    let mut winner = (0, NONE);
    for ((hash, id), present) in wanted.iter().zip(present) {
        if winner.1 == NONE || winner.0 != *hash {
            winner = (*hash, if present { NONE - 1 } else { *id });
        }
        if scratch.hits.get(winner.1 as usize).is_some() {
            fire_if_named_alike(body, scratch, *id, winner.1);
        }
    }
    scratch.wanted = wanted;
}

fn carry_out(plan: &Automaton, scratch: &mut Scratch, id: Id) {
    let Some(hit) = scratch.hits.get(id as usize).copied() else { return };
    if hit.fired {
        scratch.set_edit(hit.edit, EditKind::Key { text: hit.text, in_arena: hit.in_arena, rule: hit.rule });
        return;
    }
    scratch.conflicts = scratch.conflicts.saturating_add(1);
    if plan.contract {
        undo_inside(plan, scratch, hit.inner, hit.value);
    }
}
