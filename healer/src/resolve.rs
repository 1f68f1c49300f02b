//! Decisions made when the object concerned has closed: which renames fire, which moves fire, and what is removed.

mod carry;
mod layout;
mod moves;
mod renames;
mod twice;

pub(crate) use layout::layout;
pub(crate) use moves::moves;
pub(crate) use renames::{are_contested, renames};
pub(crate) use twice::mark_twice;

/// Returns a hash of a whole name. If two names share a hash, a rename is not made; a wrong one is never made.
pub(crate) fn name_hash(name: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = name.as_chunks::<8>();
    let tail = rest.iter().fold(name.len() as u64, |word, byte| (word << 8) | u64::from(*byte));
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(ODD);
        product ^ (product >> 32)
    };
    mix(words.iter().fold(ODD, |hash, word| mix(hash, u64::from_le_bytes(*word))), tail)
}
