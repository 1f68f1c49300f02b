//! Compares the engine with a naive oracle, and with `serde_json` on what is JSON.
//!
//! `PROPTEST_CASES` sets the number of cases.

#![allow(missing_docs)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod accepts;
mod chunks;
mod equals;
mod examples;
mod hostile;
mod incremental;
mod layout;
mod linear;
mod required;
mod similarity;
mod skeleton;

use healer_oracle::{bodies, compare, drift, heal, json, plans, tape, tree};
