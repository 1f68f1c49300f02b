//! Healing latency by operation, as the filter reports it, while Envoy is busy.

use drifting_upstream::{Mode, contract, user_body};
use serde_json::json;

use crate::generator::{Outcome, Pace, Until};
use crate::scenario::Setting;
use crate::section::{Figures, Plot, Section};
use crate::target::Target;
use crate::upstream::Upstream;
use crate::{corpus, proxy};

/// The number of outstanding requests.
const CONNECTIONS: usize = 10;

/// The samples of an operation, and the number of rounds in which they are taken.
const SAMPLES: u64 = 10_000;
const ROUNDS: u64 = 10;

/// Name, path, bodies, and a text that proves that the operation was done.
type Operation = (&'static str, &'static str, Vec<String>, &'static str);

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let operations = operations();
    let bodies: Vec<_> = operations.iter().map(|(_, path, bodies, _)| (*path, bodies.clone())).collect();
    let upstream = Upstream::start(&bodies).map_err(|error| format!("upstream: {error}"))?;
    let filter = proxy::nomos(&configuration()?);
    let mut envoy = proxy::start(upstream.address, &[("nomos", Some(filter))])?;
    let (pid, to) = (proxy::pid(&envoy)?, envoy.listener("nomos")?);
    let connect = |(name, path, _, proof): &Operation| Target::connect(name, pid, to, CONNECTIONS, (*path, *proof));
    let mut targets = operations.iter().map(connect).collect::<Result<Vec<_>, _>>()?;
    let mut outcomes = vec![Outcome::default(); targets.len()];
    let rounds = setting.pick(ROUNDS, ROUNDS / 2);
    for round in 0..rounds {
        setting.progress.at(usize::try_from(round).unwrap_or(0), usize::try_from(rounds).unwrap_or(1));
        for (target, outcome) in targets.iter_mut().zip(&mut outcomes) {
            // An operation must not be charged for what the one before left in the caches.
            target.run(Pace::Closed(1), Until::Sent(200), &[&upstream])?;
            let measured = target.run(Pace::Closed(1), Until::Sent(SAMPLES / rounds), &[&upstream])?;
            measured.outcome.all_ok()?;
            outcome.add(&measured.outcome);
        }
        envoy.check()?;
    }
    summed_up(&operations, &outcomes)
}

fn operations() -> Vec<Operation> {
    let user = |mode| vec![user_body(mode)];
    vec![
        ("pass-through", "/healthy", user(Mode::Healthy), "\"user_id\""),
        ("13 renames", "/v2", user(Mode::V2), "\"user_id\""),
        ("11 moves out of containers", "/nested", user(Mode::Nested), "\"full_name\""),
        ("21 moves, up to seven levels", "/deep", user(Mode::Deep), "\"user_id\""),
        ("10 renames in 1 KB", "/flat", corpus::flat().bodies, "\"user_id\""),
    ]
}

/// Returns a configuration in which the flat record has its own contract, and the users share one.
fn configuration() -> Result<serde_json::Value, String> {
    let flat: serde_json::Value =
        serde_json::from_str(&corpus::flat().config).map_err(|error| format!("corpus: {error}"))?;
    let mut flat = flat["routes"][0].clone();
    flat["match"] = json!({"path": "/flat"});
    let users = json!({"match": {"prefix": "/"}, "packs": ["all"], "contract": contract::user()});
    Ok(json!({"response_headers": "held", "routes": [flat, users]}))
}

#[allow(clippy::cast_precision_loss)]
fn summed_up(operations: &[Operation], outcomes: &[Outcome]) -> Result<Section, String> {
    const PERCENTILES: [(&str, f64); 6] =
        [("p50", 50.0), ("p75", 75.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9)];
    let columns = [("operation", 0), ("samples", 0), ("min us", 0), ("mean us", 2)];
    let percentiles = PERCENTILES.map(|(name, _)| (name, 0));
    let columns: Vec<_> = columns.into_iter().chain(percentiles).chain([("max us", 0)]).collect();
    let mut figures = Figures::new("operations", &columns);
    for ((name, ..), outcome) in operations.iter().zip(outcomes) {
        let us = &outcome.engine_us;
        if us.len() != outcome.ok {
            return Err(format!("{name}: {} of {} responses say how long healing took", us.len(), outcome.ok));
        }
        let start = [(*name).into(), us.len().into(), us.min().into(), us.mean().into()];
        let percentiles = PERCENTILES.map(|(_, percentile)| us.value_at_percentile(percentile).into());
        figures.row(start.into_iter().chain(percentiles).chain([us.max().into()]).collect());
    }
    let of = |percentile: f64| outcomes.iter().map(|o| o.engine_us.value_at_percentile(percentile) as f64).collect();
    let names: Vec<String> = operations.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let series = [("p50", of(50.0)), ("p99", of(99.0)), ("p99.9", of(99.9))];
    let plot = Plot::bars("operations", "Healing latency under load", "us", &names, &series);
    Ok(Section { tables: vec![figures], plots: vec![plot], ..Section::new("healing") })
}
