//! x
pub mod layout;
