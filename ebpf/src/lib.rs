//! Counts the packets that arrive in front of Envoy: the loader of the XDP program in `bpf/`.
//!
//! Needs Linux 5.9 or newer, and the capabilities `CAP_BPF` and `CAP_NET_ADMIN`.

// These macros panic if the stream is closed or full.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod available;
pub mod interface;
pub mod json;
pub mod layout;
pub mod link;
pub mod metrics;
pub mod names;
pub mod netlink;
pub mod options;
pub mod output;
pub mod program;
pub mod report;
pub mod run;
pub mod server;
pub mod table;
