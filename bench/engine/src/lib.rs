//! What is timed, and how. The same code runs natively and inside Envoy's V8; only the clock differs.

mod edit;
mod operation;
mod stand;
mod subject;
mod timing;

pub use edit::Edit;
pub use operation::Operation;
pub use stand::Stand;
pub use subject::Subject;
pub use timing::{Timing, time};
