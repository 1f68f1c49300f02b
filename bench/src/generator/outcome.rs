//! What a run of load brought.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Longer ones count as this long.
const LONGEST: Duration = Duration::from_mins(1);

/// Digits of a duration that histograms keep.
const DIGITS: u8 = 3;

/// Counts and latencies of a run. Histograms are in nanoseconds but for [`Outcome::engine_us`].
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Responses with status 200.
    pub ok: u64,
    /// Other responses, and requests that got none.
    pub failed: u64,
    /// From the first request to the last response.
    pub elapsed: Duration,
    /// From when a request was to be sent to the last byte of its response.
    pub latency: Histogram<u64>,
    /// From when it was sent: what a closed loop would have told.
    pub since_sent: Histogram<u64>,
    /// From when it was to be sent to the first byte of the response.
    pub first_byte: Histogram<u64>,
    /// What responses say in `x-nomos-latency-us`.
    pub engine_us: Histogram<u64>,
    /// Bytes received.
    pub bytes: u64,
}

impl Outcome {
    /// Adds what another run brought.
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
            // All have the same bounds.
            let _ = own.add(other);
        }
    }

    /// Responses per second, failures not counted.
    #[allow(clippy::cast_precision_loss)]
    pub fn per_second(&self) -> f64 {
        self.ok as f64 / self.elapsed.as_secs_f64()
    }

    /// The share of requests that were answered with a 200, in percent.
    #[allow(clippy::cast_precision_loss)]
    pub fn success(&self) -> f64 {
        self.ok as f64 / (self.ok + self.failed).max(1) as f64 * 100.0
    }

    /// Fails where a request did.
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

/// Counts a duration.
pub(super) fn record(histogram: &mut Histogram<u64>, time: Duration) {
    histogram.saturating_record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
}

fn histogram() -> Histogram<u64> {
    let longest = u64::try_from(LONGEST.as_nanos()).unwrap_or(u64::MAX);
    // Fails for bounds or digits that make no sense, which these constants do.
    Histogram::new_with_max(longest, DIGITS).unwrap_or_else(|_| unreachable!("bounds of a histogram"))
}
