//! The proxy-wasm module: takes response bodies through [`healer`] inside Envoy.
//!
//! Thin on purpose. All judgement about bodies is the engine's; what is here decides which responses may be touched
//! ([`eligibility`]), keeps the headers that depend on a body true ([`dependent`]), carries bytes from and to the
//! host ([`body`]) and tells what happened ([`report`], [`metrics`]). Everything stands behind the trait [`Host`],
//! so that it runs natively in tests; only `abi` knows the real one.
//!
//! Three rules hold throughout:
//! - Every way out leaves the client with what the upstream sent, healed as a whole or not at all; of a body that
//!   streams, value by value. Where that can no more be had, the response is reset rather than cut.
//! - A failing host call is an ordinary outcome. Nothing traps: one trap takes down every stream of a worker.
//! - By default nothing is ever paused: Envoy's buffers have limits that a filter cannot see, and a body that is held
//!   in them can be refused there. Bytes that wait for the rest of their value wait in the module's own memory.

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
mod id_hash;
pub mod media_type;
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
