//! See [`nomos_fuzz::similarity`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nomos_fuzz::similarity::run(data));
