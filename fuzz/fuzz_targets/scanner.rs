//! See [`nomos_fuzz::scanner`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nomos_fuzz::scanner::run(data));
