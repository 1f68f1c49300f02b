//! Which found objects take the place of which expected ones.
//!
//! From the outside in, level by level. An object is another one by its name, with members that bear it out; an object
//! around a whole record is known by what is in it: most of what the record lacks.

use super::compatible::compatible;
use super::record::{Member, Pair, Record, UNFRAMED};
use super::{Alignment, Expected, Id, NONE, decide};
use crate::plan::spec::Kind;

/// Members of an object that stand in a wrapper at least.
const LEAST_WRAPPED: u32 = 3;
/// A name that is only near, but whose members are the same.
const BORNE_OUT: f32 = 0.9;
/// The least score of a name that members may bear out.
const LEAST_NAME: f32 = 0.6;
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
        let fields = record.model.fields().iter().enumerate().skip(frame as usize);
        let same =
            fields.filter(|(_, field)| field.parent == frame && field.name == found.name).map(|(at, _)| at as Id);
        let Some(field) = same.into_iter().next().filter(|field| !record.is_taken(*field)) else { continue };
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
    let mut pairs = std::mem::take(&mut record.scratch.pairs);
    for pair in &mut pairs {
        bear_out(record, pair);
    }
    record.scratch.pairs = pairs;
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

/// Members count for an object, or against it.
fn bear_out(record: &Record<'_, '_>, pair: &mut Pair) {
    let members = record.model.fields().iter().enumerate().filter(|(_, field)| field.parent == pair.expected);
    let (mut all, mut same) = (0u32, 0u32);
    for (id, field) in members {
        if !fits(record, field, pair.found) {
            pair.score = 0.0;
            return;
        }
        all = all.saturating_add(1);
        let joined = record.model.names.get(id as u32).map(|name| name.joined);
        same = same.saturating_add(u32::from(children(record, pair.found).any(|child| Some(child) == joined)));
    }
    let of = all.min(children(record, pair.found).count() as u32);
    let share = if of == 0 { 0.0 } else { ratio(same, of) };
    pair.parts.siblings = share;
    if pair.score >= LEAST_NAME && same >= 2 && share >= 0.5 {
        pair.score = pair.score.max(BORNE_OUT);
    } else if of > 0 && same == 0 {
        pair.score *= NOT_BORNE_OUT;
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn ratio(part: u32, whole: u32) -> f32 {
    part as f32 / whole as f32
}

/// Whether the member with the name of an expected one, if there is one, can be it.
fn fits(record: &Record<'_, '_>, field: &Expected, object: Id) -> bool {
    let mut members = record.found.iter().filter(|found| found.parent == object && found.name == field.name);
    members.all(|found| compatible(field, found, record.model.has_formats) > 0.0)
}

fn children<'a>(record: &'a Record<'_, '_>, object: Id) -> impl Iterator<Item = u64> + 'a {
    let members = record.found.iter().zip(&record.scratch.members).filter(move |(found, _)| found.parent == object);
    members.filter_map(|(_, member)| record.scratch.names.get(member.name)).map(|name| name.joined)
}

/// Finds expected objects that are gone while their members are in the object around them.
fn lift(record: &mut Record<'_, '_>) {
    for (id, field) in record.model.fields().iter().enumerate() {
        if !field.is_object || record.is_taken(id as Id) {
            continue;
        }
        let Some(outer) = object_for(record, field.parent) else { continue };
        if is_lifted(record, id as Id, field.parent, outer)
            && let Some(lifted) = record.scratch.lifted.get_mut(id)
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
    for (id, field) in record.model.fields().iter().enumerate() {
        if field.parent == parent {
            standing = standing.saturating_add(u32::from(record.is_taken(id as Id)));
        }
        if field.parent == object {
            all = all.saturating_add(1);
            let joined = record.model.names.get(id as u32).map(|name| name.joined);
            outside = outside.saturating_add(u32::from(children(record, outer).any(|child| Some(child) == joined)));
        }
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
fn frame_around(record: &Record<'_, '_>, id: Id) -> Option<Id> {
    let parent = record.found.get(id as usize)?.parent;
    if parent == NONE {
        return Some(NONE);
    }
    record.scratch.members.get(parent as usize).map(|member| member.frame).filter(|frame| *frame != UNFRAMED)
}

/// Whether an object holds what the expected object around it lacks.
fn wraps(record: &Record<'_, '_>, id: Id, frame: Id) -> bool {
    let (mut missing, mut standing, mut inside) = (0u32, 0u32, 0u32);
    for (field, _) in record.model.fields().iter().enumerate().filter(|(_, field)| field.parent == frame) {
        if record.is_taken(field as Id) {
            standing = standing.saturating_add(1);
            continue;
        }
        missing = missing.saturating_add(1);
        let joined = record.model.names.get(field as u32).map_or(0, |name| name.joined);
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
