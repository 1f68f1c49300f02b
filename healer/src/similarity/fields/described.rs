//! Fields that the contract describes by the words of a found name.
//!
//! A short description is often the name that another version of an API gives the field: `zip`, "Postal code", becomes
//! `postal_code`, and `owner`, "ID of the user", `user_id`. Only a description that says nothing else counts, up to its
//! first full stop, comma, colon or bracket, and only one of several words: "Name" describes many things.

use nomos_rules::dictionary::Role;

use super::compatible::compatible;
use crate::similarity::candidates::postings::Postings;
use crate::similarity::names::lexicon::join_hash;
use crate::similarity::names::{Names, Token};
use crate::similarity::record::{Pair, Record};
use crate::similarity::{Expected, Id, Parts};

/// A description is worth a little less than the name itself.
const WORTH: f32 = 0.95;
/// The fewest words of a description that counts.
const LEAST_WORDS: usize = 2;
/// Words that no name has. The last is what is left of a possessive.
const ARTICLES: [&str; 4] = ["a", "an", "the", "s"];
/// Between what a thing is and whose it is.
const OF: &str = "of";

/// The fields by their descriptions.
pub(crate) fn index(fields: &[Expected]) -> Postings {
    let mut names = Names::default();
    let mut all = Vec::new();
    for (id, expected) in (0..).zip(fields) {
        let Some(description) = expected.expects.description.as_deref() else { continue };
        names.clear();
        let naming = description.split(['.', ',', ';', ':', '(', '[', '\n']).next().unwrap_or_default();
        names.add_alone(naming);
        let words = names.get(0).map(|name| names.own(name)).unwrap_or_default();
        all.extend(phrase(&names, words).map(|phrase| (phrase, id)));
    }
    Postings::of_all(all)
}

/// Adds pairs of found names with the fields that they describe.
pub(crate) fn add(record: &mut Record<'_, '_>) {
    if record.model.described.is_empty() || record.settings.without().descriptions {
        return;
    }
    for id in 0..record.found.len() as Id {
        let Some(object) = record.frame_of(id) else { continue };
        let Some(phrase) = phrase(&record.scratch.names, record.found_words(id)) else { continue };
        for field in record.model.described.get(phrase) {
            let pair = pair(record, object, *field, id);
            record.add(pair);
        }
    }
}

fn pair(record: &Record<'_, '_>, object: Id, expected: Id, id: Id) -> Option<Pair> {
    let (field, found) = (record.model.field(expected)?, record.found.get(id as usize)?);
    let kind = compatible(field, found, record.model.has_formats);
    // A description says what a thing is, not whose: "City of the address" does so of every address.
    if kind == 0.0 || field.is_object || field.parent != object || contradicts(record, expected, id) {
        return None;
    }
    Some(Pair {
        expected,
        found: id,
        score: WORTH * kind,
        is_taken: record.is_taken(expected),
        parts: Parts { synonym: 1.0, tokens: 1.0, path: 1.0, kind, described: WORTH, ..Parts::default() },
        has_neutral: false,
    })
}

/// Whether the field's own name says another thing than its description, which then was copied from the field beside it,
/// or more: `report_id`, "The ID of the check", is no `check_id`.
fn contradicts(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let (own, other) = (record.expected_words(expected), record.found_words(found));
    own.iter().any(|a| other.iter().any(|b| a.is_opposed_to(b)))
        || own.iter().any(|word| !word.is_number && word.is_in(other))
            && own.iter().any(|word| !word.is(Role::Filler) && !word.is_in(other))
}

/// The words of a name, or of a description, in the order of names: "ID of the user" is `user_id`.
fn phrase(names: &Names, words: &[Token]) -> Option<u64> {
    let is = |word: &Token, text: &str| names.text(word) == text;
    let of = words.iter().position(|word| is(word, OF)).unwrap_or(words.len());
    let (what, whose) = words.split_at_checked(of)?;
    // The number of items is no item number.
    if !whose.is_empty() && what.last().is_some_and(|word| is(word, "number")) {
        return None;
    }
    let (mut phrase, mut count) = (0, 0usize);
    for word in whose.iter().skip(1).chain(what) {
        if is(word, OF) {
            return None;
        }
        if !ARTICLES.contains(&names.text(word)) {
            phrase = join_hash(phrase, word.hash);
            count = count.saturating_add(1);
        }
    }
    (count >= LEAST_WORDS).then_some(phrase)
}
