//! Doubt about a whole record: where most of what is expected is found nowhere, it is likely a record of another kind, in
//! which the same name need not mean the same.
//!
//! What is in the elements of arrays counts too, so that the record around is judged by nearly the whole body: those of
//! arrays that are missing are missing. Names of several words are about one thing: where enough of them are there, a
//! smaller share will do, but only for the same words, and not for numbers with fractions, which are measured, and in
//! units that no name tells. Of other records only the same names of many words are left, and of several where these
//! have not moved.

use super::likeness::Likeness;
use super::names::{Name, Names, Token};
use super::record::Record;
use super::{Alignment, Doubt, Id, NONE, graphql};
use crate::plan::spec::Kind;

/// A name of several words.
const SEVERAL_WORDS: usize = 2;
/// From here on all words that have counterparts are the same, and each stands in the name of the same object.
const EXACT: f32 = 0.995;

/// Names that tell less than this are of many things.
const LEAST_TOLD: f32 = 0.5;
/// How likely a record is of the kind that is expected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Foreign,
    Likely,
    Known,
    Sure,
}

/// Takes back what is too weak, if too little of the record is known.
pub(super) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    if out.is_empty() {
        return;
    }
    let verdict = Count::of(record, out).verdict(&record.settings.doubt);
    let is_graphql = graphql::is_answer(record);
    let is_weak = |one: &&Alignment| {
        is_weak(record, one, verdict, out)
            || graphql::is_connection(record, one)
            || is_graphql && graphql::differs(record, one)
    };
    let weak: Vec<Id> = out.iter().filter(is_weak).map(|one| one.found).collect();
    out.retain(|one| !weak.iter().any(|weak| is_at_or_inside(record, one.found, *weak)));
}

fn is_weak(record: &Record<'_, '_>, alignment: &Alignment, verdict: Verdict, out: &[Alignment]) -> bool {
    let is_exact = alignment.parts.synonym >= EXACT && alignment.parts.tokens >= 1.0;
    if is_listed(record, alignment) && (verdict < Verdict::Sure || !is_exact || is_left_behind(record, alignment, out))
    {
        return true;
    }
    match verdict {
        Verdict::Sure => false,
        Verdict::Known => is_plain(record, alignment),
        Verdict::Likely => alignment.parts.synonym < EXACT || is_plain(record, alignment),
        Verdict::Foreign => !is_strong(record, alignment),
    }
}

/// Whether a member comes out of an object from which nothing else comes: in `{"data": {"type": .., "attributes": {..}}}` it
/// is the wrapper's own.
fn is_left_behind(record: &Record<'_, '_>, alignment: &Alignment, out: &[Alignment]) -> bool {
    let around = |one: &Alignment| record.found.get(one.found as usize).map(|found| found.parent);
    let object = record.model.field(alignment.expected).map_or(NONE, |field| field.parent);
    !is_in_place(record, object, alignment.found)
        && !out.iter().any(|other| other.found != alignment.found && around(other) == around(alignment))
}

/// Whether a value is a word out of a list that the contract does not tell. Such lists change with the version of an API
/// more often than names do.
fn is_listed(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let is_string = record.found.get(alignment.found as usize).is_some_and(|found| found.kind == Kind::String);
    is_string && record.model.names_a_list(alignment.expected)
}

/// Whether neither name of a value tells which of many things it is: `id`, `name`.
fn is_plain(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Some(field) = record.model.field(alignment.expected) else { return false };
    let member = record.scratch.members.get(alignment.found as usize).map_or(NONE, |member| member.name);
    !field.is_object
        && !field.is_records
        && told_by(&record.model.names, alignment.expected) < LEAST_TOLD
        && told_by(&record.scratch.names, member) < LEAST_TOLD
}

/// What the words of a name tell.
fn told_by(names: &Names, name: u32) -> f32 {
    names.get(name).map_or(0.0, |name| names.own(name).iter().map(|word| word.weight).sum())
}

/// Whether a name says all by itself: it has several words, and has not moved.
fn is_strong(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let parts = &alignment.parts;
    let Some(field) = record.model.field(alignment.expected).filter(|field| !field.is_object && !field.is_records)
    else {
        return false;
    };
    let names = &record.model.names;
    names.get(alignment.expected).is_some_and(|name| words_of(names, name) >= SEVERAL_WORDS)
        && parts.synonym >= EXACT
        && parts.tokens >= 1.0
        && parts.path >= 1.0
        && is_in_place(record, field.parent, alignment.found)
}

/// Whether a member stands in the object in which it is expected.
fn is_in_place(record: &Record<'_, '_>, object: Id, found: Id) -> bool {
    let around = record.found.get(found as usize).map_or(NONE, |found| found.parent);
    let place = if object == NONE { Some(NONE) } else { record.scratch.fields.get(object as usize).copied() };
    place == Some(around)
}

fn words_of(names: &Names, name: &Name) -> usize {
    names.own(name).iter().filter(|word: &&Token| !word.is_number && !word.is_filler).count()
}

fn is_at_or_inside(record: &Record<'_, '_>, mut found: Id, object: Id) -> bool {
    while found != object && found != NONE {
        found = record.found.get(found as usize).map_or(NONE, |found| found.parent);
    }
    found == object
}

/// How much of what is expected stands or is aligned.
#[derive(Clone, Copy, Default)]
struct Count {
    all: usize,
    known: usize,
    /// Those that are known by names of several words.
    named: usize,
}

impl Count {
    fn of(record: &Record<'_, '_>, out: &[Alignment]) -> Count {
        let mut made = Count::default();
        for (id, field) in (0..).zip(record.model.fields()).filter(|(_, field)| !field.is_object) {
            let found = out.iter().find(|one| one.expected == id).map(|one| one.found);
            match found {
                Some(found) if field.is_records => made.add_elements(record, id, found),
                None if field.is_records && !record.is_taken(id) => made.add_missing(record, id),
                found => made.add_leaf(record, id, found.is_some() || record.is_taken(id)),
            }
        }
        made
    }

    fn add_leaf(&mut self, record: &Record<'_, '_>, id: Id, is_known: bool) {
        self.all = self.all.saturating_add(1);
        if is_known {
            let names = &record.model.names;
            let is_named = names.get(id).is_some_and(|name| words_of(names, name) >= SEVERAL_WORDS);
            self.known = self.known.saturating_add(1);
            self.named = self.named.saturating_add(usize::from(is_named));
        }
    }

    fn add_elements(&mut self, record: &Record<'_, '_>, expected: Id, found: Id) {
        let like = Likeness::of(record, expected, found);
        self.all = self.all.saturating_add(like.all as usize);
        self.known = self.known.saturating_add(like.same as usize);
        self.named = self.named.saturating_add(like.named as usize);
    }

    fn add_missing(&mut self, record: &Record<'_, '_>, array: Id) {
        self.all = self.all.saturating_add(record.model.inside(array).0.count());
    }

    fn verdict(self, doubt: &Doubt) -> Verdict {
        let share = ratio(self.known, self.all);
        match () {
            () if share >= doubt.sure => Verdict::Sure,
            () if share >= doubt.known => Verdict::Known,
            () if share >= doubt.likely && self.named >= doubt.named as usize => Verdict::Likely,
            () => Verdict::Foreign,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
