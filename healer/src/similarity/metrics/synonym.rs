//! Whether two names have the same words, or words that are synonyms or short forms in the dictionary.
//!
//! It costs one look-up per word and phrase, then a merge. The reference profile has it because most renames share no
//! letters.

use super::super::fields::explain::{Side, Words, explain};
use super::super::names::Names;

/// Returns 1 for the same words, above 0.9 for exact synonyms and short forms, about 0.8 for near ones, and 0 if a word
/// of either name has no counterpart.
pub fn synonym(a: &str, b: &str) -> f32 {
    of_words(&words(a, b))
}

/// Returns the same of two names that are compared already.
pub(crate) fn of_words(words: &Words) -> f32 {
    if words.tokens >= 1.0 { words.synonym } else { 0.0 }
}

/// Compares two names alone, as the default profile does.
pub(crate) fn words(a: &str, b: &str) -> Words {
    let mut names = Names::default();
    let first = names.add_alone(a);
    let second = names.add_alone(b);
    let (Some(left), Some(right)) = (names.get(first), names.get(second)) else { return Words::default() };
    explain(&Side::alone(&names, left), &Side::alone(&names, right), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known() {
        for (a, b) in [("user_id", "userId"), ("user_ids", "UserID")] {
            assert!(synonym(a, b) > 0.99, "{a} {b}");
        }
        for (a, b) in [("created_at", "updated_at"), ("billing_city", "shipping_city"), ("user", "order"), ("", "")] {
            assert!(synonym(a, b) < 0.01, "{a} {b}");
        }
    }
}
