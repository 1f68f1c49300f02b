//! Which moves of one record fire.
//!
//! Moves are considered by rank, then by where their source stands. A move is refused if its target, or a prefix of it
//! that takes no values, stands already. It is also refused if it collides with a move accepted before it: at the same
//! source, at the same target or one above or below it, or inside a value that one of the two takes away. Next come the
//! moves into objects that accepted wraps make. Finally, unwraps are taken back if something else is left in the
//! container that they would replace.

use crate::order;
use crate::plan::Automaton;
use crate::plan::automaton::{Id, Move, MoveKind, NONE};
use crate::scratch::{Closed, Container, EditKind, Fate, Mark, MarkKind, Member, Scratch, SourceHit};

/// Decides the moves that start in the record `anchor`, which closes. The records inside it are decided already.
///
/// If a rule turns out not to fire, what was done inside its value is taken back, and that may have blocked other
/// moves. Then everything in that record and inside it is decided again, without what was taken back. Each round takes
/// back what at least one move did, so the rounds end. More than one is rare.
pub(crate) fn moves(plan: &Automaton, anchor: Id, scratch: &mut Scratch) {
    let first = first_source(scratch, anchor);
    if scratch.sources.get(first..).unwrap_or_default().iter().all(|hit| hit.anchor != anchor) {
        return;
    }
    let mut next = scratch.records.len();
    scratch.records.push(scratch.closed(anchor));
    while let Some(record) = scratch.records.get(next).copied() {
        if decide(plan, record, scratch) {
            next = next.saturating_add(1);
        } else {
            let first = first_source(scratch, record.anchor);
            (first..record.sources).for_each(|id| take_back(plan, scratch, id as Id));
            let before = scratch.records.get(..next).unwrap_or_default();
            let inside = before.iter().rev().take_while(|inner| inner.anchor > record.anchor).count();
            next = next.saturating_sub(inside);
        }
    }
}

fn first_source(scratch: &Scratch, anchor: Id) -> usize {
    scratch.container(anchor).map_or(0, |container| container.first_source as usize)
}

/// Decides one record. Returns `false` if it took something back, so that earlier decisions do not hold.
fn decide(plan: &Automaton, closed: Closed, scratch: &mut Scratch) -> bool {
    let mut order = std::mem::take(&mut scratch.order);
    order.clear();
    let (anchor, first) = (closed.anchor, first_source(scratch, closed.anchor));
    let (mut around_others, mut in_order, mut last) = (false, true, 0u64);
    for (hit, id) in scratch.sources.get(first..closed.sources).unwrap_or_default().iter().zip(first as Id..) {
        if hit.anchor == anchor && !hit.void {
            // By rank, then by position; moves from one member by the order of their rules.
            let (rank, rule) = plan.moves.get(hit.mv as usize).map_or((u16::MAX, 0), |mv| (mv.rank, mv.rule));
            order.push((rank, hit.member, rule, id));
            // Sources come by position, so they are in order if all ranks are equal.
            let place = u64::from(rank) << 32 | u64::from(hit.member).wrapping_add(1);
            in_order &= last < place;
            last = place;
        }
        around_others |= hit.accepted && hit.anchor != anchor;
    }
    if !in_order {
        order::sort(&mut order);
    }
    let epoch = scratch.next_epoch();
    let mut record = Decision { plan, closed, epoch, around_others, unwraps: false, wraps: false, scratch };
    let decided = record.decide(&order);
    scratch.order = order;
    decided
}

/// Rank, member and rule of a source, and its index.
type Ordered = (u16, Id, u32, Id);

struct Decision<'a, 's> {
    plan: &'a Automaton,
    closed: Closed,
    /// What the marks of this decision carry.
    epoch: u32,
    /// Whether a record inside this one has accepted moves.
    around_others: bool,
    /// Whether an unwrap was accepted.
    unwraps: bool,
    /// Whether a wrap was accepted.
    wraps: bool,
    scratch: &'s mut Scratch,
}

impl Decision<'_, '_> {
    fn decide(&mut self, order: &[Ordered]) -> bool {
        let (marks, steps) = (&mut self.scratch.marks, self.plan.steps.len());
        if marks.len() < steps {
            marks.resize(steps, Mark::ABSENT);
        }
        self.mark_what_stands();
        for (_, _, _, id) in order {
            self.accept(*id);
        }
        if self.wraps {
            for (_, _, _, id) in order {
                self.accept_beside(*id);
            }
        }
        while self.unwraps && self.take_back_unwraps(order) {}
        !self.plan.contract || !self.undo_misjudged(order)
    }

    #[inline(always)]
    fn mark(&self, step: Id) -> Mark {
        let mark = self.scratch.marks.get(step as usize).copied().filter(|mark| mark.epoch == self.epoch);
        mark.unwrap_or(Mark::ABSENT)
    }

    #[inline(always)]
    fn set_mark(&mut self, step: Id, mark: Mark) {
        if let Some(place) = self.scratch.marks.get_mut(step as usize) {
            *place = Mark { epoch: self.epoch, ..mark };
        }
    }

    fn mark_what_stands(&mut self) {
        let first = self.scratch.container(self.closed.anchor).map_or(0, |container| container.first_target as usize);
        for index in first..self.closed.targets {
            let Some(hit) = self.scratch.targets.get(index).copied().filter(|hit| hit.anchor == self.closed.anchor)
            else {
                continue;
            };
            let Some(member) = self.scratch.member(hit.member) else { continue };
            let parent = self.plan.steps.get(hit.step as usize).map_or(NONE, |step| step.parent);
            // If the parent would have its name by a rename that did not fire, nothing inside it is on the path.
            if parent != NONE && self.mark(parent).inside != member.container {
                continue;
            }
            let renamed = self.scratch.is_renamed(member.rename_edit);
            if hit.renamed && !(renamed && (!self.plan.contract || self.is_settled(member.container))) {
                continue;
            }
            let twice = self.mark(hit.step).epoch == self.epoch;
            let open = member.child != NONE && !twice && !member.twice && hit.renamed == renamed;
            let kind = if open { MarkKind::Object(member.child) } else { MarkKind::Closed };
            self.set_mark(hit.step, Mark { kind, inside: member.child, ..Mark::ABSENT });
        }
    }

    /// Whether the names in a container of the record can be relied on. They cannot if an undecided move takes a value
    /// around the container and the names were judged by that move: if it fires, they are out of reach here, and if it
    /// does not, they are taken back.
    fn is_settled(&self, mut container: Id) -> bool {
        let sources = &self.scratch.sources;
        while let Some(Container { member, parent, .. }) = self.scratch.container(container).copied() {
            if container == self.closed.anchor {
                break;
            }
            let first = sources.partition_point(|hit| hit.member < member);
            let judges = |hit: &SourceHit| hit.judges && !hit.accepted && !hit.undone;
            if sources.iter().skip(first).take_while(|hit| hit.member == member).any(judges) {
                return false;
            }
            container = parent;
        }
        true
    }

    fn accept(&mut self, id: Id) {
        let Some(hit) = self.scratch.sources.get(id as usize) else { return };
        let Some(mv) = self.plan.moves.get(hit.mv as usize) else { return };
        if let (MoveKind::Plain, [name]) = (mv.kind, mv.path.as_slice()) {
            return self.accept_to_record(mv, *name, id);
        }
        let hit = *hit;
        let absent = |step: &Id| self.mark(*step).kind == MarkKind::Absent;
        let stands = mv.path.iter().position(absent).unwrap_or(mv.path.len()) as u32;
        let accepted = match mv.kind {
            _ if !self.source_is_free(&hit) => None,
            MoveKind::Plain => self.accept_plain(mv, &hit),
            MoveKind::Unwrap => self.accept_unwrap(mv, &hit),
            MoveKind::Wrap => self.accept_wrap(mv, &hit),
        };
        if let Some(hit) = self.scratch.sources.get_mut(id as usize) {
            hit.accepted = accepted.is_some();
            hit.into = accepted.unwrap_or(NONE);
            hit.stands = stands;
        }
    }

    /// As [`Decision::accept`] for the commonest move: to a name in the record itself.
    #[inline(always)]
    fn accept_to_record(&mut self, mv: &Move, name: Id, id: Id) {
        let (anchor, epoch) = (self.closed.anchor, self.epoch);
        // `is_made_already` searches all sources. A source that occurs twice is refused before, so no more sources get
        // there than there are rules.
        let is_barred = self.scratch.twice
            && !self.scratch.sources.get(id as usize).is_some_and(|hit| self.source_is_free(hit))
            || self.around_others && self.is_made_already(mv, anchor);
        let Scratch { sources, members, containers, marks, .. } = &mut *self.scratch;
        let (Some(hit), Some(mark)) = (sources.get_mut(id as usize), marks.get_mut(name as usize)) else { return };
        let Some(member) = members.get_mut(hit.member as usize) else { return };
        let Mark { kind, inside, below, .. } = if mark.epoch == epoch { *mark } else { Mark::ABSENT };
        let is_absent = kind == MarkKind::Absent;
        let accepted = is_absent && !below && !is_barred && member.is_free();
        hit.accepted = accepted;
        hit.into = if accepted { anchor } else { NONE };
        hit.stands = u32::from(!is_absent);
        if accepted {
            *mark = Mark { epoch, kind: MarkKind::Claimed, inside, below: false };
            member.fate = Fate::Moved;
            if let Some(container) = containers.get_mut(anchor as usize) {
                container.inserts = container.inserts.wrapping_add(1);
            }
        }
    }

    /// Takes back what was done inside values that are not what they were judged as. Returns whether there was such a
    /// value.
    fn undo_misjudged(&mut self, order: &[Ordered]) -> bool {
        let misjudged = |hit: &SourceHit, member: &Member| {
            hit.judges != hit.accepted && !hit.undone && member.inner.0 < member.inner.1
        };
        let is_misjudged = |id: &Id| {
            let hit = self.scratch.sources.get(*id as usize);
            hit.is_some_and(|hit| self.scratch.member(hit.member).is_some_and(|member| misjudged(hit, member)))
        };
        let found: Vec<Id> = order.iter().map(|(_, _, _, id)| *id).filter(is_misjudged).collect();
        let some = !found.is_empty();
        for id in found {
            let Some(hit) = self.scratch.sources.get_mut(id as usize) else { continue };
            hit.undone = true;
            let member = hit.member;
            if let Some(member) = self.scratch.member(member).copied() {
                undo_inside(self.plan, self.scratch, member.inner, (member.value, member.value_end));
            }
        }
        some
    }

    /// Whether the source is one member, on a path of single members, and no accepted move needs it where it is.
    #[inline(always)]
    fn source_is_free(&self, hit: &SourceHit) -> bool {
        let Some(member) = self.scratch.member(hit.member) else { return false };
        let mut free = member.is_free();
        if !self.scratch.twice {
            return free;
        }
        let mut at = hit.member;
        while let Some(member) = self.scratch.member(at) {
            free &= !member.twice;
            if member.container == self.closed.anchor {
                break;
            }
            at = self.scratch.container(member.container).map_or(NONE, |container| container.member);
        }
        free
    }

    /// Follows all but the last `keep` steps of a target path. Returns the container that the value goes to, if it may.
    #[inline(always)]
    fn enter(&self, mv: &Move, keep: usize) -> Option<Id> {
        let mut container = self.closed.anchor;
        let steps = mv.path.len().saturating_sub(keep);
        for step in mv.path.iter().take(steps) {
            match self.mark(*step).kind {
                MarkKind::Absent => (),
                MarkKind::Object(inside) => {
                    let member = self.scratch.container(inside).map_or(NONE, |container| container.member);
                    if self.scratch.member(member).is_none_or(|member| member.fate != Fate::Stays) {
                        return None;
                    }
                    container = inside;
                }
                MarkKind::Closed | MarkKind::Claimed | MarkKind::Wrapped(_) => return None,
            }
        }
        Some(container)
    }

    fn accept_plain(&mut self, mv: &Move, hit: &SourceHit) -> Option<Id> {
        let target = self.mark(*mv.path.last()?);
        let container = self.enter(mv, 1)?;
        let absent = target.kind == MarkKind::Absent && !target.below;
        if !absent || self.is_inside(container, hit.member) || self.is_made_already(mv, container) {
            return None;
        }
        self.claim(mv);
        pin(self.scratch, self.closed.anchor, container, true);
        if let Some(container) = self.scratch.containers.get_mut(container as usize) {
            container.inserts = container.inserts.wrapping_add(1);
        }
        self.scratch.set_fate(hit.member, Fate::Moved);
        Some(container)
    }

    /// Whether a move of a record inside this one makes a member of `container` that this move would make too.
    fn is_made_already(&self, mv: &Move, container: Id) -> bool {
        if !self.around_others {
            return false;
        }
        let made = mv.path.iter().find(|step| self.mark(**step).kind == MarkKind::Absent);
        let text = made.map_or((0, 0), |step| self.plan.step_text(*step));
        // A wrap makes nothing in the container, only in the member that it wraps.
        let makes = |hit: &&SourceHit| {
            let mv = self.plan.moves.get(hit.mv as usize).filter(|mv| mv.kind != MoveKind::Wrap);
            let step = mv.and_then(|mv| mv.path.get(hit.stands as usize));
            step.is_some_and(|step| self.plan.step_text(*step) == text)
        };
        let inside = |hit: &&SourceHit| hit.accepted && hit.into == container && hit.anchor != self.closed.anchor;
        let sources = self.scratch.sources.get(first_source(self.scratch, self.closed.anchor)..self.closed.sources);
        sources.unwrap_or_default().iter().filter(inside).any(|hit| makes(&hit))
    }

    fn accept_unwrap(&mut self, mv: &Move, hit: &SourceHit) -> Option<Id> {
        let target = self.mark(*mv.path.last()?);
        let (MarkKind::Object(inside), false) = (target.kind, target.below) else { return None };
        let around = self.scratch.container(inside).map_or(NONE, |container| container.member);
        self.enter(mv, 1)?;
        let container = self.scratch.member(around).filter(|m| m.fate == Fate::Stays)?.container;
        self.claim(mv);
        pin(self.scratch, self.closed.anchor, container, true);
        self.unwraps = true;
        self.scratch.set_fate(around, Fate::Unwrapped);
        self.scratch.set_fate(hit.member, Fate::Moved);
        Some(container)
    }

    fn accept_wrap(&mut self, mv: &Move, hit: &SourceHit) -> Option<Id> {
        let depth = mv.depth as usize;
        let inner = mv.path.get(depth)?;
        let below_source = mv.path.get(depth..).unwrap_or_default();
        let inside = self.scratch.member(hit.member).map_or(NONE, |member| member.child);
        let fits = self.plan.contract && self.scratch.container(inside).is_some_and(|object| object.fits);
        let free = !fits
            && self.mark(*inner).kind == MarkKind::Absent
            && below_source.iter().all(|step| self.mark(*step).kind != MarkKind::Claimed)
            && mv.path.last().is_some_and(|last| !self.mark(*last).below);
        let above = mv.path.len().saturating_sub(depth).saturating_add(1);
        let container = self.enter(mv, above).filter(|_| free)?;
        self.claim(mv);
        if let Some(source) = mv.path.get(depth.wrapping_sub(1)) {
            let mark = self.mark(*source);
            self.set_mark(*source, Mark { kind: MarkKind::Wrapped(hit.member), ..mark });
        }
        self.wraps = true;
        pin(self.scratch, self.closed.anchor, container, true);
        self.scratch.set_fate(hit.member, Fate::Wrapped);
        Some(container)
    }

    /// Accepts a move into the object that a wrap makes, unless a member of that name stood in the value. The wrap pins
    /// what is around the object.
    fn accept_beside(&mut self, id: Id) {
        let Some(hit) = self.scratch.sources.get(id as usize).copied().filter(|hit| !hit.accepted) else { return };
        let Some(mv) = self.plan.moves.get(hit.mv as usize).filter(|mv| mv.kind == MoveKind::Plain) else { return };
        let wrapped = mv.path.iter().zip(1u32..).find_map(|(step, stands)| match self.mark(*step).kind {
            MarkKind::Wrapped(member) => Some((stands, member)),
            _ => None,
        });
        let Some((stands, beside)) = wrapped else { return };
        let mut rest = mv.path.iter().skip(stands as usize);
        let absent = rest.all(|step| self.mark(*step).kind == MarkKind::Absent);
        let below = mv.path.last().is_none_or(|last| self.mark(*last).below);
        if !absent || below || !self.source_is_free(&hit) {
            return;
        }
        self.claim(mv);
        self.scratch.set_fate(hit.member, Fate::Moved);
        if let Some(hit) = self.scratch.sources.get_mut(id as usize) {
            *hit = SourceHit { accepted: true, into: NONE, stands, beside, ..*hit };
        }
    }

    /// Whether a container is in the value of a member.
    fn is_inside(&self, mut container: Id, member: Id) -> bool {
        while let Some(known) = self.scratch.container(container).filter(|_| container != self.closed.anchor) {
            if known.member == member {
                return true;
            }
            container = known.parent;
        }
        false
    }

    #[inline(always)]
    fn claim(&mut self, mv: &Move) {
        for step in &mv.path {
            let mark = self.mark(*step);
            self.set_mark(*step, Mark { below: true, ..mark });
        }
        if let Some(last) = mv.path.last() {
            let mark = self.mark(*last);
            self.set_mark(*last, Mark { kind: MarkKind::Claimed, below: false, ..mark });
        }
    }

    /// Takes back accepted unwraps whose container does not become empty. Returns whether there was one.
    fn take_back_unwraps(&mut self, order: &[Ordered]) -> bool {
        let is_unwrap = |hit: &SourceHit| {
            hit.accepted && self.plan.moves.get(hit.mv as usize).is_some_and(|mv| mv.kind == MoveKind::Unwrap)
        };
        let unwraps: Vec<Id> = order
            .iter()
            .map(|(_, _, _, id)| *id)
            .filter(|id| self.scratch.sources.get(*id as usize).is_some_and(is_unwrap))
            .collect();
        if unwraps.is_empty() {
            return false;
        }
        self.count_what_is_left();
        let mut taken_back = false;
        for id in unwraps {
            let Some(hit) = self.scratch.sources.get(id as usize).copied() else { continue };
            let around = unwrapped_member(self.plan, self.scratch, &hit);
            let inside = self.scratch.member(around).map_or(NONE, |member| member.child);
            if self.left_in(inside) > 0 {
                taken_back = true;
                take_back(self.plan, self.scratch, id);
            }
        }
        taken_back
    }

    /// Counts the members that accepted moves leave in each container inside the record.
    fn count_what_is_left(&mut self) {
        let first = self.closed.anchor;
        let mut live = std::mem::take(&mut self.scratch.live);
        live.clear();
        let inside = self.scratch.containers.get(first as usize..self.closed.containers).unwrap_or_default();
        live.extend(inside.iter().map(|container| container.members));
        let less = |live: &mut Vec<u32>, container: Id| {
            if let Some(left) = live.get_mut(container.wrapping_sub(first) as usize) {
                *left = left.saturating_sub(1);
            }
        };
        let from = inside.first().map_or(0, |record| record.first_member as usize);
        let members = self.scratch.members.get(from..self.closed.members).unwrap_or_default();
        members.iter().filter(|m| m.fate == Fate::Moved).for_each(|m| less(&mut live, m.container));
        for (index, container) in inside.iter().enumerate().skip(1).rev() {
            let left = live.get(index).copied().unwrap_or(0);
            let goes = self.scratch.goes_if_empty(self.plan, container.member);
            if left == 0 && container.members > 0 && container.inserts == 0 && goes {
                less(&mut live, container.parent);
            }
        }
        self.scratch.live = live;
    }

    fn left_in(&self, container: Id) -> u32 {
        let live = self.scratch.live.get(container.wrapping_sub(self.closed.anchor) as usize).copied().unwrap_or(1);
        live.saturating_add(self.scratch.container(container).map_or(0, |container| container.inserts))
    }
}

/// Takes back a move that was accepted.
fn take_back(plan: &Automaton, scratch: &mut Scratch, id: Id) {
    let Some(hit) = scratch.sources.get(id as usize).copied().filter(|hit| hit.accepted) else { return };
    scratch.lacks |= !plan.required.is_empty();
    let kind = plan.moves.get(hit.mv as usize).map(|mv| mv.kind);
    if kind == Some(MoveKind::Unwrap) {
        let around = unwrapped_member(plan, scratch, &hit);
        scratch.set_fate(around, Fate::Stays);
    }
    if kind == Some(MoveKind::Plain)
        && let Some(container) = scratch.containers.get_mut(hit.into as usize)
    {
        container.inserts = container.inserts.wrapping_sub(1);
    }
    scratch.set_fate(hit.member, Fate::Stays);
    pin(scratch, hit.anchor, hit.into, false);
    if let Some(hit) = scratch.sources.get_mut(id as usize) {
        (hit.accepted, hit.beside) = (false, NONE);
    }
}

/// Takes back all that was done inside a value that turned out not to be what it was judged as. `inner`: the edits in
/// it.
pub(super) fn undo_inside(plan: &Automaton, scratch: &mut Scratch, inner: (u32, u32), value: (u32, u32)) {
    scratch.lacks |= !plan.required.is_empty();
    for edit in scratch.edits.get_mut(inner.0 as usize..inner.1 as usize).unwrap_or_default() {
        edit.kind = EditKind::Void;
    }
    let inside = scratch.members_between(value.0, value.1);
    for member in scratch.members.get_mut(inside.clone()).unwrap_or_default() {
        (member.unmapped, member.expected) = (false, false);
    }
    let first = scratch.sources.partition_point(|hit| (hit.member as usize) < inside.start);
    for id in first..scratch.sources.len() {
        let Some(hit) = scratch.sources.get(id).filter(|hit| (hit.member as usize) < inside.end) else { return };
        if scratch.container(hit.anchor).is_some_and(|record| record.open >= value.0) {
            take_back(plan, scratch, id as Id);
            if let Some(hit) = scratch.sources.get_mut(id) {
                hit.void = true;
            }
        }
    }
}

/// Pins the members around a container, because a value goes into it, or unpins them.
#[inline(always)]
fn pin(scratch: &mut Scratch, anchor: Id, mut container: Id, held: bool) {
    while container != anchor {
        let Some(Container { member, parent, .. }) = scratch.container(container).copied() else { return };
        if let Some(member) = scratch.members.get_mut(member as usize) {
            member.pins = if held { member.pins.wrapping_add(1) } else { member.pins.saturating_sub(1) };
        }
        container = parent;
    }
}

/// Returns the member whose value an unwrap replaces.
pub(super) fn unwrapped_member(plan: &Automaton, scratch: &Scratch, hit: &SourceHit) -> Id {
    let Some(mv) = plan.moves.get(hit.mv as usize) else { return NONE };
    let mut member = hit.member;
    for _ in mv.path.len()..mv.depth as usize {
        let container = scratch.member(member).map_or(NONE, |member| member.container);
        member = scratch.container(container).map_or(NONE, |container| container.member);
    }
    member
}
