//! See [`nomos_fuzz::configuration`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nomos_fuzz::configuration::run(data));
