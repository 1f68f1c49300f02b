//! Doubt about a whole record: where most of what is expected is found nowhere, it is likely a record of another kind, in
//! which the same name need not mean the same.
//!
//! What is in the elements of arrays counts too, so that the record around is judged by nearly the whole body. A smaller
//! share will do where more than a name speaks for a pair: its format, a kind other than a string, siblings that moved
//! along. Names of several words are about one thing: where the same ones are there, a still smaller share will do, and
//! where these have not moved, any. And where most of an object is there, and little else, that object is the one that is
//! expected, whatever became of the record around it.

use super::count::{Counts, is_at_or_inside};
use super::names::Token;
use super::record::Record;
use super::{Alignment, Id, NONE, graphql, scale};
use crate::plan::spec::Kind;

/// A name of several words.
const SEVERAL_WORDS: usize = 2;
/// From here on all words that have counterparts are the same, and each stands in the name of the same object.
const EXACT: f32 = 0.995;
/// From here on siblings that moved along, or members that are the same, bear out what they belong to.
const SIBLINGS: f32 = 0.3;
/// Up to here no other pair of the field or the member is of any account.
const RIVAL: f32 = 0.6;

/// Takes back what is too weak, if too little of the record is known.
pub(super) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    if out.is_empty() {
        return;
    }
    let mut known = Counts::of(record, out);
    let share = known.share();
    let is_graphql = graphql::is_answer(record);
    let is_weak = |one: &&Alignment| {
        !counts(record, one, share, &mut known)
            || scale::is_scaled(record, one, out)
            || graphql::is_connection(record, one)
            || is_graphql && graphql::differs(record, one)
    };
    let weak: Vec<Id> = out.iter().filter(is_weak).map(|one| one.found).collect();
    out.retain(|one| !weak.iter().any(|weak| is_at_or_inside(record, one.found, *weak)));
}

/// Whether an alignment counts, where this share of what is expected of the record is known.
fn counts(record: &Record<'_, '_>, alignment: &Alignment, share: f32, known: &mut Counts<'_, '_, '_>) -> bool {
    let doubt = record.settings.doubt;
    let is_exact = alignment.parts.synonym >= EXACT && alignment.parts.tokens >= 1.0;
    let mut is_known = || share >= doubt.known || known.is_whole(alignment);
    if is_listed(record, alignment) {
        return is_exact && is_known();
    }
    let says_all = is_exact && has_several_words(record, alignment);
    let is_there = || alignment.parts.path >= 1.0 && is_in_place(record, alignment);
    says_all && (share >= doubt.likely || is_there())
        || share >= doubt.borne_out && is_borne_out(record, alignment)
        || is_known()
}

/// Whether more than its name speaks for a pair that has no rival: a format, a kind other than a string, or siblings.
fn is_borne_out(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Alignment { expected, found, parts, .. } = *alignment;
    let has_format = || record.model.field(expected).is_some_and(|field| field.expects.format.is_some());
    let speaks = |kind| match kind {
        Kind::String => has_format(),
        kind => matches!(kind, Kind::Boolean | Kind::Integer | Kind::Number),
    };
    let kind = record.found.get(found as usize).map(|found| found.kind);
    parts.rival <= RIVAL && (parts.siblings >= SIBLINGS || kind.is_some_and(speaks))
}

/// Whether a value is a word out of a list that the contract does not tell. Such lists change with the version of an API
/// more often than names do.
fn is_listed(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let is_string = record.found.get(alignment.found as usize).is_some_and(|found| found.kind == Kind::String);
    is_string && record.model.names_a_list(alignment.expected)
}

/// Whether a member stands in the object in which it is expected.
fn is_in_place(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let object = record.model.field(alignment.expected).map_or(NONE, |field| field.parent);
    let around = record.around(alignment.found);
    let place = if object == NONE { Some(NONE) } else { record.scratch.fields.get(object as usize).copied() };
    place == Some(around)
}

/// Whether a value's name has several words, as it is expected or as it is: `paymenttype` is `payment_type`.
fn has_several_words(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Alignment { expected, found, .. } = *alignment;
    let is_value = record.model.field(expected).is_some_and(|field| !field.is_object && !field.is_records);
    is_value && (are_several(record.expected_words(expected)) || are_several(record.found_words(found)))
}

fn are_several(words: &[Token]) -> bool {
    words.iter().filter(|word| !word.is_number && !word.is_filler).count() >= SEVERAL_WORDS
}
