//! Decides which found objects take the place of which expected ones.
//!
//! It works from the outside in, level by level. A found object is an expected one if the names match and the members
//! bear that out. A wrapper around a whole record is known by its members: it holds most of what the record lacks.

use super::framed::Framed;
use super::halves::say_one_word;
use super::likeness::{Likeness, has_child};
use super::{alike, sole};
use crate::order::sort;
use crate::plan::spec::Kind;
use crate::similarity::fields::decide;
use crate::similarity::fields::doubt::GROUPED;
use crate::similarity::names::Name;
use crate::similarity::record::{Member, Pair, Record, UNFRAMED};
use crate::similarity::{Alignment, Found, Id, NONE};

/// An unknown object with at least this many expected members may be a wrapper. An expected object with at least this
/// many members around it may be lifted.
const LEAST_WRAPPED: u32 = 3;
/// The same for a lifted object that is the only expected field of its parent.
const LEAST_IN_SOLE: u32 = 2;
/// The same for a wrapper whose members are partly those of missing objects.
const LEAST_DEEP: u32 = 5;
/// At least this many of these must belong elsewhere than to the missing object that has most of them.
const LEAST_SPLIT: u32 = 2;
/// The score of a name that is only near, but whose members are the same.
const BORNE_OUT: f32 = 0.9;
/// The lowest score of a name that members may bear out.
const LEAST_NAME: f32 = 0.6;
/// Words that are only near are at most so close. If the object has moved too, `order.user` is no `sender`, though it has
/// the members that every user has.
const NEAR_WORDS: f32 = 0.85;
/// The least that the names of members in such a wrapper must tell together.
const LEAST_TOLD: f32 = 2.0;
/// The same for members of objects whose names are near, and of a lifted object that is an only field.
const LEAST_TOLD_BY_NAMED: f32 = 1.0;
/// The same where the members of near-named objects mostly differ.
const MUCH_TOLD: f32 = 4.0;

/// Sets the frames of all objects and adds the alignments of expected objects.
pub(crate) fn find(record: &mut Record<'_, '_>, out: &mut Vec<Alignment>) {
    if record.settings.without().frames {
        return;
    }
    lift(record);
    for level in levels(record) {
        adopt(record, &level);
        let open = open_objects(record, &level);
        if open.is_empty() {
            continue;
        }
        align_objects(record, &open, out);
        if find_wrappers(record, &open) {
            lift(record);
        }
    }
}

/// Returns the members by the number of objects around them.
fn levels(record: &Record<'_, '_>) -> Vec<Vec<Id>> {
    let mut levels: Vec<Vec<Id>> = Vec::new();
    for (member, id) in record.scratch.members.iter().zip(0..) {
        let depth = usize::from(member.depth);
        if levels.len() <= depth {
            levels.resize(depth.saturating_add(1), Vec::new());
        }
        levels.get_mut(depth).into_iter().for_each(|level| level.push(id));
    }
    levels
}

/// Returns the objects among these members that nothing accounts for.
fn open_objects(record: &Record<'_, '_>, members: &[Id]) -> Vec<Id> {
    let is_object = |id: Id| record.found.get(id as usize).is_some_and(|found| found.kind == Kind::Object);
    let is_open = |id: Id| record.scratch.members.get(id as usize).is_some_and(|member| !member.is_closed);
    members.iter().copied().filter(|id| is_object(*id) && is_open(*id)).collect()
}

/// Marks those of these members as standing where they are expected that have an expected name in an object that took
/// the place of an expected one.
fn adopt(record: &mut Record<'_, '_>, members: &[Id]) {
    for id in members.iter().copied() {
        let (Some(found), Some(member)) = (record.found.get(id as usize), record.scratch.members.get(id as usize))
        else {
            return;
        };
        let Some(parent) = record.scratch.members.get(found.parent as usize) else { continue };
        if member.is_closed || parent.is_wrapper || parent.frame >= UNFRAMED {
            continue;
        }
        let frame = parent.frame;
        let mut fields = record.model.members(frame);
        let same = fields.find(|(_, field)| field.name == found.name).map(|(at, _)| at);
        let Some(field) = same.filter(|field| !record.is_taken(*field)) else { continue };
        let is_object = record.model.field(field).is_some_and(|field| field.is_object) && found.kind == Kind::Object;
        record.take(field, id, if is_object { field } else { UNFRAMED });
    }
}

/// Adds the alignments of these objects.
fn align_objects(record: &mut Record<'_, '_>, objects: &[Id], out: &mut Vec<Alignment>) {
    record.scratch.pairs.clear();
    for id in objects {
        record.compare(*id, |field| field.is_object);
    }
    bear_out_all(record);
    for id in objects {
        record.add(sole::pair(record, *id));
    }
    alike::add_objects(record, objects);

    let first = out.len();
    decide::decide(record, out);
    for alignment in out.get(first..).unwrap_or_default() {
        record.take(alignment.expected, alignment.found, alignment.expected);
    }
}

/// Applies the evidence of members to all pairs of objects.
pub(crate) fn bear_out_all(record: &mut Record<'_, '_>) {
    let mut pairs = std::mem::take(&mut record.scratch.pairs);
    for pair in &mut pairs {
        if record.model.field(pair.expected).is_some_and(|field| field.is_object || field.is_records) {
            bear_out(record, pair);
        }
    }
    record.scratch.pairs = pairs;
}

/// Raises or rejects a pair of objects by their members.
fn bear_out(record: &Record<'_, '_>, pair: &mut Pair) {
    let like = Likeness::of(record, pair.expected, pair.found);
    if like.clashes {
        pair.score = 0.0;
        return;
    }
    let share = like.of_smaller();
    if is_another(record, pair, &like) {
        pair.score = 0.0;
        return;
    }
    pair.parts.siblings = share;
    let is_much = share >= 0.5 || like.told >= MUCH_TOLD;
    let is_elsewhere = pair.parts.path < GROUPED
        && pair.parts.synonym <= NEAR_WORDS
        && !say_one_word(record, pair.expected, pair.found);
    if pair.score >= LEAST_NAME
        && like.same >= 2
        && like.told >= LEAST_TOLD_BY_NAMED
        && is_much
        && !is_elsewhere
        && !all_have_these(record, pair)
        && (pair.parts.synonym > NEAR_WORDS || like.tells_much)
    {
        pair.score = pair.score.max(BORNE_OUT);
    }
}

/// Whether an object or array of another name has several members and none of the expected ones, or an element of an array
/// holds what is expected: `threads` are not the list each of whose elements has `threads`.
fn is_another(record: &Record<'_, '_>, pair: &Pair, like: &Likeness) -> bool {
    let expected = record.model.names.get(pair.expected).map(|name| name.joined);
    let is_same = record.name_of(pair.found).map(|name| name.joined) == expected;
    !is_same && like.same == 0 && like.all > 1 && like.there > 1 || holds_itself(record, pair.expected, pair.found)
}

/// Whether the elements of an array have a member of the expected array's name.
#[inline(never)]
pub(crate) fn holds_itself(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let is_list = record.model.field(expected).is_some_and(|field| field.is_records);
    let name = record.model.names.get(expected).filter(|_| is_list);
    name.is_some_and(|name| has_child(record, found, name.joined))
}

/// Whether another object that is there is expected to have all members that both have. Then these do not tell which
/// object it is.
fn all_have_these(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let Some(field) = record.model.field(pair.expected) else { return false };
    if !field.is_object || pair.parts.synonym > NEAR_WORDS {
        return false;
    }
    let names =
        |of: Id| record.model.members(of).filter_map(|(id, _)| record.model.names.get(id)).map(|name| name.joined);
    let mut both = Vec::new();
    for name in names(pair.expected) {
        if has_child(record, pair.found, name) {
            both.push(name);
        }
    }
    let mut others = record.model.members(field.parent).filter(|(id, other)| other.is_object && record.is_taken(*id));
    others.any(|(other, _)| both.iter().all(|name| names(other).any(|own| own == *name)))
}

/// Finds lifted objects: expected objects that are gone while their members are in the object around them.
fn lift(record: &mut Record<'_, '_>) {
    // Objects that expect a name that was found: no other one can have members outside.
    let mut objects: Vec<Id> = Vec::new();
    for run in record.scratch.named.chunk_by(|a, b| a.0 == b.0) {
        let joined = run.first().map_or(0, |(joined, _)| *joined);
        objects.extend(
            record.model.fields_named(joined).filter_map(|id| record.model.field(id)).map(|field| field.parent),
        );
    }
    sort(&mut objects);
    objects.dedup();
    let mut counts = vec![None; record.model.fields().len()];
    let mut beside = ((NONE, UNFRAMED), 0);
    let mut known = None;
    for id in objects {
        if record.is_taken(id) || record.is_lifted(id) {
            continue;
        }
        let Some(field) = record.model.field(id) else { continue };
        let Some(frame) = frame_for(record, field.parent) else { continue };
        let framed = known.get_or_insert_with(|| Framed::of(record));
        let mut names = names_outside(record, id, field.parent, (frame, framed));
        if names.is_empty() {
            continue;
        }
        // Objects with the same parent follow one another.
        if beside.0 != (field.parent, frame) {
            beside = ((field.parent, frame), standing(record, field.parent, (frame, framed)));
        }
        if !has_moved_up(record, id, beside.1, &names) {
            continue;
        }
        leave_to_others(record, (id, field.parent), (frame, framed), &mut names, &mut counts);
        if has_moved_up(record, id, beside.1, &names)
            && let Some(lifted) = record.scratch.lifted.get_mut(id as usize)
        {
            *lifted = true;
        }
    }
}

/// Returns the nearest expected object, from `expected` upwards, that is there; [`NONE`] is the record. Lifted objects
/// on the way are looked through. Returns `None` if another missing object is on the way.
fn frame_for(record: &Record<'_, '_>, mut expected: Id) -> Option<Id> {
    while expected != NONE && !record.is_taken(expected) {
        if !record.is_lifted(expected) {
            return None;
        }
        expected = record.model.field(expected)?.parent;
    }
    Some(expected)
}

/// Returns how many members of an expected object stand, or have their name in the frame: in an envelope, most of all.
#[inline(never)]
fn standing(record: &Record<'_, '_>, object: Id, (frame, framed): (Id, &Framed)) -> u32 {
    let is_there = |name: &Name| framed.has(frame, name.joined);
    let stands = |id: Id| record.is_taken(id) || record.model.names.get(id).is_some_and(is_there);
    record.model.members(object).filter(|(id, _)| stands(*id)).count() as u32
}

/// Whether an object is lifted, given the names of its members that are in the frame around it, and how many members of
/// its parent are there.
#[inline(never)]
fn has_moved_up(record: &Record<'_, '_>, object: Id, standing: u32, names: &[&Name]) -> bool {
    let outside = names.len() as u32;
    let told: f32 = names.iter().map(|name| record.model.names.told(name)).sum();
    let all = record.model.members(object).count() as u32;
    let (Some(field), Some(name)) = (record.model.field(object), record.model.names.get(object)) else { return false };
    if names.is_empty() {
        return false;
    }
    if name.is_envelope || name.is_said_above() {
        return outside >= standing;
    }
    if record.model.members(field.parent).count() == 1 && outside >= LEAST_IN_SOLE && told >= LEAST_TOLD_BY_NAMED {
        return true;
    }
    outside >= LEAST_WRAPPED && outside.saturating_mul(2) >= all && standing.saturating_mul(2) <= outside
}

/// Drops names that another missing object beside it has too, if as many members of that object are in the frame, or
/// more. A member that is there once belongs to one object. `counts` keeps how many [`names_outside`] finds of each object.
fn leave_to_others(
    record: &Record<'_, '_>,
    (object, parent): (Id, Id),
    frame: (Id, &Framed),
    names: &mut Vec<&Name>,
    counts: &mut [Option<usize>],
) {
    let own = names.len();
    for (other, field) in record.model.members(parent) {
        if !field.is_object || record.is_taken(other) {
            continue;
        }
        let is_shared = |name: &Name| is_expected_in(record, other, name.joined);
        let Some(count) = counts.get_mut(other as usize) else { continue };
        let count = *count.get_or_insert_with(|| names_outside(record, other, parent, frame).len());
        // If as many are there of both, they tell of neither: the order in a contract has no meaning.
        if other != object && count >= own {
            names.retain(|name| !is_shared(name));
        }
    }
}

/// Returns the names of an object's members that are in the frame around it.
#[inline(never)]
fn names_outside<'r>(record: &Record<'r, '_>, object: Id, parent: Id, (frame, framed): (Id, &Framed)) -> Vec<&'r Name> {
    let mut names = Vec::new();
    for (id, _) in record.model.members(object) {
        record.count_looks(1);
        let Some(name) = record.model.names.get(id) else { continue };
        // The other question looks at all fields of an object.
        if framed.has(frame, name.joined) && !is_expected_in(record, parent, name.joined) {
            names.push(name);
        }
    }
    names
}

/// Whether an object itself is expected to have a member of this name, which then did not move up.
fn is_expected_in(record: &Record<'_, '_>, object: Id, joined: u64) -> bool {
    let mut names = record.model.members(object).filter_map(|(id, _)| record.model.names.get(id));
    names.any(|name| name.joined == joined)
}

/// Marks the wrappers at this depth, and returns whether there are any.
///
/// Of several envelopes in the body itself, only the one that holds most is around the record: the `result` beside `data`
/// tells what became of the request. If two hold as much, neither is.
fn find_wrappers(record: &mut Record<'_, '_>, objects: &[Id]) -> bool {
    let (mut wrappers, mut finds) = (Vec::new(), false);
    let (mut most, mut fullest, mut known) = (0, NONE, None);
    for id in open_objects(record, objects) {
        let is_ruled = record.scratch.members.get(id as usize).is_some_and(|member| member.is_ruled);
        let Some(frame) = frame_around(record, id).filter(|_| !is_ruled) else { continue };
        let Some(held) = wraps(record, id, frame, &mut known) else { continue };
        let is_rival = record.around(id) == NONE && record.name_of(id).is_some_and(|name| name.is_envelope);
        if is_rival && held >= most {
            (most, fullest) = (held, if held > most { id } else { NONE });
        }
        wrappers.push((id, frame, is_rival));
    }
    for (id, frame, is_rival) in wrappers {
        let member = record.scratch.members.get_mut(id as usize);
        if let Some(member) = member.filter(|_| !is_rival || id == fullest) {
            *member = Member { frame, is_wrapper: true, ..*member };
            finds = true;
        }
    }
    finds
}

/// Returns the expected object that the object around a member is, or wraps; `None` if there is no such object.
pub(crate) fn frame_around(record: &Record<'_, '_>, id: Id) -> Option<Id> {
    let parent = record.found.get(id as usize)?.parent;
    if parent == NONE {
        return Some(NONE);
    }
    record.scratch.members.get(parent as usize).map(|member| member.frame).filter(|frame| *frame != UNFRAMED)
}

/// Returns how many members of the expected object `frame` a found one inside it holds, if it wraps them. `known`: the
/// members that are in frames, once something asked.
fn wraps(record: &Record<'_, '_>, id: Id, frame: Id, known: &mut Option<Framed>) -> Option<u32> {
    // An object with the name of an expected one is that one or nothing.
    let is_expected =
        |found: &Found<'_>| record.model.members(frame).any(|(_, field)| field.is_object && field.name == found.name);
    if record.found.get(id as usize).is_some_and(is_expected) {
        return None;
    }
    let name = record.name_of(id)?;
    let is_record = name.is_said_above();
    let below = names_below(record, id, false);
    // So few cannot be enough, and most objects have few.
    if !name.is_envelope && !is_record && below.len() < LEAST_WRAPPED as usize {
        return None;
    }
    let held = Held::of(record, id, (frame, known.get_or_insert_with(|| Framed::of(record))), below);
    let does = if name.is_envelope || is_record {
        let is_more = held.standing == 0 || held.inside > held.standing;
        let may_be_beside = !name.is_envelope || frame != NONE;
        is_more
            && !(may_be_beside && held.is_like_missing())
            && !(name.is_envelope && is_opposed_to_missing(record, id, frame))
    } else {
        let is_split = held.inside > 0
            && held.deep >= LEAST_DEEP.max(held.most_of_one.saturating_add(LEAST_SPLIT))
            && held.told >= LEAST_TOLD;
        let is_most = held.inside.saturating_mul(2) >= held.missing || is_split;
        held.inside.max(held.deep.saturating_sub(held.most_beside)) >= LEAST_WRAPPED
            && is_most
            && held.standing.saturating_mul(2) <= held.inside.max(held.deep)
    };
    does.then_some(held.inside.max(held.deep))
}

/// Whether the name of an object is one word, and that of a missing one in `frame` is its opposite: a `response` is no
/// envelope where a `request` is expected.
fn is_opposed_to_missing(record: &Record<'_, '_>, id: Id, frame: Id) -> bool {
    let [word] = record.found_words(id) else { return false };
    let is_opposed = |field: Id| matches!(record.expected_words(field), [other] if other.is_opposed_to(word));
    record.model.members(frame).any(|(field, other)| other.is_object && !record.is_taken(field) && is_opposed(field))
}

/// How much of what an expected object lacks is below a found one.
#[derive(Default)]
struct Held {
    missing: u32,
    standing: u32,
    /// Members of the expected object itself that are below.
    inside: u32,
    /// The same, with members of missing objects in it.
    deep: u32,
    /// The most members that belong to one such object. If there is little else, the found object is that one.
    most_of_one: u32,
    /// The most of these that stand directly in the found object. Then that is such an object itself, or one like it.
    most_beside: u32,
    /// How much the names of these members tell.
    told: f32,
    /// Names that counted, so that one member does not count twice.
    names: Vec<u64>,
    /// The names of the members below, and of the objects among them. Both are sorted, since most are looked up in vain.
    below: Vec<u64>,
    objects: Vec<u64>,
}

impl Held {
    /// `below`: the names of the members below the found object.
    fn of(record: &Record<'_, '_>, id: Id, (frame, framed): (Id, &Framed), below: Vec<u64>) -> Held {
        record.count_looks(record.model.fields().len() as u32);
        let mut held = Held { below, objects: names_below(record, id, true), ..Held::default() };
        // The members of the expected object itself come first, and each missing object counts what it shares with
        // others: the order in which a contract lists its members has no meaning.
        for (field, _) in record.model.members(frame) {
            let is_there = |name: &Name| framed.has(frame, name.joined);
            if record.is_taken(field) || record.model.names.get(field).is_some_and(is_there) {
                held.standing = held.standing.saturating_add(1);
                continue;
            }
            held.missing = held.missing.saturating_add(1);
            if held.found_below(record, field).is_some_and(|name| held.count(record, name)) {
                held.inside = held.inside.saturating_add(1);
            }
        }
        let direct = held.names.clone();
        for (field, expected) in record.model.members(frame) {
            if !expected.is_object || record.is_taken(field) || held.found_below(record, field).is_some() {
                continue;
            }
            let mut own = 0u32;
            for (inner, _) in record.model.members(field) {
                let Some(name) = held.found_below(record, inner) else { continue };
                held.count(record, name);
                own = own.saturating_add(u32::from(direct.binary_search(&name.joined).is_err()));
            }
            if own > 0 {
                held.most_of_one = held.most_of_one.max(own);
                held.most_beside = held.most_beside.max(own.min(Likeness::of(record, field, id).same as u32));
            }
        }
        held
    }

    /// Whether there is nothing but what stands directly in the found object and belongs to one missing object. Then the
    /// found one may be beside that: a `sentiment` is not the missing `topic`, though both are about a text.
    fn is_like_missing(&self) -> bool {
        self.inside == 0 && self.most_beside > 0 && self.deep <= self.most_beside
    }

    /// Returns the name of a field if a member of that name is anywhere below. A value is no object.
    fn found_below<'r>(&self, record: &Record<'r, '_>, field: Id) -> Option<&'r Name> {
        let is_object = record.model.field(field).is_some_and(|field| field.is_object);
        let below = if is_object { &self.objects } else { &self.below };
        record.model.names.get(field).filter(|name| below.binary_search(&name.joined).is_ok())
    }

    /// Counts a name that is below, unless it was counted. Returns whether it was not.
    fn count(&mut self, record: &Record<'_, '_>, name: &Name) -> bool {
        let place = self.names.binary_search(&name.joined);
        if let Err(place) = place {
            self.names.insert(place, name.joined);
            self.deep = self.deep.saturating_add(1);
            self.told += record.model.names.told(name);
        }
        place.is_err()
    }
}

/// Returns the names of the members below an object, sorted. `objects`: only of those that are objects or null.
#[inline(never)]
fn names_below(record: &Record<'_, '_>, object: Id, objects: bool) -> Vec<u64> {
    let mut names = Vec::new();
    let mut open = vec![object];
    while let Some(object) = open.pop() {
        for (id, found) in record.members(object) {
            if !objects || matches!(found.kind, Kind::Object | Kind::Null) {
                names.extend(record.name_of(id).map(|name| name.joined));
            }
            open.push(id);
        }
    }
    sort(&mut names);
    names
}
