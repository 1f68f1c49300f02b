use serde::{Deserialize, Serialize};

/// A batch is at least this long. Envoy's clock counts in microseconds, so it is read to 1/400 of a batch; much longer
/// batches would catch more of what else the machine does.
const BATCH_NS: u64 = 400_000;

/// Nanoseconds that one body takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The median of the batches.
    pub median: f64,
    /// The batch that a tenth of all are faster than.
    pub low: f64,
    /// The batch that a tenth of all are slower than.
    pub high: f64,
    /// Bodies in a batch.
    pub batch: u64,
}

/// Times `once`, which gets the number of the body, from 0 to `bodies`. `now` is a clock in nanoseconds.
pub fn time(batches: usize, bodies: usize, now: impl Fn() -> u64, mut once: impl FnMut(usize)) -> Timing {
    let mut batch = |rounds: u64| {
        let start = now();
        for _ in 0..rounds {
            (0..bodies).for_each(&mut once);
        }
        now().saturating_sub(start)
    };
    // Growing the batch also warms caches and scratch memory.
    let mut rounds = 1;
    while batch(rounds) < BATCH_NS {
        rounds *= 2;
    }
    let size = rounds * bodies as u64;
    let mut samples: Vec<u64> = (0..batches.max(1)).map(|_| batch(rounds)).collect();
    samples.sort_unstable();
    let at = |tenths: usize| per_body(samples[(samples.len() - 1) * tenths / 10], size);
    Timing { median: at(5), low: at(1), high: at(9), batch: size }
}

#[allow(clippy::cast_precision_loss)]
fn per_body(ns: u64, bodies: u64) -> f64 {
    ns as f64 / bodies as f64
}
