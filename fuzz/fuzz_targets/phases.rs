//! See [`nomos_fuzz::phases`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nomos_fuzz::phases::run(data));
