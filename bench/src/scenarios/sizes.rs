//! The cost of healing as bodies grow, compared with the same Envoy without the filter: for a list that is clean, one
//! whose members are renamed, and one whose members are moved up by as many as seven levels.

use drifting_upstream::{Mode, contract, users_body};
use nomos_tests::envoy::Envoy;
use serde_json::json;

use crate::engine::median;
use crate::generator::{Pace, Until};
use crate::scenario::Setting;
use crate::section::{Axis, Figures, Plot, Section, Series};
use crate::target::{Target, us};
use crate::upstream::Upstream;
use crate::{process, proxy};

/// Name, bytes, and requests in a round: enough to measure processor time, few enough for a minute.
const SIZES: [(&str, usize, u64); 5] = [
    ("1 KB", 1_000, 500),
    ("100 KB", 100_000, 100),
    ("1 MB", 1_000_000, 20),
    ("10 MB", 10_000_000, 3),
    ("100 MB", 100_000_000, 1),
];

/// A quick run leaves out the largest size.
const QUICK_SIZES: usize = SIZES.len() - 1;

/// Name, path, whether Nomos is configured, and a text that proves its effect. The others are compared with the first
/// one.
const SIDES: [(&str, &str, bool, &str); 4] = [
    ("plain", "/v2", false, "\"user_identifier\""),
    ("clean", "/healthy", true, "\"user_id\""),
    ("renamed", "/v2", true, "\"user_id\""),
    ("flattened", "/deep", true, "\"user_id\""),
];

/// The results of one side at one size, by [`WHAT`].
#[derive(Clone, Default)]
struct Cells {
    rounds: [Vec<f64>; 3],
    /// The maximum memory above that of the idle process.
    added_mib: f64,
}

const WHAT: [&str; 3] = ["first byte us", "total us", "CPU us"];

/// A side with its own Envoy, so that its memory can be measured.
struct Side {
    envoy: Envoy,
    pid: u32,
    idle: u64,
    target: Target,
    cells: Cells,
}

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let steps = &SIZES[..setting.pick(SIZES.len(), QUICK_SIZES)];
    let rounds = setting.pick(9, 3);
    let mut found = Vec::new();
    for (step, (_, bytes, requests)) in steps.iter().enumerate() {
        let upstream = upstream(*bytes)?;
        let mut sides = SIDES.iter().map(|side| start(side, &upstream)).collect::<Result<Vec<_>, _>>()?;
        for round in 0..=rounds {
            setting.progress.at(step * rounds + round, steps.len() * rounds);
            // Each round begins with another side.
            for at in 0..SIDES.len() {
                let side = &mut sides[(round + at) % SIDES.len()];
                let measured = side.target.run(Pace::Closed(1), Until::Sent(*requests), &[&upstream])?;
                measured.outcome.all_ok()?;
                let outcome = &measured.outcome;
                let figures = [us(&outcome.first_byte, 50.0), us(&outcome.latency, 50.0), measured.cpu_us];
                // Round 0 only warms everything up.
                if round > 0 {
                    side.cells.rounds.iter_mut().zip(figures).for_each(|(rounds, figure)| rounds.push(figure));
                }
            }
        }
        found.push(sides.into_iter().map(end).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(summed_up(steps, &found))
}

fn upstream(bytes: usize) -> Result<Upstream, String> {
    let body = |mode| {
        let one = users_body(mode, 20).len() / 20;
        vec![users_body(mode, (bytes / one).max(1))]
    };
    let bodies = [("/healthy", body(Mode::Healthy)), ("/v2", body(Mode::V2)), ("/deep", body(Mode::Deep))];
    Upstream::start(&bodies).map_err(|error| format!("upstream: {error}"))
}

fn start(side: &(&str, &str, bool, &str), upstream: &Upstream) -> Result<Side, String> {
    let (name, path, heals, proof) = side;
    let route = json!({"match": {"prefix": "/"}, "packs": ["all"], "contract": contract::users()});
    let filter = heals.then(|| proxy::nomos(&json!({"routes": [route]})));
    let envoy = proxy::start(upstream.address, &[("side", filter)])?;
    let pid = proxy::pid(&envoy)?;
    let idle = process::resident(pid)?;
    let target = Target::connect(name, pid, envoy.listener("side")?, 1, (*path, *proof))?;
    Ok(Side { envoy, pid, idle, target, cells: Cells::default() })
}

#[allow(clippy::cast_precision_loss)]
fn end(mut side: Side) -> Result<Cells, String> {
    side.envoy.check()?;
    let most = process::most_resident(side.pid)?;
    side.cells.added_mib = most.saturating_sub(side.idle) as f64 / f64::from(1 << 20);
    Ok(side.cells)
}

/// Returns the median of the quotients with the first side within a round.
fn factor(cells: &Cells, plain: &Cells, what: usize) -> f64 {
    median(cells.rounds[what].iter().zip(&plain.rounds[what]).map(|(own, plain)| own / plain).collect())
}

#[allow(clippy::cast_precision_loss)]
fn summed_up(sizes: &[(&str, usize, u64)], found: &[Vec<Cells>]) -> Section {
    let factors = |what: &str| format!("{} x plain", what.trim_end_matches(" us"));
    let names: Vec<String> = WHAT.iter().flat_map(|what| [(*what).to_owned(), factors(what)]).collect();
    let columns: Vec<(&str, usize)> = [("body", 0), ("healing", 0)]
        .into_iter()
        .chain(names.iter().enumerate().map(|(at, name)| (name.as_str(), if at % 2 == 0 { 0 } else { 2 })))
        .chain([("memory added MiB", 1)])
        .collect();
    let mut figures = Figures::new("factors", &columns);
    for ((size, ..), cells) in sizes.iter().zip(found) {
        for ((name, ..), own) in SIDES.iter().zip(cells) {
            let pair = |what: usize| [median(own.rounds[what].clone()).into(), factor(own, &cells[0], what).into()];
            let start = [(*size).into(), (*name).into()];
            let row = start.into_iter().chain((0..WHAT.len()).flat_map(pair)).chain([own.added_mib.into()]);
            figures.row(row.collect());
        }
    }
    let plots = [
        (2, "cpu", "processor time"),
        (1, "total", "time until the last byte"),
        (0, "first-byte", "time to the first byte"),
    ];
    let plots = plots.map(|(what, name, title)| {
        let series = SIDES.iter().enumerate().skip(1).map(|(side, (label, ..))| Series {
            name: (*label).to_owned(),
            points: sizes
                .iter()
                .zip(found)
                .map(|(s, cells)| (s.1 as f64, factor(&cells[side], &cells[0], what)))
                .collect(),
        });
        let axes = [Axis::logarithmic("bytes of the body"), Axis::linear("times as much as without the filter")];
        Plot::lines(name, &format!("Overhead factor by size: {title}"), axes, series.collect())
    });
    Section { tables: vec![figures], plots: plots.to_vec(), ..Section::new("sizes") }
}
