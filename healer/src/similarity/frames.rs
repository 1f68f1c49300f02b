//! Which found objects take the place of which expected ones.
//!
//! From the outside in, level by level. An object is another one by its name, with members that bear it out; an object
//! around a whole record is known by what is in it: most of what the record lacks.

use super::likeness::{Likeness, children};
use super::record::{Member, Pair, Record, UNFRAMED};
use super::{Alignment, Id, NONE, Parts, decide};
use crate::plan::spec::Kind;

/// Members of an object that stand in a wrapper at least.
const LEAST_WRAPPED: u32 = 3;
/// A name that is only near, but whose members are the same.
const BORNE_OUT: f32 = 0.9;
/// The least score of a name that members may bear out.
const LEAST_NAME: f32 = 0.6;
/// Members that two objects share at least, to be one by their members alone.
const LEAST_SHAPED: u32 = 3;
/// What the names of these members tell at least.
const LEAST_TOLD: f32 = 2.0;
/// What they tell at least where the objects' names are near.
const LEAST_TOLD_BY_NAMED: f32 = 1.0;
/// What they tell at least where many members differ, and the share that does not.
const MUCH_TOLD: f32 = 4.0;
const MUCH_SHARE: f32 = 0.4;
/// What that is worth.
const SHAPED: f32 = 0.88;
/// A name that fits, but none of its members does.
const NOT_BORNE_OUT: f32 = 0.9;

/// Sets the frames of all objects and adds the alignments of expected objects.
pub(super) fn find(record: &mut Record<'_, '_>, out: &mut Vec<Alignment>) {
    if record.settings.without.frames {
        return;
    }
    lift(record);
    let deepest = record.scratch.members.iter().map(|member| member.depth).max().unwrap_or(0);
    for depth in 0..=deepest {
        adopt(record, depth);
        if next_open(record, depth, 0).is_none() {
            continue;
        }
        align_objects(record, depth, out);
        find_wrappers(record, depth);
    }
}

/// The next object at this depth, from a place on, that nothing accounts for.
fn next_open(record: &Record<'_, '_>, depth: u16, from: Id) -> Option<Id> {
    let mut members = record.scratch.members.iter().zip(record.found).enumerate().skip(from as usize);
    members
        .find(|(_, (member, found))| member.depth == depth && found.kind == Kind::Object && !member.is_closed)
        .map(|(id, _)| id as Id)
}

/// Members with the expected name in an object that took an expected one's place stand as expected.
fn adopt(record: &mut Record<'_, '_>, depth: u16) {
    for id in 0..record.found.len() {
        let (Some(found), Some(member)) = (record.found.get(id), record.scratch.members.get(id).copied()) else {
            return;
        };
        let Some(parent) = record.scratch.members.get(found.parent as usize) else { continue };
        if member.depth != depth || member.is_closed || parent.is_wrapper || parent.frame >= UNFRAMED {
            continue;
        }
        let frame = parent.frame;
        let mut fields = record.model.members(frame);
        let same = fields.find(|(_, field)| field.name == found.name).map(|(at, _)| at);
        let Some(field) = same.filter(|field| !record.is_taken(*field)) else { continue };
        let is_object = record.model.field(field).is_some_and(|field| field.is_object) && found.kind == Kind::Object;
        if let Some(place) = record.scratch.fields.get_mut(field as usize) {
            *place = id as Id;
        }
        if let Some(member) = record.scratch.members.get_mut(id) {
            *member = Member { is_closed: true, frame: if is_object { field } else { UNFRAMED }, ..*member };
        }
    }
}

fn align_objects(record: &mut Record<'_, '_>, depth: u16, out: &mut Vec<Alignment>) {
    record.scratch.pairs.clear();
    let mut next = next_open(record, depth, 0);
    while let Some(id) = next {
        record.compare(id, |_, field| field.is_object);
        next = next_open(record, depth, id.saturating_add(1));
    }
    bear_out_all(record);
    match_shapes(record, depth);
    let first = out.len();
    decide::decide(record, out);
    for alignment in out.get(first..).unwrap_or_default() {
        if let Some(place) = record.scratch.fields.get_mut(alignment.expected as usize) {
            *place = alignment.found;
        }
        if let Some(member) = record.scratch.members.get_mut(alignment.found as usize) {
            *member = Member { is_closed: true, frame: alignment.expected, ..*member };
        }
    }
}

/// Looks at the members of all pairs of objects.
pub(super) fn bear_out_all(record: &mut Record<'_, '_>) {
    let mut pairs = std::mem::take(&mut record.scratch.pairs);
    for pair in &mut pairs {
        if record.model.field(pair.expected).is_some_and(|field| field.is_object || field.is_records) {
            bear_out(record, pair);
        }
    }
    record.scratch.pairs = pairs;
}

/// Adds pairs of objects whose names say nothing of each other, but that have the same members, and no other object does.
fn match_shapes(record: &mut Record<'_, '_>, depth: u16) {
    let mut next = next_open(record, depth, 0);
    while let Some(found) = next {
        next = next_open(record, depth, found.saturating_add(1));
        match_shape(record, found);
    }
}

/// The same for arrays of records, by their elements.
pub(super) fn match_arrays(record: &mut Record<'_, '_>) {
    if record.settings.without.frames || !record.model.has_records() {
        return;
    }
    for id in 0..record.found.len() as Id {
        let is_open = record.scratch.members.get(id as usize).is_some_and(|member| !member.is_closed);
        let found = record.found.get(id as usize);
        if is_open && found.is_some_and(|found| found.kind == Kind::Array && found.item == Some(Kind::Object)) {
            match_shape(record, id);
        }
    }
}

fn match_shape(record: &mut Record<'_, '_>, found: Id) {
    let Some(frame) = frame_around(record, found) else { return };
    let is_array = record.found.get(found as usize).is_some_and(|found| found.kind == Kind::Array);
    for (expected, field) in record.model.members(frame) {
        let is_met = record.scratch.pairs.iter().any(|pair| pair.expected == expected && pair.found == found);
        let fits = if is_array { field.is_records } else { field.is_object };
        if !fits || record.is_taken(expected) || is_met {
            continue;
        }
        let score = shape(record, expected, found);
        if score > 0.0 && !standing_like(record, found) && !record.is_opposed(expected, found) {
            let parts =
                Parts { synonym: score, tokens: 1.0, path: 1.0, kind: 1.0, siblings: score, ..Parts::default() };
            record.scratch.pairs.push(Pair {
                expected,
                found,
                score,
                is_taken: false,
                parts,
                told: LEAST_TOLD,
                has_neutral: false,
            });
        }
    }
}

/// How sure the members are that two objects are one.
fn shape(record: &Record<'_, '_>, expected: Id, found: Id) -> f32 {
    let like = Likeness::of(record, expected, found);
    if like.clashes || like.same < LEAST_SHAPED || like.told < LEAST_TOLD {
        return 0.0;
    }
    let share = like.of_larger();
    let is_most = share >= 0.6 && like.of_smaller() >= 0.8;
    let is_much = like.told >= MUCH_TOLD && share >= MUCH_SHARE;
    if is_most || is_much { SHAPED } else { SHAPED * share }
}

/// Whether an object that stands where it is expected has most of the same members: then the members tell a type, not
/// which of the objects of that type it is.
fn standing_like(record: &Record<'_, '_>, found: Id) -> bool {
    let all = children(record, found).count();
    let kind = record.found.get(found as usize).map(|found| found.kind);
    record.found.iter().enumerate().any(|(id, other)| {
        if id as Id == found || Some(other.kind) != kind {
            return false;
        }
        let same = record
            .found
            .iter()
            .filter(|child| child.parent == id as Id)
            .filter(|child| record.found.iter().any(|own| own.parent == found && own.name == child.name));
        same.count().saturating_mul(4) >= all.saturating_mul(3)
    })
}

/// Members count for an object, or against it.
fn bear_out(record: &Record<'_, '_>, pair: &mut Pair) {
    let like = Likeness::of(record, pair.expected, pair.found);
    if like.clashes {
        pair.score = 0.0;
        return;
    }
    let share = like.of_smaller();
    pair.parts.siblings = share;
    if pair.score >= LEAST_NAME && like.same >= 2 && like.told >= LEAST_TOLD_BY_NAMED && share >= 0.5 {
        pair.score = pair.score.max(BORNE_OUT);
    } else if like.all.min(like.there) > 0 && like.same == 0 {
        pair.score *= NOT_BORNE_OUT;
    }
}

/// Finds expected objects that are gone while their members are in the object around them.
fn lift(record: &mut Record<'_, '_>) {
    for id in record.model.objects.iter().copied() {
        if record.is_taken(id) {
            continue;
        }
        let Some(field) = record.model.field(id) else { continue };
        let Some(outer) = object_for(record, field.parent) else { continue };
        if is_lifted(record, id, field.parent, outer)
            && let Some(lifted) = record.scratch.lifted.get_mut(id as usize)
        {
            *lifted = true;
        }
    }
}

/// The found object that stands for an expected one, seen through lifted ones; [`NONE`]: the record.
fn object_for(record: &Record<'_, '_>, mut expected: Id) -> Option<Id> {
    loop {
        if expected == NONE {
            return Some(NONE);
        }
        let found = record.scratch.fields.get(expected as usize).copied().filter(|found| *found != NONE);
        if found.is_some() {
            return found;
        }
        if !record.scratch.lifted.get(expected as usize).is_some_and(|lifted| *lifted) {
            return None;
        }
        expected = record.model.field(expected)?.parent;
    }
}

fn is_lifted(record: &Record<'_, '_>, object: Id, parent: Id, outer: Id) -> bool {
    let (mut all, mut outside, mut standing) = (0u32, 0u32, 0u32);
    for (id, _) in record.model.members(parent) {
        standing = standing.saturating_add(u32::from(record.is_taken(id)));
    }
    for (id, _) in record.model.members(object) {
        all = all.saturating_add(1);
        let joined = record.model.names.get(id).map(|name| name.joined);
        outside =
            outside.saturating_add(u32::from(children(record, outer).any(|(_, child)| Some(child.joined) == joined)));
    }
    let Some(name) = record.model.names.get(object) else { return false };
    if name.is_envelope || name.needed == 0 && name.implied != 0 {
        return outside > 0 && outside >= standing;
    }
    outside >= LEAST_WRAPPED && outside.saturating_mul(2) >= all && standing.saturating_mul(2) <= outside
}

fn find_wrappers(record: &mut Record<'_, '_>, depth: u16) {
    let mut next = next_open(record, depth, 0);
    while let Some(id) = next {
        let frame = frame_around(record, id).filter(|frame| wraps(record, id, *frame));
        if let (Some(frame), Some(member)) = (frame, record.scratch.members.get_mut(id as usize)) {
            *member = Member { frame, is_wrapper: true, ..*member };
        }
        next = next_open(record, depth, id.saturating_add(1));
    }
}

/// The expected object around a found member, if all objects in between are frames.
pub(super) fn frame_around(record: &Record<'_, '_>, id: Id) -> Option<Id> {
    let parent = record.found.get(id as usize)?.parent;
    if parent == NONE {
        return Some(NONE);
    }
    record.scratch.members.get(parent as usize).map(|member| member.frame).filter(|frame| *frame != UNFRAMED)
}

/// Whether an object holds what the expected object around it lacks.
fn wraps(record: &Record<'_, '_>, id: Id, frame: Id) -> bool {
    let (mut missing, mut standing, mut inside) = (0u32, 0u32, 0u32);
    for (field, _) in record.model.members(frame) {
        if record.is_taken(field) {
            standing = standing.saturating_add(1);
            continue;
        }
        missing = missing.saturating_add(1);
        let joined = record.model.names.get(field).map_or(0, |name| name.joined);
        inside = inside.saturating_add(u32::from(has_below(record, id, joined)));
    }
    let Some(name) = record.scratch.members.get(id as usize).and_then(|member| record.scratch.names.get(member.name))
    else {
        return false;
    };
    let is_record = name.needed == 0 && name.implied != 0;
    if name.is_envelope || is_record {
        return standing == 0 || inside > standing;
    }
    inside >= LEAST_WRAPPED && inside.saturating_mul(2) >= missing && standing.saturating_mul(2) <= inside
}

/// Whether a member with this name is anywhere below an object.
fn has_below(record: &Record<'_, '_>, object: Id, joined: u64) -> bool {
    let members = record.scratch.members.iter().enumerate();
    let mut named =
        members.filter(|(_, member)| record.scratch.names.get(member.name).is_some_and(|name| name.joined == joined));
    named.any(|(id, _)| {
        let mut at = record.found.get(id).map_or(NONE, |found| found.parent);
        while at != NONE && at != object {
            at = record.found.get(at as usize).map_or(NONE, |found| found.parent);
        }
        at == object
    })
}
