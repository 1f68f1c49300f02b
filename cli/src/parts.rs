//! The parts of a similarity score.

use healer::Match;
use healer::similarity::{Comparison, Parts};

use crate::json_text::quote;

/// Returns the parts of a match by name. They depend on the profile that found it.
pub fn of(found: &Match) -> Vec<(&'static str, f32)> {
    let of_reference = |figures: Comparison| figures.summands().map(|(name, _, part)| (name, part)).to_vec();
    found.figures.map_or_else(|| named(found.parts), of_reference)
}

/// Says why a match was found.
pub fn why(found: &Match) -> String {
    let part = |(name, weight, part)| format!("{weight:.2} {name} {part:.2}");
    match found.figures {
        Some(figures) => format!("similarity: {}", figures.summands().map(part).join(" + ")),
        None if found.parts == Parts::NONE => "similarity".to_owned(),
        None => format!("similarity: {}", as_text(found.parts)),
    }
}

/// Returns the parts by name, or none if the profile has none.
pub fn named(parts: Parts) -> Vec<(&'static str, f32)> {
    if parts == Parts::NONE {
        return Vec::new();
    }
    let Parts { synonym, tokens, path, kind, siblings, rival, described } = parts;
    let mut named = vec![
        ("synonym", synonym),
        ("tokens", tokens),
        ("path", path),
        ("kind", kind),
        ("siblings", siblings),
        ("rival", rival),
    ];
    named.extend((described > 0.0).then_some(("described", described)));
    named
}

/// Returns the parts as text, such as `synonym 0.93, path 0.95`: factors that lower the score, and the other known
/// parts.
pub fn as_text(parts: Parts) -> String {
    let says = |(name, part): &(&str, f32)| if is_factor(name) { *part < 0.995 } else { *part >= 0.005 };
    let parts: Vec<String> =
        named(parts).iter().filter(|part| says(part)).map(|(name, part)| format!("{name} {}", short(*part))).collect();
    if parts.is_empty() { "nothing against it".to_owned() } else { parts.join(", ") }
}

/// Returns whether a part lowers the score if it is less than 1.
fn is_factor(name: &str) -> bool {
    !matches!(name, "siblings" | "rival")
}

/// Returns the parts as JSON: `{"synonym":0.93,"tokens":1,...}`.
pub fn as_json(parts: &[(&str, f32)]) -> String {
    let parts: Vec<String> = parts.iter().map(|(name, part)| format!("{}:{}", quote(name), number(*part))).collect();
    format!("{{{}}}", parts.join(","))
}

/// Rounds a score to four decimals, for JSON.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// Returns a score with two decimals, as in the filter state.
pub fn short(score: f32) -> String {
    format!("{:.2}", (score * 100.0 + 0.5).floor() / 100.0)
}

/// Returns a score with at most four decimals, without trailing zeros.
pub fn number(score: f32) -> String {
    let text = format!("{score:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{number, short};

    #[test]
    fn scores_are_rounded_as_in_the_filter_state() {
        let rows = [(1.0, "1.00"), (0.0, "0.00"), (0.965, "0.97"), (0.964, "0.96"), (0.995, "1.00")];
        for (score, expected) in rows {
            assert_eq!(short(score), expected);
        }
    }

    #[test]
    fn scores_are_short() {
        let rows = [(1.0, "1"), (0.0, "0"), (0.93, "0.93"), (0.123_456, "0.1235"), (0.5, "0.5")];
        for (score, expected) in rows {
            assert_eq!(number(score), expected);
        }
    }
}
