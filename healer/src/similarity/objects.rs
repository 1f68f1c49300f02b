//! Which found object or array is which expected one, from the names around their members and from what is in them.
//!
//! `frames.rs` decides it for the objects of a record. The others know those that names alone do not tell: by their
//! members (`alike.rs`, with the measure in `likeness.rs`), because there is nothing else (`sole.rs`, `rooted.rs`). Or
//! they hold back what is another thing: another record (`others.rs`), or an object that would be taken apart
//! (`halves.rs`).

pub(crate) mod alike;
pub(crate) mod framed;
pub(crate) mod frames;
pub(crate) mod halves;
pub(crate) mod likeness;
pub(crate) mod others;
pub(crate) mod rooted;
pub(crate) mod sole;
