//! How well missing fields are found, measured on real API changes.

pub mod corpus;
pub mod schema;
pub mod score;
pub mod survey;
