//! The scenarios.

use crate::machine::Machine;
use crate::progress::Progress;
use crate::scenarios::{baseline, drift, healing, ladder, latency, memory, open_loop, sizes, watching};
use crate::section::Section;
use crate::{engine, overhead, peers, similarity, streaming};

/// A scenario that can be measured by itself.
pub struct Scenario {
    /// The name on the command line, in results and in the document.
    pub name: &'static str,
    /// The subject in words.
    pub title: &'static str,
    /// The expected seconds of a full and of a quick run.
    pub seconds: [u64; 2],
    /// Runs the scenario.
    pub run: fn(&Setting<'_>) -> Result<Section, String>,
}

/// How a scenario is run.
pub struct Setting<'a> {
    /// Whether to take less time, with less certainty.
    pub quick: bool,
    /// The machine.
    pub machine: &'a Machine,
    /// Gets the progress.
    pub progress: &'a Progress,
}

impl Setting<'_> {
    /// Returns the first value, or the second in a quick run.
    pub fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// All scenarios, in the order in which they run.
pub const ALL: &[Scenario] = &[
    scenario("engine", "the engine by stages, natively and in V8, and against parsers", [120, 30], engine::section),
    scenario("similarity", "known shapes, first sights, large contracts, nomos match", [30, 12], similarity::section),
    scenario("overhead", "processor time that filters add to Envoy", [75, 15], overhead::section),
    scenario("streaming", "lists that are too long to be held", [45, 10], streaming::section),
    scenario("healing", "healing latency by operation under load", [6, 4], healing::section),
    scenario("ladder", "throughput from 100 connections to 2,500", [20, 8], ladder::section),
    scenario("latency", "latency under five loads", [75, 8], latency::section),
    scenario("sizes", "what healing takes from 1 KB to 100 MB", [60, 15], sizes::section),
    scenario("drift", "what is healed in each drift mode", [10, 5], drift::section),
    scenario("baseline", "local and proxied answers: Envoy, Envoy with Nomos, nginx", [100, 20], baseline::section),
    scenario("watching", "what metrics, access logs and traces cost", [100, 19], watching::section),
    scenario("memory", "resident memory, idle, under load and after an hour's requests", [290, 24], memory::section),
    scenario("open-loop", "latency at a constant rate", [70, 12], open_loop::section),
    scenario("peers", "Nomos beside what people would use instead", [360, 60], beside_peers),
];

const fn scenario(
    name: &'static str,
    title: &'static str,
    seconds: [u64; 2],
    run: fn(&Setting<'_>) -> Result<Section, String>,
) -> Scenario {
    Scenario { name, title, seconds, run }
}

/// Runs the scenario `peers`, which has a result file and a document of its own.
fn beside_peers(setting: &Setting<'_>) -> Result<Section, String> {
    peers::run(setting.quick, setting.machine)?;
    let notes = vec!["[Peers](peers.md) has what was found.".to_owned()];
    Ok(Section { notes, ..Section::new("peers") })
}

impl Scenario {
    /// Returns the expected seconds.
    pub fn expected(&self, quick: bool) -> u64 {
        self.seconds[usize::from(quick)]
    }
}
