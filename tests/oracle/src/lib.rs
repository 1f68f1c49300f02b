//! The reference for property tests and fuzzing of the engine: a naive healer on parsed values, `serde_json` for what
//! is JSON, and plans and bodies made of random choices.

#![allow(missing_docs)]
#![allow(clippy::expect_used, clippy::implicit_hasher, clippy::missing_panics_doc, clippy::must_use_candidate)]

pub mod accept;
pub mod agree;
pub mod bodies;
pub mod compare;
pub mod drift;
pub mod heal;
pub mod json;
pub mod moves;
pub mod names;
pub mod order;
pub mod plans;
#[cfg(feature = "schema")]
pub mod schema;
pub mod skeleton;
pub mod stream;
pub mod tape;
pub mod tree;
pub mod words;
