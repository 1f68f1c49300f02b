//! What the build refuses in the dictionary, and what the dictionary knows.

#![allow(clippy::expect_used)]

#[path = "../build/dictionary.rs"]
mod build;

use nomos_rules::dictionary::{
    ABBREVIATIONS, COMPOUNDS, ENVELOPES, GROUPINGS, LONGEST_PHRASE, NEUTRAL, OPPOSITES, SYNONYMS, WORDS, abbreviation,
    compound, opposed, singular, synonymous, word,
};
use std::collections::BTreeSet;

/// The messages for a dictionary of which one file has that text, joined.
fn messages(changed: &str, text: &str) -> String {
    let read = |file: &str| {
        let other = match file {
            "neutral" => "{suffix: [], prefix: []}",
            "wrappers" => "{envelopes: [], groupings: []}",
            "plurals" => "{irregular: {}, uncountable: []}",
            "synonyms" => "[{sense: s, strength: exact, words: [zip code, postal code]}]",
            "opposites" => "[]",
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
        ("neutral", "{suffix: [{words: [a], before: [b]}], prefix: []}", "heads on the wrong side"),
    ];
    for (file, text, expected) in rows {
        let message = messages(file, text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert_eq!(messages("neutral", "{suffix: [{words: [a], after: [b], kind: number}], prefix: []}"), "");
}

#[test]
fn near_synonyms_are_no_opposites() {
    let synonyms = "[{sense: s, strength: near, words: [a, b]}]";
    let read = |file: &str| {
        Ok(match file {
            "synonyms" => synonyms,
            "opposites" => "[{sense: o, never: [a, b]}]",
            "neutral" => "{suffix: [], prefix: []}",
            "wrappers" => "{envelopes: [], groupings: []}",
            "plurals" => "{irregular: {}, uncountable: []}",
            _ => "{}",
        }
        .to_owned())
    };
    let problems = build::compile(read).expect_err("a pair is both");
    assert!(problems.join("\n").contains("found `a` and `b`, which are synonyms"), "{problems:?}");
}

#[test]
fn the_dictionary_is_as_large_as_promised() {
    let words: BTreeSet<&str> = SYNONYMS.iter().flat_map(|group| group.words).copied().collect();
    let rows = [
        ("groups", SYNONYMS.len(), 400),
        ("words", words.len(), 2000),
        ("short forms", ABBREVIATIONS.len(), 300),
        ("compounds", COMPOUNDS.len(), 150),
        ("opposites", OPPOSITES.len(), 200),
        ("neutral words", NEUTRAL.len(), 80),
        ("envelopes", ENVELOPES.len(), 30),
        ("groupings", GROUPINGS.len(), 50),
    ];
    for (name, size, least) in rows {
        assert!(size >= least, "{name}: {size}, at least {least}");
    }
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
    assert_eq!(compound("zipcode"), Some("zip code"));
    assert_eq!(compound("username"), None);
    assert_eq!(abbreviation("qty"), ["quantity"]);
    assert_eq!(abbreviation("min").first(), Some(&"minimum"));
    assert!(abbreviation("quantity").is_empty());
}

#[test]
fn tables_are_sorted_for_their_searches() {
    assert!(WORDS.is_sorted_by(|a, b| a.text < b.text));
    assert!(ABBREVIATIONS.is_sorted_by(|a, b| a.0 < b.0));
    assert!(COMPOUNDS.is_sorted_by(|a, b| a.0 < b.0));
    assert!(WORDS.iter().all(|entry| word(entry.text).is_some_and(|found| std::ptr::eq(found, entry))));
    assert!(WORDS.iter().all(|entry| entry.text.split(' ').count() <= LONGEST_PHRASE));
}
