//! Hashes of names.
//!
//! They have no key, so whoever chooses names can make as many as they like with one hash. Where that would do harm,
//! names are compared too, or told apart by a seal ([`crate::memo`]).

/// The fraction of the golden ratio, in 64 bits: multiplying by it spreads what is in the low bits over the high ones
/// (Knuth, The Art of Computer Programming, section 6.4).
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Another odd number without pattern, for what must not hash as with [`GOLDEN`].
pub(crate) const ODD: u64 = 0xd6e8_feb8_6659_fd93;

/// Returns a hash of a whole name.
pub(crate) fn name_hash(name: &[u8]) -> u64 {
    let (words, rest) = name.as_chunks::<8>();
    let tail = rest.iter().fold(name.len() as u64, |word, byte| (word << 8) | u64::from(*byte));
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(GOLDEN);
        product ^ (product >> 32)
    };
    mix(words.iter().fold(GOLDEN, |hash, word| mix(hash, u64::from_le_bytes(*word))), tail)
}
