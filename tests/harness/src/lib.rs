//! Runs the shipped module under wasmtime, with a host that follows a script.
//!
//! This covers what a real Envoy cannot repeat: every cut of a body, any host call failing with any status, memory that
//! does not grow, and the cost of a body in fuel, the number of its wasm instructions. Envoy's real behaviour is tested
//! in the end-to-end suite, not here.

pub mod budget;
pub mod fault;
pub mod host;
pub mod hostile;
mod imports;
pub mod module;
pub mod response;
pub mod vm;

pub use fault::Fault;
pub use host::Host;
pub use module::Module;
pub use response::{End, Reply, Response};
pub use vm::{Action, ROOT, Trap, Vm};
