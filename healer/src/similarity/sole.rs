//! An object that is all there is, where one object is all that is expected.
//!
//! `{"transaction": {...}}` that became `{"payment": {...}}`: the one name only says what is in the response, so the
//! members decide. Where the contract expects other members too, of which some may be missing, `issue` is no
//! `merge_request`, however alike they are. Nor is it in a list or in another object, unless that is an envelope:
//! elements of one list may be of several kinds, and so may what an object is about (`source.user`, `source.bot`).

use nomos_rules::dictionary::Role;

use super::likeness::Likeness;
use super::names::Token;
use super::record::{Pair, Record};
use super::{Id, NONE, Parts};

/// The least share of the members of the object that has fewer.
const LEAST_SHARE: f32 = 0.7;
/// The score of a pair.
const WORTH: f32 = 0.88;

/// Returns the pair of a found object that is alone in what stands for an expected object, in which one object is
/// expected and nothing else.
pub(super) fn pair(record: &Record<'_, '_>, found: Id) -> Option<Pair> {
    let frame = record.frame_of(found)?;
    let is_around_all = || frame == NONE || record.model.names.get(frame).is_some_and(|name| name.is_envelope);
    if !record.model.is_body || !is_around_all() {
        return None;
    }
    let mut fields = record.model.members(frame);
    let (expected, field) = fields.next()?;
    let is_one = fields.next().is_none() && field.is_object && !record.is_taken(expected);
    let is_alone = || record.members(record.around(found)).count() == 1;
    if !is_one || !is_alone() || says_another(record, expected, found) {
        return None;
    }
    let like = Likeness::of(record, expected, found);
    if !like.is_the_same(LEAST_SHARE) {
        return None;
    }
    let parts = Parts { synonym: 1.0, tokens: WORTH, path: 1.0, kind: 1.0, siblings: like.of_smaller(), ..Parts::NONE };
    Some(Pair { expected, found, score: WORTH, is_taken: false, parts, has_neutral: false })
}

/// Whether one of the names says another state or that something is wrong, or the names say opposites.
fn says_another(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let (own, other) = (record.expected_words(expected), record.found_words(found));
    let says = |words: &[Token]| words.iter().any(|word| word.is(Role::State) || word.is(Role::Error));
    says(own) || says(other) || own.iter().any(|word| other.iter().any(|other| word.is_opposed_to(other)))
}
