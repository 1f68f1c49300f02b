//! An API whose user drifts: the documents, their contract, and a server for them.
//!
//! The healthy user has 21 fields. Each [`Mode`] renames or moves some of them; the values keep their bytes in every
//! mode. Tests, demo and benchmarks use these documents and contracts.

mod args;
pub mod contract;
mod document;
mod drift;
mod mode;
pub mod server;
pub mod user;

pub use args::{Args, USAGE};
pub use document::{user_body, users_body};
pub use drift::{Drift, drift};
pub use mode::Mode;

/// The number of users in a list if a request gives no count.
pub const DEFAULT_COUNT: usize = 20;

/// The longest list that is served: some 80 MB, far beyond any limit of a filter.
pub const MAX_COUNT: usize = 100_000;
