//! The structs that the program and the loader share. The build script reads them from the compiled program.

#![expect(clippy::large_stack_arrays, reason = "the table of ports is a constant, copied once")]
#![expect(missing_docs, reason = "the fields are described in bpf/nomos_xdp.h")]

include!(concat!(env!("OUT_DIR"), "/layout.rs"));
