//! Throughput with more and more connections, and more requests at each step.

use crate::engine::median;
use crate::generator::{Outcome, Pace, Until};
use crate::scenario::Setting;
use crate::section::{Axis, Figures, Plot, Section, Series};
use crate::target::{Target, us};
use crate::{descriptors, proxy};

use super::{HEALED, RECORD, UNHEALED, configuration, upstream};

/// The requests and connections of each step.
const STEPS: [(u64, usize); 5] = [(500, 100), (2_000, 200), (5_000, 500), (10_000, 1_000), (25_000, 2_500)];

/// The number of open files: both ends of each client's connection and of its connection to the upstream, and some for
/// everything else.
const DESCRIPTORS: u64 = 2_500 * 4 + 500;

/// The listeners, each with a text of its bodies.
const SIDES: [(&str, &str); 2] = [("plain", UNHEALED), ("healed", HEALED)];

/// The result of a side in a step.
#[derive(Default)]
struct Rung {
    outcome: Outcome,
    per_second: Vec<f64>,
    cpu_us: Vec<f64>,
}

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    descriptors::allow(DESCRIPTORS)?;
    let upstream = upstream()?;
    let filter = proxy::nomos(&configuration()?);
    let mut envoy = proxy::start(upstream.address, &[("plain", None), ("healed", Some(filter))])?;
    let pid = proxy::pid(&envoy)?;
    let rounds = setting.pick(5, 1);
    let mut rungs: Vec<[Rung; 2]> = STEPS.iter().map(|_| Default::default()).collect();
    for round in 0..rounds {
        for (at, ((requests, connections), rungs)) in STEPS.iter().zip(&mut rungs).enumerate() {
            setting.progress.at(round * STEPS.len() + at, rounds * STEPS.len());
            for ((side, proof), rung) in SIDES.iter().zip(rungs) {
                let to = envoy.listener(side)?;
                let mut target = Target::connect(side, pid, to, *connections, (RECORD, *proof))?;
                let measured = target.run(Pace::Closed(1), Until::Sent(*requests), &[&upstream])?;
                rung.outcome.add(&measured.outcome);
                rung.per_second.push(measured.outcome.per_second());
                rung.cpu_us.push(measured.cpu_us);
            }
            envoy.check()?;
        }
    }
    Ok(summed_up(&rungs))
}

#[allow(clippy::cast_precision_loss)]
fn summed_up(rungs: &[[Rung; 2]]) -> Section {
    let mut figures = Figures::new(
        "steps",
        &[
            ("requests at connections", 0),
            ("filter", 0),
            ("requests", 0),
            ("success %", 2),
            ("requests/s", 0),
            ("lowest", 0),
            ("highest", 0),
            ("p50 ms", 2),
            ("p99 ms", 2),
            ("CPU us/request", 1),
        ],
    );
    for ((requests, connections), rungs) in STEPS.iter().zip(rungs) {
        for ((_, rung), name) in SIDES.iter().zip(rungs).zip(["none", "Nomos"]) {
            let outcome = &rung.outcome;
            figures.row(vec![
                format!("{requests} at {connections}").into(),
                name.into(),
                (outcome.ok + outcome.failed).into(),
                outcome.success().into(),
                median(rung.per_second.clone()).into(),
                rung.per_second.iter().copied().fold(f64::INFINITY, f64::min).into(),
                rung.per_second.iter().copied().fold(0.0, f64::max).into(),
                (us(&outcome.latency, 50.0) / 1e3).into(),
                (us(&outcome.latency, 99.0) / 1e3).into(),
                median(rung.cpu_us.clone()).into(),
            ]);
        }
    }
    let series = |side: usize, name: &str| Series {
        name: name.to_owned(),
        points: STEPS.iter().zip(rungs).map(|(step, r)| (step.1 as f64, median(r[side].per_second.clone()))).collect(),
    };
    let axes = [Axis::logarithmic("connections"), Axis::linear("requests/s")];
    let series = vec![series(0, "Envoy alone"), series(1, "Envoy with Nomos, healing")];
    let plot = Plot::lines("throughput", "Throughput of one worker by connections", axes, series);
    Section { tables: vec![figures], plots: vec![plot], ..Section::new("ladder") }
}
