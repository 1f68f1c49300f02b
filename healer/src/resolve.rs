//! Decisions made when the object concerned has closed: which renames fire, which moves fire, and what is removed.

mod carry;
mod layout;
mod moves;
mod renames;
mod twice;

pub(crate) use layout::layout;
pub(crate) use moves::moves;
pub(crate) use renames::{are_contested, renames};
pub(crate) use twice::mark_twice;
