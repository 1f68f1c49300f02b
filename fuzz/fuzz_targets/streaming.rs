//! See [`nomos_fuzz::streaming`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nomos_fuzz::streaming::run(data));
