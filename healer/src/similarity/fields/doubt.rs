//! Doubts about single pairs: reasons why a pair with a high score may still be wrong.
//!
//! Most often another name holds all words of the pair and some more. `date_created` is `created_at`, unless
//! `date_created_gmt` stands beside it. `phone` is `tel`, unless the contract lacks `formatted_phone` too. Where the
//! words are the same, such a name counts only if it marks the former version: beside `legacy_item_id`, `item_id` is
//! something new.

use nomos_rules::dictionary::Role;

use super::compatible::compatible;
use crate::plan::spec::{Format, Kind, Kinds};
use crate::similarity::names::{Name, Names, Token};
use crate::similarity::record::{Member, Pair, Record, UNFRAMED};
use crate::similarity::weights::IMPLIED_WORD;
use crate::similarity::{Found, Id, NONE, Parts};

/// A longer name may have at most this many more words.
const MOST_ADDED: usize = 2;
/// From this value of [`Parts::synonym`] on, words are the same, or the names above say them.
const SAME_WORDS: f32 = 0.955;
/// From this value of [`Parts::tokens`] on, what one name has more is said by the object around, or says nothing.
const IMPLIED: f32 = 0.955;
/// This value of [`Parts::tokens`] is left where both names have a word that the object around says.
const TWO_IMPLIED: f32 = IMPLIED_WORD * IMPLIED_WORD;
/// Names that JSON-LD reserves, and formats that follow it.
const METADATA: [&str; 3] = ["@context", "@id", "@type"];
/// From this value of [`Parts::path`] on, the objects above only group.
pub(crate) const GROUPED: f32 = 0.94;

/// Evidence for and against pairs.
pub(crate) struct Evidence<'a> {
    /// Expected fields and the members that they surely are.
    pub sure: Vec<(Id, Id)>,
    pub formed: &'a [Id],
}

/// Returns the members whose names say a form: hardly any.
pub(crate) fn formed(record: &Record<'_, '_>) -> Vec<Id> {
    (0..record.found.len() as Id).filter(|id| says_form(record.found_words(*id))).collect()
}

/// Returns the objects whose names say another state, or are `errors`.
pub(crate) fn states(record: &Record<'_, '_>) -> Vec<Id> {
    objects_named(record, says_state)
}

/// Returns the objects whose names say a thing.
pub(crate) fn things(record: &Record<'_, '_>) -> Vec<Id> {
    objects_named(record, says_thing)
}

/// Whether one of these words says a form.
pub(crate) fn says_form(words: &[Token]) -> bool {
    words.iter().any(|word| word.is(Role::Form))
}

/// Returns the objects of such names, in ascending order.
fn objects_named(record: &Record<'_, '_>, is_one: fn(&Token) -> bool) -> Vec<Id> {
    let objects = (0..).zip(record.found).filter(|(_, found)| found.kind == Kind::Object);
    objects.map(|(id, _)| id).filter(|id| record.found_words(*id).iter().any(is_one)).collect()
}

fn says_state(word: &Token) -> bool {
    word.is(Role::State) || word.is(Role::Error)
}

fn says_thing(word: &Token) -> bool {
    word.is(Role::Thing)
}

/// Whether a pair may be wrong, given the pairs that are sure: these account for names that would raise a doubt.
pub(crate) fn is_doubtful_beside(record: &Record<'_, '_>, pair: &Pair, known: &Evidence<'_>) -> bool {
    let is_same = pair.parts.synonym >= SAME_WORDS;
    let role = if is_same { Role::Former } else { Role::Form };
    has_longer(record, pair, known, role)
        || (!is_same || has_longer(record, pair, known, Role::Form)) && lacks_longer(record, pair, known)
        || has_former(record, pair, known)
}

/// Whether a pair may be wrong, whatever else is sure.
pub(crate) fn is_doubtful(record: &Record<'_, '_>, pair: &Pair) -> bool {
    names_an_address_inside(record, pair)
        || tells_where(record, pair)
        || identifies_another(record, pair)
        || counts_another(record, pair)
        || is_another_letter(record, pair)
        || is_metadata(record, pair)
        || lacks_the_form(record, pair)
        || says_another_form(record, pair)
        || is_of_another_state(record, pair)
        || is_inverse(record, pair)
        || dates_another(record, pair)
        || is_clock_for_day(record, pair)
        || is_beside_the_record(record, pair)
        || identifies_more(record, pair)
        || identifies_a_part(record, pair)
        || says_two_sides(pair)
        || is_empty_guess(record, pair)
        || belongs_to_a_record(record, pair)
        || stands_in_another(record, pair)
}

/// Doubts `trailer.url` for `trailer_url` if the trailer has another address too, and `url` for `invoice_url` in its place:
/// a resource has more than one.
fn names_an_address_inside(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let Parts { synonym, tokens, .. } = pair.parts;
    if synonym >= 1.0 && tokens >= 1.0 {
        return false;
    }
    let (own, found) = (record.expected_words(pair.expected), record.found_words(pair.found));
    own.len() > found.len() && !found.is_empty() && are_all(found, Role::Bare) && {
        let is_other = |(id, _): (Id, &Found<'_>)| id != pair.found && ends_in(record.found_words(id), Role::Address);
        !has_moved(record, pair) || record.members(record.around(pair.found)).any(is_other)
    }
}

/// Whether a pair is not in the object in which its field is expected.
fn has_moved(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let field = record.model.field(pair.expected);
    field.is_none_or(|field| record.place_of(field.parent) != record.around(pair.found))
}

/// Doubts `links.project` for `project`, and the other way round: the address of a thing is not the thing.
fn tells_where(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let (Some(found), Some(field)) = (record.name_of(pair.found), expected.get(pair.expected)) else { return false };
    let (own, other) = (expected.tokens(field), names.tokens(found));
    let is_below = |words: &[Token]| words.iter().any(|word| word.level > 0 && word.is(Role::Link));
    let is_address = |words: &[Token]| words.iter().any(|word| word.is(Role::Address));
    is_below(other) && !is_address(own) || is_below(own) && !is_address(other)
}

/// Doubts `order.venue.id` for `order_id`: an identifier belongs to the object that holds it. Doubts `identifier.value` for
/// `id`: it is one of several. Doubts `identifier` for `id`: a record often has one of its own beside that of its users.
fn identifies_another(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (own, found) = (record.expected_words(pair.expected), record.found_words(pair.found));
    let is_other = |a: &Token, b: &Token| a.is(Role::Identifier) && b.is(Role::Identifier) && a.hash != b.hash;
    pair.parts.path < GROUPED && are_all(found, Role::Identifier)
        || matches!((own, found), ([a], [b]) if is_other(a, b))
        || pair.parts.synonym < SAME_WORDS && are_all(found, Role::Content) && are_all(own, Role::Identifier)
}

/// Whether a pair is like `payment_id` for `payment.id`: a reference has taken the place of the object, so the members
/// beside it belong to another object.
pub(crate) fn is_reference(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (own, found) = (record.expected_words(pair.expected), record.found_words(pair.found));
    let is_unmoved = pair.parts.path >= 1.0;
    is_unmoved && found.len() > own.len() && are_all(own, Role::Identifier)
}

/// Doubts `pages` or `page_count` for `page`, and `rating_count` for `rating`: a number of things is not one of them.
/// Neither is `total_photo_count` the `photo_count`, nor `comment_count` the `comments` if these may be anything.
fn counts_another(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let kind = record.found.get(pair.found as usize).map(|found| found.kind);
    let (Some(found), Some(field)) = (record.name_of(pair.found), expected.get(pair.expected)) else { return false };
    if found.joined == field.joined {
        return false;
    }
    let (words, own_words) = (count_words(expected, field), count_words(names, found));
    let is_more =
        words != own_words && words.min(own_words) > 0 && expected.own(field).len().max(names.own(found).len()) > 2;
    matches!(kind, Some(Kind::Integer | Kind::Number))
        && (is_more
            || counts(expected, field, names.tokens(found)) != counts(names, found, expected.tokens(field))
            || words != own_words && may_be_anything(record, pair))
}

/// Returns how many of the own words of a name say that it counts something.
fn count_words(names: &Names, name: &Name) -> usize {
    names.own(name).iter().filter(|word| word.is(Role::Count)).count()
}

/// Doubts `S` for `s`, and `k.o` for `o`: names of one letter say nothing but where they stand, and in which case.
fn is_another_letter(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let found = record.found.get(pair.found as usize).map_or("", |found| found.name);
    let field = record.model.field(pair.expected).filter(|field| field.name.len() == 1 && found.len() == 1);
    field.is_some_and(|field| field.name != found || has_moved(record, pair))
}

/// Doubts `@type` for `type`: in JSON-LD and formats like it, such a name describes the document and has other values.
fn is_metadata(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let is_meta = |name: &str| METADATA.contains(&name);
    let found = record.found.get(pair.found as usize);
    found.is_some_and(|found| is_meta(found.name))
        && record.model.field(pair.expected).is_some_and(|field| !is_meta(&field.name))
}

/// Doubts `paid: true` for `paid_at`, and a `permalink` that is no address for `permalink_url`: what only the expected
/// name says of the form, the value has to say.
fn lacks_the_form(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let Some(found) = record.found.get(pair.found as usize).filter(|_| pair.has_neutral) else { return false };
    let (own, other) = (record.expected_words(pair.expected), record.found_words(pair.found));
    let only_expected = |role| ends_in(own, role) && !ends_in(other, role);
    match (found.kind, found.class) {
        (Kind::String, Some(Format::Date | Format::DateTime)) => only_expected(Role::Address),
        (Kind::String, Some(Format::Uri)) => only_expected(Role::Moment),
        (Kind::String, _) => only_expected(Role::Address) || only_expected(Role::Moment),
        (Kind::Integer | Kind::Number, _) if !may_be_anything(record, pair) => false,
        _ => only_expected(Role::Moment),
    }
}

/// Doubts `file_data` for `file_name`: alone, each of the last words says nothing, but they say different things. Doubts
/// `order_value` for `order` too, unless these are objects or lists.
fn says_another_form(record: &Record<'_, '_>, pair: &Pair) -> bool {
    if !pair.has_neutral || record.model.field(pair.expected).is_none_or(|field| field.is_object || field.is_records) {
        return false;
    }
    let (names, others) = (&record.model.names, &record.scratch.names);
    let (Some(name), Some(other)) = (names.get(pair.expected), record.name_of(pair.found)) else { return false };
    match (only_end(names, name, others.own(other)), only_end(others, other, names.own(name))) {
        (Some(end), Some(other)) => {
            ![Role::Address, Role::Moment].into_iter().any(|role| end.is(role) && other.is(role))
        }
        (Some(end), None) | (None, Some(end)) => end.is(Role::Content) && is_scalar(record, pair),
        (None, None) => false,
    }
}

fn is_scalar(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let kind = record.found.get(pair.found as usize).map(|found| found.kind);
    !matches!(kind, Some(Kind::Array | Kind::Object))
}

/// Returns the last word of a name of several, if it says nothing there and is not one of the other words.
fn only_end<'n>(names: &'n Names, name: &Name, others: &[Token]) -> Option<&'n Token> {
    let is_neutral = name.neutral & name.own & !(name.own >> 1) != 0;
    let [_, .., end] = names.own(name) else { return None };
    (is_neutral && !end.is_in(others)).then_some(end)
}

/// Doubts `before.name` for `name`: an object of such a name has the members of the record, as they were, will be or may
/// be, those of another one, or in `errors`, what is wrong with them. Nor is `name` then `before.name`.
fn is_of_another_state(record: &Record<'_, '_>, pair: &Pair) -> bool {
    stands_below(record, pair, &record.scratch.states, says_state)
        || pair.parts.path < 1.0 && is_expected_below_one(record, pair)
}

/// Whether a field is expected in an object whose name says another state, which the found name does not.
fn is_expected_below_one(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let (Some(field), Some(found)) = (expected.get(pair.expected), record.name_of(pair.found)) else { return false };
    let said = names.tokens(found);
    // What is by default is so unless something else is said.
    let tells =
        |word: &Token| word.level > 0 && says_state(word) && expected.text(word) != "default" && !word.is_in(said);
    expected.tokens(field).iter().any(tells)
}

/// Doubts `status.updated_at` for `updated_at`: it is the status that was updated.
fn dates_another(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let found = record.found_words(pair.found);
    (GROUPED..1.0).contains(&pair.parts.path)
        && stands_below(record, pair, &record.scratch.things, says_thing)
        && (ends_in(found, Role::Moment)
            || ends_in(found, Role::Identifier)
            || found.last().is_some_and(|word| record.scratch.names.text(word) == "by"))
}

/// Doubts `start_time: "19:30"` for `start_date`, and the other way round. With a day and a time of day, either is both.
fn is_clock_for_day(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (own, other) = (record.expected_words(pair.expected).last(), record.found_words(pair.found).last());
    let (Some(own), Some(other), Some(found)) = (own, other, record.found.get(pair.found as usize)) else {
        return false;
    };
    let words = (record.model.names.text(own), record.scratch.names.text(other));
    matches!(words, ("date", "time") | ("time", "date"))
        && found.kind == Kind::String
        && found.class != Some(Format::DateTime)
}

/// Doubts `meta.duration` for `duration` where `data` wraps the record: what groups members beside that is about the
/// response.
fn is_beside_the_record(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let Some(field) = record.model.field(pair.expected) else { return false };
    let wraps = |(id, _): &(Id, &Found<'_>)| {
        let is_wrapper = |member: &Member| member.is_wrapper && member.frame == field.parent;
        record.scratch.members.get(*id as usize).is_some_and(is_wrapper)
            && record.name_of(*id).is_some_and(|name| name.is_envelope)
    };
    if !(GROUPED..1.0).contains(&pair.parts.path) {
        return false;
    }
    let mut is_beside = false;
    for (id, _) in record.members(record.place_of(field.parent)).filter(wraps) {
        if record.is_at_or_inside(pair.found, id) {
            return false;
        }
        is_beside = true;
    }
    is_beside
}

/// Whether a member stands in one of these objects, of whose words the expected name lacks one that says it.
fn stands_below(record: &Record<'_, '_>, pair: &Pair, objects: &[Id], says: fn(&Token) -> bool) -> bool {
    let expected = &record.model.names;
    let said = expected.get(pair.expected).map(|name| expected.tokens(name)).unwrap_or_default();
    let tells = |word: &Token| says(word) && !word.is_in(said);
    let mut at = record.around(pair.found);
    while at != NONE {
        if objects.binary_search(&at).is_ok() && record.found_words(at).iter().any(tells) {
            return true;
        }
        at = record.around(at);
    }
    false
}

/// Doubts `member_of` for `members`.
fn is_inverse(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let is_of = |names: &Names, words: &[Token]| words.last().is_some_and(|word| names.text(word) == "of");
    is_of(&record.model.names, record.expected_words(pair.expected))
        != is_of(&record.scratch.names, record.found_words(pair.found))
}

/// Doubts `organization_id` for `organization_animal_id`: the word before `id` says what it identifies. Of two names with
/// as many words, none was left out.
fn identifies_more(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, found) = (record.expected_words(pair.expected), record.found_words(pair.found));
    let ([.., a, last], [.., b, last_found]) = (expected, found) else { return false };
    last.hash == last_found.hash
        && expected.len() != found.len()
        && b.is_in(expected) != a.is_in(found)
        && ends_in(expected, Role::Identifier)
}

/// Doubts `team_members[].member_id` for `team_members[].id` or `team_member_id`: what a name of several words stands for
/// is no one of the things that it says.
fn identifies_a_part(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let (expected, found) = (record.expected_words(pair.expected), record.found_words(pair.found));
    let around = match record.around(pair.found) {
        NONE => record.model.record.len(),
        object => record.found_words(object).len(),
    };
    let (longer, shorter) = (expected.len().max(found.len()), expected.len().min(found.len()));
    (IMPLIED..1.0).contains(&pair.parts.tokens)
        && longer > shorter
        && (shorter > 1 || longer <= around)
        && ends_in(expected, Role::Identifier)
        && ends_in(found, Role::Identifier)
}

/// Doubts `local_income_tax` for `state_income_tax` in `state_and_local_wages`: each name has a word that the object
/// around says too, but not the same one.
fn says_two_sides(pair: &Pair) -> bool {
    (pair.parts.tokens - TWO_IMPLIED).abs() < 0.001
}

/// Whether the last of these words has a role.
fn ends_in(words: &[Token], role: Role) -> bool {
    words.last().is_some_and(|word| word.is(role))
}

fn are_all(words: &[Token], role: Role) -> bool {
    words.iter().all(|word| word.is(role))
}

/// Whether the contract says nothing of the kind of the field.
fn may_be_anything(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let field = record.model.field(pair.expected).filter(|field| !field.is_object && !field.is_records);
    field.is_some_and(|field| field.expects.kinds == Kinds::ANY)
}

/// Whether a number of this name counts something, as `locations` does and `locations_id` does not.
fn counts(names: &Names, name: &Name, others: &[Token]) -> bool {
    let is_above = |word: &Token| others.iter().any(|other| other.level > 0 && other.hash == word.hash);
    // `season_num` is not how many there are, and `order_total` is money.
    let is_count = |word: &Token| word.is(Role::Count) && !word.is(Role::Adjective);
    let counts = |word: &Token| word.level == 0 && word.is_plural && !is_above(word) || is_count(word);
    names.tokens(name).iter().any(counts) && !ends_in(names.own(name), Role::Identifier)
}

/// Doubts nulls whose name does not say it all: a null is no evidence, and `is_completed` is not `completed_at`. Nor does
/// a null or an empty array tell whether `error` are `errors`, nor any array if `error` may be anything.
fn is_empty_guess(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let Some(found) = record.found.get(pair.found as usize) else { return false };
    let is_null = found.kind == Kind::Null;
    let is_list = found.kind == Kind::Array && (found.item.is_none() || may_be_anything(record, pair));
    let is_of_many = |words: &[Token]| words.last().is_some_and(|word| word.is_plural);
    let differ = || is_of_many(record.expected_words(pair.expected)) != is_of_many(record.found_words(pair.found));
    is_null && (pair.has_neutral || pair.parts.synonym < SAME_WORDS) || (is_null || is_list) && differ()
}

/// Doubts `account.created_at` for `created_at` if `account` has an `account_id`, or is expected and has an `id`: then it
/// is a record, and groups nothing.
fn belongs_to_a_record(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let around = record.around(pair.found);
    let is_expected = record.scratch.members.get(around as usize).is_some_and(|member| member.frame < UNFRAMED);
    let groups = || record.name_of(around).is_some_and(|name| name.is_grouping && !name.is_envelope);
    let is_own_id = |id: Id| {
        let own = record.found_words(id).split_last();
        own.is_some_and(|(last, rest)| {
            let around = record.found_words(around);
            rest.len() == around.len()
                && rest.iter().zip(around).all(|(word, other)| word.hash == other.hash)
                && last.is(Role::Identifier)
        })
    };
    let is_id = |(id, found): (Id, &Found<'_>)| is_expected && found.name == "id" || is_own_id(id);
    (GROUPED..1.0).contains(&pair.parts.path) && groups() && record.members(around).any(is_id)
}

/// Doubts `metadata.finalizers` for `spec.finalizers` if both objects are expected and there: each has its own.
fn stands_in_another(record: &Record<'_, '_>, pair: &Pair) -> bool {
    let around = record.around(pair.found);
    let Some(own) = record.scratch.members.get(around as usize).map(|member| member.frame) else { return false };
    let (Some(field), Some(other)) = (record.model.field(pair.expected), record.model.field(own)) else { return false };
    pair.parts.path < 1.0
        && record.place_of(own) == around
        && record.is_taken(field.parent)
        && !record.model.is_inside(field, own)
        && !record.model.is_inside(other, field.parent)
}

/// Whether the record has another member beside the found one whose name has all its words and some more.
fn has_longer(record: &Record<'_, '_>, pair: &Pair, known: &Evidence<'_>, role: Role) -> bool {
    let names = &record.scratch.names;
    let (Some(found), Some(field)) = (record.found.get(pair.found as usize), record.model.field(pair.expected)) else {
        return false;
    };
    let Some(name) = record.name_of(pair.found) else { return false };
    let is_open = |id: &&Id| {
        **id != pair.found && !known.sure.iter().any(|(expected, found)| found == *id && *expected != pair.expected)
    };
    known.formed.iter().any(|id| {
        let other = record.found.get(*id as usize).filter(|other| other.parent == found.parent);
        other.is_some_and(|other| compatible(field, other, record.model.has_formats) >= 0.99)
            && record.name_of(*id).is_some_and(|longer| holds((names, longer), (names, name), role))
            && is_open(&id)
    })
}

/// Doubts `start.time_zone` for `start_time_zone` where `original_start_time_zone` stands in the expected place.
fn has_former(record: &Record<'_, '_>, pair: &Pair, known: &Evidence<'_>) -> bool {
    let (expected, names) = (&record.model.names, &record.scratch.names);
    let (Some(field), Some(name)) = (record.model.field(pair.expected), expected.get(pair.expected)) else {
        return false;
    };
    let place = record.place_of(field.parent);
    has_moved(record, pair)
        && known.formed.iter().any(|id| {
            let other = record.found.get(*id as usize).filter(|other| other.parent == place);
            record.name_of(*id).is_some_and(|longer| holds((names, longer), (expected, name), Role::Former))
                && other.is_some_and(|other| compatible(field, other, record.model.has_formats) >= 0.99)
        })
}

/// Whether the contract lacks a field beside the expected one whose name has all its words and some more.
fn lacks_longer(record: &Record<'_, '_>, pair: &Pair, known: &Evidence<'_>) -> bool {
    let names = &record.model.names;
    let (Some(found), Some(field)) = (record.found.get(pair.found as usize), record.model.field(pair.expected)) else {
        return false;
    };
    let Some(name) = names.get(pair.expected) else { return false };
    record.model.formed.iter().copied().any(|id| {
        let Some(other) = record.model.field(id).filter(|other| other.parent == field.parent) else { return false };
        id != pair.expected
            && !record.is_taken(id)
            && names.get(id).is_some_and(|longer| holds((names, longer), (names, name), Role::Form))
            && compatible(other, found, record.model.has_formats) > 0.0
            && !known.sure.iter().any(|(expected, found)| *expected == id && *found != pair.found)
    })
}

/// Whether a name has all own words of another one, and one or two more, of which one has a role.
#[inline(never)]
fn holds((names, longer): (&Names, &Name), (other, shorter): (&Names, &Name), role: Role) -> bool {
    let (longer, shorter) = (names.own(longer), other.own(shorter));
    let added = longer.len().saturating_sub(shorter.len());
    !shorter.is_empty()
        && (1..=MOST_ADDED).contains(&added)
        && shorter.iter().all(|word| word.is_in(longer))
        && longer.iter().any(|word| word.is(role))
}
