//! Heals drifted JSON responses: bytes and a plan in, bytes and a report out.
//!
//! Data flows one way: bytes -> [`scan`] -> walk -> resolve -> render -> bytes. A body is scanned once into a tape of
//! token positions. The tape is walked once against the plan's path automaton. The output is the input with splices, so
//! bytes that no op touches are never re-encoded. A body that differs from an earlier one only in its values needs
//! neither tape nor walk (`stencil`).
//!
//! The engine knows no host: no I/O, no clock, no randomness. The same bytes and plan give the same output.

// Tests may fail by panicking.
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod body_path;
mod class;
pub mod config;
mod hash;
mod healer;
mod incremental;
mod intake;
mod limits;
mod matching;
pub mod media_type;
mod memo;
mod news;
pub mod order;
mod outermost;
pub mod plan;
mod reason;
mod render;
mod report;
mod required;
mod resolve;
pub mod scan;
mod scratch;
pub mod similarity;
mod stencil;
mod survey;
mod text;
mod walk;

pub use healer::{Healer, Summary};
pub use incremental::Incremental;
pub use intake::{Intake, Progress};
pub use limits::Limits;
pub use matching::{By, Match, Matching, Missing};
pub use memo::Memo;
pub use news::NewShape;
pub use plan::Plan;
pub use plan::resolution::Resolution;
pub use reason::{Failure, Reason};
pub use report::{Description, Op, OpKind, Why};
pub use text::{quote, quoted};
