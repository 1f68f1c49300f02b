//! Doubt about a whole record: where most of what is expected is found nowhere, it is likely a record of another kind, in
//! which the same name need not mean the same.
//!
//! What is in the elements of arrays counts too, so that the record around is judged by nearly the whole body: those of
//! arrays that are missing are missing. Names of several words are about one thing: where the same ones are there, a
//! smaller share will do, and where these have not moved, any.

use super::likeness::Likeness;
use super::names::Token;
use super::record::Record;
use super::{Alignment, Doubt, Id, NONE, graphql};
use crate::plan::spec::Kind;

/// A name of several words.
const SEVERAL_WORDS: usize = 2;
/// From here on all words that have counterparts are the same, and each stands in the name of the same object.
const EXACT: f32 = 0.995;

/// How likely a record is of the kind that is expected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Foreign,
    Likely,
    Known,
}

/// Takes back what is too weak, if too little of the record is known.
pub(super) fn take_back(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    if out.is_empty() {
        return;
    }
    let verdict = Count::of(record, out).verdict(record.settings.doubt);
    let is_graphql = graphql::is_answer(record);
    let is_weak = |one: &&Alignment| {
        is_weak(record, one, verdict)
            || graphql::is_connection(record, one)
            || is_graphql && graphql::differs(record, one)
    };
    let weak: Vec<Id> = out.iter().filter(is_weak).map(|one| one.found).collect();
    out.retain(|one| !weak.iter().any(|weak| is_at_or_inside(record, one.found, *weak)));
}

fn is_weak(record: &Record<'_, '_>, alignment: &Alignment, verdict: Verdict) -> bool {
    let is_exact = alignment.parts.synonym >= EXACT && alignment.parts.tokens >= 1.0;
    let is_known = verdict == Verdict::Known;
    if is_listed(record, alignment) && !(is_known && is_exact) {
        return true;
    }
    let says_all = is_exact && has_several_words(record, alignment.expected);
    let is_there = || alignment.parts.path >= 1.0 && is_in_place(record, alignment);
    !is_known && !(says_all && (verdict == Verdict::Likely || is_there()))
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
    let around = record.found.get(alignment.found as usize).map_or(NONE, |found| found.parent);
    let place = if object == NONE { Some(NONE) } else { record.scratch.fields.get(object as usize).copied() };
    place == Some(around)
}

/// Whether a value's name has several words.
fn has_several_words(record: &Record<'_, '_>, id: Id) -> bool {
    let is_value = record.model.field(id).is_some_and(|field| !field.is_object && !field.is_records);
    let names = &record.model.names;
    let own = names.get(id).map(|name| names.own(name)).unwrap_or_default();
    is_value && own.iter().filter(|word: &&Token| !word.is_number && !word.is_filler).count() >= SEVERAL_WORDS
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
}

impl Count {
    fn of(record: &Record<'_, '_>, out: &[Alignment]) -> Count {
        let mut made = Count::default();
        for (id, field) in (0..).zip(record.model.fields()).filter(|(_, field)| !field.is_object) {
            let found = out.iter().find(|one| one.expected == id).map(|one| one.found);
            match found {
                Some(found) if field.is_records => made.add_elements(record, id, found),
                None if field.is_records && !record.is_taken(id) => made.add_missing(record, id),
                found => made.add(1, usize::from(found.is_some() || record.is_taken(id))),
            }
        }
        made
    }

    fn add_elements(&mut self, record: &Record<'_, '_>, expected: Id, found: Id) {
        let like = Likeness::of(record, expected, found);
        self.add(like.all as usize, like.same as usize);
    }

    fn add_missing(&mut self, record: &Record<'_, '_>, array: Id) {
        self.add(record.model.inside(array).0.count(), 0);
    }

    fn add(&mut self, all: usize, known: usize) {
        self.all = self.all.saturating_add(all);
        self.known = self.known.saturating_add(known);
    }

    fn verdict(self, doubt: Doubt) -> Verdict {
        let share = ratio(self.known, self.all);
        match () {
            () if share >= doubt.known => Verdict::Known,
            () if share >= doubt.likely => Verdict::Likely,
            () => Verdict::Foreign,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
