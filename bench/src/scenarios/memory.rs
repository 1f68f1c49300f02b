//! Envoy's memory: idle, at a thousand requests per second, at its peak, and after very many requests. With one worker
//! and with two, and with and without Nomos, so that the memory per worker and per VM can be computed.

use std::time::Duration;

use crate::generator::{Pace, Until};
use crate::proxy::Proxy;
use crate::scenario::Setting;
use crate::section::{Cell, Figures, Plot, Section};
use crate::target::Target;
use crate::upstream::Upstream;
use crate::{process, proxy};

use super::{HEALED, RECORD, UNHEALED, configuration, upstream};

/// A realistic rate of an API.
const RATE: u32 = 1_000;

/// The number of connections at that rate, and at the peak.
const CONNECTIONS: usize = 50;
const PEAK_CONNECTIONS: usize = 1_000;

/// The number of requests at the end, and the number in an hour at [`RATE`]. They are sent as fast as possible, since
/// memory in use does not depend on time. An hour's requests take minutes, so only one side gets them.
const MANY: u64 = 400_000;
const HOUR: u64 = 3_600_000;
const WHOLE_HOUR: &str = "Envoy with Nomos, 1 worker";

/// Name, number of workers, and whether Nomos is configured.
const SIDES: [(&str, usize, bool); 4] = [
    ("Envoy alone, 1 worker", 1, false),
    ("Envoy alone, 2 workers", 2, false),
    ("Envoy with Nomos, 1 worker", 1, true),
    ("Envoy with Nomos, 2 workers", 2, true),
];

const MOMENTS: [&str; 6] =
    ["idle MiB", "at 1,000/s MiB", "at 1,000 connections MiB", "after many MiB", "after an hour's MiB", "most MiB"];

/// The values by [`MOMENTS`], or NaN for those that were not measured.
type Resident = [f64; 6];

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    crate::descriptors::allow(6_000)?;
    let upstream = upstream()?;
    let (many, hour) = setting.pick((MANY, HOUR), (20_000, 60_000));
    let mut found = Vec::new();
    for (at, side) in SIDES.iter().enumerate() {
        setting.progress.at(at, SIDES.len());
        found.push(measure(side, &upstream, setting.pick(5, 1), (many, hour))?);
    }
    Ok(summed_up(&found, (many, hour)))
}

fn measure(
    (name, workers, heals): &(&str, usize, bool),
    upstream: &Upstream,
    seconds: u64,
    (many, hour): (u64, u64),
) -> Result<Resident, String> {
    let filter = if *heals { Some(proxy::nomos(&configuration()?)) } else { None };
    let proxy = Proxy { workers: *workers, ..Proxy::before(&[upstream.address]).listener("side", filter) };
    let mut envoy = proxy.start()?;
    let (pid, to) = (proxy::pid(&envoy)?, envoy.listener("side")?);
    let proof = if *heals { HEALED } else { UNHEALED };
    let connect = |connections| Target::connect(name, pid, to, connections, (RECORD, proof));
    let idle = mib(process::resident(pid)?);
    let mut few = connect(CONNECTIONS)?;
    few.run(Pace::Open(RATE), Until::Elapsed(Duration::from_secs(seconds)), &[upstream])?.outcome.all_ok()?;
    let at_rate = mib(process::resident(pid)?);
    let mut peak = connect(PEAK_CONNECTIONS)?;
    peak.run(Pace::Closed(1), Until::Elapsed(Duration::from_secs(seconds)), &[upstream])?.outcome.all_ok()?;
    let at_peak = mib(process::resident(pid)?);
    drop(peak);
    few.run(Pace::Closed(1), Until::Sent(many), &[upstream])?.outcome.all_ok()?;
    let after_many = mib(process::resident(pid)?);
    let mut after_hour = f64::NAN;
    if *name == WHOLE_HOUR {
        few.run(Pace::Closed(1), Until::Sent(hour.saturating_sub(many)), &[upstream])?.outcome.all_ok()?;
        after_hour = mib(process::resident(pid)?);
    }
    envoy.check()?;
    Ok([idle, at_rate, at_peak, after_many, after_hour, mib(process::most_resident(pid)?)])
}

#[allow(clippy::cast_precision_loss)]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn summed_up(found: &[Resident], (many, hour): (u64, u64)) -> Section {
    let columns: Vec<(&str, usize)> = [("proxy", 0)].into_iter().chain(MOMENTS.map(|moment| (moment, 1))).collect();
    let mut figures = Figures::new("resident", &columns);
    let mut row = |name: &str, values: Resident| {
        figures.row([Cell::from(name)].into_iter().chain(values.map(Cell::from)).collect());
    };
    for ((name, ..), values) in SIDES.iter().zip(found) {
        row(name, *values);
    }
    let difference = |a: Resident, b: Resident| std::array::from_fn(|at| a[at] - b[at]);
    let [bare, bare_two, nomos, nomos_two] = std::array::from_fn(|at| found[at]);
    row("a worker of Envoy", difference(bare_two, bare));
    row("a worker with its VM", difference(nomos_two, nomos));
    row("a worker's VM", difference(difference(nomos_two, nomos), difference(bare_two, bare)));
    row("Nomos in all, 1 worker", difference(nomos, bare));
    let notes = vec![format!(
        "`after many`: {many} requests at the least; `after an hour's`: {hour}, where an hour at {RATE}/s has {HOUR}."
    )];
    // A value that was not measured has no bar.
    let heights = |values: &Resident| values.iter().map(|value| if value.is_nan() { 0.0 } else { *value }).collect();
    let series: Vec<(&str, Vec<f64>)> = SIDES.iter().zip(found).map(|((name, ..), v)| (*name, heights(v))).collect();
    let plot = Plot::bars("resident", "Resident memory of Envoy", "MiB", &MOMENTS.map(str::to_owned), &series);
    Section { tables: vec![figures], plots: vec![plot], notes, ..Section::new("memory") }
}
