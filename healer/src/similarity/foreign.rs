//! Doubt about a whole record: where most of what is expected is found nowhere, and most of what is there is unknown, it
//! is likely a record of another kind, in which the same name need not mean the same.
//!
//! On the development corpus 4 of 718 pairs were wrong in the records that pass, and 14 of 127 in the others; most of
//! these had the very name that was expected.

use super::record::Record;
use super::{Alignment, Standing};
use crate::plan::spec::Kind;

/// The share of a record's fields, or of its members, that has to be accounted for.
const LEAST_KNOWN: f32 = 0.35;

/// Whether too little is known of a record to heal anything in it.
pub(super) fn is_foreign(record: &Record<'_, '_>, out: &[Alignment]) -> bool {
    !out.is_empty() && expected_share(record, out).max(found_share(record, out)) < LEAST_KNOWN
}

/// The share of the expected leaves that stand or are aligned.
fn expected_share(record: &Record<'_, '_>, out: &[Alignment]) -> f32 {
    let leaves = (0..).zip(record.model.fields()).filter(|(_, field)| !field.is_object);
    let known = leaves.clone().filter(|(id, _)| record.is_taken(*id) || out.iter().any(|one| one.expected == *id));
    ratio(known.count(), leaves.count())
}

/// The share of the members that stand as expected or are aligned.
fn found_share(record: &Record<'_, '_>, out: &[Alignment]) -> f32 {
    let leaves = (0..).zip(record.found);
    let leaves = leaves.filter(|(_, found)| found.kind != Kind::Object && found.standing != Standing::Element);
    let placed =
        leaves.clone().filter(|(id, _)| record.scratch.fields.contains(id) || out.iter().any(|one| one.found == *id));
    ratio(placed.count(), leaves.count())
}

#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
