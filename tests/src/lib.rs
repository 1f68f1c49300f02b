//! Shared by the end-to-end suite and the demo: a real Envoy started on free ports, an upstream whose every byte is
//! scripted, and a client that sees bytes as they arrive.

pub mod bodies;
pub mod client;
pub mod documents;
pub mod download;
pub mod drift;
pub mod envoy;
pub mod expect;
pub mod framing;
pub mod http2;
pub mod json;
pub mod kept;
pub mod paths;
pub mod shipped;
pub mod topology;
pub mod upstream;
pub mod wire;
