//! The engine by itself: every subject and operation, in rounds, so that a slow moment of the machine does not fall on
//! one of them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Instant;

use nomos_bench_engine::{Operation, Stand, Subject, Timing};
use nomos_tests::client;
use serde::Serialize;

use crate::corpus;
use crate::modules::Module;
use crate::proxy;
use crate::table::Table;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds over all subjects and operations.
    pub rounds: usize,
    /// Batches of one of them in a round; each lasts 0.4 to 0.8 ms, a tree of 100 KB longer.
    pub batches: usize,
}

/// One subject with the medians of its rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name of the subject.
    pub subject: String,
    /// Bytes of a body.
    pub bytes: usize,
    /// Members of a body.
    pub keys: usize,
    /// Renames and moves in a body.
    pub ops: u32,
    /// By operation, in the order of [`Operation::ALL`].
    pub cells: Vec<Cell>,
}

/// One operation on one subject.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The name of the operation.
    pub operation: &'static str,
    /// The median of the rounds' medians: nanoseconds per body.
    pub median: f64,
    /// Every round.
    pub rounds: Vec<Timing>,
}

/// Measures everything inside Envoy's V8.
pub fn in_envoy(effort: Effort) -> Result<Vec<Row>, String> {
    let subjects = corpus::subjects();
    let configuration = serde_json::to_string(&subjects).map_err(|error| error.to_string())?;
    let filter = proxy::wasm("engine", Module::Engine, &configuration);
    // The module answers by itself; nobody listens on the discard port.
    let mut envoy = proxy::start(SocketAddr::from(([127, 0, 0, 1], 9)), &[("engine", Some(filter))])?;
    let address = envoy.listener("engine")?;
    rows("engine in V8", &subjects, effort.rounds, |subject, operation| {
        let timing = ask(address, &subject.name, operation, effort.batches)?;
        envoy.check()?;
        Ok(timing)
    })
}

/// Measures everything natively, by the same code.
pub fn native(effort: Effort) -> Result<Vec<Row>, String> {
    let subjects = corpus::subjects();
    let stands: Result<HashMap<_, _>, String> =
        subjects.iter().map(|subject| Ok((subject.name.as_str(), Stand::new(subject)?))).collect();
    let mut stands = stands?;
    let start = Instant::now();
    let now = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    rows("engine natively", &subjects, effort.rounds, |subject, operation| {
        let stand = stands.get_mut(subject.name.as_str()).ok_or("a subject without a stand")?;
        Ok(stand.time(operation, effort.batches, now))
    })
}

fn rows(
    what: &str,
    subjects: &[Subject],
    rounds: usize,
    mut time: impl FnMut(&Subject, Operation) -> Result<Timing, String>,
) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = subjects.iter().map(row).collect();
    for round in 1..=rounds {
        eprintln!("{what}: round {round} of {rounds}");
        for (subject, row) in subjects.iter().zip(&mut rows) {
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

/// The middle one; the lower of the two where there are two.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

impl Row {
    /// Nanoseconds per body of an operation.
    pub fn ns(&self, operation: Operation) -> f64 {
        self.cells.iter().find(|cell| cell.operation == operation.name()).map_or(f64::NAN, |cell| cell.median)
    }

    /// From the first quartile of the rounds to the third, as a share of the median, in percent.
    fn spread(&self, operation: Operation) -> f64 {
        let Some(cell) = self.cells.iter().find(|cell| cell.operation == operation.name()) else { return f64::NAN };
        let mut rounds: Vec<f64> = cell.rounds.iter().map(|timing| timing.median).collect();
        rounds.sort_by(f64::total_cmp);
        let quarter = rounds.len() / 4;
        let (Some(low), Some(high)) = (rounds.get(quarter), rounds.iter().rev().nth(quarter)) else { return f64::NAN };
        (high - low) / cell.median * 100.0
    }
}

/// The table that people read.
#[allow(clippy::cast_precision_loss)]
pub fn table(rows: &[Row]) -> String {
    let mut table = Table::new(&[
        "body",
        "bytes",
        "keys",
        "bytes/key",
        "ops",
        "ns",
        "spread",
        "MB/s",
        "ns/key",
        "scan ns",
        "heal ns",
        "serde_json ns",
        "times as fast",
    ]);
    for row in rows {
        let (whole, dom) = (row.ns(Operation::Whole), row.ns(Operation::Dom));
        table.row(&[
            row.subject.clone(),
            row.bytes.to_string(),
            row.keys.to_string(),
            format!("{:.1}", row.bytes as f64 / row.keys as f64),
            row.ops.to_string(),
            format!("{whole:.0}"),
            format!("{:.0} %", row.spread(Operation::Whole)),
            format!("{:.0}", row.bytes as f64 / whole * 1e3),
            format!("{:.1}", whole / row.keys as f64),
            format!("{:.0}", row.ns(Operation::Scan)),
            format!("{:.0}", row.ns(Operation::Heal)),
            format!("{dom:.0}"),
            format!("{:.1}", dom / whole),
        ]);
    }
    table.text()
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

/// Has the module in Envoy time an operation on a subject.
pub fn ask(address: SocketAddr, subject: &str, operation: Operation, batches: usize) -> Result<Timing, String> {
    let path = format!("/{subject}/{}/{batches}", operation.name());
    let reply = client::fetch(address, "GET", &path, &[]).map_err(|error| format!("{path}: {error}"))?;
    serde_json::from_slice(&reply.body)
        .map_err(|_| format!("{path}: status {}, {}", reply.status, String::from_utf8_lossy(&reply.body)))
}
