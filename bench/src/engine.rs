//! The engine by itself: every subject and operation in rounds, so that a slow phase of the machine does not affect
//! only one of them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Instant;

use nomos_bench_engine::{Operation, Stand, Subject, Timing};
use nomos_tests::client;
use serde::Serialize;

use crate::corpus;
use crate::fuel;
use crate::modules::Module;
use crate::parsers::Parser;
use crate::proxy;
use crate::scenario::Setting;
use crate::section::{Cell as Figure, Figures, Plot, Section};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds over all subjects and operations.
    pub rounds: usize,
    /// Batches of one operation in a round. Each takes 0.4 to 0.8 ms; a tree of 100 KB takes longer.
    pub batches: usize,
}

/// One subject with the medians of its rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name of the subject.
    pub subject: String,
    /// The length of a body in bytes.
    pub bytes: usize,
    /// The number of members of a body.
    pub keys: usize,
    /// The number of renames and moves in a body.
    pub ops: u32,
    /// The results by operation, in the order of [`Operation::ALL`].
    pub cells: Vec<Cell>,
}

/// One operation on one subject.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The name of the operation.
    pub operation: &'static str,
    /// The median of the rounds' medians, in nanoseconds per body.
    pub median: f64,
    /// Every round.
    pub rounds: Vec<Timing>,
}

/// Other parsers on one subject.
#[derive(Clone, Debug, Serialize)]
pub struct Others {
    /// The name of the subject.
    pub subject: String,
    /// The result of every round by parser, in the order of [`Parser::ALL`].
    pub rounds: [Vec<f64>; 2],
}

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let effort = Effort::of(setting);
    let parts = |part: usize| move |done: usize, of: usize| setting.progress.at(part * of + done, 3 * of);
    let native = native(effort, &parts(0))?;
    let in_envoy = in_envoy(effort, &parts(1))?;
    let others = others(effort, &parts(2))?;
    let fuel = fuel::committed()?;
    let tables = vec![
        seen("seen-in-v8", &in_envoy, &fuel),
        table("in-v8", &in_envoy, &fuel),
        seen("seen-native", &native, &fuel),
        table("native", &native, &fuel),
        parsers(&native, &others),
    ];
    let plots = vec![stages(&in_envoy), trees(&native, &others)];
    let rounds = serde_json::json!({"native": native, "in_envoy": in_envoy, "others": others});
    Ok(Section { tables, plots, rounds, ..Section::new("engine") })
}

impl Effort {
    /// Returns the effort of a run.
    pub fn of(setting: &Setting<'_>) -> Self {
        Effort { rounds: setting.pick(7, 3), batches: setting.pick(120, 30) }
    }
}

/// Measures everything inside Envoy's V8.
pub fn in_envoy(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Vec<Row>, String> {
    let subjects = corpus::subjects();
    let configuration = serde_json::to_string(&subjects).map_err(|error| error.to_string())?;
    let filter = proxy::wasm("engine", Module::Engine, &configuration);
    // The module answers by itself. Nothing listens on the discard port.
    let mut envoy = proxy::start(SocketAddr::from(([127, 0, 0, 1], 9)), &[("engine", Some(filter))])?;
    let address = envoy.listener("engine")?;
    rows(progress, &subjects, effort.rounds, |subject, operation| {
        let timing = ask(address, &subject.name, operation, effort.batches)?;
        envoy.check()?;
        Ok(timing)
    })
}

/// Measures everything natively, with the same code.
pub fn native(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Vec<Row>, String> {
    let subjects = corpus::subjects();
    let stands: Result<HashMap<_, _>, String> =
        subjects.iter().map(|subject| Ok((subject.name.as_str(), Stand::new(subject)?))).collect();
    let mut stands = stands?;
    let start = Instant::now();
    let now = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    rows(progress, &subjects, effort.rounds, |subject, operation| {
        let stand = stands.get_mut(subject.name.as_str()).ok_or("a subject without a stand")?;
        Ok(stand.time(operation, effort.batches, now))
    })
}

/// Measures the same edits with other parsers, natively.
fn others(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Vec<Others>, String> {
    let subjects = corpus::subjects();
    for (subject, parser) in subjects.iter().flat_map(|subject| Parser::ALL.map(|parser| (subject, parser))) {
        parser.check(subject)?;
    }
    let mut others: Vec<Others> =
        subjects.iter().map(|subject| Others { subject: subject.name.clone(), rounds: Default::default() }).collect();
    for round in 0..effort.rounds {
        for (at, (subject, others)) in subjects.iter().zip(&mut others).enumerate() {
            progress(round * subjects.len() + at, effort.rounds * subjects.len());
            for (parser, rounds) in Parser::ALL.into_iter().zip(&mut others.rounds) {
                rounds.push(parser.time(subject, effort.batches).median);
            }
        }
    }
    Ok(others)
}

fn rows(
    progress: &dyn Fn(usize, usize),
    subjects: &[Subject],
    rounds_wanted: usize,
    mut time: impl FnMut(&Subject, Operation) -> Result<Timing, String>,
) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = subjects.iter().map(row).collect();
    for round in 0..rounds_wanted {
        for (at, (subject, row)) in subjects.iter().zip(&mut rows).enumerate() {
            progress(round * subjects.len() + at, rounds_wanted * subjects.len());
            for (operation, cell) in Operation::ALL.into_iter().zip(&mut row.cells) {
                cell.rounds.push(time(subject, operation)?);
            }
        }
    }
    for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
        cell.median = median(cell.rounds.iter().map(|timing| timing.median).collect());
    }
    Ok(rows)
}

/// Returns the median, or the lower of the two middle values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

impl Row {
    /// Returns the nanoseconds per body of an operation.
    pub fn ns(&self, operation: Operation) -> f64 {
        self.cells.iter().find(|cell| cell.operation == operation.name()).map_or(f64::NAN, |cell| cell.median)
    }

    /// Returns the nanoseconds of scanning, walking and splicing.
    fn stages(&self) -> [f64; 3] {
        let (walk, heal) = (self.ns(Operation::Walk), self.ns(Operation::Heal));
        [self.ns(Operation::Scan), walk, heal - walk]
    }

    #[allow(clippy::cast_precision_loss)]
    fn mb_per_second(&self, ns: f64) -> f64 {
        self.bytes as f64 / ns * 1e3
    }

    /// Returns the distance from the first to the third quartile of the rounds, in percent of the median.
    fn spread(&self, operation: Operation) -> f64 {
        let Some(cell) = self.cells.iter().find(|cell| cell.operation == operation.name()) else { return f64::NAN };
        let mut rounds: Vec<f64> = cell.rounds.iter().map(|timing| timing.median).collect();
        rounds.sort_by(f64::total_cmp);
        let quarter = rounds.len() / 4;
        let (Some(low), Some(high)) = (rounds.get(quarter), rounds.iter().rev().nth(quarter)) else { return f64::NAN };
        (high - low) / cell.median * 100.0
    }
}

/// Returns the table of the engine's stages.
#[allow(clippy::cast_precision_loss)]
fn table(name: &str, rows: &[Row], fuel: &HashMap<String, f64>) -> Figures {
    let mut figures = Figures::new(
        name,
        &[
            ("body", 0),
            ("bytes", 0),
            ("keys", 0),
            ("bytes/key", 1),
            ("ops", 0),
            ("ns", 0),
            ("spread %", 0),
            ("MB/s", 0),
            ("ns/key", 1),
            ("scan ns/key", 1),
            ("walk ns/key", 1),
            ("splice ns/key", 1),
            ("scan MB/s", 0),
            ("walk MB/s", 0),
            ("splice MB/s", 0),
            ("serde_json ns", 0),
            ("times as fast", 1),
            ("fuel", 0),
        ],
    );
    for row in rows {
        let (bytes, keys) = (row.bytes as f64, row.keys as f64);
        let (whole, dom) = (row.ns(Operation::Whole), row.ns(Operation::Dom));
        let [scan, walk, splice] = row.stages();
        // A body without drift is not spliced. The difference of two timings would be noise.
        let spliced = (row.ops > 0).then_some(splice);
        figures.row(vec![
            row.subject.as_str().into(),
            row.bytes.into(),
            row.keys.into(),
            (bytes / keys).into(),
            u64::from(row.ops).into(),
            whole.into(),
            row.spread(Operation::Whole).into(),
            (bytes / whole * 1e3).into(),
            (whole / keys).into(),
            (scan / keys).into(),
            (walk / keys).into(),
            spliced.map(|splice| splice / keys).into(),
            (bytes / scan * 1e3).into(),
            (bytes / walk * 1e3).into(),
            spliced.filter(|splice| *splice > 0.0).map(|splice| bytes / splice * 1e3).into(),
            dom.into(),
            (dom / whole).into(),
            fuel::of_unseen(fuel, &row.subject).into(),
        ]);
    }
    figures
}

/// Returns the table of bodies whose skeletons have been seen before.
#[allow(clippy::cast_precision_loss)]
fn seen(name: &str, rows: &[Row], fuel: &HashMap<String, f64>) -> Figures {
    let columns = [
        ("body", 0),
        ("bytes", 0),
        ("keys", 0),
        ("ops", 0),
        ("ns", 0),
        ("spread %", 0),
        ("MB/s", 0),
        ("ns/key", 1),
        ("of not seen", 2),
        ("serde_json ns", 0),
        ("times as fast", 1),
        ("fuel", 0),
    ];
    let mut figures = Figures::new(name, &columns);
    for row in rows {
        let (seen, dom) = (row.ns(Operation::Traced), row.ns(Operation::Dom));
        figures.row(vec![
            row.subject.as_str().into(),
            row.bytes.into(),
            row.keys.into(),
            u64::from(row.ops).into(),
            seen.into(),
            row.spread(Operation::Traced).into(),
            row.mb_per_second(seen).into(),
            (seen / row.keys as f64).into(),
            (seen / row.ns(Operation::Whole)).into(),
            dom.into(),
            (dom / seen).into(),
            fuel.get(&row.subject).copied().into(),
        ]);
    }
    figures
}

/// Returns the table of the same edit by other parsers.
fn parsers(native: &[Row], others: &[Others]) -> Figures {
    let mut figures = Figures::new(
        "parsers",
        &[
            ("body, natively", 0),
            ("seen ns", 0),
            ("Nomos ns", 0),
            ("serde_json ns", 0),
            ("simd-json ns", 0),
            ("sonic-rs ns", 0),
            ("x serde_json", 1),
            ("x simd-json", 1),
            ("x sonic-rs", 1),
        ],
    );
    for (row, others) in native.iter().zip(others) {
        let whole = row.ns(Operation::Whole);
        let [simd, sonic] = others.rounds.clone().map(median);
        let times = [row.ns(Operation::Dom), simd, sonic];
        let start = [Figure::from(row.subject.as_str()), row.ns(Operation::Traced).into(), whole.into()];
        let factors = times.map(|time| Figure::from(time / whole));
        figures.row(start.into_iter().chain(times.map(Figure::from)).chain(factors).collect());
    }
    figures
}

#[allow(clippy::cast_precision_loss)]
fn stages(rows: &[Row]) -> Plot {
    let names: Vec<String> = rows.iter().map(|row| row.subject.clone()).collect();
    let of = |stage: usize| rows.iter().map(|row| (row.stages()[stage] / row.keys as f64).max(0.0)).collect();
    let series = [("scan", of(0)), ("walk", of(1)), ("splice", of(2))];
    Plot::bars("stages", "The engine in V8 by stage", "ns per key", &names, &series)
}

fn trees(native: &[Row], others: &[Others]) -> Plot {
    let names: Vec<String> = native.iter().map(|row| row.subject.clone()).collect();
    let rate = |row: &Row, ns: f64| row.mb_per_second(ns);
    let of = |operation| native.iter().map(|row| rate(row, row.ns(operation))).collect();
    let other = |at: usize| native.iter().zip(others).map(|(row, o)| rate(row, median(o.rounds[at].clone()))).collect();
    let series = [
        ("Nomos, skeleton seen", of(Operation::Traced)),
        ("Nomos", of(Operation::Whole)),
        ("serde_json", of(Operation::Dom)),
        ("simd-json", other(0)),
        ("sonic-rs", other(1)),
    ];
    Plot::bars("parsers", "The same edit natively", "MB/s", &names, &series)
}

fn row(subject: &Subject) -> Row {
    let cell = |operation: Operation| Cell { operation: operation.name(), median: f64::NAN, rounds: Vec::new() };
    Row {
        subject: subject.name.clone(),
        bytes: subject.bytes(),
        keys: subject.keys(),
        ops: subject.ops,
        cells: Operation::ALL.into_iter().map(cell).collect(),
    }
}

/// Asks the module in Envoy to time an operation on a subject.
pub fn ask(address: SocketAddr, subject: &str, operation: Operation, batches: usize) -> Result<Timing, String> {
    let path = format!("/{subject}/{}/{batches}", operation.name());
    let reply = client::fetch(address, "GET", &path, &[]).map_err(|error| format!("{path}: {error}"))?;
    serde_json::from_slice(&reply.body)
        .map_err(|_| format!("{path}: status {}, {}", reply.status, String::from_utf8_lossy(&reply.body)))
}
