//! Writes the dictionary as Rust source: words once, and all else as their numbers. A number that does not fit into its
//! 16 bits does not compile.

use super::{
    check::{exact_groups, slots, uncountable},
    file::{Dictionary, Group, Kind, NeutralEntry, Strength},
    ids::Ids,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// The source of every table.
pub fn source(dictionary: &Dictionary) -> String {
    let ids = Ids::of(dictionary);
    let longest = ids.longest();
    [
        texts("Every word, sorted.", "WORDS", ids.words()),
        lists("The words of every phrase, sorted, as their places in [`WORDS`].", "PHRASES", ids.phrases()),
        format!("/// Words of the longest phrase.\npub const LONGEST_PHRASE: usize = {longest};\n"),
        synonyms(&dictionary.synonyms, &ids),
        opposites(dictionary, &ids),
        abbreviations(dictionary, &ids),
        compounds(dictionary, &ids),
        neutral(dictionary, &ids),
        table(
            "Names of objects that only hold the record, sorted.",
            "ENVELOPES",
            "PhraseId",
            set(&dictionary.wrappers.envelopes, &ids),
        ),
        table(
            "Names of objects that group members of a record and say little of them, sorted.",
            "GROUPINGS",
            "PhraseId",
            set(&dictionary.wrappers.groupings, &ids),
        ),
        table(
            "Irregular plurals, sorted, and their singulars.",
            "PLURALS",
            "(PhraseId, PhraseId)",
            dictionary.plurals.irregular.iter().map(|(plural, singular)| (ids.of_text(plural), ids.of_text(singular))),
        ),
        texts("Words that look like plurals and are none, sorted.", "UNCOUNTABLE", uncountable(dictionary).into_iter()),
    ]
    .concat()
}

fn synonyms(groups: &[Group], ids: &Ids<'_>) -> String {
    [
        lists("Words and phrases that mean the same.", "SYNONYMS", groups.iter().map(|group| list(&group.words, ids))),
        table(
            "Whether those of a group are interchangeable in nearly any record. Otherwise they mean the same only where \
             the record, the type and the siblings agree.",
            "ARE_EXACT",
            "bool",
            groups.iter().map(|group| group.strength == Strength::Exact),
        ),
    ]
    .concat()
}

fn opposites(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let exact = exact_groups(&dictionary.synonyms);
    let sets = dictionary.opposites.iter().map(|set| slots(set, &exact)).enumerate();
    let slots: Vec<(usize, BTreeSet<&str>)> =
        sets.flat_map(|(set, slots)| slots.into_iter().map(move |slot| (set, slot))).collect();
    [
        lists(
            "Slots of sets. Words of different slots of a set never match; those of one slot may.",
            "OPPOSITES",
            slots.iter().map(|(_, words)| set(words, ids)),
        ),
        table("The set of each slot.", "OPPOSITE_SETS", "u16", slots.iter().map(|(set, _)| set)),
    ]
    .concat()
}

fn abbreviations(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let entries = &dictionary.abbreviations;
    [
        table("Short forms, sorted.", "SHORT_FORMS", "PhraseId", entries.keys().map(|short| ids.of_text(short))),
        lists(
            "What each of [`SHORT_FORMS`] may stand for, the likeliest first.",
            "EXPANSIONS",
            entries.values().map(|to| list(to.words(), ids)),
        ),
    ]
    .concat()
}

fn compounds(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    table(
        "The words of compounds that are written as one word, sorted by their letters without spaces.",
        "COMPOUNDS",
        "PhraseId",
        dictionary.compounds.values().map(|open| ids.of_text(open)),
    )
}

fn neutral(dictionary: &Dictionary, ids: &Ids<'_>) -> String {
    let neutral = &dictionary.neutral;
    let suffix = neutral.suffix.iter().map(|entry| (entry, "Suffix", set(&entry.after, ids)));
    let prefix = neutral.prefix.iter().map(|entry| (entry, "Prefix", set(&entry.before, ids)));
    let entries: Vec<(&NeutralEntry, &str, Vec<usize>)> = suffix.chain(prefix).collect();
    let heads: BTreeSet<&Vec<usize>> = entries.iter().map(|(_, _, heads)| heads).collect();
    let places: BTreeMap<&Vec<usize>, usize> = heads.iter().copied().zip(0..).collect();
    let rows = entries.iter().flat_map(|(entry, place, heads)| {
        let (kind, heads) = (value_kind(entry.kind), places.get(heads).copied().unwrap_or(usize::MAX));
        let row = move |word: &String| {
            let word = ids.of_text(word);
            format!("NeutralWord {{ word: {word}, place: Place::{place}, kind: {kind}, heads: {heads} }}")
        };
        entry.words.iter().map(row)
    });
    [
        lists("Words next to which others are neutral.", "HEADS", heads.iter().copied().cloned()),
        format!(
            "/// Words that a name can do without.\npub static NEUTRAL: &[NeutralWord] = &[\n{}\n];\n",
            rows.collect::<Vec<_>>().join(",\n")
        ),
    ]
    .concat()
}

fn value_kind(kind: Option<Kind>) -> String {
    kind.map_or_else(|| "None".to_owned(), |kind| format!("Some(ValueKind::{kind:?})"))
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

fn lists(about: &str, name: &str, rows: impl Iterator<Item = Vec<usize>>) -> String {
    let rows: Vec<Vec<usize>> = rows.collect();
    let (items, ends) = (rows.concat(), ends(rows.iter().map(Vec::len)));
    format!("/// {about}\npub static {name}: Lists = Lists {{ items: &{items:?}, ends: &{ends:?} }};\n")
}

fn texts<'a>(about: &str, name: &str, rows: impl Iterator<Item = &'a str>) -> String {
    let rows: Vec<&str> = rows.collect();
    let (text, ends) = (rows.concat(), ends(rows.iter().map(|row| row.len())));
    format!("/// {about}\npub static {name}: Texts = Texts {{ text: {text:?}, ends: &{ends:?} }};\n")
}

fn ends(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let end = |end: &mut usize, length: usize| {
        *end = end.saturating_add(length);
        Some(*end)
    };
    lengths.scan(0, end).collect()
}
