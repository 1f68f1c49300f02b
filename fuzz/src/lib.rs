//! The fuzz targets. Each takes bytes and panics if something is wrong; `fuzz_targets/` passes them from libFuzzer.

// Targets fail by panicking.
#![allow(missing_docs)]

pub mod configuration;
pub mod heal;
pub mod phases;
pub mod scanner;
pub mod similarity;
pub mod streaming;
