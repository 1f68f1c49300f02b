//! What is shown while the suite runs, and the table at its end.

use std::time::{Duration, Instant};

use crate::expect::Kind;
use crate::stand::Stand;

/// So many failures of a scenario are shown in full.
const SHOWN: usize = 3;

/// How much memory Envoy may have in use at the end beyond what it had after its start. Connections and large bodies
/// leave their mark in Envoy's allocator and in the memory of the VMs, once; a leak has no end.
const GROWTH: u64 = 384 << 20;

/// What one scenario counted.
#[derive(Default)]
pub struct Tally {
    /// Healed as expected.
    pub healed: u64,
    /// As they came, as expected.
    pub exact: u64,
    /// Errors that are expected.
    pub errors: u64,
    /// What was not as expected.
    pub failures: Vec<String>,
    /// How long responses took.
    pub times: Vec<Duration>,
    /// What the scenario has to say.
    pub notes: Vec<String>,
}

impl Tally {
    /// Counts a response.
    pub fn count(&mut self, judged: Result<Kind, String>, time: Duration) {
        match judged {
            Ok(Kind::Healed) => self.healed += 1,
            Ok(Kind::Exact) => self.exact += 1,
            Ok(Kind::Error) => self.errors += 1,
            Err(why) => self.failures.push(why),
        }
        self.times.push(time);
    }

    /// Adds what another counted.
    pub fn add(&mut self, other: Tally) {
        self.healed += other.healed;
        self.exact += other.exact;
        self.errors += other.errors;
        self.failures.extend(other.failures);
        self.times.extend(other.times);
        self.notes.extend(other.notes);
    }

    /// Fails where `holds` is false.
    pub fn require(&mut self, holds: bool, sentence: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(sentence());
        }
    }

    /// The time that 99 of 100 responses kept within.
    pub fn p99(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len().saturating_sub(1) * 99 / 100).copied().unwrap_or_default()
    }
}

/// Collects the rows.
pub struct Report {
    started: Instant,
    began: Instant,
    memory: u64,
    rows: Vec<[String; 8]>,
    failed: usize,
}

impl Report {
    /// For this Envoy, as it is now.
    pub fn new(version: &str, stand: &Stand) -> Self {
        let memory = stand.memory();
        println!("Envoy ({version}) with two workers, process {}, {} MiB", stand.pid(), memory >> 20);
        let now = Instant::now();
        Self { started: now, began: now, memory, rows: Vec::new(), failed: 0 }
    }

    /// Says which scenario runs.
    pub fn begin(&mut self, number: usize, of: usize, name: &str) {
        self.began = Instant::now();
        println!("{number:2}/{of} {name} ...");
    }

    /// Takes what a scenario counted, and looks after Envoy.
    pub fn end(&mut self, name: &str, mut tally: Tally, stand: &Stand) {
        if let Err(why) = stand.check() {
            tally.failures.push(why);
        }
        let passed = tally.failures.is_empty();
        self.failed += usize::from(!passed);
        let row = [
            name.to_owned(),
            tally.times.len().to_string(),
            tally.healed.to_string(),
            tally.exact.to_string(),
            tally.errors.to_string(),
            format!("{:.1}", tally.p99().as_secs_f64() * 1000.0),
            (stand.memory() >> 20).to_string(),
            if passed { "pass".to_owned() } else { format!("FAIL ({})", tally.failures.len()) },
        ];
        println!("      {} in {:.1} s: {} responses", row[7], self.began.elapsed().as_secs_f64(), row[1]);
        tally.notes.iter().for_each(|note| println!("      {note}"));
        tally.failures.iter().take(SHOWN).for_each(|why| println!("      {why}"));
        self.rows.push(row);
    }

    /// Prints the table. True where everything passed.
    pub fn finish(mut self, stand: &Stand) -> bool {
        let memory = stand.memory();
        let grown = memory.saturating_sub(self.memory);
        let bounded = grown < GROWTH;
        self.failed += usize::from(!bounded);
        print_table(&self.rows);
        let result = if bounded { "pass" } else { "FAIL" };
        println!(
            "Envoy's process {} lives; its memory went from {} to {} MiB, less than {} more: {result}",
            stand.pid(),
            self.memory >> 20,
            memory >> 20,
            GROWTH >> 20,
        );
        println!(
            "{} scenarios, {} failed, {:.0} s",
            self.rows.len(),
            self.failed,
            self.started.elapsed().as_secs_f64()
        );
        self.failed == 0
    }
}

fn print_table(rows: &[[String; 8]]) {
    let head = ["scenario", "requests", "healed", "exact", "errors expected", "p99 ms", "RSS MiB", "result"];
    let head = head.map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&head]).map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    println!();
    for row in [&head].into_iter().chain(rows) {
        let cells = row.iter().zip(&widths).enumerate();
        let line: Vec<String> = cells
            .map(|(at, (cell, width))| if at == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") })
            .collect();
        println!("{}", line.join("  "));
    }
    println!();
}
