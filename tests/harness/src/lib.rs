//! The module as it is shipped, under wasmtime, with a host that does what a script says.
//!
//! For what a real Envoy cannot make repeatable: every cut of a body, any host call failing with any status, memory
//! that does not grow, and what a body costs in fuel, which is the number of wasm instructions it takes. How Envoy
//! really behaves is not shown here but in the end-to-end suite.

pub mod budget;
pub mod fault;
pub mod host;
mod imports;
pub mod module;
pub mod response;
pub mod vm;

pub use fault::Fault;
pub use host::Host;
pub use module::Module;
pub use response::{End, Reply, Response};
pub use vm::{Action, ROOT, Trap, Vm};
