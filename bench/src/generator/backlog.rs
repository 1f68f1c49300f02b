//! The requests that are due.

use std::time::{Duration, Instant};

use super::{Pace, Until};

/// The due requests. In a closed loop one is always due. At a constant rate they become due one by one.
pub(super) struct Backlog {
    /// The time between two requests, or `None` in a closed loop.
    period: Option<Duration>,
    /// How many requests have been taken.
    taken: u64,
    /// How many requests have become due.
    due: u64,
    start: Instant,
}

impl Backlog {
    pub(super) fn new(pace: Pace) -> Self {
        let period = match pace {
            Pace::Open(rate) => Some(Duration::from_secs(1) / rate.max(1)),
            Pace::Closed(_) | Pace::Anew => None,
        };
        Backlog { period, taken: 0, due: 0, start: Instant::now() }
    }

    /// Adds the requests that have become due.
    pub(super) fn fill(&mut self, start: Instant, until: Until) {
        self.start = start;
        let Some(period) = self.period else { return };
        let in_all = match until {
            Until::Sent(requests) => requests,
            Until::Elapsed(time) => count(time, period),
        };
        self.due = count(start.elapsed(), period).saturating_add(1).min(in_all);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.period.is_some() && self.taken >= self.due
    }

    /// Returns how many requests are due at a constant rate and have not been taken.
    pub(super) fn waiting(&self) -> u64 {
        self.due - self.taken
    }

    /// Returns the time when the next request is due, if one is.
    pub(super) fn take(&mut self) -> Option<Instant> {
        let Some(period) = self.period else { return Some(Instant::now()) };
        if self.is_empty() {
            return None;
        }
        let after = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).saturating_mul(self.taken);
        self.taken += 1;
        Some(self.start + Duration::from_nanos(after))
    }
}

fn count(time: Duration, period: Duration) -> u64 {
    u64::try_from(time.as_nanos() / period.as_nanos().max(1)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_and_not_taken_waits() {
        let mut backlog = Backlog::new(Pace::Open(1_000));
        let Some(past) = Instant::now().checked_sub(Duration::from_secs(1)) else { return };
        backlog.fill(past, Until::Sent(5));
        assert_eq!((backlog.waiting(), backlog.take()), (5, Some(past)));
        assert_eq!((backlog.waiting(), backlog.take()), (4, Some(past + Duration::from_millis(1))));
        let mut closed = Backlog::new(Pace::Closed(1));
        closed.fill(past, Until::Sent(5));
        assert!(closed.take().is_some() && closed.waiting() == 0 && !closed.is_empty());
    }
}
