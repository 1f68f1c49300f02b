//! An object that is all there is, where one object is all that is expected.
//!
//! `{"transaction": {...}}` that became `{"payment": {...}}`: the one name only says what is in the response, so the
//! members decide. Where the contract expects other members too, of which some may be missing, `issue` is no
//! `merge_request`, however alike they are. Nor is it in a list or in another object, unless that is an envelope:
//! elements of one list may be of several kinds, and so may what an object is about (`source.user`, `source.bot`).
//!
//! `{"domains": [...], "total": 2}` that became `{"zones": [...], "total": 2}`: a response about a list has few other
//! members, and no other list. What has an identifier, or more members than the elements of its list, is a record. Of
//! that, any list may be left out: the `refunds` of an order are not its `payments`.

use nomos_rules::dictionary::Role;

use super::frames::frame_around;
use super::halves::say_one_word;
use super::likeness::Likeness;
use crate::plan::outermost::MAX_AROUND;
use crate::plan::spec::Kind;
use crate::similarity::names::Token;
use crate::similarity::record::{Pair, Record};
use crate::similarity::{Found, Id, NONE, Parts};

/// The least share of the members of the object that has fewer.
const LEAST_SHARE: f32 = 0.7;
/// Of elements: the least number of members that are the same, how much their names tell at least, and their least share
/// of the side that has more.
const LEAST_SAME: usize = 4;
const LEAST_TOLD: f32 = 3.0;
const LEAST_OF_LARGER: f32 = 0.3;
/// The score of a pair.
const WORTH: f32 = 0.88;

/// Returns the pair of a found object that is alone in what stands for an expected object, in which one object is
/// expected and nothing else.
pub(crate) fn pair(record: &Record<'_, '_>, found: Id) -> Option<Pair> {
    let frame = record.frame_of(found)?;
    if !is_response(record, frame) {
        return None;
    }
    let mut fields = record.model.members(frame);
    let (expected, field) = fields.next()?;
    let is_one = fields.next().is_none() && field.is_object && !record.is_taken(expected);
    let is_alone = || record.members(record.around(found)).count() == 1;
    if !is_one || !is_alone() || says_another(record, expected, found, &[Role::State, Role::Error]) {
        return None;
    }
    let like = Likeness::of(record, expected, found);
    if !like.is_the_same(LEAST_SHARE) {
        return None;
    }
    let parts = Parts { synonym: 1.0, tokens: WORTH, path: 1.0, kind: 1.0, siblings: like.of_smaller(), ..Parts::NONE };
    Some(Pair { expected, found, score: WORTH, is_taken: false, parts, has_neutral: false })
}

/// Whether a list in what stands for an expected object is all that a response is about, and the expected list all that
/// it is expected to be about. A common word in their names is for `alike.rs` to judge.
pub(crate) fn is_list(record: &Record<'_, '_>, expected: Id, found: Id, frame: Id, like: &Likeness) -> bool {
    let above = record.model.field(expected).map_or(NONE, |field| field.parent);
    let (around, place) = (record.around(found), record.place_of(frame));
    let is_list = |found: &Found<'_>| found.item == Some(Kind::Object);
    let identifies = |word: &Token| word.is(Role::Identifier);
    let is_expected = |id: Id| matches!(record.expected_words(id), [word] if identifies(word));
    let others = [Role::State, Role::Error, Role::Relation, Role::Adjective, Role::Between];
    like.same >= LEAST_SAME
        && like.told >= LEAST_TOLD
        && like.of_larger() >= LEAST_OF_LARGER
        && is_response(record, frame)
        && is_about_list(record.model.members(above).map(|(_, field)| field.is_records), like.all)
        && is_about_list(record.members(around).map(|(_, found)| is_list(found)), like.there)
        && record.members(place).count() <= like.there.saturating_add(1)
        && !record.model.members(above).any(|(id, _)| is_expected(id))
        && ![around, place].into_iter().any(|object| record.has_member(object, identifies))
        && !say_one_word(record, expected, found)
        && !says_another(record, expected, found, &others)
}

/// Returns the expected object in which a found list stands. Around it may be envelopes that hold no other list and no
/// other object.
pub(crate) fn frame_of_list(record: &Record<'_, '_>, list: Id) -> Option<Id> {
    let mut at = list;
    for _ in 0..=MAX_AROUND {
        record.scratch.members.get(at as usize).filter(|member| !member.is_closed)?;
        if let Some(frame) = frame_around(record, at) {
            return Some(frame);
        }
        at = record.around(at);
        let mut inside =
            record.members(at).filter(|(_, found)| [Some(found.kind), found.item].contains(&Some(Kind::Object)));
        if inside.nth(1).is_some() || !record.name_of(at).is_some_and(|name| name.is_envelope) {
            return None;
        }
    }
    None
}

/// Whether an expected object is all that is expected, or an envelope of that.
fn is_response(record: &Record<'_, '_>, frame: Id) -> bool {
    record.model.is_body && (frame == NONE || record.model.names.get(frame).is_some_and(|name| name.is_envelope))
}

/// Whether an object holds one list, and with that no more than an element of the list does, given which of its members
/// are lists.
fn is_about_list(members: impl Iterator<Item = bool>, inside: usize) -> bool {
    let (mut lists, mut others) = (0usize, 0usize);
    for is_list in members {
        let count = if is_list { &mut lists } else { &mut others };
        *count = count.saturating_add(1);
    }
    lists == 1 && others <= inside
}

/// Whether a word in one of the names has one of these roles, or the names say opposites.
fn says_another(record: &Record<'_, '_>, expected: Id, found: Id, roles: &[Role]) -> bool {
    let (own, other) = (record.expected_words(expected), record.found_words(found));
    let says = |word: &Token| roles.iter().any(|role| word.is(*role));
    let is_opposed = |word: &Token| other.iter().any(|other| word.is_opposed_to(other));
    other.iter().any(says) || own.iter().any(|word| says(word) || is_opposed(word))
}
