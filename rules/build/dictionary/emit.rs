//! Writes the dictionary as Rust source: words once, and all else as their numbers. A table that is too long for numbers
//! of 16 bits is refused by the compiler.

use super::{
    check::{exact_groups, slots, uncountable},
    file::{Dictionary, Group, Kind, NeutralEntry, OneOrMore, Strength},
    ids::Ids,
    pack,
    role::Role,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// As that of the library's tables.
#[derive(Clone, Copy, Debug)]
enum Order {
    Inside,
    Between,
}

/// The source of every table.
pub fn source(dictionary: &Dictionary) -> String {
    let ids = Ids::of(dictionary);
    let longest = ids.longest();
    [
        texts("Every word, sorted.", "WORDS", ids.words()),
        lists(
            "The words of every phrase, sorted, as their places in [`WORDS`].",
            "PHRASES",
            Order::Between,
            ids.phrases(),
        ),
        format!("/// Words of the longest phrase.\npub const LONGEST_PHRASE: usize = {longest};\n"),
        synonyms(&dictionary.synonyms, &ids),
        opposites(dictionary, &ids),
        abbreviations(dictionary, &ids),
        sets(dictionary, &ids),
        neutral(dictionary, &ids),
        table(
            "Irregular plurals, sorted, and their singulars.",
            "PLURALS",
            "(PhraseId, PhraseId)",
            dictionary.plurals.irregular.iter().map(|(plural, singular)| (ids.of_text(plural), ids.of_text(singular))),
        ),
        roles(dictionary, &ids),
        texts("Words that look like plurals and are none, sorted.", "UNCOUNTABLE", uncountable(dictionary).into_iter()),
    ]
    .concat()
}

fn synonyms(groups: &[Group], ids: &Ids<'_>) -> String {
    let (exact, near): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|group| group.strength == Strength::Exact);
    [
        lists(
            "Words and phrases that mean the same, sorted: first the exact groups, then the near ones.",
            "SYNONYMS",
            Order::Inside,
            exact.iter().chain(&near).map(|group| set(&group.words, ids)),
        ),
        format!(
            "/// How many groups are exact: interchangeable in nearly any record. Those of the others mean the same only \
             where\n/// the record, the type and the siblings agree.\npub const EXACT_GROUPS: usize = {};\n",
            exact.len()
        ),
    ]
    .concat()
}

fn opposites(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let exact = exact_groups(&dictionary.synonyms);
    let sets: Vec<Vec<BTreeSet<&str>>> = dictionary.opposites.iter().map(|set| slots(set, &exact)).collect();
    [
        lists(
            "Slots of sets. Words of different slots of a set never match; those of one slot may.",
            "OPPOSITES",
            Order::Inside,
            sets.iter().flatten().map(|words| set(words, ids)),
        ),
        table("How many slots each set has.", "SLOTS_OF_SETS", "u8", sets.iter().map(Vec::len)),
    ]
    .concat()
}

fn abbreviations(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let row = |(short, to): (&String, &OneOrMore)| [&[ids.of_text(short)][..], &list(to.words(), ids)].concat();
    lists(
        "Short forms, sorted, each followed by what it may stand for.",
        "ABBREVIATIONS",
        Order::Between,
        dictionary.abbreviations.iter().map(row),
    )
}

/// The sets that the library's functions of the same names return, in the order in which these expect them.
fn sets(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let wrappers = &dictionary.wrappers;
    let rows = [set(dictionary.compounds.values(), ids), set(&wrappers.envelopes, ids), set(&wrappers.groupings, ids)];
    lists("Compounds, envelopes and groupings, sorted.", "SETS", Order::Inside, rows.into_iter())
}

/// The words that the library's function of the same name returns. Before those of one kind, [`about`] them.
fn neutral(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let neutral = &dictionary.neutral;
    let suffix = neutral.suffix.iter().map(|entry| (entry, 0, set(&entry.after, ids)));
    let prefix = neutral.prefix.iter().map(|entry| (entry, 1, set(&entry.before, ids)));
    let entries: Vec<(&NeutralEntry, usize, Vec<usize>)> = suffix.chain(prefix).collect();
    let heads = entries.iter().map(|(_, _, heads)| heads).filter(|heads| !heads.is_empty());
    let heads: BTreeSet<&Vec<usize>> = heads.collect();
    let numbers: BTreeMap<&Vec<usize>, usize> = heads.iter().copied().zip(1..).collect();
    let mut rows: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (entry, place, heads) in &entries {
        let about = about(numbers.get(heads).copied().unwrap_or(0), *place, entry.kind);
        rows.entry(about).or_default().extend(list(&entry.words, ids));
    }
    [
        lists("Words next to which others are neutral.", "HEADS", Order::Inside, heads.iter().copied().cloned()),
        lists(
            "Words that a name can do without, after a number for their heads, place and kind of value.",
            "NEUTRAL",
            Order::Between,
            rows.into_iter().map(|(about, words)| [about].into_iter().chain(words).collect()),
        ),
    ]
    .concat()
}

/// `heads`: 0 for none. `place`: 1 for a prefix.
fn about(heads: usize, place: usize, kind: Option<Kind>) -> usize {
    let kind = match kind {
        None => 0,
        Some(Kind::Boolean) => 1,
        Some(Kind::Number) => 2,
        Some(Kind::String) => 3,
        Some(Kind::Array) => 4,
        Some(Kind::Object) => 5,
    };
    heads << 4 | place << 3 | kind
}

fn roles(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let words = |role: Role| dictionary.roles.get(&role.name()).into_iter().flatten();
    lists(
        "The words of each of [`Role::ALL`], sorted.",
        "ROLES",
        Order::Inside,
        Role::ALL.into_iter().map(|role| set(words(role), ids)),
    )
}

fn list(words: &[String], ids: &Ids<'_>) -> Vec<usize> {
    words.iter().map(|word| ids.of_text(word)).collect()
}

fn set(words: impl IntoIterator<Item = impl AsRef<str>>, ids: &Ids<'_>) -> Vec<usize> {
    words.into_iter().map(|word| ids.of_text(word.as_ref())).collect::<BTreeSet<usize>>().into_iter().collect()
}

fn table(about: &str, name: &str, element: &str, rows: impl IntoIterator<Item = impl Debug>) -> String {
    let rows: Vec<_> = rows.into_iter().collect();
    format!("/// {about}\npub static {name}: &[{element}] = &{rows:?};\n")
}

fn lists(about: &str, name: &str, order: Order, rows: impl Iterator<Item = Vec<usize>>) -> String {
    let rows: Vec<Vec<usize>> = rows.collect();
    let packed = match order {
        Order::Inside => pack::sorted_lists(&rows),
        Order::Between => pack::lists_in_order(&rows),
    };
    let refusal = refusal(name, rows.iter().map(Vec::len).sum());
    format!("/// {about}\npub static {name}: Lists = Lists::packed(&{packed:?}, Order::{order:?});\n{refusal}")
}

fn texts<'a>(about: &str, name: &str, rows: impl Iterator<Item = &'a str>) -> String {
    let rows: Vec<&str> = rows.collect();
    let Some(packed) = pack::texts(rows.iter().copied()) else {
        return format!("compile_error!(\"{name}: expected lower-case letters and digits only\");\n");
    };
    let refusal = refusal(name, rows.iter().map(|row| row.len()).sum());
    format!("/// {about}\npub static {name}: Texts = Texts::packed(&{packed:?});\n{refusal}")
}

/// What does not compile where a table is longer than its numbers can tell.
fn refusal(name: &str, length: usize) -> String {
    if u16::try_from(length).is_ok() {
        return String::new();
    }
    format!("compile_error!(\"{name}: found {length} elements; expected at most 65535\");\n")
}
