//! Objects that would be taken for others.
//!
//! Members that move together from one object into another that is missing speak for one another: these objects seem to
//! be the same. If their names have no word in common, three things speak against it:
//!
//! - A member stays behind though the other object expects one of its name. If `account` has a `login` that is not
//!   `suspended_by.login`, its `avatar_url` is not `suspended_by.avatar_url`.
//! - Another expected object beside the missing one has all these members too, so they do not tell which it is. The rate
//!   limits of `core` are not those of `graphql`, only because both have what `search` has.
//! - Another object has all these members too.
//!
//! Of the record itself, the first two together speak against it.

use super::likeness::has_child;
use crate::plan::spec::Kind;
use crate::similarity::fields::compatible::compatible;
use crate::similarity::record::{Record, UNFRAMED};
use crate::similarity::{Alignment, Expected, Found, Id, NONE, Standing};

/// Takes back alignments that siblings speak for, if something speaks against their objects.
pub(crate) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    let objects = |one: &Alignment| {
        let to = record.model.field(one.expected).map_or(NONE, |field| field.parent);
        (record.around(one.found), to)
    };
    // Of objects, members speak and not siblings.
    let is_value = |id: Id| record.model.field(id).is_some_and(|field| !field.is_object && !field.is_records);
    let are_moved = |one: &Alignment| one.parts.siblings > 0.0 && one.parts.path < 1.0 && is_value(one.expected);
    let mut judged: Vec<((Id, Id), bool)> = Vec::new();
    for one in out.iter().filter(|one| are_moved(one)) {
        let pair = objects(one);
        if !judged.iter().any(|(known, _)| *known == pair) {
            let tears = tears_apart(record, out, pair);
            judged.push((pair, tears || seem_the_same(record, out, pair) && are_others(record, out, pair)));
        }
    }
    out.retain(|one| !(are_moved(one) && judged.contains(&(objects(one), true))));
}

/// Whether some members of the record go into a missing object and others, of names that it expects too, stay, where
/// another object expects them all.
fn tears_apart(record: &Record<'_, '_>, out: &[Alignment], pair: (Id, Id)) -> bool {
    let (from, to) = pair;
    let is_missing = from == NONE && to != NONE && !is_there(record, out, to);
    is_missing && leaves_one(record, out, pair) && is_one_of_many(record, out, pair)
}

/// Whether something speaks against two objects' being the same.
fn are_others(record: &Record<'_, '_>, out: &[Alignment], pair: (Id, Id)) -> bool {
    leaves_one(record, out, pair) || is_one_of_many(record, out, pair) || has_a_twin(record, out, pair)
}

/// Whether an object is taken for a missing one only because of its members.
fn seem_the_same(record: &Record<'_, '_>, out: &[Alignment], (from, to): (Id, Id)) -> bool {
    from != NONE && to != NONE && !is_there(record, out, to) && !say_one_word(record, to, from)
}

fn is_there(record: &Record<'_, '_>, out: &[Alignment], field: Id) -> bool {
    record.is_taken(field) || out.iter().any(|one| one.expected == field)
}

/// Whether the object stands where the missing one would, and another one is expected there to have all members that
/// moved.
fn is_one_of_many(record: &Record<'_, '_>, out: &[Alignment], (from, to): (Id, Id)) -> bool {
    let above = record.model.field(to).map_or(NONE, |field| field.parent);
    let is_in_place = from == NONE || record.place_of(above) == record.around(from);
    let moved = out.iter().filter(|one| record.around(one.found) == from);
    let moved: Vec<&Expected> = moved.filter_map(|one| record.model.field(one.expected)).collect();
    let has = |object: Id, name: &str| record.model.members(object).any(|(_, own)| own.name == name);
    let mut beside = record.model.members(above).filter(|(id, field)| *id != to && field.is_object);
    let has_all = |object: Id| moved.iter().filter(|field| field.parent == to).all(|field| has(object, &field.name));
    is_in_place && beside.any(|(id, _)| has_all(id))
}

/// Whether an object is none that is expected, and another one anywhere has all members that moved too.
fn has_a_twin(record: &Record<'_, '_>, out: &[Alignment], (from, to): (Id, Id)) -> bool {
    if record.scratch.members.get(from as usize).is_none_or(|member| member.frame != UNFRAMED) {
        return false;
    }
    let is_of = |one: &&Alignment| {
        record.around(one.found) == from && record.model.field(one.expected).is_some_and(|field| field.parent == to)
    };
    let mut moved = out.iter().filter(is_of).filter_map(|one| record.name_of(one.found)).map(|name| name.joined);
    let Some(first) = moved.next() else { return false };
    let is_object = |id: Id| record.found.get(id as usize).is_some_and(|found| found.kind == Kind::Object);
    let mut others = record.named(first).map(|id| record.around(id)).filter(|id| *id != from && is_object(*id));
    others.any(|object| moved.clone().all(|name| has_child(record, object, name)))
}

/// Whether a member stays in an object though a missing one expects a member of its name, which is missing too.
fn leaves_one(record: &Record<'_, '_>, out: &[Alignment], (from, to): (Id, Id)) -> bool {
    let stays = |id: Id| out.iter().all(|one| one.found != id);
    let is_left = |found: &Found<'_>| from != NONE || found.standing == Standing::Unknown;
    let found = record.members(from).filter(|(id, found)| stays(*id) && is_left(found));
    let found: Vec<&Found<'_>> = found.map(|(_, found)| found).collect();
    let mut expected = record.model.members(to).filter(|(field, _)| !is_there(record, out, *field));
    let may_be = |field: &Expected, found: &Found<'_>| {
        found.name == field.name && compatible(field, found, record.model.has_formats) > 0.0
    };
    expected.any(|(_, field)| found.iter().any(|found| may_be(field, found)))
}

/// Whether the names of an expected and a found object have a word in common.
pub(crate) fn say_one_word(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let words = record.found_words(found);
    record.expected_words(expected).iter().any(|own| own.is_in(words))
}
