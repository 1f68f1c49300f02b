//! Benchmarks: what healing costs in the engine, in the module inside Envoy, and in the whole proxy.

pub mod corpus;
pub mod engine;
pub mod load;
pub mod machine;
pub mod modules;
pub mod overhead;
pub mod peers;
pub mod process;
pub mod proxy;
pub mod results;
pub mod similarity;
pub mod streaming;
pub mod table;
pub mod upstream;
pub mod xdp;
