//! Jaro similarity (Jaro 1989) and Jaro-Winkler (Winkler 1990).
//!
//! Jaro is the share of letters that both names have at about the same place, less the share of these that are in
//! another order. Winkler's form favours a common prefix.
//!
//! O(nm) in the worst case; usually only a few letters around each place are compared. The reference profile has it
//! because it is made for short names and their misspellings. A common prefix (`billing_street`, `billing_state`)
//! misleads it.

/// Longer names are cut to this many letters.
const MAX: usize = 128;
/// The weight of each letter of a common prefix.
const PREFIX_WEIGHT: f32 = 0.1;
/// The number of letters of the prefix that count.
const PREFIX: usize = 4;

/// Returns the Jaro similarity, from 0 to 1.
pub fn jaro(a: &str, b: &str) -> f32 {
    let (mut left, mut right) = (['\0'; MAX], ['\0'; MAX]);
    let (a, b) = (fill(a, &mut left), fill(b, &mut right));
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    let (mut in_a, mut in_b) = (0u128, 0u128);
    for (at, letter) in a.iter().enumerate() {
        let from = at.saturating_sub(reach);
        let window = b.iter().enumerate().take(at.saturating_add(reach).saturating_add(1)).skip(from);
        let mut same = window.filter(|(to, other)| *other == letter && in_b >> to & 1 == 0);
        if let Some((to, _)) = same.next() {
            in_a |= 1 << at;
            in_b |= 1 << to;
        }
    }
    let moved = kept(a, in_a).zip(kept(b, in_b)).filter(|(x, y)| x != y).count();
    #[expect(clippy::cast_precision_loss, reason = "names are short")]
    let (same, moved, a, b) = (in_a.count_ones() as f32, (moved / 2) as f32, a.len() as f32, b.len() as f32);
    if same == 0.0 { 0.0 } else { (same / a + same / b + (same - moved) / same) / 3.0 }
}

/// Returns the Jaro-Winkler similarity, from 0 to 1.
pub fn jaro_winkler(a: &str, b: &str) -> f32 {
    winkler(jaro(a, b), a, b)
}

/// Returns the Jaro-Winkler similarity of two names with this Jaro similarity.
pub(crate) fn winkler(jaro: f32, a: &str, b: &str) -> f32 {
    let prefix = a.chars().zip(b.chars()).take(PREFIX).take_while(|(x, y)| x == y).count();
    #[expect(clippy::cast_precision_loss, reason = "four at most")]
    let bonus = prefix as f32 * PREFIX_WEIGHT * (1.0 - jaro);
    // As in Winkler's definition, only names that are already alike gain.
    if jaro > 0.7 { jaro + bonus } else { jaro }
}

fn kept(list: &[char], mask: u128) -> impl Iterator<Item = char> {
    list.iter().copied().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, letter)| letter)
}

fn fill<'a>(name: &str, into: &'a mut [char; MAX]) -> &'a [char] {
    let mut len = 0;
    for (at, (place, letter)) in into.iter_mut().zip(name.chars()).enumerate() {
        *place = letter;
        len = at.saturating_add(1);
    }
    into.get(..len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_strsims(a in "[a-d_é]{0,40}", b in "[a-d_é]{0,40}") {
            prop_assert!((f64::from(jaro(&a, &b)) - strsim::jaro(&a, &b)).abs() < 1e-5);
            // Close to the bound, single and double precision may fall on different sides.
            prop_assume!((jaro(&a, &b) - 0.7).abs() > 1e-4);
            prop_assert!((f64::from(jaro_winkler(&a, &b)) - strsim::jaro_winkler(&a, &b)).abs() < 1e-5);
        }
    }
}
