//! What is removed from a tree of tracked objects, and which commas with it.

use super::carry::carry_out;
use crate::plan::Automaton;
use crate::plan::automaton::{Id, NONE};
use crate::scratch::{Container, Edit, EditKind, Fate, MAX_GAP, Member, Scratch};

/// Turns decisions about a closed tree of objects into edits, and forgets the tree.
pub(crate) fn layout(plan: &Automaton, root: Id, scratch: &mut Scratch) {
    let Some(Container { first_member, first_source, first_target, .. }) = scratch.container(root).copied() else {
        return;
    };
    let first = first_member as usize;
    carry_out(plan, first_source as usize, scratch);
    for id in (root..scratch.containers.len() as Id).rev() {
        settle(plan, root, id, scratch);
    }
    let Scratch { members, containers, edits, .. } = &mut *scratch;
    members.iter().skip(first).for_each(|member| remove(member, containers, edits));
    for id in root..scratch.containers.len() as Id {
        insert(scratch, id);
    }
    scratch.containers.truncate(root as usize);
    scratch.members.truncate(first);
    scratch.sources.truncate(first_source as usize);
    scratch.targets.truncate(first_target as usize);
    let outside = scratch.records.iter().rev().skip_while(|record| record.anchor >= root).count();
    scratch.records.truncate(outside);
}

/// Decides what is removed from one container, once those inside it are settled.
#[inline(always)]
fn settle(plan: &Automaton, root: Id, id: Id, scratch: &mut Scratch) {
    if !plan.drops {
        return cascade(plan, root, id, scratch);
    }
    let Some(container) = scratch.container(id).copied() else { return };
    let mut at = container.last_member;
    let scraps = !plan.contract && id != root && container.taken;
    while let Some(member) = scratch.member(at).copied() {
        if member.fate == Fate::Stays && (scraps || member.unmapped) && !keeps(scratch, &member, scraps) {
            scratch.set_fate(at, Fate::Dropped);
            add_removed(scratch, id);
            note_drop(scratch, id);
        }
        at = member.before;
    }
    cascade(plan, root, id, scratch);
}

/// Whether something accounts for a member that would be dropped.
fn keeps(scratch: &Scratch, member: &Member, scraps: bool) -> bool {
    member.pins > 0 || (!scraps && scratch.is_renamed(member.rename_edit))
}

/// Removes a container that moves emptied, and counts that as a move out of the container around it. A container that
/// clients expect stays, since they may read what is in it. If it lost members by drops too, it counts as dropped, once
/// for all of them.
#[inline(always)]
fn cascade(plan: &Automaton, root: Id, id: Id, scratch: &mut Scratch) {
    let Some(container) = scratch.container(id).filter(|container| id != root && container.taken) else { return };
    let Container { parent, member, dropped, .. } = *container;
    let emptied = container.removed == container.members && container.inserts == 0;
    if let Some(parent) = scratch.containers.get_mut(parent as usize) {
        parent.taken = true;
    }
    if emptied && scratch.goes_if_empty(plan, member) {
        scratch.set_fate(member, if dropped { Fate::Dropped } else { Fate::Emptied });
        add_removed(scratch, parent);
        if dropped {
            note_drop(scratch, parent);
        }
    }
}

fn note_drop(scratch: &mut Scratch, id: Id) {
    if let Some(container) = scratch.containers.get_mut(id as usize) {
        container.dropped = true;
    }
}

#[inline(always)]
fn add_removed(scratch: &mut Scratch, id: Id) {
    if let Some(container) = scratch.containers.get_mut(id as usize) {
        container.removed = container.removed.wrapping_add(1);
    }
}

/// Removes a member's text. Members removed from the start of the object take the comma after them, others the one
/// before.
#[inline(always)]
fn remove(member: &Member, containers: &mut [Container], edits: &mut [Edit]) {
    if !matches!(member.fate, Fate::Moved | Fate::Emptied | Fate::Dropped) {
        return;
    }
    let Some(container) = containers.get_mut(member.container as usize) else { return };
    let first = member.ordinal == container.removed_first;
    if first {
        container.removed_first = container.removed_first.wrapping_add(1);
    }
    let (at, end) = match (first, member.next) {
        (true, NONE) => (member.key, member.value_end),
        (true, next) => (member.key, next),
        (false, _) => (member.lead, member.value_end),
    };
    if let Some(edit) = edits.get_mut(member.remove_edit as usize) {
        edit.at = at;
        edit.end = end;
        edit.kind = EditKind::Remove { dropped: member.fate == Fate::Dropped };
    }
}

#[inline(always)]
fn insert(scratch: &mut Scratch, id: Id) {
    let Some(container) = scratch.container(id).filter(|container| container.first_node != NONE) else { return };
    let Container { open, first_key, first_node: first, insert_edit, .. } = *container;
    let bare = container.removed == container.members;
    let start = open.wrapping_add(1);
    let has_gap = container.members > 0 && first_key.saturating_sub(start) <= MAX_GAP;
    let gap = (start, if has_gap { first_key } else { start });
    scratch.set_edit(insert_edit, EditKind::Insert { gap, bare, first });
}
