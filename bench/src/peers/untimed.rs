//! Single requests that are not timed.

use std::io;
use std::time::Duration;

use nomos_tests::client::{Exchange, Reply};

use super::stand::Place;

/// The time limit, longer than any peer takes for the largest body.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the response of a side for a path.
pub fn fetch(to: &Place, path: &str) -> io::Result<Reply> {
    let exchange = Exchange::start(to.address, "GET", &format!("{}/{path}", to.prefix), &[])?;
    Ok(exchange.finish(PATIENCE))
}
