//! Latency at a constant rate, from when a request was due. Measured by Nighthawk, Envoy's own load generator, if it is
//! installed, and otherwise by our own.

use std::time::Duration;

use crate::generator::{Outcome, Pace, Until};
use crate::scenario::Setting;
use crate::section::{Axis, Cell, Figures, Plot, Section, Series};
use crate::target::{Measured, Target, us};
use crate::{nighthawk, proxy};

use super::{HEALED, RECORD, UNHEALED, configuration, upstream};

/// The rates in requests per second. The maximum of a worker is among them.
const RATES: [u32; 6] = [1_000, 2_500, 5_000, 10_000, 15_000, 20_000];

/// How many connections may be in use at once.
const CONNECTIONS: usize = 100;

const SIDES: [(&str, &str); 2] = [("plain", UNHEALED), ("healed", HEALED)];
const NAMES: [&str; 2] = ["Envoy alone", "Envoy with Nomos, healing"];

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let upstream = upstream()?;
    let filter = proxy::nomos(&configuration()?);
    let mut envoy = proxy::start(upstream.address, &[("plain", None), ("healed", Some(filter))])?;
    let pid = proxy::pid(&envoy)?;
    let rounds = setting.pick(3, 1);
    let time = Duration::from_millis(setting.pick(1_500, 800));
    let mut found: Vec<[Vec<Measured>; 2]> = RATES.iter().map(|_| Default::default()).collect();
    for round in 0..rounds {
        for (at, (rate, found)) in RATES.iter().zip(&mut found).enumerate() {
            setting.progress.at(round * RATES.len() + at, rounds * RATES.len());
            for ((side, proof), found) in SIDES.iter().zip(found) {
                let to = envoy.listener(side)?;
                let mut target = Target::connect(side, pid, to, CONNECTIONS, (RECORD, *proof))?;
                target.run(Pace::Closed(1), Until::Sent(1_000), &[&upstream])?;
                found.push(target.run(Pace::Open(*rate), Until::Elapsed(time), &[&upstream])?);
            }
            envoy.check()?;
        }
    }
    let mut section = summed_up(&found);
    section.notes.push(match nighthawk::find() {
        None => "Nighthawk was not there: `bench/nighthawk/README.md` says how to have it.".to_owned(),
        Some(client) => {
            let sides = SIDES.iter().map(|(side, _)| envoy.listener(side)).collect::<Result<Vec<_>, _>>()?;
            let table = nighthawk::measure(&client, &upstream, &sides, &NAMES, &RATES, setting.pick(3, 1))?;
            section.tables.insert(0, table);
            "The first table is by Nighthawk, the second by our own generator.".to_owned()
        }
    });
    Ok(section)
}

fn together(found: &[Measured]) -> (Outcome, f64) {
    let mut sum = Outcome::default();
    for measured in found {
        sum.add(&measured.outcome);
    }
    (sum, crate::engine::median(found.iter().map(|measured| measured.cpu_us).collect()))
}

fn summed_up(found: &[[Vec<Measured>; 2]]) -> Section {
    let mut figures = Figures::new(
        "rates",
        &[
            ("requests/s wanted", 0),
            ("proxy", 0),
            ("requests/s", 0),
            ("success %", 2),
            ("p50 us", 0),
            ("p90 us", 0),
            ("p99 us", 0),
            ("p99.9 us", 0),
            ("max us", 0),
            ("p99 us since sent", 0),
            ("CPU us/request", 1),
        ],
    );
    let mut series =
        NAMES.map(|name| [50.0, 99.0].map(|p| (p, Series { name: format!("{name}, p{p}"), points: Vec::new() })));
    for (rate, sides) in RATES.iter().zip(found) {
        for ((measured, name), series) in sides.iter().zip(NAMES).zip(&mut series) {
            let (outcome, cpu_us) = together(measured);
            let percentiles = [50.0, 90.0, 99.0, 99.9, 100.0].map(|p| Cell::from(us(&outcome.latency, p)));
            let start = [u64::from(*rate).into(), name.into(), outcome.per_second().into(), outcome.success().into()];
            let end = [us(&outcome.since_sent, 99.0).into(), cpu_us.into()];
            figures.row(start.into_iter().chain(percentiles).chain(end).collect());
            for (percentile, series) in series {
                series.points.push((f64::from(*rate), us(&outcome.latency, *percentile)));
            }
        }
    }
    let axes = [Axis::linear("requests per second"), Axis::logarithmic("us from the intended start")];
    let series = series.into_iter().flatten().map(|(_, series)| series).collect();
    let plot = Plot::lines("rates", "Latency at a constant rate, one worker", axes, series);
    Section { tables: vec![figures], plots: vec![plot], ..Section::new("open-loop") }
}
