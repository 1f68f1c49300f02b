//! Whether an object inside a record is another record, with members of its own.
//!
//! `manager.phone` is not `phone` if both `manager` and the record have a `name`, whether that is expected or not. Two
//! objects with a member of the same name are two things, and two things of one kind each have a `phone`. Nor is `phone`
//! the `manager.phone`. A wrapper around the record is the record itself, unless it has an identifier of its own.

use nomos_rules::dictionary::Role;

use super::framed::Framed;
use super::frames::frame_around;
use crate::order::sort;
use crate::plan::spec::Kind;
use crate::similarity::names::Name;
use crate::similarity::names::lexicon::{hash_word, join_hash};
use crate::similarity::record::{Member, Pair, Record, UNFRAMED, lacks_level};
use crate::similarity::{Expected, Id, NONE, Standing};

/// What is known of members that may be in two objects.
#[derive(Default)]
pub(crate) struct Others {
    /// Their [`key`]s, ascending. Computed on first use.
    standing: Option<Vec<u64>>,
    /// The members that are in frames. Computed on first use.
    framed: Option<Framed>,
    /// The pair of objects that was asked for last, and the answer: all members of an object ask the same.
    one_name: Option<((Id, Id), bool)>,
}

impl Others {
    /// Whether a pair would move a member out of a record that it belongs to, or into another one. A name that says
    /// itself whose it is (`manager_phone` for `manager.phone`) does neither.
    pub fn have(&mut self, record: &Record<'_, '_>, pair: &Pair) -> bool {
        let model = record.model;
        if self.has_nearer(record, pair) {
            return true;
        }
        let found = record.name_of(pair.found).map(|name| name.joined);
        let is_same = found == model.names.get(pair.expected).map(|name| name.joined);
        if !is_same && pair.parts.path >= 1.0 {
            return false;
        }
        let above = |id: Id| model.field(id).map_or(NONE, |field| field.parent);
        let (mut from, mut to) = (record.around(pair.found), above(pair.expected));
        if pair.parts.path < 1.0 && self.expect_one_name(record, from, to) {
            return true;
        }
        loop {
            let place = record.place_of(to);
            if from == NONE || from == place {
                return false;
            }
            if (to == NONE || place != NONE) && self.have_one_name(record, from, place) {
                return true;
            }
            if is_same && to == NONE && has_own_name(record, from, pair.found) {
                return true;
            }
            (from, to) = (record.around(from), above(to));
        }
    }

    /// Whether a member of the expected name is directly in what stands for the object around an expected field, while
    /// the one in the pair is further in. Whatever its value is, it is that field: beside `phone: null` and in the same
    /// envelope, `manager.phone` is the manager's, and `total.amount` has a currency. But a list may have got an object
    /// around it (`labels.nodes[]`), and so may a value, if there is nothing else in that.
    fn has_nearer(&mut self, record: &Record<'_, '_>, pair: &Pair) -> bool {
        let (Some(field), Some(name)) = (record.model.field(pair.expected), record.model.names.get(pair.expected))
        else {
            return false;
        };
        if frame_around(record, pair.found) == Some(field.parent) {
            return false;
        }
        let framed = self.framed.get_or_insert_with(|| Framed::of(record));
        let is_list_or_alone = |id: Id| field.is_records || record.members(id).nth(1).is_none();
        let is_around = |id: Id| record.is_at_or_inside(pair.found, id) && is_list_or_alone(id);
        framed.named(field.parent, name.joined).any(|id| !is_around(id))
    }

    /// Whether what is in one object, and expected in another, would go into a record that it does not belong to: one
    /// that expects a member of a name that stands around what is found.
    fn expect_one_name(&mut self, record: &Record<'_, '_>, mut from: Id, mut to: Id) -> bool {
        let standing = self.standing.get_or_insert_with(|| standing(record));
        let is_envelope = |id: Id| record.model.names.get(id).is_none_or(|name| name.is_envelope);
        while let Some(object) = record.model.field(to) {
            if record.is_taken(to) && record.place_of(to) == from {
                return false;
            }
            let stands = |field: &Expected| standing.binary_search(&key(from, &field.name, Mark::Expected)).is_ok();
            let is_own = !is_envelope(to) && !record.is_lifted(to);
            if is_own && record.model.members(to).any(|(id, field)| !is_envelope(id) && stands(field)) {
                return true;
            }
            (from, to) = (record.around(from), object.parent);
        }
        false
    }

    /// Whether an object has a member with the name of one in the object `place`. Of wrappers, only identifiers count, or
    /// all that refers to a thing if their names say what is in them.
    fn have_one_name(&mut self, record: &Record<'_, '_>, object: Id, place: Id) -> bool {
        if let Some((_, known)) = self.one_name.filter(|(asked, _)| *asked == (object, place)) {
            return known;
        }
        let is_wrapper = record.scratch.members.get(object as usize).is_some_and(|member| member.is_wrapper);
        let mut members = record.members(object);
        let standing = self.standing.get_or_insert_with(|| standing(record));
        let says_nothing = |name: &Name| name.is_envelope || name.is_grouping || name.is_said_above();
        let marks: &[Mark] = match () {
            () if !is_wrapper => &[Mark::Expected, Mark::Unknown],
            () if record.name_of(object).is_none_or(says_nothing) => &[Mark::Identifier],
            () => &[Mark::Identifier, Mark::Reference],
        };
        let is_in_both = |name: &str| marks.iter().any(|mark| standing.binary_search(&key(place, name, *mark)).is_ok());
        let answer = members.any(|(_, found)| is_in_both(found.name));
        self.one_name = Some(((object, place), answer));
        answer
    }
}

/// Whether an object around what moved is none that is expected, has a name of its own, and holds another object that is
/// or has what moved: `employer.address` is not `address`, if the employer has an `id` or a `name`.
#[inline(never)]
fn has_own_name(record: &Record<'_, '_>, object: Id, found: Id) -> bool {
    let is_object = || record.found.get(found as usize).is_some_and(|found| found.kind == Kind::Object);
    let is_other = |member: &Member| member.frame == UNFRAMED && !member.is_wrapper;
    let says_what = |name: &Name| !(name.is_envelope || name.is_grouping || name.is_said_above());
    record.scratch.members.get(object as usize).is_some_and(is_other)
        && (object != record.around(found) || is_object())
        && record.name_of(object).is_some_and(says_what)
        && record.has_member(object, |word| word.is(Role::Identifier) || word.hash == hash_word("name"))
}

/// Why a member counts.
#[derive(Clone, Copy)]
enum Mark {
    /// It stands where it is expected.
    Expected,
    /// The same, and its name says that it may identify the object around it.
    Identifier,
    /// The same as expected, and its name ends in a word by which others refer to the object around it.
    Reference,
    /// It is a value of its own that is not expected. Objects of one name (`data`, `fields`) may be in any object.
    Unknown,
}

/// Returns the keys of all members that count.
#[inline(never)]
fn standing(record: &Record<'_, '_>) -> Vec<u64> {
    let names = &record.model.names;
    let refers = |name: &Name| names.own(name).last().is_some_and(|word| word.is(Role::Reference));
    let identifies = |name: &Name| names.own(name).iter().any(|word| word.is(Role::Identifier));
    let mut standing = Vec::new();
    // The number of found members is bounded, that of expected ones is not.
    for found in record.found {
        let mut note = |mark: Mark| standing.push(key(found.parent, found.name, mark));
        match found.standing {
            Standing::Expected(field) if !lacks_level(record.model, found) => {
                note(Mark::Expected);
                if names.get(field).is_some_and(identifies) {
                    note(Mark::Identifier);
                }
                if names.get(field).is_some_and(refers) {
                    note(Mark::Reference);
                }
            }
            Standing::Unknown if !matches!(found.kind, Kind::Object | Kind::Array) => note(Mark::Unknown),
            _ => (),
        }
    }
    sort(&mut standing);
    standing
}

/// Returns a number for a member of a found object.
fn key(object: Id, name: &str, mark: Mark) -> u64 {
    join_hash(hash_word(name), u64::from(object) << 2 | mark as u64)
}
