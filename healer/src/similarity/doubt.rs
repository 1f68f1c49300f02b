//! Why a pair with a high score may still be another one: another name holds all of its words.
//!
//! `date_created` is `created_at`, unless `date_created_gmt` stands beside it; `phone` is `tel`, unless the contract
//! lacks `formatted_phone` too. Where the words are the same no such name counts, except one that says that it is what
//! the other was before: beside `legacy_item_id`, `item_id` is something new.

use super::compatible::compatible;
use super::names::{Name, Names, Token};
use super::record::{Pair, Record};
use super::{Id, NONE, Parts};
use crate::plan::spec::Kind;

/// Words that a second name may have more.
const MOST_ADDED: usize = 2;
/// Words by which a member says that it is what the other was before.
const FORMER: [&str; 6] = ["classic", "deprecated", "former", "legacy", "old", "original"];
/// Words by which a member says that it is the same as another one in another form.
///
/// Sorted, and with all of [`FORMER`]: the names that have one of these are all that doubts are about.
const FORMS: [&str; 22] = [
    "classic",
    "deprecated",
    "display",
    "formatted",
    "former",
    "full",
    "gmt",
    "html",
    "iso",
    "legacy",
    "local",
    "localized",
    "native",
    "normalized",
    "old",
    "original",
    "plain",
    "raw",
    "short",
    "string",
    "text",
    "utc",
];
/// Names of which records have several.
const BARE: [&str; 7] = ["begin", "end", "href", "link", "start", "uri", "url"];
/// Words for objects that hold where things are to be found, and for fields that do. An object `url` may hold the parts
/// of one.
const LINKS: [&str; 2] = ["href", "link"];
const ADDRESSES: [&str; 4] = ["href", "link", "uri", "url"];
/// From here on words are the same, or said by the names above.
const SAME_WORDS: f32 = 0.955;
/// Words for identifiers.
pub(super) const IDENTIFIERS: [&str; 5] = ["guid", "id", "identifier", "key", "uuid"];
/// Words for how many there are of what a name names.
const COUNTS: [&str; 7] = ["cnt", "count", "ct", "nb", "num", "tally", "total"];
/// Names that JSON-LD, and what took them from it, keep for themselves.
const METADATA: [&str; 3] = ["@context", "@id", "@type"];
/// From here on the objects above only group.
const GROUPED: f32 = 0.94;
/// The pairs that are not doubted, and the open members whose names say a form: hardly any.
pub(super) struct Known<'a> {
    /// Expected fields and the members that they are.
    pub sure: Vec<(Id, Id)>,
    pub formed: &'a [Id],
}

/// The open members whose names have one of the words that [`is_doubtful`] looks for.
pub(super) fn formed(record: &Record<'_, '_>) -> Vec<Id> {
    let says_form = |id: &Id| {
        let member = record.scratch.members.get(*id as usize).filter(|member| !member.is_closed);
        let name = member.and_then(|member| record.scratch.names.get(member.name));
        name.is_some_and(|name| says_form(&record.scratch.names, name))
    };
    (0..record.found.len() as Id).filter(says_form).collect()
}

/// Whether a name has one of the words that [`is_doubtful`] looks for.
pub(super) fn says_form(names: &Names, name: &Name) -> bool {
    names.own(name).iter().any(|token| FORMS.binary_search(&names.text(token)).is_ok())
}

/// Whether a pair, of those that are not decided yet, may be another one.
pub(super) fn is_doubtful(record: &Record<'_, '_>, pair: &Pair, known: &Known<'_>) -> bool {
    let is_same = pair.parts.synonym >= SAME_WORDS;
    let words: &[&str] = if is_same { &FORMER } else { &FORMS };
    has_longer(record, pair, known, words)
        || (!is_same || has_longer(record, pair, known, &FORMS)) && lacks_longer(record, pair, known)
        || names_an_address_inside(record, pair)
        || has_former(record, pair, known)
        || tells_where(record, pair)
        || identifies_another(record, pair)
        || counts_another(record, pair)
        || is_another_letter(record, pair)
        || is_metadata(record, pair)
        || is_empty_guess(record, pair)
}

/// `trailer.url` for `trailer_url`: a resource has more than one address.
fn names_an_address_inside(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let Parts { synonym, tokens, .. } = pair.parts;
    if synonym >= 1.0 && tokens >= 1.0 {
        return false;
    }
    let names = &record.scratch.names;
    let found = record.found_words(pair.found);
    let own = record.expected_words(pair.expected);
    own.len() > found.len() && !found.is_empty() && found.iter().all(|word| BARE.contains(&names.text(word)))
}

/// `links.project` for `project`: where a thing is to be found is not the thing.
fn tells_where(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let (Some(found), Some(field)) = (record.name_of(pair.found), expected.get(pair.expected)) else { return false };
    let is_above = |token: &Token| token.level > 0 && LINKS.contains(&names.text(token));
    let is_expected = |token: &Token| ADDRESSES.contains(&expected.text(token));
    names.tokens(found).iter().any(is_above) && !expected.tokens(field).iter().any(is_expected)
}

/// `order.venue.id` for `order_id`: an identifier is that of the object it stands in.
fn identifies_another(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let names = &record.scratch.names;
    let own = record.found_words(pair.found);
    pair.parts.path < GROUPED && own.iter().all(|word| IDENTIFIERS.contains(&names.text(word)))
}

/// `payment_id` for `payment.id`: in the place of an object there is what refers to it, and the members beside that are those
/// of another one.
pub(super) fn is_reference(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let expected = &record.model.names;
    let found = record.found_words(pair.found);
    let own = record.expected_words(pair.expected);
    let is_unmoved = pair.parts.path >= 1.0;
    is_unmoved && found.len() > own.len() && own.iter().all(|word| IDENTIFIERS.contains(&expected.text(word)))
}

/// `pages` or `page_count` for `page`, `rating_count` for `rating`: a number that says how many there are is not one of them.
/// Nor is `total_photo_count` the `photo_count`.
fn counts_another(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let kind = record.found.get(pair.found as usize).map(|found| found.kind);
    let (Some(found), Some(field)) = (record.name_of(pair.found), expected.get(pair.expected)) else { return false };
    let (words, own_words) = (count_words(expected, field), count_words(names, found));
    let is_more =
        words != own_words && words.min(own_words) > 0 && expected.own(field).len().max(names.own(found).len()) > 2;
    matches!(kind, Some(Kind::Integer | Kind::Number)) && (is_more || counts(expected, field) != counts(names, found))
}

/// How many of its own words say that it counts.
fn count_words(names: &Names, name: &Name) -> usize {
    names.own(name).iter().filter(|token| COUNTS.contains(&names.text(token))).count()
}

/// `S` for `s`: of names of one letter, the case tells which it is.
fn is_another_letter(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let found = record.found.get(pair.found as usize).map_or("", |found| found.name);
    let is_letter = found.len() == 1 && record.model.field(pair.expected).is_some_and(|field| field.name.len() == 1);
    is_letter && record.model.field(pair.expected).is_some_and(|field| field.name != found)
}

/// `@type` for `type`: in JSON-LD and its like these names are about the document, and have other values.
fn is_metadata(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let is_meta = |name: &str| METADATA.contains(&name);
    let found = record.found.get(pair.found as usize);
    found.is_some_and(|found| is_meta(found.name))
        && record.model.field(pair.expected).is_some_and(|field| !is_meta(&field.name))
}

/// Whether a number of this name says how many there are.
fn counts(names: &Names, name: &Name) -> bool {
    names.tokens(name).iter().any(|token| token.level == 0 && token.is_plural || COUNTS.contains(&names.text(token)))
}

/// A null bears nothing out, so that its name has to say it all: `is_completed` is not `completed_at`.
fn is_empty_guess(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let is_null = record.found.get(pair.found as usize).is_some_and(|found| found.kind == Kind::Null);
    is_null && (pair.has_neutral || pair.parts.synonym < SAME_WORDS)
}

/// Whether the record has a member beside the found one whose name has all its words and some more.
fn has_longer(record: &Record<'_, '_>, pair: &Pair, known: &Known<'_>, words: &[&str]) -> bool {
    let names = &record.scratch.names;
    let (Some(found), Some(field)) = (record.found.get(pair.found as usize), record.model.field(pair.expected)) else {
        return false;
    };
    let Some(name) = record.name_of(pair.found) else { return false };
    let is_open = |id: &&Id| {
        **id != pair.found && !known.sure.iter().any(|(expected, found)| found == *id && *expected != pair.expected)
    };
    known.formed.iter().filter(is_open).any(|id| {
        let other = record.found.get(*id as usize).filter(|other| other.parent == found.parent);
        record.name_of(*id).is_some_and(|longer| holds((names, longer), (names, name), words))
            && other.is_some_and(|other| compatible(field, other, record.model.has_formats) >= 0.99)
    })
}

/// `start.time_zone` for `start_time_zone`, where `original_start_time_zone` stands in the place that is expected.
fn has_former(record: &Record<'_, '_>, pair: &Pair, known: &Known<'_>) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let (Some(field), Some(name)) = (record.model.field(pair.expected), expected.get(pair.expected)) else {
        return false;
    };
    let place = record.scratch.fields.get(field.parent as usize).copied().unwrap_or(NONE);
    let has_moved = record.found.get(pair.found as usize).is_some_and(|found| found.parent != place);
    has_moved
        && known.formed.iter().any(|id| {
            let other = record.found.get(*id as usize).filter(|other| other.parent == place);
            record.name_of(*id).is_some_and(|longer| holds((names, longer), (expected, name), &FORMER))
                && other.is_some_and(|other| compatible(field, other, record.model.has_formats) >= 0.99)
        })
}

/// Whether the contract lacks a field beside the expected one whose name has all its words and some more.
fn lacks_longer(record: &Record<'_, '_>, pair: &Pair, known: &Known<'_>) -> bool {
    let names = &record.model.names;
    let (Some(found), Some(field)) = (record.found.get(pair.found as usize), record.model.field(pair.expected)) else {
        return false;
    };
    let Some(name) = names.get(pair.expected) else { return false };
    record.model.formed.iter().copied().any(|id| {
        let Some(other) = record.model.field(id).filter(|other| other.parent == field.parent) else { return false };
        id != pair.expected
            && !record.is_taken(id)
            && !known.sure.iter().any(|(expected, found)| *expected == id && *found != pair.found)
            && names.get(id).is_some_and(|longer| holds((names, longer), (names, name), &FORMS))
            && compatible(other, found, record.model.has_formats) > 0.0
    })
}

/// Whether a name has all own words of another one and one or two more, one of them of these.
#[inline(never)]
fn holds((names, longer): (&Names, &Name), (other, shorter): (&Names, &Name), words: &[&str]) -> bool {
    let (longer, shorter) = (names.own(longer), other.own(shorter));
    let added = longer.len().saturating_sub(shorter.len());
    !shorter.is_empty()
        && (1..=MOST_ADDED).contains(&added)
        && shorter.iter().all(|token| longer.iter().any(|other| other.hash == token.hash))
        && longer.iter().any(|token| words.contains(&names.text(token)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_forms_hold_all_that_doubts_look_for() {
        assert!(FORMS.is_sorted());
        assert!(FORMER.iter().all(|word| FORMS.contains(word)));
    }
}
