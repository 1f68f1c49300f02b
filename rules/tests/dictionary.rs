//! What the build refuses in the dictionary, and what the dictionary knows.

#![allow(clippy::expect_used)]

#[path = "../build/dictionary.rs"]
mod build;

use nomos_rules::dictionary::{
    ABBREVIATIONS, EXACT_GROUPS, HEADS, LONGEST_PHRASE, Lists, NEUTRAL, OPPOSITES, PHRASES, PLURALS, PhraseId, ROLES,
    Role, SETS, SLOTS_OF_SETS, SYNONYMS, Texts, UNCOUNTABLE, WORDS, abbreviation, compound, compounds, envelopes, find,
    groupings, neutral, opposed, phrase_count, singular, slot_sets, synonymous, words,
};
use std::{collections::BTreeSet, fmt::Debug, fs};

/// A file in which each role has a word.
fn roles() -> String {
    Role::ALL.map(|role| format!("{}: [a]\n", role.name())).concat()
}

/// The messages for a dictionary of which one file has that text, joined.
fn messages(changed: &str, text: &str) -> String {
    let roles = roles();
    let read = |file: &str| {
        let other = match file {
            "neutral" => "{suffix: [], prefix: []}",
            "wrappers" => "{envelopes: [], groupings: []}",
            "plurals" => "{irregular: {}, uncountable: []}",
            "synonyms" => "[{sense: s, strength: exact, words: [zip code, postal code]}]",
            "opposites" | "words" => "[]",
            "roles" => &roles,
            _ => "{}",
        };
        Ok(if file == changed { text } else { other }.to_owned())
    };
    build::compile(read).err().unwrap_or_default().join("\n")
}

#[test]
fn a_bad_file_is_refused_with_its_place() {
    let rows = [
        ("synonyms", "[{sense: s, strength: exact, words: [a]}]", "synonyms.yaml: s: found fewer than two words"),
        ("synonyms", "[{sense: s, strength: exact, words: [a, A]}]", "found `A`; expected lower-case"),
        ("synonyms", "[{sense: s, strength: exact, words: [a, b_c]}]", "found `b_c`; expected lower-case"),
        ("synonyms", "[{sense: s, strength: exact, words: [a, b, a]}]", "found `a` twice"),
        ("synonyms", "[{sense: s, strength: exact, words: [user, ids]}]", "expected the singular, `id`"),
        ("synonyms", "[{sense: s, strength: sure, words: [a, b]}]", "synonyms.yaml: error: line 1"),
        (
            "synonyms",
            "[{sense: s, strength: near, words: [a, b]}, {sense: t, strength: exact, words: [a, b, c]}]",
            "synonyms.yaml: s: found only words of \"t\"",
        ),
        (
            "synonyms",
            "[{sense: s, strength: near, words: [a, b]}, {sense: s, strength: near, words: [c, d]}]",
            "found the sense a second time",
        ),
        ("opposites", "[{sense: s, never: [a]}]", "opposites.yaml: s: found fewer than two slots"),
        ("opposites", "[{sense: s, never: [a, [b, a]]}]", "found `a` twice"),
        ("opposites", "[{sense: s, never: [zip code, postal code]}]", "expected it in one"),
        ("abbreviations", "{qty: qty}", "abbreviations.yaml: qty: found the short form itself"),
        ("compounds", "{username: user login}", "compounds.yaml: username: found `user login`"),
        ("plurals", "{irregular: {users: user}, uncountable: []}", "plurals.yaml: users: found what the rules give"),
        ("plurals", "{irregular: {}, uncountable: [user]}", "found a word that no rule changes"),
        ("wrappers", "{envelopes: [data], groupings: [data]}", "found in `envelopes` and `groupings`"),
        ("roles", "{}", "roles.yaml: address: found no words; expected one or more"),
        ("roles", "{colour: [red]}", "roles.yaml: colour: found a role of that name; expected one of address, "),
        ("roles", "{address: [b, a]}", "roles.yaml: address: found words that are not sorted"),
        ("words", "[b, a]", "words.yaml: all: found words that are not sorted"),
        ("words", "[a b]", "words.yaml: a b: found a phrase; expected one word"),
        ("neutral", "{suffix: [{words: [a], before: [b]}], prefix: []}", "heads on the wrong side"),
        (
            "neutral",
            "{suffix: [], prefix: [{words: [a]}, {words: [b, a]}]}",
            "b, a: found `a`, which another entry has",
        ),
        ("neutral", "{suffix: [{words: [a]}, {words: [a], kind: array}], prefix: []}", "a: found `a`, which another"),
        ("neutral", "{suffix: [{words: [a]}, {words: [a], after: [b]}], prefix: []}", "a: found `a`, which another"),
    ];
    for (file, text, expected) in rows {
        let message = messages(file, text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert_eq!(messages("neutral", "{suffix: [{words: [a], after: [b], kind: number}], prefix: []}"), "");
}

#[test]
fn near_synonyms_are_no_opposites() {
    let (synonyms, roles) = ("[{sense: s, strength: near, words: [a, b]}]", roles());
    let read = |file: &str| {
        Ok(match file {
            "synonyms" => synonyms,
            "opposites" => "[{sense: o, never: [a, b]}]",
            "neutral" => "{suffix: [], prefix: []}",
            "wrappers" => "{envelopes: [], groupings: []}",
            "plurals" => "{irregular: {}, uncountable: []}",
            "words" => "[]",
            "roles" => &roles,
            _ => "{}",
        }
        .to_owned())
    };
    let problems = build::compile(read).expect_err("a pair is both");
    assert!(problems.join("\n").contains("found `a` and `b`, which are synonyms"), "{problems:?}");
}

#[test]
fn the_dictionary_is_as_large_as_promised() {
    let synonyms: BTreeSet<&PhraseId> = SYNONYMS.iter().flatten().collect();
    let rows = [
        ("groups", SYNONYMS.iter().len(), 400),
        ("words", synonyms.len(), 2000),
        ("short forms", ABBREVIATIONS.iter().len(), 300),
        ("compounds", compounds().len(), 150),
        ("opposites", SLOTS_OF_SETS.len(), 200),
        ("neutral words", neutral().map(|entry| entry.words.len()).sum(), 80),
        ("envelopes", envelopes().len(), 30),
        ("groupings", groupings().len(), 50),
        ("roles", ROLES.iter().len(), Role::ALL.len()),
    ];
    for (name, size, least) in rows {
        assert!(size >= least, "{name}: {size}, at least {least}");
    }
}

/// Only names with a form raise doubts about longer names.
#[test]
fn what_marks_a_former_version_is_a_form() {
    let words = |role: Role| ROLES.get(role as usize);
    assert!(words(Role::Former).iter().all(|word| words(Role::Form).contains(word)));
}

#[test]
fn names_of_the_same_are_synonyms() {
    let rows = [
        ("zip code", "postal code", Some(true)),
        ("first name", "given name", Some(true)),
        ("last name", "surname", Some(true)),
        ("created at", "creation date", Some(true)),
        ("updated at", "last modified", Some(true)),
        ("latitude", "lat", Some(true)),
        ("colour", "color", Some(true)),
        ("avatar", "profile image", Some(true)),
        ("status", "state", Some(false)),
        ("name", "title", Some(false)),
        ("url", "href", Some(false)),
        ("email", "phone", None),
        ("first name", "last name", None),
        ("no such word", "name", None),
    ];
    for (a, b, expected) in rows {
        assert_eq!(synonymous(a, b), expected, "{a}, {b}");
        assert_eq!(synonymous(b, a), expected, "{b}, {a}");
    }
}

#[test]
fn look_alikes_are_opposed() {
    let rows = [
        ("created", "updated"),
        ("created at", "last modified"),
        ("first", "last"),
        ("given name", "surname"),
        ("minimum", "max"),
        ("start", "end"),
        ("lat", "lng"),
        ("billing", "shipping"),
        ("sender", "recipient"),
        ("follower", "following"),
        ("sub total", "grand total"),
        ("total", "sub total"),
        ("public", "private"),
        ("html", "text"),
        ("width", "height"),
        ("login", "logout"),
        ("addition", "deletion"),
        ("buyer", "seller"),
    ];
    for (a, b) in rows {
        assert!(opposed(a, b) && opposed(b, a), "{a}, {b}");
        assert_eq!(synonymous(a, b), None, "{a}, {b}");
    }
    for (a, b) in [("created", "creation"), ("minimum", "min"), ("name", "name"), ("zip code", "postal code")] {
        assert!(!opposed(a, b), "{a}, {b}");
    }
}

#[test]
fn tokens_are_brought_to_normal_form() {
    assert_eq!(singular("followers"), "follower");
    assert_eq!(singular("people"), "person");
    assert_eq!(singular("status"), "status");
    assert_eq!(singular("https"), "https");
    assert_eq!(compound("zipcode").map(text), Some("zip code".to_owned()));
    assert_eq!(compound("username"), None);
    assert_eq!(texts(abbreviation("qty")), ["quantity"]);
    assert_eq!(texts(abbreviation("min")).first().map(String::as_str), Some("minimum"));
    assert!(abbreviation("quantity").is_empty());
}

#[test]
fn every_word_and_phrase_is_found() {
    let all = 0..PhraseId::try_from(phrase_count()).expect("few phrases");
    for phrase in all {
        assert_eq!(find(&text(phrase)), Some(phrase), "{}", text(phrase));
        assert!(words(phrase).count() <= LONGEST_PHRASE, "{}", text(phrase));
    }
    for unknown in ["", " ", "no such word", "zzz", "zip", "zip code extra"] {
        let found = find(unknown).map(text);
        assert!(found.is_none() || found.as_deref() == Some(unknown), "{unknown}");
    }
    assert!(compounds().iter().all(|open| compound(&text(*open).replace(' ', "")) == Some(*open)));
}

/// The tables are numbers; this reads them back.
#[test]
fn the_tables_say_what_the_files_say() {
    let yaml = build::read(|file| fs::read_to_string(format!("dictionary/{file}.yaml")).map_err(|e| e.to_string()))
        .expect("the build has accepted it");

    let groups = yaml.synonyms.iter().map(|group| (format!("{:?}", group.strength), sorted(&group.words)));
    let strength = |group: usize| if group < EXACT_GROUPS { "Exact" } else { "Near" }.to_owned();
    let of_table = SYNONYMS.iter().enumerate().map(|(group, words)| (strength(group), sorted(&texts(words))));
    assert_eq!(groups.collect::<BTreeSet<_>>(), of_table.collect::<BTreeSet<_>>());

    let with_synonyms = |word: &String| -> BTreeSet<String> {
        let has_it = |words: &&[PhraseId]| find(word).is_some_and(|word| words.contains(&word));
        let groups = SYNONYMS.iter().take(EXACT_GROUPS).filter(has_it);
        groups.flat_map(texts).chain([word.clone()]).collect()
    };
    let slots = yaml.opposites.iter().zip(0..).flat_map(|(set, at)| set.never.iter().map(move |slot| (at, slot)));
    same(
        slots.map(|(set, slot)| (set, slot.words().iter().flat_map(with_synonyms).collect::<BTreeSet<_>>())),
        slot_sets().zip(OPPOSITES.iter().map(|words| texts(words).into_iter().collect())),
    );

    let short_forms = ABBREVIATIONS.iter().filter_map(<[PhraseId]>::split_first);
    let short_forms = short_forms.map(|(short, expansions)| (text(*short), texts(expansions)));
    same(yaml.abbreviations.iter().map(|(short, to)| (short.clone(), to.words().to_vec())), short_forms);
    let closed = compounds().iter().map(|open| (text(*open).replace(' ', ""), text(*open)));
    assert_eq!(yaml.compounds.clone(), closed.collect());
    same(sorted(&yaml.wrappers.envelopes), sorted(&texts(envelopes())));
    same(sorted(&yaml.wrappers.groupings), sorted(&texts(groupings())));
    same(yaml.plurals.irregular.clone(), PLURALS.iter().map(|(plural, singular)| (text(*plural), text(*singular))));
    same(sorted(&yaml.plurals.uncountable), UNCOUNTABLE.iter().map(str::to_owned));

    let suffixes = yaml.neutral.suffix.iter().map(|entry| (entry, "Suffix", &entry.after));
    let prefixes = yaml.neutral.prefix.iter().map(|entry| (entry, "Prefix", &entry.before));
    let expected = suffixes.chain(prefixes).flat_map(|(entry, place, heads)| {
        let about = format!("{place} {:?}", entry.kind);
        entry.words.iter().map(move |word| (word.clone(), about.clone(), sorted(heads)))
    });
    let neutral = neutral().flat_map(|entry| {
        let about = format!("{:?} {:?}", entry.place, entry.kind);
        entry.words.iter().map(move |word| (text(*word), about.clone(), sorted(&texts(entry.heads))))
    });
    assert_eq!(expected.collect::<BTreeSet<_>>(), neutral.collect());
}

/// A wasm module carries the tables.
#[test]
fn the_tables_are_small() {
    let texts = [&WORDS, &UNCOUNTABLE].map(Texts::packed_len);
    let lists =
        [&SYNONYMS, &OPPOSITES, &ABBREVIATIONS, &PHRASES, &HEADS, &NEUTRAL, &ROLES, &SETS].map(Lists::packed_len);
    let packed: usize = texts.iter().chain(&lists).sum();
    let size = packed + size_of_val(PLURALS) + SLOTS_OF_SETS.len();
    assert!(size <= 52_000, "{size} bytes");
}

fn text(phrase: PhraseId) -> String {
    words(phrase).collect::<Vec<&str>>().join(" ")
}

fn texts(phrases: &[PhraseId]) -> Vec<String> {
    phrases.iter().map(|phrase| text(*phrase)).collect()
}

fn sorted(words: &[String]) -> BTreeSet<String> {
    words.iter().cloned().collect()
}

fn same<T: Debug + PartialEq>(expected: impl IntoIterator<Item = T>, found: impl IntoIterator<Item = T>) {
    assert_eq!(Vec::from_iter(found), Vec::from_iter(expected));
}
