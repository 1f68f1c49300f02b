//! Doubts about a whole record: if most of what is expected is found nowhere, it is likely a record of another kind, in
//! which the same name need not mean the same.
//!
//! Members of array elements count too, so that a record around arrays is judged by nearly the whole body. A smaller
//! share suffices where more than the name speaks for a pair: its format, a kind other than a string, or siblings that
//! moved along. A name of several words is about one thing. If the same words are there, a still smaller share
//! suffices, the more so if nothing unexpected stands above them, and if the member has not moved, any share does. Where
//! several members moved up out of a missing object together, the same words suffice too. If most of an object is
//! there, and little else, that object is the expected one, whatever became of the record around it.

use nomos_rules::dictionary::Role;

use super::count::Counts;
use super::{graphql, scale};
use crate::plan::spec::Kind;
use crate::similarity::names::Token;
use crate::similarity::record::Record;
use crate::similarity::{Alignment, Doubt, Id, NONE};

/// A name with this many words has several.
const SEVERAL_WORDS: usize = 2;
/// From this value of [`crate::similarity::Parts::synonym`] on, all paired words are the same, and each stands in the name of the
/// same object on both sides.
const EXACT: f32 = 0.995;
/// From this value on, all paired words are the same.
const TAKEN_APART: f32 = 0.985;
/// From this value of [`crate::similarity::Parts::siblings`] on, siblings that moved along, or members that are the same, are
/// evidence.
const SIBLINGS: f32 = 0.3;
/// At least this many members of a missing object moved up together.
const MOVED_UP: usize = 3;
/// A rival with a higher score than this is evidence against a pair.
const RIVAL: f32 = 0.6;

/// Takes back alignments that are too weak, where too little of the record is known.
pub(crate) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    if out.is_empty() {
        return;
    }
    let mut known = Counts::of(record, out);
    let share = known.share();
    let is_graphql = graphql::is_answer(record);
    let is_weak = |one: &&Alignment| {
        !counts(record, one, share, &mut known, out)
            || scale::is_scaled(record, one, out)
            || graphql::is_connection(record, one)
            || is_graphql && graphql::differs(record, one)
    };
    let weak: Vec<Id> = out.iter().filter(is_weak).map(|one| one.found).collect();
    out.retain(|one| !weak.iter().any(|weak| record.is_at_or_inside(one.found, *weak)));
}

/// Whether an alignment counts, given the share of expected values of the record that are known.
fn counts(
    record: &Record<'_, '_>,
    alignment: &Alignment,
    share: f32,
    known: &mut Counts<'_, '_, '_>,
    out: &[Alignment],
) -> bool {
    let doubt = record.settings.doubt;
    let is_known = |known: &mut Counts<'_, '_, '_>| share >= doubt.known || known.is_whole(alignment);
    if is_listed(record, alignment) {
        return is_exact(alignment)
            && (has_several_words(record, alignment) && has_stayed(alignment) || is_known(known));
    }
    share >= least_share(record, alignment, out) || is_known(known)
}

/// Returns the least share that suffices for what speaks for an alignment.
fn least_share(record: &Record<'_, '_>, alignment: &Alignment, out: &[Alignment]) -> f32 {
    let Doubt { known, borne_out, likely, stayed, .. } = record.settings.doubt;
    let says_all = is_exact(alignment) && has_several_words(record, alignment);
    match is_in_place(record, alignment) {
        true if says_all && has_stayed(alignment) => 0.0,
        true if has_format(record, alignment) && alignment.parts.kind >= 1.0 => stayed,
        true if is_exact(alignment) && have_moved_up(record, alignment, out) => stayed,
        false if (says_all || is_taken_apart(alignment)) && has_stayed(alignment) => stayed,
        _ if says_all => likely,
        _ if is_borne_out(record, alignment) => borne_out,
        _ => known,
    }
}

/// Whether a member moved up out of a missing object, and others along with it.
fn have_moved_up(record: &Record<'_, '_>, alignment: &Alignment, out: &[Alignment]) -> bool {
    let object = |one: &Alignment| record.model.field(one.expected).map_or(NONE, |field| field.parent);
    let missing = object(alignment);
    let moved = out.iter().filter(|one| object(one) == missing && is_exact(one) && is_in_place(record, one));
    missing != NONE && !record.is_taken(missing) && moved.count() >= MOVED_UP
}

/// Whether all words of one name are those of the other.
fn is_exact(alignment: &Alignment) -> bool {
    alignment.parts.synonym >= EXACT && alignment.parts.tokens >= 1.0
}

/// Whether all words are the same, but some stand in the name of an object: `poster.url` for `posterUrl`.
fn is_taken_apart(alignment: &Alignment) -> bool {
    (TAKEN_APART..EXACT).contains(&alignment.parts.synonym) && alignment.parts.tokens >= 1.0
}

/// Whether nothing unexpected stands above a member.
fn has_stayed(alignment: &Alignment) -> bool {
    alignment.parts.path >= 1.0
}

/// Whether more than its name speaks for a pair without a rival: a format, a kind other than a string, or siblings.
fn is_borne_out(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Alignment { found, parts, .. } = *alignment;
    let speaks = |kind| match kind {
        Kind::String => has_format(record, alignment),
        kind => matches!(kind, Kind::Boolean | Kind::Integer | Kind::Number),
    };
    let kind = record.found.get(found as usize).map(|found| found.kind);
    parts.rival <= RIVAL && (parts.siblings >= SIBLINGS || kind.is_some_and(speaks))
}

/// Whether the contract declares a format for the value.
fn has_format(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    record.model.field(alignment.expected).is_some_and(|field| field.expects.format.is_some())
}

/// Whether a value is a word of a list that the contract does not declare. Such lists change with the version of an API
/// more often than names do.
fn is_listed(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let is_string = record.found.get(alignment.found as usize).is_some_and(|found| found.kind == Kind::String);
    is_string && record.model.names_a_list(alignment.expected)
}

/// Whether a member stands in the object in which it is expected.
fn is_in_place(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let object = record.model.field(alignment.expected).map_or(NONE, |field| field.parent);
    record.place_of(object) == record.around(alignment.found)
}

/// Whether the name of a value has several words, as expected or as found: `paymenttype` is `payment_type`.
fn has_several_words(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Alignment { expected, found, .. } = *alignment;
    let is_value = record.model.field(expected).is_some_and(|field| !field.is_object && !field.is_records);
    is_value && (are_several(record.expected_words(expected)) || are_several(record.found_words(found)))
}

fn are_several(words: &[Token]) -> bool {
    words.iter().filter(|word| !word.is_number && !word.is(Role::Filler)).count() >= SEVERAL_WORDS
}
