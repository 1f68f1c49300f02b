//! Objects and lists that are known by their members, because their names alone do not tell.
//!
//! Some interfaces call the list that a response is about by what is in it (`users`), others by what it is (`data`,
//! `items`, `value`). A name of the second kind says nothing of the elements, so their members decide. Any other list
//! with such elements is a rival, whatever its name. A name that says which ones are in the list (`deleted`,
//! `blocked_users`, `suggestions`) is another list beside it.
//!
//! Names of objects get a word: `address` became `storefrontAddress`. Alone that is no evidence, since two addresses
//! often stand beside each other. With the same members, and nothing else that has them, it is the same object. A list is
//! not (`internal_comments` are some of several comments, of which any may be left out), nor is an object whose name lost
//! a word or has another one (`soldToContact`, `billToContact`).

use nomos_rules::dictionary::Role;

use super::frames::holds_itself;
use super::likeness::Likeness;
use super::sole;
use crate::plan::spec::Kind;
use crate::similarity::names::Token;
use crate::similarity::record::{Pair, Record};
use crate::similarity::{Expected, Found, Id, Parts, Standing};

/// The largest number of times that members of a record are looked at to find pairs, each time for another member of an
/// expected object or element: half a millisecond. If it does not suffice, there is no pair.
const MAX_LOOKS: usize = 1 << 19;
/// The same to find rivals of pairs: two milliseconds.
const MAX_LOOKS_FOR_RIVALS: usize = 1 << 21;
/// To compare the words of two names takes as long as so many looks.
const LOOKS_OF_NAMES: usize = 16;
/// The least share of the members of the side that has fewer.
const LEAST_SHARE: f32 = 0.5;
/// Where a name got a word: the least number of members that are the same, how much their names tell at least,
/// and their least share of the side that has more, if the word was in front, and elsewhere: `tag_names` are no `tags`.
const MUCH_SAME: usize = 4;
const MUCH_TOLD: f32 = 3.0;
const LEAST_OF_LARGER: f32 = 0.4;
const LEAST_ELSEWHERE: f32 = 0.6;
/// The score of a pair.
const WORTH: f32 = 0.88;
/// The score of a pair whose names speak against it: too low to be taken, high enough for a rival.
const RIVAL: f32 = 0.84;

/// Adds pairs of lists whose elements are alike.
pub(crate) fn add_lists(record: &mut Record<'_, '_>) {
    let lists: Vec<Id> = (0..record.found.len() as Id).filter(|id| is_open_list(record, *id)).collect();
    let pairs = pairs(record, &lists, |field| field.is_records, &|_, _| true);
    record.scratch.pairs.extend(pairs);
}

/// Adds pairs of these objects whose members are alike where a name got a word, unless anything else is alike.
pub(crate) fn add_objects(record: &mut Record<'_, '_>, objects: &[Id]) {
    let is_named = |expected, found| adds_words(record, expected, found);
    let mut made = pairs(record, objects, |field| field.is_object, &is_named);
    made.retain(|pair| pair.score >= WORTH);
    if made.is_empty() {
        return;
    }
    // What this takes is known before, so that the result does not depend on the order of members.
    if looks_for_rivals(record, &made) <= MAX_LOOKS_FOR_RIVALS {
        made.retain(|pair| !has_rival(record, pair));
        record.scratch.pairs.extend(made);
    }
}

/// Returns how often members are looked at to find the rivals of these pairs, at most.
fn looks_for_rivals(record: &Record<'_, '_>, pairs: &[Pair]) -> usize {
    let objects = record.found.iter().filter(|found| found.kind == Kind::Object).count();
    let mut looks = 0usize;
    for pair in pairs {
        let inside = record.model.inside(pair.expected).0.count();
        looks = looks.saturating_add(objects.saturating_mul(inside)).saturating_add(record.model.fields().len());
    }
    looks.saturating_mul(record.found.len())
}

/// Returns the wanted pairs of found members with expected ones of a kind; none if that takes too long.
#[inline(never)]
fn pairs(
    record: &Record<'_, '_>,
    found: &[Id],
    is_kind: fn(&Expected) -> bool,
    is_wanted: &dyn Fn(Id, Id) -> bool,
) -> Vec<Pair> {
    let (mut pairs, mut looks) = (Vec::new(), 0usize);
    for id in found.iter().copied() {
        for (expected, _) in (0..).zip(record.model.fields()).filter(|(_, field)| is_kind(field)) {
            let is_wanted = is_wanted(expected, id);
            let inside = if is_wanted { record.model.inside(expected).0.count() } else { 0 };
            looks = looks.saturating_add(LOOKS_OF_NAMES).saturating_add(inside.saturating_mul(record.found.len()));
            if looks > MAX_LOOKS {
                return Vec::new();
            }
            if is_wanted {
                pairs.extend(pair(record, expected, id));
            }
        }
    }
    pairs
}

/// Whether another object that nothing accounts for is as much like the expected one, wherever it stands, or another
/// expected object, missing or not, like the found one. A member that is null or empty may be such an object at other
/// times, if its name says so.
#[inline(never)]
fn has_rival(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let is_alike = |expected, found| Likeness::of(record, expected, found).is_the_same(LEAST_SHARE);
    let is_open = |id: Id| record.scratch.members.get(id as usize).is_some_and(|member| !member.is_closed);
    let is_empty = |id: Id| record.members(id).next().is_none();
    let may_be_one = |(id, found): (Id, &Found<'_>)| {
        found.parent == record.around(pair.found)
            && matches!(found.kind, Kind::Null | Kind::Object)
            && says_all_of(record, pair.expected, id)
            && is_empty(id)
    };
    let mut others = (0..).zip(record.found).filter(|(id, _)| *id != pair.found && is_open(*id));
    let mut expected = record.model.objects.iter().filter(|id| **id != pair.expected);
    expected.any(|id| is_alike(*id, pair.found))
        || others
            .any(|(id, found)| found.kind == Kind::Object && is_alike(pair.expected, id) || may_be_one((id, found)))
}

fn is_open_list(record: &Record<'_, '_>, id: Id) -> bool {
    let found = record.found.get(id as usize).filter(|found| found.standing != Standing::Element);
    found.is_some_and(|found| found.item == Some(Kind::Object)) && sole::frame_of_list(record, id).is_some()
}

#[inline(never)]
fn pair(record: &Record<'_, '_>, expected: Id, id: Id) -> Option<Pair> {
    let field = record.model.field(expected)?;
    let frame = if field.is_records { sole::frame_of_list(record, id)? } else { record.frame_of(id)? };
    // Those that are known by their names need no members.
    if record.has_good_pair(expected, id) || !is_missing_up_to(record, field.parent, frame) {
        return None;
    }
    let like = Likeness::of(record, expected, id);
    if !like.is_the_same(LEAST_SHARE) || holds_itself(record, expected, id) {
        return None;
    }
    let is_any = || field.is_records && is_any_list(record.expected_words(expected), record.found_words(id));
    let is_same = || field.is_object && field.parent == frame && is_much(record, expected, id, &like);
    let is_all = || field.is_records && sole::is_list(record, expected, id, frame, &like);
    let score = if is_any() || is_same() || is_all() { WORTH } else { RIVAL };
    let parts = Parts { synonym: 1.0, tokens: score, path: 1.0, kind: 1.0, siblings: like.of_smaller(), ..Parts::NONE };
    Some(Pair { expected, found: id, score, is_taken: record.is_taken(expected), parts, has_neutral: false })
}

/// Whether one of two names has all words of the other.
fn says_all_of(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let (own, other) = (record.expected_words(expected), record.found_words(found));
    let (shorter, longer) = if own.len() < other.len() { (own, other) } else { (other, own) };
    !shorter.is_empty() && shorter.iter().all(|word| word.is_in(longer))
}

/// Whether so much is the same that the found name may have words more than the expected one.
fn is_much(record: &Record<'_, '_>, expected: Id, found: Id, like: &Likeness) -> bool {
    let last = |words: &[Token]| words.last().map(|word| word.hash);
    let is_in_front = last(record.expected_words(expected)) == last(record.found_words(found));
    let needed = if is_in_front { LEAST_OF_LARGER } else { LEAST_ELSEWHERE };
    like.same >= MUCH_SAME && like.told >= MUCH_TOLD && like.of_larger() >= needed
}

/// Whether the found name has all words of the expected one and some more, of which none says that it is another one: the
/// `address` may be what is now the `storefrontAddress`, but the `delivery_address` is one of several, and so is what is
/// expected under such a name.
#[inline(never)]
fn adds_words(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let (own, other) = (record.expected_words(expected), record.found_words(found));
    // As `Token::is_in`, but inlined, because all pairs of objects come here.
    let has = |words: &[Token], word: &Token| words.iter().any(|other| other.hash == word.hash);
    let says_another = |word: &Token| {
        let roles = [Role::Between, Role::Error, Role::Form, Role::Lone, Role::Relation, Role::State, Role::Which];
        word.is_number || roles.into_iter().any(|role| word.is(role))
    };
    !own.is_empty()
        && own.len() < other.len()
        && own.iter().all(|word| has(other, word))
        && !other.iter().any(|word| !has(own, word) && says_another(word))
}

/// Whether one of two names says nothing of what is in the list, and the other one nothing but what that is.
fn is_any_list(own: &[Token], other: &[Token]) -> bool {
    let ([a], [b]) = (own, other) else { return false };
    says_nothing(a) && (says_nothing(b) || says_what(b)) || says_what(a) && says_nothing(b)
}

/// Whether the name of a list says nothing of what is in it.
pub(crate) fn says_nothing(word: &Token) -> bool {
    word.is(Role::Container)
}

/// Whether the name of a list says nothing but what is in it: one noun, in the plural.
pub(crate) fn says_what(word: &Token) -> bool {
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
