//! The result of a run of load.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Longer durations count as this.
const LONGEST: Duration = Duration::from_mins(1);

/// How many digits of a duration the histograms keep.
const DIGITS: u8 = 3;

/// The counts and latencies of a run. Histograms are in nanoseconds, except [`Outcome::engine_us`].
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of responses with status 200.
    pub ok: u64,
    /// The number of other responses, and of requests without one.
    pub failed: u64,
    /// The time from the first request to the last response.
    pub elapsed: Duration,
    /// The time from when a request was due to the last byte of its response.
    pub latency: Histogram<u64>,
    /// The time from when it was sent to that byte, which is what a closed loop reports.
    pub since_sent: Histogram<u64>,
    /// The time from when it was due to the first byte of the response.
    pub first_byte: Histogram<u64>,
    /// The values of `x-nomos-latency-us` in the responses.
    pub engine_us: Histogram<u64>,
    /// The number of bytes received.
    pub bytes: u64,
}

impl Outcome {
    /// Adds the result of another run.
    pub fn add(&mut self, other: &Outcome) {
        self.ok += other.ok;
        self.failed += other.failed;
        self.elapsed += other.elapsed;
        self.bytes += other.bytes;
        for (own, other) in [
            (&mut self.latency, &other.latency),
            (&mut self.since_sent, &other.since_sent),
            (&mut self.first_byte, &other.first_byte),
            (&mut self.engine_us, &other.engine_us),
        ] {
            // Cannot fail, because all have the same bounds.
            let _ = own.add(other);
        }
    }

    /// Returns the successful responses per second.
    #[allow(clippy::cast_precision_loss)]
    pub fn per_second(&self) -> f64 {
        self.ok as f64 / self.elapsed.as_secs_f64()
    }

    /// Returns the share of requests that were answered with status 200, in percent.
    #[allow(clippy::cast_precision_loss)]
    pub fn success(&self) -> f64 {
        self.ok as f64 / (self.ok + self.failed).max(1) as f64 * 100.0
    }

    /// Fails if a request failed.
    pub fn all_ok(&self) -> Result<(), String> {
        if self.failed == 0 {
            return Ok(());
        }
        Err(format!("{} of {} requests failed; expected none", self.failed, self.ok + self.failed))
    }
}

impl Default for Outcome {
    fn default() -> Self {
        let histogram = histogram();
        Outcome {
            ok: 0,
            failed: 0,
            elapsed: Duration::ZERO,
            since_sent: histogram.clone(),
            first_byte: histogram.clone(),
            engine_us: histogram.clone(),
            latency: histogram,
            bytes: 0,
        }
    }
}

/// Records a duration.
pub(super) fn record(histogram: &mut Histogram<u64>, time: Duration) {
    histogram.saturating_record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
}

fn histogram() -> Histogram<u64> {
    let longest = u64::try_from(LONGEST.as_nanos()).unwrap_or(u64::MAX);
    // Only fails for invalid bounds or digits, and these constants are valid.
    Histogram::new_with_max(longest, DIGITS).unwrap_or_else(|_| unreachable!("bounds of a histogram"))
}
