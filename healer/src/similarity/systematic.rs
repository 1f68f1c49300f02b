//! Names of one object that got or lost the same words in front together.
//!
//! One such name is a guess: `billing_city` is not `city`. But several names of one object may differ from as many others
//! in the same word in front. If no name there keeps that word, it only says what the record is called: `launch_date`,
//! `launch_window` are `date`, `window`.
//!
//! Names that exchanged a word tell nothing, however many they are: a contract need not list the throws attempted beside
//! the throws made.

use super::compatible::compatible;
use super::doubt::have_form;
use super::lexicon::lexicon;
use super::names::{Names, Token, phrase_hash};
use super::postings::Post;
use super::record::{Pair, Record};
use super::{Id, NONE, Parts};
use crate::order::sort_by_less;

/// At most this many words are got or lost together.
const MAX_WORDS: usize = 2;
/// At least this many names have to lose the same word.
const LEAST_LOST: usize = 2;
/// At least this many names have to get the same word. A new word mostly says what is new.
const LEAST_GOT: usize = 3;
/// The least that the remaining words of these names must tell together: `id` and `name` do not suffice.
const LEAST_TOLD: f32 = 1.2;
/// The largest number of pairs of names that are compared in one record. A record with more is left to other evidence.
const MAX_COMPARED: usize = 1 << 11;
/// A last word that more expected names have tells little, and costs much in a large contract.
const MOST_NAMES: usize = 64;
/// The largest number of changes in one record that several names show. If there are more, more than names changed.
const MOST_CHANGES: usize = 16;
/// The score of a pair.
const WORTH: f32 = 0.9;

/// Words for other things that many records mention: names with these belong to those things. Sorted.
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

/// Two names of which one has more words in front.
#[derive(Clone, Copy, Debug)]
struct Change {
    object: Id,
    /// The words that only the expected name has, and those that only the found one has; 0 for none.
    lost: u64,
    got: u64,
    expected: Id,
    found: Id,
    /// How much the words that both have tell.
    told: f32,
    kind: f32,
    names_another: bool,
}

impl Change {
    fn key(&self) -> (Id, u64, u64) {
        (self.object, self.lost, self.got)
    }
}

/// Adds pairs whose names got or lost the same words.
pub(super) fn add(record: &mut Record<'_, '_>) {
    let mut changes = changes(record);
    sort_by_less(&mut changes, |a, b| (a.key(), a.expected, a.found) < (b.key(), b.expected, b.found));
    let (mut made, mut told) = (Vec::new(), 0usize);
    for run in changes.chunk_by(|a, b| a.key() == b.key()).filter(|run| tells(run)) {
        told = told.saturating_add(1);
        if told > MOST_CHANGES {
            return;
        }
        let alone: Vec<Change> = run.iter().filter(|change| is_alone(change, run)).copied().collect();
        if tells(&alone) && is_sound(record, &alone) {
            made.extend(alone);
        }
    }
    for change in &made {
        record.add(Some(pair(change)));
    }
}

fn pair(change: &Change) -> Pair {
    Pair {
        expected: change.expected,
        found: change.found,
        score: WORTH * change.kind,
        is_taken: false,
        parts: Parts { synonym: 1.0, tokens: WORTH, path: 1.0, kind: change.kind, ..Parts::default() },
        has_neutral: false,
    }
}

fn changes(record: &Record<'_, '_>) -> Vec<Change> {
    let (mut changes, mut compared) = (Vec::new(), 0usize);
    for (id, found) in (0..).zip(record.found) {
        let Some(object) = record.frame_of(id) else { continue };
        if record.has_good_pair(NONE, id) {
            continue;
        }
        // Names that differ in front have the last word in common.
        let posts = record.model.postings.get(record.found_words(id).last().map_or(0, |word| word.hash));
        if posts.len() > MOST_NAMES {
            continue;
        }
        compared = compared.saturating_add(posts.len());
        if compared > MAX_COMPARED {
            return Vec::new();
        }
        for post in posts.iter().filter(|post| is_last(record, **post)) {
            let Some(field) = record.model.field(post.field).filter(|field| field.parent == object) else { continue };
            let kind = compatible(field, found, record.model.has_formats);
            if field.is_object || kind == 0.0 || record.is_taken(post.field) {
                continue;
            }
            let Some(change) = change(record, post.field, id) else { continue };
            if !record.has_good_pair(post.field, NONE) {
                changes.push(Change { object, kind, ..change });
            }
        }
    }
    changes
}

/// Whether the words of a key are the last own word of its name.
fn is_last(record: &Record<'_, '_>, post: Post) -> bool {
    let own = record.model.names.get(post.field).map_or(0, |name| name.own);
    post.words != 0 && post.words == own & !(own >> 1)
}

/// Returns how two names differ, if one of them only has more words in front.
fn change(record: &Record<'_, '_>, expected: Id, found: Id) -> Option<Change> {
    let (a, b) = (record.expected_words(expected), record.found_words(found));
    let behind = common(a.iter().rev(), b.iter().rev());
    let (lost, rest) = a.split_at_checked(a.len().checked_sub(behind)?)?;
    let (got, _) = b.split_at_checked(b.len().checked_sub(behind)?)?;
    // `price` is not the `formatted_price`.
    let is_other_form = have_form(&record.model.names, lost) || have_form(&record.scratch.names, got);
    let is_same = |word: &Token| !word.is_number && !is_of_opposites(word);
    let is_short = (1..=MAX_WORDS).contains(&lost.len().max(got.len())) && lost.len().min(got.len()) == 0;
    (is_short && !is_other_form && lost.iter().chain(got).all(is_same)).then(|| Change {
        object: NONE,
        lost: phrase_hash(lost),
        got: phrase_hash(got),
        expected,
        found,
        told: rest.iter().map(|word| word.weight).sum(),
        kind: 1.0,
        names_another: is_another(&record.model.names, lost) || is_another(&record.scratch.names, got),
    })
}

fn common<'t>(a: impl Iterator<Item = &'t Token>, b: impl Iterator<Item = &'t Token>) -> usize {
    a.zip(b).take_while(|(a, b)| a.hash == b.hash).count()
}

/// Whether a word has an opposite, and so tells one thing from another: `first`, `billing`.
fn is_of_opposites(word: &Token) -> bool {
    lexicon().get(word.hash).is_some_and(|entry| lexicon().has_opposites(entry))
}

fn is_another(names: &Names, words: &[Token]) -> bool {
    words.first().is_some_and(|word| OTHERS.binary_search(&names.text(word)).is_ok())
}

/// Whether neither of the two is in another pair that differs in the same words.
fn is_alone(change: &Change, run: &[Change]) -> bool {
    !run.iter().any(|other| (other.expected == change.expected) != (other.found == change.found))
}

/// Whether enough names changed alike.
fn tells(run: &[Change]) -> bool {
    let Some(first) = run.first() else { return false };
    let told: f32 = run.iter().map(|change| change.told).sum();
    let least = if first.got != 0 || first.names_another { LEAST_GOT } else { LEAST_LOST };
    run.len() >= least && told >= LEAST_TOLD
}

/// Whether the words say nothing: at least half of the names with these words changed (all, if the words name another
/// thing), no found name keeps the lost words, and no expected name has the new ones.
fn is_sound(record: &Record<'_, '_>, run: &[Change]) -> bool {
    let Some(first) = run.first() else { return false };
    let (lost, kept) = counts(record, first, first.lost);
    let (had, got) = counts(record, first, first.got);
    let most = run.len().saturating_mul(if first.names_another { 1 } else { 2 });
    most >= lost.max(got) && kept == 0 && had == 0
}

/// Returns how many expected and how many found names of an object have these words in front; none for 0. A member that
/// stands where it is expected counts as both.
fn counts(record: &Record<'_, '_>, change: &Change, words: u64) -> (usize, usize) {
    let has = |own: &[Token]| {
        words != 0 && (1..=MAX_WORDS.min(own.len())).any(|len| own.get(..len).map(phrase_hash) == Some(words))
    };
    let members = record.model.members(change.object);
    let around = record.around(change.found);
    let beside = (0..).zip(record.found).filter(|(_, found)| found.parent == around);
    let (mut expected, mut found) = (0usize, beside.filter(|(id, _)| has(record.found_words(*id))).count());
    for (id, _) in members.filter(|(id, _)| has(record.expected_words(*id))) {
        expected = expected.saturating_add(1);
        found = found.saturating_add(usize::from(record.is_taken(id)));
    }
    (expected, found)
}
