//! The cosine of the character trigrams of two names, weighed by TF-IDF over a vocabulary of names (Salton and `McGill`
//! 1983).
//!
//! A trigram that most names of the contract have says little; one that only two names share says much. O(n + m), after
//! sorting some twenty trigrams per name. The reference profile has it because it sees parts of words wherever they
//! stand.

use crate::hash::name_hash;
use crate::order::{sort, sort_by_less};
use crate::similarity::names::letters::lower;

/// The largest number of trigrams of one name that count.
const MAX: usize = 128;

/// A vocabulary: how many of its names have each trigram.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// A hash of a trigram and the number of names that have it, sorted.
    seen: Vec<(u64, u32)>,
    names: u32,
}

impl Vocabulary {
    /// Counts the trigrams of these names.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Vocabulary {
        let mut all = Vec::new();
        let mut count = 0u32;
        for name in names {
            let mut own = Vec::new();
            each(name, |gram| own.push(gram));
            sort(&mut own);
            own.dedup();
            all.extend(own);
            count = count.saturating_add(1);
        }
        sort(&mut all);
        let seen = all.chunk_by(|a, b| a == b).filter_map(|run| Some((*run.first()?, run.len() as u32))).collect();
        Vocabulary { seen, names: count }
    }

    /// Returns the cosine of two names, from 0 to 1.
    pub fn cosine(&self, a: &str, b: &str) -> f32 {
        let (mut left, mut right) = ([(0, 0.0); MAX], [(0, 0.0); MAX]);
        let (left, right) = (self.weigh(a, &mut left), self.weigh(b, &mut right));
        let dot: f32 = left
            .iter()
            .filter_map(|(gram, x)| {
                let at = right.binary_search_by_key(gram, |(other, _)| *other).ok()?;
                right.get(at).map(|(_, y)| x * y)
            })
            .sum();
        let length = |side: &[(u64, f32)]| side.iter().map(|(_, x)| x * x).sum::<f32>().sqrt();
        let lengths = length(left) * length(right);
        if lengths == 0.0 { f32::from(u8::from(a == b)) } else { (dot / lengths).clamp(0.0, 1.0) + 0.0 }
    }

    /// Writes the trigrams of a name with their weights to `into`, sorted.
    fn weigh<'a>(&self, name: &str, into: &'a mut [(u64, f32); MAX]) -> &'a [(u64, f32)] {
        let mut len = 0usize;
        each(name, |gram| {
            let known = into.iter_mut().take(len).find(|(other, _)| *other == gram);
            if let Some((_, weight)) = known {
                *weight += 1.0;
            } else if let Some(place) = into.get_mut(len) {
                *place = (gram, 1.0);
                len = len.saturating_add(1);
            }
        });
        let used = into.get_mut(..len).unwrap_or_default();
        sort_by_less(used, |(a, _), (b, _)| a < b);
        for (gram, weight) in used.iter_mut() {
            *weight *= self.idf(*gram);
        }
        used
    }

    /// Returns the weight of a trigram. It is smoothed, so that a trigram that no name has counts too.
    fn idf(&self, gram: u64) -> f32 {
        let at = self.seen.binary_search_by_key(&gram, |(other, _)| *other).ok();
        let seen = at.and_then(|at| self.seen.get(at)).map_or(0, |(_, seen)| *seen);
        #[expect(clippy::cast_precision_loss, reason = "a weight")]
        let share = (1.0 + self.names as f32) / (1.0 + seen as f32);
        share.ln() + 1.0
    }
}

/// Calls `take` with the hash of each trigram of a name, in lower case, with one space before and behind the name.
pub(crate) fn each(name: &str, mut take: impl FnMut(u64)) {
    if name.is_empty() {
        return;
    }
    let mut window = ['\0', '\0', ' '];
    let letters = name.chars().map(lower).chain([' ']);
    for letter in letters {
        let [_, first, second] = window;
        window = [first, second, letter];
        if first != '\0' {
            let mut bytes = [0u8; 12];
            for (to, from) in bytes.chunks_exact_mut(4).zip(window) {
                to.copy_from_slice(&(from as u32).to_le_bytes());
            }
            take(name_hash(&bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_trigrams_count_by_rarity() {
        let names = Vocabulary::of(["user_id", "user_name", "user_mail", "postal_code"]);
        assert!((names.cosine("user_id", "user_id") - 1.0).abs() < 1e-6);
        assert!(names.cosine("user_id", "xyz").abs() < 1e-6);
        assert!(names.cosine("postal_code", "postal_cd") > names.cosine("user_id", "user_name"));
        assert!((names.cosine("", "") - 1.0).abs() < 1e-6);
    }
}
