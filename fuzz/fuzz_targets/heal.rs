//! See [`nomos_fuzz::heal`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nomos_fuzz::heal::run(data));
