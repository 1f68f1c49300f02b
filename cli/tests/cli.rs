//! The built binary on files.

#![allow(missing_docs)]

#[path = "cli/check.rs"]
mod check;
#[path = "cli/compare.rs"]
mod compare;
#[path = "cli/contract.rs"]
mod contract;
#[path = "cli/heal.rs"]
mod heal;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/limited.rs"]
mod limited;
#[path = "cli/matching.rs"]
mod matching;
#[path = "cli/output.rs"]
mod output;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/warnings.rs"]
mod warnings;
