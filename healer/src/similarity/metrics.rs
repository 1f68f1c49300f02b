//! Metrics of two names, one file each.
//!
//! The reference profile sums them, the single profiles use one each, and `nomos compare` prints them. The default
//! profile decides by words instead. Error messages of configurations use the Levenshtein distance for their
//! suggestions.

pub mod jaro;
pub mod levenshtein;
pub mod synonym;
pub mod token_set;
pub mod trigrams;
