//! Objects that would be taken apart.
//!
//! Members that move together from one object into another that is missing speak for one another: these objects seem to
//! be the same. If their names have no word in common, they are not if a member stays behind though the other object
//! expects one of its name: if `account` has a `login` that is not `suspended_by.login`, its `avatar_url` is not
//! `suspended_by.avatar_url`.

use super::compatible::compatible;
use super::record::Record;
use super::{Alignment, Expected, Found, Id, NONE};

/// Takes back alignments that siblings speak for, if a member of the same name stays behind.
pub(super) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    let objects = |one: &Alignment| {
        let to = record.model.field(one.expected).map_or(NONE, |field| field.parent);
        (record.around(one.found), to)
    };
    // Of objects, members speak and not siblings.
    let is_value = |id: Id| record.model.field(id).is_some_and(|field| !field.is_object && !field.is_records);
    let are_moved = |one: &Alignment| one.parts.siblings > 0.0 && one.parts.path < 1.0 && is_value(one.expected);
    let mut halves: Vec<(Id, Id)> = Vec::new();
    for one in out.iter().filter(|one| are_moved(one)) {
        let pair = objects(one);
        if !halves.contains(&pair) && leaves_one(record, out, pair) {
            halves.push(pair);
        }
    }
    out.retain(|one| !(are_moved(one) && halves.contains(&objects(one))));
}

/// Whether a member stays in an object though a missing one expects a member of its name, which is missing too.
fn leaves_one(record: &Record<'_, '_>, out: &[Alignment], (from, to): (Id, Id)) -> bool {
    let is_there = |field: Id| record.is_taken(field) || out.iter().any(|one| one.expected == field);
    let says_one_word = || {
        let words = record.found_words(from);
        record.expected_words(to).iter().any(|own| words.iter().any(|word| word.hash == own.hash))
    };
    if from == NONE || to == NONE || is_there(to) || says_one_word() {
        return false;
    }
    let stays = |id: Id| out.iter().all(|one| one.found != id);
    let found = record.found.iter().zip(0..).filter(|(found, id)| found.parent == from && stays(*id));
    let found: Vec<&Found<'_>> = found.map(|(found, _)| found).collect();
    let mut expected = record.model.members(to).filter(|(field, _)| !is_there(*field));
    let may_be = |field: &Expected, found: &Found<'_>| {
        found.name == field.name && compatible(field, found, record.model.has_formats) > 0.0
    };
    expected.any(|(_, field)| found.iter().any(|found| may_be(field, found)))
}
