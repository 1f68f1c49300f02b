//! The proxy-wasm module, which runs response bodies through [`healer`] inside Envoy.
//!
//! The module is thin on purpose. The engine judges bodies. The module decides which responses may be touched
//! ([`eligibility`]), corrects the headers that depend on a body ([`dependent`]), moves bytes between the host and the
//! engine ([`body`]), and reports the outcome ([`report`], [`metrics`]). All of it is written against the trait
//! [`Host`], so that tests run it natively; only `abi` knows the real host.
//!
//! Three rules hold throughout:
//! - Whatever happens, the client gets what the upstream sent, healed as a whole or not at all; a body that streams is
//!   healed value by value. Where that is impossible, the response is reset rather than cut short.
//! - A failing host call is an ordinary outcome. Nothing traps, because one trap takes down every stream of a worker.
//! - By default nothing is ever paused: Envoy's buffers have limits that a filter cannot see, and Envoy can refuse a
//!   body that it buffers. Bytes that wait for the rest of their value wait in the module's own memory.

#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
// Tests may fail by panicking.
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::too_many_lines)
)]

#[cfg(target_arch = "wasm32")]
mod abi;
pub mod body;
pub mod configuration;
mod decimal;
pub mod dependent;
pub mod eligibility;
pub mod held;
pub mod host;
mod id_map;
pub mod metrics;
#[cfg(any(test, feature = "mock"))]
pub mod mock;
pub mod notices;
pub mod outcome;
pub mod pairs;
pub mod report;
pub mod root;
mod slices;
pub mod switch;
pub mod tools;
pub mod vm;
pub mod waiting;

pub use host::Host;
pub use vm::Vm;
