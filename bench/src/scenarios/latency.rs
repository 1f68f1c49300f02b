//! The latency that a client sees under five loads.

use std::fmt::Write as _;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::generator::{Outcome, Pace, Until};
use crate::proxy;
use crate::scenario::Setting;
use crate::section::{Figures, Plot, Section};
use crate::target::{Target, us};

use super::{HEALED, RECORD, UNHEALED, configuration, upstream};

/// A load: name, connections, pace, end.
type Load = (&'static str, usize, Pace, Until);

/// The upper bounds of buckets in milliseconds, and the names of the buckets. The last bucket has no bound.
const BOUNDS: [u64; 6] = [1, 5, 10, 20, 50, 100];
const BUCKETS: [&str; 7] = ["<1", "1-5", "5-10", "10-20", "20-50", "50-100", ">100"];

/// The bound of the 95th percentile in milliseconds.
const TARGET_MS: f64 = 10.0;

/// The length of the longest text bar in characters.
const BAR: usize = 40;

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let upstream = upstream()?;
    let filter = proxy::nomos(&configuration()?);
    let mut envoy = proxy::start(upstream.address, &[("plain", None), ("healed", Some(filter))])?;
    let pid = proxy::pid(&envoy)?;
    let loads = loads(setting);
    let mut measured = Vec::new();
    for (at, (name, connections, pace, until)) in loads.iter().enumerate() {
        setting.progress.at(at, loads.len());
        let run = |side: &str, proof: &str, until: Until| -> Result<Outcome, String> {
            let mut target = Target::connect(side, pid, envoy.listener(side)?, *connections, (RECORD, proof))?;
            target.run(*pace, Until::Sent(100), &[&upstream])?;
            Ok(target.run(*pace, until, &[&upstream])?.outcome)
        };
        // The filter gets a minute. For comparison a few seconds without it are enough.
        let beside =
            if let Until::Elapsed(time) = *until { Until::Elapsed(time.min(Duration::from_secs(5))) } else { *until };
        let plain = run("plain", UNHEALED, beside)?;
        measured.push((*name, run("healed", HEALED, *until)?, plain));
        envoy.check()?;
    }
    Ok(summed_up(&measured))
}

fn loads(setting: &Setting<'_>) -> [Load; 5] {
    let (lasting, time) = setting.pick(("10 connections, 60 s", 60), ("10 connections, 2 s", 2));
    [
        ("100, each on a new connection", 1, Pace::Anew, Until::Sent(100)),
        ("1 connection, 1,000", 1, Pace::Closed(1), Until::Sent(1_000)),
        ("10 connections, 2,000", 10, Pace::Closed(1), Until::Sent(2_000)),
        ("50 connections, 5,000", 50, Pace::Closed(1), Until::Sent(5_000)),
        (lasting, 10, Pace::Closed(1), Until::Elapsed(Duration::from_secs(time))),
    ]
}

fn summed_up(measured: &[(&str, Outcome, Outcome)]) -> Section {
    let mut figures = Figures::new(
        "loads",
        &[
            ("load", 0),
            ("min ms", 3),
            ("mean ms", 3),
            ("median ms", 3),
            ("p95 ms", 3),
            ("p99 ms", 3),
            ("max ms", 3),
            ("requests/s", 0),
            ("success %", 2),
            ("median without filter", 3),
            ("p95 below 10 ms", 0),
        ],
    );
    let columns: Vec<(&str, usize)> = [("load", 0)].into_iter().chain(BUCKETS.map(|name| (name, 0))).collect();
    let mut buckets = Figures::new("buckets", &columns);
    let mut bars = String::from("```\n");
    let mut series = Vec::new();
    for (name, outcome, plain) in measured {
        let (latency, ms) = (&outcome.latency, |percentile| us(&outcome.latency, percentile) / 1e3);
        let verdict = if ms(95.0) < TARGET_MS { "met" } else { "missed" };
        figures.row(vec![
            (*name).into(),
            ms(0.0).into(),
            (latency.mean() / 1e6).into(),
            ms(50.0).into(),
            ms(95.0).into(),
            ms(99.0).into(),
            ms(100.0).into(),
            outcome.per_second().into(),
            outcome.success().into(),
            (us(&plain.latency, 50.0) / 1e3).into(),
            verdict.into(),
        ]);
        let counts = counts(latency);
        buckets.row([(*name).into()].into_iter().chain(counts.map(Into::into)).collect());
        bars.push_str(&text_bars(name, counts));
        series.push((*name, shares(counts).to_vec()));
    }
    bars.push_str("```");
    let plot = Plot::bars("buckets", "Latency under five loads", "% of requests", &BUCKETS.map(str::to_owned), &series);
    Section { tables: vec![figures, buckets], plots: vec![plot], notes: vec![bars], ..Section::new("latency") }
}

fn counts(latency: &Histogram<u64>) -> [u64; 7] {
    let mut counts = [0; 7];
    for step in latency.iter_recorded() {
        let ms = step.value_iterated_to() / 1_000_000;
        let bucket = BOUNDS.iter().position(|bound| ms < *bound).unwrap_or(BOUNDS.len());
        counts[bucket] += step.count_at_value();
    }
    counts
}

#[allow(clippy::cast_precision_loss)]
fn shares(counts: [u64; 7]) -> [f64; 7] {
    let sum = counts.iter().sum::<u64>().max(1) as f64;
    counts.map(|count| count as f64 / sum * 100.0)
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn text_bars(name: &str, counts: [u64; 7]) -> String {
    let mut text = format!("{name}\n");
    for ((bucket, share), count) in BUCKETS.iter().zip(shares(counts)).zip(counts) {
        // Non-empty buckets must be visible.
        let length = ((share / 100.0 * BAR as f64).round() as usize).max(usize::from(count > 0));
        let _ = writeln!(text, "  {bucket:>6} ms |{:<BAR$}| {share:6.2} %", "#".repeat(length));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_begin_at_their_bounds() {
        let mut latency = Histogram::new(3).expect("a histogram");
        for us in [1_u64, 990, 1_010, 4_900, 5_100, 10_100, 60_000, 100_500, 7_000_000] {
            latency.record(us * 1_000).expect("within bounds");
        }
        let counts = counts(&latency);
        assert_eq!(counts, [2, 2, 1, 1, 0, 1, 2]);
        let text = text_bars("load", counts);
        assert!(text.contains("  20-50 ms |                                        |   0.00 %"), "{text}");
        assert_eq!(text.lines().count(), 8);
    }
}
