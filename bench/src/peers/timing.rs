//! Measures processor time, throughput and latency of all sides in turn.

use std::io;
use std::time::Duration;

use serde::Serialize;

use super::Effort;
use super::load::Load;
use super::side::Side;
use super::stand::{Running, Stand};
use super::upstream::Upstream;
use crate::cores::Cores;
use crate::process;
use crate::spread::{Spread, quantile};
use crate::turns::{self, Spent};

/// The number of outstanding requests in the closed loop: enough to keep a proxy busy, few enough to fit every queue.
const CLOSED_CONNECTIONS: usize = 8;

/// The number of connections in the open loop: more than needed while a proxy keeps up.
const OPEN_CONNECTIONS: usize = 32;

/// The warm-up before a slice, as a fraction of it. It does not count, and refills the caches that other sides have
/// used.
const WARM_UP: usize = 8;

/// The warm-up before the latency rounds, as a fraction of a round. It does not count either.
const OPEN_WARM_UP: usize = 10;

/// The results of one side.
#[derive(Clone, Debug, Serialize)]
pub struct Timed {
    /// The name of the side.
    pub name: &'static str,
    /// The name of the side with the same proxy without healing.
    pub plain: &'static str,
    /// The processor time of all its processes per response by round, in microseconds.
    pub cpu_us: Vec<f64>,
    /// The responses per second by round.
    pub per_second: Vec<f64>,
    /// The median of the differences from the plain side in the same round, in microseconds.
    pub added_us: f64,
    /// The quartiles of these differences.
    pub added_quartiles: Option<[f64; 2]>,
    /// The interval that contains their median, see [`Spread`].
    pub added_interval: Option<[f64; 2]>,
    /// The median latency at a constant rate by round, in microseconds.
    pub p50_us: Vec<f64>,
    /// The 99th percentile of latency at a constant rate by round, in microseconds.
    pub p99_us: Vec<f64>,
    /// Why it was not measured to the end.
    #[serde(skip)]
    failure: Option<String>,
}

impl Timed {
    fn new(side: &'static Side) -> Self {
        Timed {
            name: side.name,
            plain: side.plain,
            cpu_us: Vec::new(),
            per_second: Vec::new(),
            added_us: 0.0,
            added_quartiles: None,
            added_interval: None,
            p50_us: Vec::new(),
            p99_us: Vec::new(),
            failure: None,
        }
    }

    /// Returns one round of a side, for tests of the tables.
    #[cfg(test)]
    pub fn of(name: &'static str, plain: &'static str, cpu_us: f64, added_us: f64) -> Self {
        let side = super::side::SIDES.iter().find(|side| side.name == name).expect("a side");
        Timed { plain, cpu_us: vec![cpu_us], added_us, ..Timed::new(side) }
    }

    /// Adds a round of processor time and throughput, unless a slice failed.
    #[allow(clippy::cast_precision_loss)]
    fn count(&mut self, spent: Spent, elapsed: Duration) {
        if self.failure.is_none() {
            self.cpu_us.push(spent.us());
            self.per_second.push(spent.requests as f64 / elapsed.as_secs_f64());
        }
    }

    /// Adds a round of latencies.
    fn take(&mut self, latencies: &[Duration]) {
        let mut micros: Vec<f64> = latencies.iter().map(|latency| latency.as_secs_f64() * 1e6).collect();
        micros.sort_by(f64::total_cmp);
        self.p50_us.push(quantile(&micros, 50));
        self.p99_us.push(quantile(&micros, 99));
    }
}

/// Measures every side. A side that fails is removed.
pub fn run(stand: &mut Stand, upstream: &mut Upstream, cores: &Cores, effort: Effort) -> Result<Vec<Timed>, String> {
    cores.with_the_load()?;
    let mut timed: Vec<Timed> = stand.running.iter().map(|running| Timed::new(running.side)).collect();
    closed_rounds(stand, &mut timed, upstream, effort)?;
    open_rounds(stand, &mut timed, upstream, effort)?;
    for failed in timed.extract_if(.., |own| own.failure.is_some()) {
        stand.give_up(failed.name, failed.failure.unwrap_or_default());
    }
    settle(&mut timed);
    Ok(timed)
}

/// Measures processor time and throughput in slices that take turns. Round 0 only warms everything up.
fn closed_rounds(
    stand: &mut Stand,
    timed: &mut [Timed],
    upstream: &mut Upstream,
    effort: Effort,
) -> Result<(), String> {
    let mut loads = connect(stand, CLOSED_CONNECTIONS)?;
    for round in 0..=effort.rounds {
        progress("throughput", round, effort.rounds);
        let mut slices = vec![(Spent::default(), Duration::ZERO); timed.len()];
        for turn in 0..effort.turns {
            for at in in_turn(timed, round * effort.turns + turn) {
                match spend(&stand.running[at], &mut loads[at], upstream, effort.requests) {
                    Err(error) => timed[at].failure = Some(error.to_string()),
                    Ok((spent, elapsed)) => {
                        slices[at].0 += spent;
                        slices[at].1 += elapsed;
                    }
                }
            }
        }
        for (own, (spent, elapsed)) in timed.iter_mut().zip(slices).filter(|_| round > 0) {
            own.count(spent, elapsed);
        }
        stand.check()?;
    }
    Ok(())
}

/// Measures latency. Round 0 is short and only warms everything up.
fn open_rounds(stand: &mut Stand, timed: &mut [Timed], upstream: &mut Upstream, effort: Effort) -> Result<(), String> {
    let mut loads = connect(stand, OPEN_CONNECTIONS)?;
    for round in 0..=effort.open_rounds {
        progress("latency", round, effort.open_rounds);
        let requests = if round == 0 { effort.open_requests / OPEN_WARM_UP } else { effort.open_requests };
        for at in in_turn(timed, round) {
            match loads[at].open(effort.rate, requests, upstream) {
                Err(error) => timed[at].failure = Some(error.to_string()),
                Ok(latencies) if round > 0 => timed[at].take(&latencies),
                Ok(_) => {}
            }
        }
        stand.check()?;
    }
    Ok(())
}

/// Returns the sides that have not failed, in the order of this turn.
fn in_turn(timed: &[Timed], turn: usize) -> Vec<usize> {
    turns::order(turn, timed.len()).into_iter().filter(|at| timed[*at].failure.is_none()).collect()
}

fn connect(stand: &Stand, connections: usize) -> Result<Vec<Load>, String> {
    stand
        .running
        .iter()
        .map(|running| Load::connect(&running.place, connections, "/record").map_err(said(running)))
        .collect()
}

/// Returns the processor time and the duration of a slice of this many requests.
fn spend(
    running: &Running,
    load: &mut Load,
    upstream: &mut Upstream,
    requests: usize,
) -> io::Result<(Spent, Duration)> {
    let per_connection = requests / load.connections();
    load.closed(per_connection / WARM_UP + 1, upstream)?;
    let before = cpu_ns(running)?;
    let elapsed = load.closed(per_connection, upstream)?;
    let cpu_ns = cpu_ns(running)?.saturating_sub(before);
    Ok((Spent { cpu_ns, requests: (per_connection * load.connections()) as u64 }, elapsed))
}

fn cpu_ns(running: &Running) -> io::Result<u64> {
    running.pids.iter().map(|pid| process::cpu_ns(*pid).map_err(io::Error::other)).sum()
}

fn settle(timed: &mut [Timed]) {
    let plains: Vec<Vec<f64>> = timed.iter().map(|own| plain_of(timed, own)).collect();
    for (own, plain) in timed.iter_mut().zip(plains) {
        let added = Spread::of_differences(&own.cpu_us, &plain);
        own.added_us = added.median;
        own.added_quartiles = added.quartiles;
        own.added_interval = added.interval;
    }
}

fn plain_of(timed: &[Timed], own: &Timed) -> Vec<f64> {
    timed.iter().find(|side| side.name == own.plain).map(|side| side.cpu_us.clone()).unwrap_or_default()
}

fn progress(what: &str, round: usize, rounds: usize) {
    const STEP: usize = 5;
    if round.is_multiple_of(STEP) || round == rounds {
        eprintln!("peers: {what}, {round} of {rounds} rounds");
    }
}

fn said(running: &Running) -> impl Fn(io::Error) -> String {
    let name = running.side.name;
    move |error| format!("{name}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spread::from_to;

    #[test]
    fn what_is_added_is_the_median_of_differences_within_a_round() {
        let side = |name, cpu_us: &[f64]| Timed { cpu_us: cpu_us.to_vec(), ..Timed::of(name, "envoy", 0.0, 0.0) };
        let mut timed = [side("envoy", &[10.0, 50.0, 10.0, 5.0]), side("envoy-lua", &[13.0, 52.0, 11.0, 9.0])];
        settle(&mut timed);
        assert!((timed[0].added_us - 0.0).abs() < 1e-9);
        assert!((timed[1].added_us - 2.0).abs() < 1e-9);
        assert_eq!(timed[1].added_quartiles.map(|pair| from_to(pair, 1)), Some("1.0 to 3.0".to_owned()));
    }
}
