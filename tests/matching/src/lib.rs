//! Measures on real API changes how well missing fields are found.

pub mod beside;
pub mod change;
pub mod corpus;
pub mod embedded;
pub mod engine;
pub mod left_out;
pub mod negatives;
pub mod parallel;
pub mod plot;
pub mod removed;
pub mod schema;
pub mod score;
