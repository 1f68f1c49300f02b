//! The share of words that two names have in common (Jaccard 1901), in any order, with plurals folded.
//!
//! O(nm), with some three words each. The default profile compares word by word instead (`explain.rs`): a share does
//! not tell whether the missing word is `the` or `billing`.

use super::super::names::Names;
use crate::order::sort;

/// Returns the share, from 0 (no word in common) to 1 (the same words).
pub fn token_set(a: &str, b: &str) -> f32 {
    let mut names = Names::default();
    let ids = [a, b].map(|name| names.add_alone(name));
    let [left, right] = ids.map(|id| {
        let tokens = names.get(id).map(|name| names.tokens(name)).unwrap_or_default();
        let mut words: Vec<u64> = tokens.iter().map(|token| token.hash).collect();
        sort(&mut words);
        words.dedup();
        words
    });
    let both = left.iter().filter(|word| right.contains(word)).count();
    let either = left.len().saturating_add(right.len()).saturating_sub(both);
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    if either == 0 { 1.0 } else { both as f32 / either as f32 }
}

#[cfg(test)]
mod tests {
    use super::token_set;

    #[test]
    fn words_are_shared() {
        for (a, b, share) in [("user_id", "idUsers", 1.0), ("first_name", "last_name", 1.0 / 3.0), ("a1", "b", 0.0)] {
            assert!((token_set(a, b) - share).abs() < 1e-6, "{a} {b}");
        }
    }
}
