//! Names that got, or lost, the same first word together: `launch_date`, `launch_window` are `date`, `window`.
//!
//! One such name is a guess: `billing_city` is not `city`. But where several names of one object differ from as many
//! others in the same word, and no name there keeps it, the word was only what the record is called.

use super::compatible::compatible;
use super::lexicon::{join_hash, lexicon};
use super::names::Token;
use super::postings::Post;
use super::record::{Pair, Record};
use super::{Id, NONE, Parts};
use crate::order::sort_by_less;

/// Words that are got or lost together at most.
const MAX_WORDS: usize = 2;
/// Names that lost the same word at least.
const LEAST_LOST: usize = 2;
/// Names that got the same word at least: a new word mostly says what is new.
const LEAST_GOT: usize = 3;
/// What is left of them tells at least this in all: `id` and `name` do not suffice.
const LEAST_TOLD: f32 = 1.2;
/// Pairs of names that are looked at in one record at most; others are left to their words.
const MAX_COMPARED: usize = 1 << 12;
/// What it is worth.
const WORTH: f32 = 0.9;
/// A field or member with a better pair is no evidence.
const BETTER: f32 = 0.85;

/// Words that name other things that many records tell about: then the names are theirs.
const OTHERS: [&str; 22] = [
    "account",
    "admin",
    "agent",
    "author",
    "category",
    "client",
    "company",
    "contact",
    "creator",
    "customer",
    "group",
    "member",
    "merchant",
    "organization",
    "owner",
    "person",
    "product",
    "profile",
    "project",
    "team",
    "user",
    "vendor",
];

/// Two names of which one has some more words in front.
#[derive(Clone, Copy, Debug)]
struct Cut {
    object: Id,
    /// The words that one has more.
    lead: u64,
    /// Whether the expected name has them.
    is_lost: bool,
    expected: Id,
    found: Id,
    told: f32,
    kind: f32,
}

impl Cut {
    fn key(&self) -> (Id, u64, bool) {
        (self.object, self.lead, self.is_lost)
    }
}

/// Adds pairs whose names got or lost the same words.
pub(super) fn add(record: &mut Record<'_, '_>) {
    let mut cuts = cuts(record);
    sort_by_less(&mut cuts, |a, b| (a.key(), a.expected, a.found) < (b.key(), b.expected, b.found));
    let mut made = Vec::new();
    for run in cuts.chunk_by(|a, b| a.key() == b.key()) {
        let alone: Vec<Cut> = run.iter().filter(|cut| is_alone(cut, run)).copied().collect();
        if is_sound(record, &alone) {
            made.extend(alone.iter().map(pair));
        }
    }
    record.scratch.pairs.extend(made);
}

fn pair(cut: &Cut) -> Pair {
    Pair {
        expected: cut.expected,
        found: cut.found,
        score: WORTH * cut.kind,
        is_taken: false,
        parts: Parts { synonym: 1.0, tokens: WORTH, path: 1.0, kind: cut.kind, ..Parts::default() },
        has_neutral: false,
    }
}

fn cuts(record: &Record<'_, '_>) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let posts = |id| record.model.postings.get(found_words(record, id).last().map_or(0, |word| word.hash));
    let open = (0..).zip(record.found).filter_map(|(id, found)| Some((id, found, record.frame_of(id)?)));
    if open.clone().map(|(id, ..)| posts(id).len()).sum::<usize>() > MAX_COMPARED {
        return cuts;
    }
    for (id, found, object) in open {
        // Names that differ in front have the last word in common.
        for post in posts(id).iter().filter(|post| is_last_word(record, **post)) {
            let Some(field) = record.model.field(post.field).filter(|field| field.parent == object) else { continue };
            let kind = compatible(field, found, record.model.has_formats);
            if field.is_object || record.is_taken(post.field) || kind == 0.0 {
                continue;
            }
            let Some((lead, is_lost, told)) = cut(record, post.field, id) else { continue };
            if !has_better(record, |pair| pair.found == id || pair.expected == post.field) {
                cuts.push(Cut { object, lead, is_lost, expected: post.field, found: id, told, kind });
            }
        }
    }
    cuts
}

fn is_last_word(record: &Record<'_, '_>, post: Post) -> bool {
    let own = record.model.names.get(post.field).map_or(0, |name| name.own);
    post.words != 0 && post.words == own & !(own >> 1)
}

fn has_better(record: &Record<'_, '_>, is_of: impl Fn(&Pair) -> bool) -> bool {
    record.scratch.pairs.iter().any(|pair| !pair.is_taken && pair.score >= BETTER && is_of(pair))
}

/// The words that one name has more in front, whether that is the expected one, and what the others tell.
fn cut(record: &Record<'_, '_>, expected: Id, found: Id) -> Option<(u64, bool, f32)> {
    let (long, short, is_lost) = match (expected_words(record, expected), found_words(record, found)) {
        (a, b) if a.len() > b.len() => (a, b, true),
        (a, b) => (b, a, false),
    };
    let more = long.len().checked_sub(short.len()).filter(|more| (1..=MAX_WORDS).contains(more))?;
    let (lead, rest) = long.split_at_checked(more)?;
    let is_same = !short.is_empty() && rest.iter().zip(short).all(|(a, b)| a.hash == b.hash);
    let tells = lead.iter().all(|word| !word.is_number && !is_of_opposites(word));
    (is_same && tells).then(|| (hash_of(lead), is_lost, short.iter().map(|word| word.weight).sum()))
}

fn expected_words<'r>(record: &'r Record<'_, '_>, id: Id) -> &'r [Token] {
    let names = &record.model.names;
    names.get(id).map(|name| names.own(name)).unwrap_or_default()
}

fn found_words<'r>(record: &'r Record<'_, '_>, id: Id) -> &'r [Token] {
    let names = &record.scratch.names;
    let member = record.scratch.members.get(id as usize);
    member.and_then(|member| names.get(member.name)).map(|name| names.own(name)).unwrap_or_default()
}

fn hash_of(words: &[Token]) -> u64 {
    words.iter().fold(0, |hash, word| join_hash(hash, word.hash))
}

/// `first`, `billing`: what has an opposite tells one from another.
fn is_of_opposites(word: &Token) -> bool {
    lexicon().get(word.hash).is_some_and(|entry| lexicon().has_opposites(entry))
}

/// Whether neither of the two is in another pair of those that differ in the same words.
fn is_alone(cut: &Cut, run: &[Cut]) -> bool {
    !run.iter().any(|other| (other.expected == cut.expected) != (other.found == cut.found))
}

/// Whether so many names got or lost the same words that these say nothing.
fn is_sound(record: &Record<'_, '_>, run: &[Cut]) -> bool {
    let Some(first) = run.first() else { return false };
    let told: f32 = run.iter().map(|cut| cut.told).sum();
    let (with_lead, kept) = counts(record, first);
    let is_of_another = names_another(record, first);
    let least = if first.is_lost && !is_of_another { LEAST_LOST } else { LEAST_GOT };
    let is_most = if is_of_another { run.len() >= with_lead } else { run.len().saturating_mul(2) >= with_lead };
    run.len() >= least && told >= LEAST_TOLD && is_most && kept == 0
}

/// How many names have the words that others lack: where they are got or lost, and on the other side.
fn counts(record: &Record<'_, '_>, cut: &Cut) -> (usize, usize) {
    let starts =
        |words: &[Token]| (1..=MAX_WORDS).any(|len| words.get(..len).is_some_and(|lead| hash_of(lead) == cut.lead));
    let members = record.model.members(cut.object);
    let fields = members.filter(|(id, _)| starts(expected_words(record, *id))).count();
    let around = record.found.get(cut.found as usize).map_or(NONE, |found| found.parent);
    let beside = (0..).zip(record.found).filter(|(_, found)| found.parent == around);
    let there = beside.filter(|(id, _)| starts(found_words(record, *id))).count();
    if cut.is_lost { (fields, there) } else { (there, fields) }
}

fn names_another(record: &Record<'_, '_>, cut: &Cut) -> bool {
    let (names, words) = if cut.is_lost {
        (&record.model.names, expected_words(record, cut.expected))
    } else {
        (&record.scratch.names, found_words(record, cut.found))
    };
    words.first().is_some_and(|word| OTHERS.binary_search(&names.text(word)).is_ok())
}
