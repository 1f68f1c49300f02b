//! The built binary on files.

#![allow(missing_docs)]

#[path = "cli/check.rs"]
mod check;
#[path = "cli/heal.rs"]
mod heal;
#[path = "cli/run.rs"]
mod run;
