//! A report about one interface at one time, with rates since the last report.

use std::time::Instant;

use crate::layout::Traffic;
use crate::link::Mode;
use crate::names;
use crate::program::Counts;

/// The content of a report.
#[derive(Clone, Debug)]
pub struct Report {
    /// The interface's name.
    pub interface: String,
    /// The mode of attachment, or `None` while the program is not attached.
    pub mode: Option<Mode>,
    /// The counts so far.
    pub counts: Counts,
    /// The rates since the last report.
    pub rate: Rate,
}

/// Rates per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    /// Packets per second.
    pub packets: f64,
    /// Bytes per second.
    pub bytes: f64,
    /// TCP connection attempts (segments with SYN) per second.
    pub syn: f64,
}

/// Computes rates.
#[derive(Clone, Debug)]
pub struct Meter {
    at: Instant,
    total: Traffic,
    syn: u64,
}

impl Meter {
    /// Returns a meter that starts from zero.
    pub fn start() -> Self {
        Self { at: Instant::now(), total: Traffic::ZERO, syn: 0 }
    }

    /// Returns the rates since the last call.
    pub fn rate(&mut self, counts: &Counts, now: Instant) -> Rate {
        let total = names::total(&counts.stats);
        let seconds = now.duration_since(self.at).as_secs_f64().max(f64::MIN_POSITIVE);
        let per_second = |new: u64, old: u64| new.saturating_sub(old) as f64 / seconds;
        let rate = Rate {
            packets: per_second(total.packets, self.total.packets),
            bytes: per_second(total.bytes, self.total.bytes),
            syn: per_second(counts.stats.tcp_syn, self.syn),
        };
        *self = Self { at: now, total, syn: counts.stats.tcp_syn };
        rate
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::layout::Stats;

    #[test]
    fn rates_are_differences_per_second() {
        let mut meter = Meter::start();
        let start = meter.at;
        let counts = |packets, bytes| {
            let ipv4 = Traffic { packets, bytes };
            Counts { stats: Stats { ipv4, tcp_syn: packets / 2, ..Stats::ZERO }, ports: Vec::new() }
        };
        meter.rate(&counts(100, 6400), start + Duration::from_secs(1));
        let rate = meter.rate(&counts(300, 16_400), start + Duration::from_secs(3));
        assert_eq!(rate, Rate { packets: 100.0, bytes: 5000.0, syn: 50.0 });
    }
}
