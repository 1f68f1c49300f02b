//! Where everything is, for people and for programs.

use anstyle::Style;
use healer::{By, Match, Matching};

use crate::json_text::quote;
use crate::parts;

const HEAD: Style = Style::new().bold();

/// A table of matches, then what is missing and unknown.
pub fn as_text(matching: &Matching) -> String {
    let mut text = vec![table(&matching.matches)];
    let missing: Vec<String> = matching
        .missing
        .iter()
        .map(|missing| missing.path.clone() + if missing.required { " (required)" } else { "" })
        .collect();
    for (what, paths) in [("missing", &missing), ("unknown", &matching.unknown)] {
        if !paths.is_empty() {
            text.push(format!("{HEAD}{what}:{HEAD:#} {}\n", paths.join(", ")));
        }
    }
    let text = text.concat();
    if text.is_empty() { "everything stands where it is expected\n".to_owned() } else { text }
}

/// One JSON object on a line.
pub fn as_json(matching: &Matching) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let matches = list(matching.matches.iter().map(as_object).collect());
    let missing = list(matching.missing.iter().map(|missing| quote(&missing.path)).collect());
    let unknown = list(matching.unknown.iter().map(|path| quote(path)).collect());
    format!("{{\"matches\":{matches},\"missing\":{missing},\"unknown\":{unknown}}}\n")
}

fn as_object(found: &Match) -> String {
    let (by, parts) = match found.by {
        By::Rule => ("rule", "{}".to_owned()),
        By::Similarity => ("similarity", parts::as_json(found.parts)),
    };
    let (expected, place) = (quote(&found.expected), quote(&found.found));
    let score = parts::number(found.score);
    format!("{{\"expected\":{expected},\"found\":{place},\"score\":{score},\"by\":\"{by}\",\"parts\":{parts}}}")
}

fn table(matches: &[Match]) -> String {
    if matches.is_empty() {
        return String::new();
    }
    let width = |path: fn(&Match) -> &str, head: &str| {
        matches.iter().map(|found| path(found).chars().count()).max().unwrap_or_default().max(head.len())
    };
    let (left, right) = (width(|found| &found.expected, "EXPECTED"), width(|found| &found.found, "FOUND"));
    let head = format!("{:left$}  {:right$}  SCORE  WHY", "EXPECTED", "FOUND");
    let line = |found: &Match| {
        let why = match found.by {
            By::Rule => "a rule, pack or case convention".to_owned(),
            By::Similarity => format!("similarity: {}", parts::as_text(found.parts)),
        };
        format!("{:left$}  {:right$}  {:5.2}  {why}\n", found.expected, found.found, found.score)
    };
    let lines: Vec<String> = matches.iter().map(line).collect();
    format!("{HEAD}{head}{HEAD:#}\n{}", lines.concat())
}
