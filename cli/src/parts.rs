//! What a score of similarity is made of.

use healer::similarity::Parts;

use crate::json_text::quote;

/// The parts by name.
pub fn named(parts: Parts) -> Vec<(&'static str, f32)> {
    vec![("name", parts.name)]
}

/// `name 0.93, kind 1.00`
pub fn as_text(parts: Parts) -> String {
    let parts: Vec<String> = named(parts).iter().map(|(name, part)| format!("{name} {part:.2}")).collect();
    parts.join(", ")
}

/// `{"name":0.93,"kind":1}`
pub fn as_json(parts: Parts) -> String {
    let parts: Vec<String> =
        named(parts).iter().map(|(name, part)| format!("{}:{}", quote(name), number(*part))).collect();
    format!("{{{}}}", parts.join(","))
}

/// A score as a number of JSON with four decimals.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// A score with as many of four decimals as it needs.
pub fn number(score: f32) -> String {
    let text = format!("{score:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn scores_are_short() {
        let rows = [(1.0, "1"), (0.0, "0"), (0.93, "0.93"), (0.123_456, "0.1235"), (0.5, "0.5")];
        for (score, expected) in rows {
            assert_eq!(number(score), expected);
        }
    }
}
