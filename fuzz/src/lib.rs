//! What is fuzzed. Each target takes bytes and panics where something is wrong; `fuzz_targets/` hands them to libFuzzer.

// Targets fail by panicking.
#![allow(missing_docs)]

pub mod configuration;
pub mod heal;
pub mod phases;
pub mod scanner;
pub mod similarity;
pub mod streaming;
