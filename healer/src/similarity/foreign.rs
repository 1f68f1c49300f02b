//! Doubt about a whole record: where most of what is expected is found nowhere, it is likely a record of another kind, in
//! which the same name need not mean the same.
//!
//! Names of several words are about one thing, and objects with the same members are one: these count there too. A name
//! of one word does not: `price`, `country`, `type`.

use super::names::Token;
use super::record::Record;
use super::{Alignment, Id, NONE};

/// The share of a record's expected fields that has to be accounted for. `docs/similarity.md` tells what it was set by.
const LEAST_KNOWN: f32 = 0.4;
/// The words of a name that counts even so.
const LEAST_WORDS: usize = 2;
/// From here on names are the same.
const SAME_WORDS: f32 = 0.955;
/// The share of the members that two objects have in common, to be one.
const LEAST_SHARED: f32 = 0.5;

/// Takes back what is too weak, if too little of the record is known.
pub(super) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    if out.is_empty() || expected_share(record, out) >= LEAST_KNOWN {
        return;
    }
    let weak: Vec<Id> = out.iter().filter(|one| !is_strong(record, one)).map(|one| one.found).collect();
    out.retain(|one| !weak.iter().any(|weak| is_at_or_inside(record, one.found, *weak)));
}

fn is_strong(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Some(field) = record.model.field(alignment.expected) else { return false };
    let parts = &alignment.parts;
    if field.is_object || field.is_records {
        return parts.siblings >= LEAST_SHARED;
    }
    let names = &record.model.names;
    let words = names.get(alignment.expected).map(|name| names.own(name)).unwrap_or_default();
    let words = words.iter().filter(|word: &&Token| !word.is_number && !word.is_filler).count();
    words >= LEAST_WORDS && parts.synonym >= SAME_WORDS && parts.tokens >= 1.0 && parts.path >= 1.0
}

fn is_at_or_inside(record: &Record<'_, '_>, mut found: Id, object: Id) -> bool {
    while found != object && found != NONE {
        found = record.found.get(found as usize).map_or(NONE, |found| found.parent);
    }
    found == object
}

/// The share of the expected leaves that stand or are aligned.
fn expected_share(record: &Record<'_, '_>, out: &[Alignment]) -> f32 {
    let leaves = (0..).zip(record.model.fields()).filter(|(_, field)| !field.is_object);
    let known = leaves.clone().filter(|(id, _)| record.is_taken(*id) || out.iter().any(|one| one.expected == *id));
    ratio(known.count(), leaves.count())
}

#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
