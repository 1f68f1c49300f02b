//! Which renames of one object fire.
//!
//! The expected name wins if it stands. Among names for the same target the lower rank wins, then the earlier name.
//! Every occurrence of the winning name is renamed, so a parser sees the same duplicates as before.

use super::moves::undo_inside;
use crate::order;
use crate::plan::Automaton;
use crate::plan::automaton::{Id, NONE};
use crate::report::{Name, Op, OpKind};
use crate::scratch::{Best, Edit, EditKind, Frame, Scratch, stands};
use crate::text::decoded;
use crate::walk::Body;

/// Whether there is anything to decide: two members of the object want the same name, or one wants a name that stands.
#[inline(always)]
pub(crate) fn are_contested(frame: &Frame, scratch: &Scratch) -> bool {
    let pairs = scratch.bits.get(frame.bits as usize..).unwrap_or_default().as_chunks::<2>().0;
    frame.contested || pairs.iter().any(|[stand, claimed]| stand & claimed != 0)
}

/// Decides the hits of the object that `frame` describes. All of them have their edits.
#[inline(never)]
pub(crate) fn renames(body: &Body<'_>, plan: &Automaton, frame: &Frame, scratch: &mut Scratch) {
    let hits = frame.hits..scratch.hits.len() as u32;
    let epoch = scratch.next_epoch();
    let mut unslotted = false;
    for id in hits.clone() {
        let Some(hit) = scratch.hits.get(id as usize) else { continue };
        let (slot, rank) = (hit.slot, hit.rank);
        unslotted |= slot == NONE;
        if slot != NONE && !is_present(scratch, frame, slot) {
            claim(scratch, epoch, slot, rank, id);
        }
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

fn is_present(scratch: &Scratch, frame: &Frame, slot: Id) -> bool {
    let word = stands(frame.bits, slot) as usize;
    scratch.bits.get(word).is_some_and(|word| word & (1u64 << (slot & 63)) != 0)
}

/// Claims a slot for a hit, unless a hit of a better or equal rank has it.
fn claim(scratch: &mut Scratch, epoch: u32, slot: Id, rank: u16, id: Id) {
    if scratch.best.len() <= slot as usize {
        scratch.best.resize((slot as usize).saturating_add(1), Best::default());
    }
    let Some(best) = scratch.best.get_mut(slot as usize) else { return };
    if best.epoch != epoch || rank < best.rank {
        *best = Best { epoch, rank, hit: id };
    }
}

fn decide_slotted(body: &Body<'_>, scratch: &mut Scratch, epoch: u32, id: Id) {
    let Some(slot) = scratch.hits.get(id as usize).map(|hit| hit.slot) else { return };
    let best = scratch.best.get(slot as usize).copied().unwrap_or_default();
    if slot != NONE && best.epoch == epoch {
        fire_if_named_alike(body, scratch, id, best.hit);
    }
}

fn fire_if_named_alike(body: &Body<'_>, scratch: &mut Scratch, id: Id, winner: Id) {
    let edit = |id: Id| scratch.hits.get(id as usize).and_then(|hit| scratch.edits.get(hit.edit as usize));
    let inside = |edit: &Edit| body.span((edit.at.wrapping_add(1), edit.end.wrapping_sub(1)));
    let name = |id: Id| edit(id).map(inside).unwrap_or_default();
    let alike = id == winner || decoded(name(id)) == decoded(name(winner));
    if let Some(hit) = scratch.hits.get_mut(id as usize) {
        hit.fired = alike;
    }
}

/// Decides hits whose new name has no slot, because only a convention makes it. Such names are searched among the
/// hashes of all names. If two names share a hash, a rename is not made; a wrong one is never made.
fn decide_unslotted(body: &Body<'_>, frame: &Frame, scratch: &mut Scratch) {
    let mut wanted = std::mem::take(&mut scratch.wanted);
    wanted.clear();
    let hits = scratch.hits.get(frame.hits as usize..).unwrap_or_default().iter().zip(frame.hits..);
    wanted.extend(hits.filter(|(hit, _)| hit.slot == NONE).map(|(hit, id)| (hit.hash, id)));
    // Where several conventions make one name, the rank decides, then the position.
    let rank = |id: Id| scratch.hits.get(id as usize).map_or(u16::MAX, |hit| hit.rank);
    let key = |(hash, id): &(u64, Id)| (*hash, rank(*id), *id);
    order::sort_by_less(&mut wanted, |a, b| key(a) < key(b));
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
    let Some(hit) = scratch.hits.get(id as usize).copied().filter(|hit| !hit.fired) else { return };
    if let Some(Edit { at, kind: EditKind::Key { text, in_arena, rule }, .. }) = scratch.edits.get(hit.edit as usize) {
        let name = Name { text: *text, in_arena: *in_arena };
        scratch.conflicts.push(Op { kind: OpKind::Rename, at: *at, rule: *rule, name });
    }
    scratch.set_edit(hit.edit, EditKind::Void);
    if plan.contract {
        undo_inside(plan, scratch, hit.inner, hit.value);
    }
}
