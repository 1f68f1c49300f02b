//! The decision for one record.
//!
//! It works from the outside in. First `frames.rs` decides which found objects are expected ones, and which only wrap
//! them. Then each member is compared with fields inside the innermost object that holds both. Last, `decide.rs` takes
//! the pairs that are better than everything else.

mod count;
mod foreign;
mod graphql;
mod scale;

use super::candidates::Candidates;
use super::fields::compatible::compatible;
use super::fields::explain::{Side, Words, explain};
use super::fields::{decide, described, doubt};
use super::names::lexicon::hash_word;
use super::names::{MAX_LEVEL, Mask, Name, Names, Token, bit};
use super::objects::{alike, frames, halves};
use super::{Alignment, Expected, Found, Id, Model, NONE, Parts, Profile, Settings, Standing, reference};
use crate::order::{run, sort, sort_by_less};
use crate::plan::spec::{Kind, Kinds};
use std::cell::Cell;

/// The frame of a found object that is no expected one.
pub(super) const UNFRAMED: Id = Id::MAX - 1;
/// Members inside so many others stay: each object that is looked at costs as much as all that is inside it.
const MAX_DEPTH: u16 = 32;
/// So many looks at a field or a member take as long as a name that is like no field. Judging a pair in all ways takes
/// that long too. Measured, as what follows.
const LOOKS_OF_NAME: u32 = 32;
/// So many looks take as long as finding out whether a name is like a candidate.
const LOOKS_OF_CANDIDATE: u32 = 8;
/// Pairs with lower scores are dropped; they do not even count as rivals.
const LEAST: f32 = 0.5;
/// Pairs with at least this score are good: their sides need no other evidence.
const GOOD: f32 = 0.85;

/// Memory that is reused from record to record.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) names: Names,
    pub(super) members: Vec<Member>,
    /// An object, or an array, and a member in it, sorted.
    inside: Vec<(Id, Id)>,
    /// The names of members and these, sorted.
    pub(super) named: Vec<(u64, Id)>,
    /// By expected field, the found member that it is.
    pub(super) fields: Vec<Id>,
    /// Expected fields that more than one member stands for, or would become by a rule.
    contested: Vec<bool>,
    /// Expected objects whose members are in the object around them.
    pub(super) lifted: Vec<bool>,
    pub(super) pairs: Vec<Pair>,
    /// See [`doubt::formed`].
    pub(super) formed: Vec<Id>,
    /// See [`doubt::states`] and [`doubt::things`].
    pub(super) states: Vec<Id>,
    pub(super) things: Vec<Id>,
    candidates: Candidates,
    /// By found member, its rank; empty if all are looked at.
    ranks: Vec<u64>,
    /// What took longer than the names themselves in the last record, in looks.
    looks: Cell<u32>,
}

/// What is known of a found member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The index of its name in [`Scratch::names`]; [`NONE`] if the name is not looked at.
    pub name: u32,
    /// The expected object that this object is, or wraps; [`NONE`] for the record.
    pub frame: Id,
    pub depth: u16,
    /// Whether it is not compared, because it, or a value around it, is accounted for.
    pub is_closed: bool,
    pub is_wrapper: bool,
    /// Whether it is an object that a declared rule takes, or inside one. There members are renamed but not moved,
    /// since the rule decides where the whole object goes.
    pub is_ruled: bool,
}

/// An expected field and a found member that it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub expected: Id,
    pub found: Id,
    pub score: f32,
    /// Whether the expected field stands already, so that the pair is only a rival.
    pub is_taken: bool,
    pub parts: Parts,
    /// Whether words were left out because they say nothing where they stand.
    pub has_neutral: bool,
}

impl Model {
    /// Finds the members that missing fields are. Pairs that are not sure enough are left out.
    ///
    /// Overwrites `out`, in ascending order of expected fields. The result does not depend on the order of members.
    pub fn align(&self, found: &[Found<'_>], settings: &Settings, scratch: &mut Scratch, out: &mut Vec<Alignment>) {
        out.clear();
        Record { model: self, found, settings, scratch }.align(out);
    }
}

impl Scratch {
    /// Returns how many names more than the last record has would have taken as long as it did.
    pub(crate) fn effort(&self) -> u32 {
        self.looks.get() / LOOKS_OF_NAME
    }
}

/// A record and everything about it.
pub(super) struct Record<'a, 's> {
    pub model: &'a Model,
    pub found: &'a [Found<'a>],
    pub settings: &'a Settings,
    pub scratch: &'s mut Scratch,
}

impl Record<'_, '_> {
    /// Counts looks at fields or members.
    pub fn count_looks(&self, looks: u32) {
        self.scratch.looks.set(self.scratch.looks.get().saturating_add(looks));
    }

    fn align(&mut self, out: &mut Vec<Alignment>) {
        self.scratch.looks.set(0);
        self.enter();
        if !self.scratch.members.iter().any(|member| !member.is_closed) {
            return;
        }
        if self.settings.profile != Profile::Default {
            reference::align(self, out);
            sort_by_less(out, |a, b| a.expected < b.expected);
            return;
        }
        self.scratch.formed = doubt::formed(self);
        self.scratch.states = doubt::states(self);
        self.scratch.things = doubt::things(self);
        frames::find(self, out);
        self.scratch.pairs.clear();
        for id in 0..self.found.len() as Id {
            self.compare(id, |_| true);
        }
        frames::bear_out_all(self);
        if !self.settings.without().lists {
            alike::add_lists(self);
        }
        described::add(self);
        decide::decide(self, out);
        halves::take_back(self, out);
        if !self.settings.without().record {
            foreign::take_back(self, out);
        }
        sort_by_less(out, |a, b| (a.expected, a.found) < (b.expected, b.found));
    }

    /// Notes the members that stand where they are expected, and takes in the names of the others.
    fn enter(&mut self) {
        let Scratch { names, members, fields, contested, lifted, .. } = &mut *self.scratch;
        names.clear();
        members.clear();
        fields.clear();
        fields.resize(self.model.fields().len(), NONE);
        for marks in [&mut *contested, lifted] {
            marks.clear();
            marks.resize(self.model.fields().len(), false);
        }
        for (id, found) in self.found.iter().enumerate() {
            let field = found.standing.field() as usize;
            if !lacks_level(self.model, found)
                && let (Some(place), Some(contested)) = (fields.get_mut(field), contested.get_mut(field))
            {
                *contested = *place != NONE;
                *place = id as Id;
            }
        }
        let limit = self.limit();
        for id in 0..self.found.len() {
            self.enter_member(id, limit);
        }
        let Scratch { names, members, inside, named, .. } = &mut *self.scratch;
        inside.clear();
        inside.extend(self.found.iter().zip(0..).map(|(found, id)| (found.parent, id)));
        sort(inside);
        named.clear();
        named.extend((0..).zip(&*members).filter_map(|(id, member)| Some((names.get(member.name)?.joined, id))));
        sort(named);
    }

    /// Returns the members directly in an object, or of the first element of an array.
    pub fn members(&self, of: Id) -> impl Iterator<Item = (Id, &Found<'_>)> + Clone {
        run(&self.scratch.inside, of).iter().filter_map(|(_, id)| Some((*id, self.found.get(*id as usize)?)))
    }

    /// Whether the name of any member of an object, expected or not, is one word like this.
    #[inline(never)]
    pub fn has_member(&self, object: Id, is_it: fn(&Token) -> bool) -> bool {
        let words = |id: Id, found: &Found<'_>| match found.standing.field() {
            NONE => self.found_words(id),
            field => self.expected_words(field),
        };
        self.members(object).any(|(id, found)| matches!(words(id, found), [word] if is_it(word)))
    }

    /// Returns the members with this name ([`Name::joined`]), anywhere in the record.
    pub fn named(&self, joined: u64) -> impl Iterator<Item = Id> {
        run(&self.scratch.named, joined).iter().map(|(_, id)| *id)
    }

    fn enter_member(&mut self, id: usize, limit: u64) {
        let Some(found) = self.found.get(id) else { return };
        let parent = self.scratch.members.get(found.parent as usize).copied();
        let is_inside_value = parent.is_some_and(|parent| parent.is_closed && parent.frame == UNFRAMED);
        let is_unknown = found.standing == Standing::Unknown || lacks_level(self.model, found);
        let is_object = found.kind == Kind::Object;
        let is_contested = |field: Id| self.scratch.contested.get(field as usize).is_none_or(|contested| *contested);
        let takes = |field: Id| is_object && !is_contested(field);
        let frame = match found.standing {
            Standing::Expected(field) => Some(field),
            Standing::Ruled(field) => Some(field).filter(|field| takes(*field)),
            Standing::Unknown | Standing::Element => None,
        };
        let frame = frame.filter(|field| self.model.field(*field).is_some_and(|field| field.is_object));
        let is_element = found.standing == Standing::Element;
        let is_looked_at = is_element || !is_inside_value && (is_object || is_unknown && self.rank(id) <= limit);
        let name = if is_looked_at {
            let Scratch { names, members, .. } = &mut *self.scratch;
            let above = members.get(found.parent as usize).map(|parent| parent.name).filter(|name| *name != NONE);
            names.add(found.name, above, Kinds::of(found.kind), &self.model.record, Some(&self.model.typos))
        } else {
            NONE
        };
        let depth = parent.map_or(0, |parent| parent.depth.saturating_add(1));
        self.scratch.members.push(Member {
            name,
            frame: frame.unwrap_or(UNFRAMED),
            depth,
            is_closed: depth >= MAX_DEPTH || !(is_looked_at && is_unknown),
            is_wrapper: false,
            is_ruled: matches!(found.standing, Standing::Ruled(_)) || parent.is_some_and(|parent| parent.is_ruled),
        });
    }

    /// Returns the highest rank that is looked at; unlimited unless there are too many unknown members. The rank of a
    /// member depends on its path only.
    fn limit(&mut self) -> u64 {
        let max = self.settings.most_of_record() as usize;
        let is_unknown = |found: &Found<'_>| found.standing == Standing::Unknown;
        let ranks = &mut self.scratch.ranks;
        ranks.clear();
        if self.found.iter().filter(|found| is_unknown(found)).count() <= max {
            return u64::MAX;
        }
        for found in self.found {
            let above = ranks.get(found.parent as usize).copied().unwrap_or(0);
            ranks.push(above.rotate_left(9) ^ hash_word(found.name));
        }
        let open = self.found.iter().zip(ranks.iter()).filter(|(found, _)| is_unknown(found));
        let mut open: Vec<u64> = open.map(|(_, rank)| *rank).collect();
        sort(&mut open);
        max.checked_sub(1).and_then(|last| open.get(last).copied()).unwrap_or(0)
    }

    /// Returns the rank of a member, if ranks matter.
    fn rank(&self, id: usize) -> u64 {
        self.scratch.ranks.get(id).copied().unwrap_or(0)
    }

    /// Adds the pairs of a found member with all fields that it may be.
    pub fn compare(&mut self, id: Id, wanted: impl Fn(&Expected) -> bool) {
        let Some(member) = self.scratch.members.get(id as usize).copied() else { return };
        if member.is_closed || member.is_wrapper {
            return;
        }
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        if let Some(name) = self.scratch.names.get(member.name) {
            candidates.find(&self.model.names, &self.model.index, &self.scratch.names, name);
            self.count_looks((candidates.fields.len() as u32).saturating_mul(LOOKS_OF_CANDIDATE));
            for expected in candidates.fields.iter().copied() {
                if self.model.field(expected).is_some_and(&wanted) {
                    let pair = self.pair(expected, id);
                    self.add(pair.filter(|pair| pair.score >= LEAST));
                }
            }
        }
        self.scratch.candidates = candidates;
    }

    /// Adds a pair, if there is one.
    #[inline(never)]
    pub fn add(&mut self, pair: Option<Pair>) {
        if let Some(pair) = pair {
            self.count_looks(LOOKS_OF_NAME);
            self.scratch.pairs.push(pair);
        }
    }

    /// Whether a missing field or a found member is in a good pair.
    #[inline(never)]
    pub fn has_good_pair(&self, expected: Id, found: Id) -> bool {
        let is_of = |pair: &Pair| pair.expected == expected || pair.found == found;
        self.scratch.pairs.iter().any(|pair| is_of(pair) && !pair.is_taken && pair.score >= GOOD)
    }

    fn pair(&self, expected: Id, id: Id) -> Option<Pair> {
        let (field, found) = (self.model.field(expected)?, self.found.get(id as usize)?);
        let kind = if self.settings.without().kinds { 1.0 } else { compatible(field, found, self.model.has_formats) };
        if kind == 0.0 {
            return None;
        }
        let (words, far) = self.words(expected, field, id, found)?;
        let path = if self.settings.without().path { 1.0 } else { words.path * far };
        let Words { synonym, tokens, .. } = words;
        Some(Pair {
            expected,
            found: id,
            score: synonym * tokens * path * kind,
            is_taken: self.is_taken(expected),
            parts: Parts { synonym, tokens, path, kind, ..Parts::default() },
            has_neutral: words.has_neutral,
        })
    }

    fn words(&self, expected: Id, field: &Expected, id: Id, found: &Found<'_>) -> Option<(Words, f32)> {
        let member = self.scratch.members.get(id as usize)?;
        let (a, b) = (self.model.names.get(expected)?, self.scratch.names.get(member.name)?);
        let mut right = Above::new(&self.scratch.names, b);
        let mut at = found.parent;
        let frame = loop {
            let Some(above) = self.scratch.members.get(at as usize) else { break NONE };
            if above.frame != UNFRAMED && self.model.is_inside(field, above.frame) {
                break above.frame;
            }
            right.add(self.scratch.names.get(above.name), false);
            at = self.found.get(at as usize)?.parent;
        };
        let is_inside_ruled = self.scratch.members.get(found.parent as usize).is_some_and(|parent| parent.is_ruled);
        if is_inside_ruled && (right.level > 0 || field.parent != frame) {
            return None;
        }
        let mut left = Above::new(&self.model.names, a);
        let mut at = field.parent;
        while at != frame && at != NONE {
            left.add(self.model.names.get(at), self.is_lifted(at));
            at = self.model.field(at)?.parent;
        }
        let far = left.far * right.far;
        Some((explain(&left.side(), &right.side(), !self.settings.without().opposites), far))
    }

    /// Whether a found member is an object or anywhere inside it. [`NONE`] stands for the record.
    pub fn is_at_or_inside(&self, mut found: Id, object: Id) -> bool {
        while object != NONE && found != object && found != NONE {
            found = self.around(found);
        }
        object == NONE || found == object
    }

    /// Returns the expected object whose field an open member may be.
    pub fn frame_of(&self, found: Id) -> Option<Id> {
        let member = self.scratch.members.get(found as usize)?;
        if member.is_closed || member.is_wrapper { None } else { frames::frame_around(self, found) }
    }

    /// Returns the object around a found member; [`NONE`] for the record.
    #[inline(never)]
    pub fn around(&self, found: Id) -> Id {
        self.found.get(found as usize).map_or(NONE, |found| found.parent)
    }

    /// Returns the name of a found member, if it is looked at.
    #[inline(never)]
    pub fn name_of(&self, found: Id) -> Option<&Name> {
        self.scratch.names.get(self.scratch.members.get(found as usize)?.name)
    }

    /// Returns the own words of the name of an expected field.
    #[inline(never)]
    pub fn expected_words(&self, expected: Id) -> &[Token] {
        self.model.names.get(expected).map(|name| self.model.names.own(name)).unwrap_or_default()
    }

    /// Returns the own words of the name of a found member; none if the name is not looked at.
    #[inline(never)]
    pub fn found_words(&self, found: Id) -> &[Token] {
        self.name_of(found).map(|name| self.scratch.names.own(name)).unwrap_or_default()
    }

    /// Returns the found member that an expected field is; [`NONE`] if there is none, and for the record itself.
    pub fn place_of(&self, expected: Id) -> Id {
        self.scratch.fields.get(expected as usize).copied().unwrap_or(NONE)
    }

    pub fn is_taken(&self, expected: Id) -> bool {
        self.place_of(expected) != NONE
    }

    /// Whether the members of an expected object are in the object around it.
    pub fn is_lifted(&self, expected: Id) -> bool {
        self.scratch.lifted.get(expected as usize).is_some_and(|lifted| *lifted)
    }

    /// Settles that a found member is an expected field. `frame`: as in [`Member::frame`].
    pub fn take(&mut self, expected: Id, found: Id, frame: Id) {
        if let Some(place) = self.scratch.fields.get_mut(expected as usize) {
            *place = found;
        }
        if let Some(member) = self.scratch.members.get_mut(found as usize) {
            *member = Member { is_closed: true, frame, ..*member };
        }
    }
}

/// Whether a value stands where an object is expected, and nothing else may. It may belong inside (`email` for
/// `email.value`).
pub(super) fn lacks_level(model: &Model, found: &Found<'_>) -> bool {
    let Standing::Expected(field) = found.standing else { return false };
    let is_allowed = |kinds: Kinds| kinds != Kinds::ANY && kinds.has(found.kind);
    let needs_object = |field: &Expected| field.is_object && !is_allowed(field.expects.kinds);
    !matches!(found.kind, Kind::Object | Kind::Null) && model.field(field).is_some_and(needs_object)
}

/// The names above a name, divided into those inside and those around the object that two names are compared in.
struct Above<'a> {
    names: &'a Names,
    name: &'a Name,
    level: u8,
    inside: Mask,
    grouping: Mask,
    around: Mask,
    far: f32,
}

impl<'a> Above<'a> {
    fn new(names: &'a Names, name: &'a Name) -> Self {
        Above { names, name, level: 0, inside: 0, grouping: 0, around: 0, far: 1.0 }
    }

    /// Adds the next object above, which is inside. The words of a free one count as around. One whose words cannot be
    /// compared may be anything: its name is too long, or was left out because there are too many words or levels.
    fn add(&mut self, object: Option<&Name>, is_free: bool) {
        self.level = self.level.saturating_add(1);
        if object.is_none_or(|name| self.names.own(name).is_empty()) {
            self.far = 0.0;
        }
        let is_grouping = object.is_some_and(|name| name.is_grouping);
        if self.level > MAX_LEVEL {
            self.far *= if is_grouping || is_free { 1.0 } else { 0.0 };
            return;
        }
        let words = self.words(|level| level == self.level);
        if words == 0 {
            self.far = 0.0;
        }
        if is_free {
            self.around |= words;
            return;
        }
        *if is_grouping { &mut self.grouping } else { &mut self.inside } |= words;
    }

    fn side(&self) -> Side<'a> {
        let around = self.around | self.words(|level| level > self.level);
        Side { names: self.names, name: self.name, inside: self.inside, grouping: self.grouping, around }
    }

    fn words(&self, wanted: impl Fn(u8) -> bool) -> Mask {
        let tokens = self.names.tokens(self.name).iter().enumerate();
        tokens.filter(|(_, token)| wanted(token.level)).fold(0, |words, (at, _)| words | bit(at))
    }
}
