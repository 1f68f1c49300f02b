//! Metrics of two names, one file each. The default profile decides by words; these are its parts for names that are not
//! made of known words, the reference profile, and what `nomos compare` prints.

pub mod jaro;
pub mod levenshtein;
pub mod synonym;
pub mod token_set;
pub mod trigrams;
