//! How well missing fields are found, measured on real API changes.

// Lists of fields and members are far below 2^32.
#![allow(clippy::cast_possible_truncation)]

pub mod corpus;
pub mod metric;
pub mod plot;
pub mod removed;
pub mod schema;
pub mod score;
pub mod survey;
