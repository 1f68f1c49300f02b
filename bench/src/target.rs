//! A proxy under load, and the processor time that it takes.

use std::net::SocketAddr;

use nomos_tests::client;

use crate::generator::{Generator, Outcome, Pace, Until};
use crate::process;
use crate::upstream::Upstream;

/// One listener of a proxy, with connections to it.
pub struct Target {
    name: String,
    pid: u32,
    generator: Generator,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Counts and latencies.
    pub outcome: Outcome,
    /// The processor time of the proxy per request, in microseconds.
    pub cpu_us: f64,
}

impl Target {
    /// Connects, after checking that the listener's response contains `proof`.
    pub fn connect(
        name: &str,
        pid: u32,
        to: SocketAddr,
        connections: usize,
        (path, proof): (&str, &str),
    ) -> Result<Self, String> {
        let reply = client::fetch(to, "GET", path, &[]).map_err(|error| format!("{name}: {error}"))?;
        let body = String::from_utf8_lossy(&reply.body);
        if reply.status != 200 || !body.contains(proof) {
            let start: String = body.chars().take(200).collect();
            return Err(format!("{name}: found status {} and `{start}`; expected 200 and {proof}", reply.status));
        }
        let generator = Generator::connect(to, connections, path).map_err(|error| format!("{name}: {error}"))?;
        Ok(Target { name: name.to_owned(), pid, generator })
    }

    /// Runs load.
    #[allow(clippy::cast_precision_loss)]
    pub fn run(&mut self, pace: Pace, until: Until, upstreams: &[&Upstream]) -> Result<Measured, String> {
        let before = process::cpu_ns(self.pid)?;
        let outcome = self.generator.run(pace, until, upstreams).map_err(|error| format!("{}: {error}", self.name))?;
        let spent = process::cpu_ns(self.pid)?.saturating_sub(before);
        let requests = (outcome.ok + outcome.failed).max(1);
        Ok(Measured { outcome, cpu_us: spent as f64 / 1e3 / requests as f64 })
    }
}

/// Returns the value at a percentile of a histogram in nanoseconds, converted to microseconds.
#[allow(clippy::cast_precision_loss)]
pub fn us(histogram: &hdrhistogram::Histogram<u64>, percentile: f64) -> f64 {
    histogram.value_at_percentile(percentile) as f64 / 1e3
}
