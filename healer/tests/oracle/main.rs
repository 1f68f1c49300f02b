//! The engine against a naive oracle, and against `serde_json` on what is JSON.
//!
//! `PROPTEST_CASES` raises the number of cases.

#![allow(missing_docs)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod accepts;
mod bodies;
mod chunks;
mod compare;
mod equals;
mod examples;
mod heal;
mod hostile;
mod incremental;
mod json;
mod layout;
mod moves;
mod names;
mod plans;
mod required;
mod tape;
mod tree;
mod words;
