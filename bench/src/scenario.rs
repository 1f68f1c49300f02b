//! What there is to run.

use crate::machine::Machine;
use crate::progress::Progress;
use crate::scenarios::{baseline, drift, healing, ladder, latency, memory, open_loop, sizes, watching};
use crate::section::Section;
use crate::{engine, overhead, peers, similarity, streaming};

/// Something that is measured by itself.
pub struct Scenario {
    /// What it is called on the command line, in results and in the document.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Seconds that it takes, and that it takes in a quick run.
    pub seconds: [u64; 2],
    /// Measures.
    pub run: fn(&Setting<'_>) -> Result<Section, String>,
}

/// How a scenario is to run.
pub struct Setting<'a> {
    /// Whether to take less time, for less certainty.
    pub quick: bool,
    /// What it runs on.
    pub machine: &'a Machine,
    /// Told how far it is.
    pub progress: &'a Progress,
}

impl Setting<'_> {
    /// The first, or the second in a quick run.
    pub fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// All of them, in the order in which they run.
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

/// Peers have a result file and a document of their own.
fn beside_peers(setting: &Setting<'_>) -> Result<Section, String> {
    peers::run(setting.quick, setting.machine)?;
    let notes = vec!["[Peers](peers.md) has what was found.".to_owned()];
    Ok(Section { notes, ..Section::new("peers") })
}

impl Scenario {
    /// How long it is expected to take.
    pub fn expected(&self, quick: bool) -> u64 {
        self.seconds[usize::from(quick)]
    }
}
