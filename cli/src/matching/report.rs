//! Reports where each field is, as text and as JSON.

use std::borrow::Cow;

use anstyle::Style;
use healer::{By, Match, Matching};

use crate::json_text::quote;
use crate::parts;
use crate::text::{plain, width};

const HEAD: Style = Style::new().bold();

/// Returns a table of matches, followed by what is missing and unknown, and what is of another kind than expected.
pub fn as_text(matching: &Matching, misfits: &[String]) -> String {
    let mut text = vec![table(&matching.matches)];
    let missing: Vec<String> = matching
        .missing
        .iter()
        .map(|missing| missing.path.clone() + if missing.required { " (required)" } else { "" })
        .collect();
    for (what, places) in [("missing", &missing[..]), ("unknown", &matching.unknown), ("another kind", misfits)] {
        if !places.is_empty() {
            text.push(format!("{HEAD}{what}:{HEAD:#} {}\n", plain(&places.join(", "))));
        }
    }
    let text = text.concat();
    if text.is_empty() { "everything stands where it is expected\n".to_owned() } else { text }
}

/// Returns one JSON object on a line.
pub fn as_json(matching: &Matching) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let matches = list(matching.matches.iter().map(as_object).collect());
    let missing = list(matching.missing.iter().map(|missing| quote(&missing.path)).collect());
    let required = matching.missing.iter().filter(|missing| missing.required);
    let required = list(required.map(|missing| quote(&missing.path)).collect());
    let unknown = list(matching.unknown.iter().map(|path| quote(path)).collect());
    format!("{{\"matches\":{matches},\"missing\":{missing},\"missing_required\":{required},\"unknown\":{unknown}}}\n")
}

fn as_object(found: &Match) -> String {
    let by = match found.by {
        By::Rule => "rule",
        By::Similarity => "similarity",
    };
    let parts = parts::as_json(&parts::of(found));
    let (expected, place) = (quote(&found.expected), quote(&found.found));
    let score = parts::number(found.score);
    format!("{{\"expected\":{expected},\"found\":{place},\"score\":{score},\"by\":\"{by}\",\"parts\":{parts}}}")
}

fn table(matches: &[Match]) -> String {
    if matches.is_empty() {
        return String::new();
    }
    let cells = |path: fn(&Match) -> &str| -> Vec<_> { matches.iter().map(|found| plain(path(found))).collect() };
    let (expected, found) = (cells(|found| &found.expected), cells(|found| &found.found));
    let (left, right) = (width(&expected, "EXPECTED"), width(&found, "FOUND"));
    let head = format!("{:left$}  {:right$}  SCORE  WHY", "EXPECTED", "FOUND");
    let line = |((found, expected), place): ((&Match, &Cow<'_, str>), &Cow<'_, str>)| {
        let why = match found.by {
            By::Rule => "a rule, pack or case convention".to_owned(),
            By::Similarity => parts::why(found),
        };
        format!("{expected:left$}  {place:right$}  {:>5}  {why}\n", parts::short(found.score))
    };
    let lines: Vec<String> = matches.iter().zip(&expected).zip(&found).map(line).collect();
    format!("{HEAD}{head}{HEAD:#}\n{}", lines.concat())
}

#[cfg(test)]
mod tests {
    use healer::Missing;
    use healer::similarity::Parts;

    use super::*;

    fn matching() -> Matching {
        let parts = Parts { synonym: 0.95, tokens: 1.0, path: 0.979, kind: 1.0, siblings: 0.5, ..Parts::default() };
        let found = |expected: &str, found: &str, score, by, parts| Match {
            expected: expected.to_owned(),
            found: found.to_owned(),
            score,
            by,
            parts,
            figures: None,
        };
        let missing = |path: &str, required| Missing { path: path.to_owned(), required };
        Matching {
            matches: vec![
                found("user.email", "data.mail", 0.93, By::Similarity, parts),
                found("id", "\"a.b\".key", 1.0, By::Rule, Parts::NONE),
            ],
            missing: vec![missing("phone", true), missing("tags[].label", false)],
            unknown: vec!["data.x".to_owned()],
        }
    }

    #[test]
    fn programs_get_one_object() {
        let expected = r#"{"matches":[{"expected":"user.email","found":"data.mail","score":0.93,"by":"similarity","parts":{"synonym":0.95,"tokens":1,"path":0.979,"kind":1,"siblings":0.5,"rival":0}},{"expected":"id","found":"\"a.b\".key","score":1,"by":"rule","parts":{}}],"missing":["phone","tags[].label"],"missing_required":["phone"],"unknown":["data.x"]}"#;
        assert_eq!(as_json(&matching()), format!("{expected}\n"));
        assert_eq!(
            as_json(&Matching::default()),
            "{\"matches\":[],\"missing\":[],\"missing_required\":[],\"unknown\":[]}\n"
        );
    }

    #[test]
    fn people_get_a_table() {
        let expected = "EXPECTED    FOUND      SCORE  WHY
user.email  data.mail   0.93  similarity: synonym 0.95, path 0.98, siblings 0.50
id          \"a.b\".key   1.00  a rule, pack or case convention
missing: phone (required), tags[].label
unknown: data.x
";
        let plain = anstream::adapter::strip_str(&as_text(&matching(), &[])).to_string();
        assert_eq!(plain, expected);
        assert_eq!(as_text(&Matching::default(), &[]), "everything stands where it is expected\n");
    }
}
