//! Doubt about a whole record: where most of what is expected is found nowhere, it may be a record of another kind, and
//! the same name need not mean the same.
//!
//! On the development corpus no pair was wrong in records of which two fifths were accounted for, and one in twenty in
//! the others.

use super::names::{Name, Names};
use super::record::Record;
use super::{Alignment, Id, NONE, Standing};
use crate::plan::spec::Kind;

/// The share of a record's fields that is accounted for, from which on nothing of this is doubted.
const KNOWN: f32 = 0.4;
/// Names that tell less than this say nothing there: `id`, `type`.
const LEAST_TOLD: f32 = 0.5;
/// The members that two objects share there, to be one.
const LEAST_SHARED: f32 = 0.5;
/// From here on names are the same.
const SAME_WORDS: f32 = 0.955;

/// Takes back what is too weak, if hardly anything of the record is known.
pub(super) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    if out.is_empty() || share(record, out) >= KNOWN {
        return;
    }
    let weak: Vec<Id> = out.iter().filter(|one| !is_strong(record, one)).map(|one| one.found).collect();
    out.retain(|one| !weak.iter().any(|weak| is_at_or_inside(record, one.found, *weak)));
}

/// The share of the expected leaves that stand or are aligned, or that of the members, if that is more.
fn share(record: &Record<'_, '_>, out: &[Alignment]) -> f32 {
    let (mut all, mut known) = (0u32, 0u32);
    for (id, _) in (0..).zip(record.model.fields()).filter(|(_, field)| !field.is_object) {
        all = all.saturating_add(1);
        known = known.saturating_add(u32::from(record.is_taken(id) || out.iter().any(|one| one.expected == id)));
    }
    let (mut there, mut placed) = (0u32, 0u32);
    for (id, found) in (0..).zip(record.found) {
        if found.kind == Kind::Object || found.standing == Standing::Element {
            continue;
        }
        there = there.saturating_add(1);
        let is_placed = record.scratch.fields.contains(&id) || out.iter().any(|one| one.found == id);
        placed = placed.saturating_add(u32::from(is_placed));
    }
    ratio(known, all).max(ratio(placed, there))
}

#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn ratio(part: u32, whole: u32) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

fn is_strong(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Some(field) = record.model.field(alignment.expected) else { return false };
    let parts = &alignment.parts;
    if field.is_object || field.is_records {
        return parts.siblings >= LEAST_SHARED || parts.synonym >= SAME_WORDS && parts.path >= 1.0;
    }
    let names = &record.model.names;
    parts.path >= 1.0 && names.get(alignment.expected).is_some_and(|name| told(names, name) >= LEAST_TOLD)
}

fn told(names: &Names, name: &Name) -> f32 {
    names.own(name).iter().map(|word| word.weight).sum()
}

fn is_at_or_inside(record: &Record<'_, '_>, mut found: Id, object: Id) -> bool {
    while found != object && found != NONE {
        found = record.found.get(found as usize).map_or(NONE, |found| found.parent);
    }
    found == object
}
