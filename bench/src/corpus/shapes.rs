//! Extreme bodies: very deep, nearly all text, and made to be slow.

use serde_json::{Value, json};

use super::fields::{DRIFTED, nested};
use super::words::Words;
use super::{Edit, LARGE_VARIANTS, Subject, VARIANTS, config, edit_move, ops, renames, variants};

/// The levels of the deep body, and the values at each level.
const LEVELS: usize = 24;
const LEAVES_PER_LEVEL: usize = 4;

/// The texts of the body of texts that do not drift, and the characters of each text.
const TEXTS: usize = 10;
const TEXT_BYTES: usize = 5_000;

/// The groups of members beside the drifted ones in the hostile body.
const HOSTILE_GROUPS: usize = 34;

/// Returns a body with values at each of 24 levels, all of which belong at the root.
pub(super) fn deep() -> Subject {
    let leaves: Vec<(String, String)> = (1..=LEVELS)
        .flat_map(|level| {
            let path: Vec<String> = (1..=level).map(|level| format!("level_{level}")).collect();
            let path = path.join(".");
            (0..LEAVES_PER_LEVEL).map(move |leaf| (path.clone(), format!("value_{level}_{leaf}")))
        })
        .collect();
    let borrowed: Vec<(&str, &str)> = leaves.iter().map(|(path, leaf)| (path.as_str(), leaf.as_str())).collect();
    let moves: Value = leaves.iter().map(|(path, leaf)| (format!("{path}.{leaf}"), json!(leaf))).collect();
    let properties: Value = leaves.iter().map(|(_, leaf)| (leaf.clone(), json!({}))).collect();
    Subject {
        name: "deep-24-levels".to_owned(),
        config: config(json!({"contract": {"type": "object", "properties": properties}, "move": moves})),
        bodies: variants(VARIANTS, |words| nested(words, &borrowed)),
        ops: ops(leaves.len()),
        edit: Edit {
            moves: leaves.iter().map(|(path, leaf)| edit_move(&format!("{path}.{leaf}"), leaf)).collect(),
            ..Edit::default()
        },
    }
}

/// Returns twenty long texts, half of them under drifted names, with an escape here and there.
pub(super) fn long_strings() -> Subject {
    let names: Vec<String> = DRIFTED
        .iter()
        .map(|(_, drifted)| (*drifted).to_owned())
        .chain((0..TEXTS).map(|n| format!("text_{n}")))
        .collect();
    let body = |words: &mut Words| {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":\"{}\"", text(words))).collect();
        format!("{{{}}}", members.join(","))
    };
    by_rules("long-strings-100k", variants(LARGE_VARIANTS, body))
}

fn text(words: &mut Words) -> String {
    let mut text = String::new();
    while text.len() < TEXT_BYTES {
        text.push_str(words.text());
        text.push_str(if words.number().is_multiple_of(16) { ".\\n" } else { ", " });
    }
    text
}

/// Returns a body with names as long as drifted ones that begin and end like them, names with escapes, texts that look
/// like structure and are full of backslashes, nested brackets, and some of these in nearly every block of 64 bytes.
pub(super) fn hostile() -> Subject {
    let group = |words: &mut Words, at: usize| {
        let number = words.number() % 1_000;
        [
            format!("\"created_{at}_at\":{number}"),
            format!("\"use\\u0072_{at}\":\"\\\\\\\\\\\"{{[,:]}}\\\\\""),
            format!("\"k{at}\":[[[[[[[[[[{number}]]]]],[]]]]],{{}}]"),
            format!("\"\\\"mail_{at}\\\":\":\"\\\"mail\\\":\\\"{number}\\\",\""),
            format!("\"e{at}\":{{\"\":{{\"\":[\"\",\"\\\\\",\"\\\"\"]}}}}"),
            format!("\"l{at}\":[{}]", vec!["\"\\\\\""; 16].join(",")),
        ]
    };
    let body = |words: &mut Words| {
        let drifted = DRIFTED.iter().map(|(_, drifted)| format!("\"{drifted}\":{}", words.value()));
        let mut members: Vec<String> = drifted.collect();
        members.extend((0..HOSTILE_GROUPS).flat_map(|at| group(words, at)));
        format!("{{{}}}", members.join(","))
    };
    by_rules("hostile-8k", variants(VARIANTS, body))
}

/// Returns a subject that is healed only by its renames.
fn by_rules(name: &str, bodies: Vec<String>) -> Subject {
    let rules: Value = DRIFTED.iter().map(|(name, drifted)| ((*drifted).to_owned(), json!(name))).collect();
    Subject {
        name: name.to_owned(),
        config: config(json!({"rename": rules})),
        bodies,
        ops: ops(DRIFTED.len()),
        edit: Edit { renames: renames(), ..Edit::default() },
    }
}
