//! Lists that got or lost a name of their own.
//!
//! Some interfaces call the list that a response is about by what is in it (`users`), others by what it is (`data`,
//! `items`, `value`). A name of the second kind says nothing of the elements, so their members decide. Any other list
//! with such elements is a rival, whatever its name. A name that says which ones are in the list (`deleted`,
//! `blocked_users`, `suggestions`) is another list beside it.

use nomos_rules::dictionary::Role;

use super::frames::holds_itself;
use super::likeness::Likeness;
use super::names::Token;
use super::record::{Pair, Record};
use super::{Id, Parts, Standing};
use crate::plan::spec::Kind;

/// The largest number of times that members are looked at in one record, each time for another member of an expected
/// element: half a millisecond in all.
const MAX_LOOKS: usize = 1 << 19;
/// The least share of the members of the elements that have fewer.
const LEAST_SHARE: f32 = 0.5;
/// The score of a pair.
const WORTH: f32 = 0.88;
/// The score of a pair of which both names say something: too low to be taken, high enough for a rival.
const RIVAL: f32 = 0.84;

/// Adds pairs of lists whose elements are alike.
pub(super) fn add(record: &mut Record<'_, '_>) {
    let (mut made, mut looks) = (Vec::new(), 0usize);
    for id in 0..record.found.len() as Id {
        if !is_open_list(record, id) {
            continue;
        }
        for (expected, field) in (0..).zip(record.model.fields()) {
            if !field.is_records {
                continue;
            }
            let inside = record.model.inside(expected).0.count();
            looks = looks.saturating_add(inside.saturating_mul(record.found.len()));
            if looks > MAX_LOOKS {
                return;
            }
            made.push(pair(record, expected, id));
        }
    }
    for pair in made {
        record.add(pair);
    }
}

fn is_open_list(record: &Record<'_, '_>, id: Id) -> bool {
    let found = record.found.get(id as usize).filter(|found| found.standing != Standing::Element);
    found.is_some_and(|found| found.item == Some(Kind::Object)) && record.frame_of(id).is_some()
}

#[inline(never)]
fn pair(record: &Record<'_, '_>, expected: Id, id: Id) -> Option<Pair> {
    let field = record.model.field(expected)?;
    // Lists that are known by their names need no members.
    if record.has_good_pair(expected, id) || !is_missing_up_to(record, field.parent, record.frame_of(id)?) {
        return None;
    }
    let like = Likeness::of(record, expected, id);
    if !like.is_the_same(LEAST_SHARE) || holds_itself(record, expected, id) {
        return None;
    }
    let score = if is_any_list(record.expected_words(expected), record.found_words(id)) { WORTH } else { RIVAL };
    let parts = Parts { synonym: 1.0, tokens: score, path: 1.0, kind: 1.0, siblings: like.of_smaller(), ..Parts::NONE };
    Some(Pair { expected, found: id, score, is_taken: record.is_taken(expected), parts, has_neutral: false })
}

/// Whether one of two names says nothing of what is in the list, and the other one nothing but what that is.
fn is_any_list(own: &[Token], other: &[Token]) -> bool {
    let ([a], [b]) = (own, other) else { return false };
    says_nothing(a) && (says_nothing(b) || says_what(b)) || says_what(a) && says_nothing(b)
}

/// Whether the name of a list says nothing of what is in it.
pub(super) fn says_nothing(word: &Token) -> bool {
    word.is(Role::Container)
}

/// Whether the name of a list says nothing but what is in it: one noun, in the plural.
pub(super) fn says_what(word: &Token) -> bool {
    word.is_plural && !word.is(Role::Relation)
}

/// Whether an expected object and those around it are missing, up to the object `frame`.
fn is_missing_up_to(record: &Record<'_, '_>, mut object: Id, frame: Id) -> bool {
    while object != frame && !record.is_taken(object) {
        let Some(field) = record.model.field(object) else { return false };
        object = field.parent;
    }
    object == frame
}
