//! Writes the dictionary as Rust source: sorted tables, senses left behind.

use super::{
    check::{exact_groups, plurals, slots, uncountable},
    file::{Dictionary, Group, Kind, NeutralEntry, Strength},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
};

/// The source of every table.
pub fn source(dictionary: &Dictionary) -> String {
    let exact = exact_groups(&dictionary.synonyms);
    let sets: Vec<Vec<BTreeSet<&str>>> = dictionary.opposites.iter().map(|set| slots(set, &exact)).collect();
    let words = words(&dictionary.synonyms, &sets);
    let longest = words.keys().map(|text| text.split(' ').count()).max().unwrap_or(0);
    let neutral = &dictionary.neutral;
    let neutral = neutral
        .suffix
        .iter()
        .map(|entry| (entry, "Suffix", &entry.after))
        .chain(neutral.prefix.iter().map(|entry| (entry, "Prefix", &entry.before)));
    [
        table("Words that mean the same.", "SYNONYMS", "SynonymGroup", dictionary.synonyms.iter().map(group)),
        table(
            "Sets of slots. Words of different slots of a set never match; those of one slot may.",
            "OPPOSITES",
            "&[&[&str]]",
            sets.iter().map(|set| format!("&[{}]", set.iter().map(list).collect::<Vec<_>>().join(", "))),
        ),
        table(
            "Every word of [`SYNONYMS`] and [`OPPOSITES`], sorted.",
            "WORDS",
            "Word",
            words.iter().map(|(text, Places { synonyms, opposites })| {
                format!("Word {{ text: {text:?}, synonyms: &{synonyms:?}, opposites: &{opposites:?} }}")
            }),
        ),
        table(
            "Short forms, sorted, and what they stand for, the likeliest first.",
            "ABBREVIATIONS",
            "(&str, &[&str])",
            dictionary.abbreviations.iter().map(|(short, to)| format!("({short:?}, {})", list(to.words()))),
        ),
        table(
            "Compounds that are written as one word, sorted, and their words.",
            "COMPOUNDS",
            "(&str, &str)",
            dictionary.compounds.iter().map(|pair| format!("{pair:?}")),
        ),
        table(
            "Words that a name can do without.",
            "NEUTRAL",
            "NeutralWord",
            neutral.flat_map(|(entry, place, heads)| neutral_words(entry, place, heads)),
        ),
        table(
            "Names of objects that only hold the record, sorted.",
            "ENVELOPES",
            "&str",
            sorted(&dictionary.wrappers.envelopes),
        ),
        table(
            "Names of objects that group members of a record and say little of them, sorted.",
            "GROUPINGS",
            "&str",
            sorted(&dictionary.wrappers.groupings),
        ),
        table(
            "Irregular plurals, sorted, and their singulars.",
            "PLURALS",
            "(&str, &str)",
            plurals(dictionary).iter().map(|pair| format!("{pair:?}")),
        ),
        table(
            "Words that look like plurals and are none, sorted.",
            "UNCOUNTABLE",
            "&str",
            uncountable(dictionary).iter().map(|word| format!("{word:?}")),
        ),
        format!("/// Tokens of the longest phrase in [`WORDS`].\npub const LONGEST_PHRASE: usize = {longest};\n"),
    ]
    .concat()
}

#[derive(Default)]
struct Places {
    synonyms: Vec<usize>,
    opposites: Vec<(usize, usize)>,
}

fn words<'a>(groups: &'a [Group], sets: &[Vec<BTreeSet<&'a str>>]) -> BTreeMap<&'a str, Places> {
    let mut words: BTreeMap<&str, Places> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for word in &group.words {
            words.entry(word).or_default().synonyms.push(at);
        }
    }
    for (at, set) in sets.iter().enumerate() {
        for (slot, of_slot) in set.iter().enumerate() {
            for word in of_slot {
                words.entry(word).or_default().opposites.push((at, slot));
            }
        }
    }
    words
}

fn group(group: &Group) -> String {
    let exact = group.strength == Strength::Exact;
    format!("SynonymGroup {{ exact: {exact}, words: {} }}", list(&group.words))
}

fn neutral_words<'a>(
    entry: &'a NeutralEntry,
    place: &'a str,
    heads: &'a [String],
) -> impl Iterator<Item = String> + 'a {
    let kind = match entry.kind {
        None => "None".to_owned(),
        Some(Kind::Boolean) => value_kind("Boolean"),
        Some(Kind::Number) => value_kind("Number"),
        Some(Kind::String) => value_kind("String"),
        Some(Kind::Array) => value_kind("Array"),
        Some(Kind::Object) => value_kind("Object"),
    };
    entry.words.iter().map(move |word| {
        let heads = list(heads);
        format!("NeutralWord {{ word: {word:?}, place: Place::{place}, heads: {heads}, kind: {kind} }}")
    })
}

fn value_kind(kind: &str) -> String {
    format!("Some(ValueKind::{kind})")
}

fn sorted(words: &[String]) -> impl Iterator<Item = String> {
    words.iter().collect::<BTreeSet<_>>().into_iter().map(|word| format!("{word:?}"))
}

fn list(words: impl IntoIterator<Item = impl Debug>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("{word:?}")).collect();
    format!("&[{}]", words.join(", "))
}

fn table(about: &str, name: &str, element: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.collect();
    format!("/// {about}\npub static {name}: &[{element}] = &[\n{}\n];\n", rows.join(",\n"))
}
