//! The chaos suite: twenty kinds of trouble for one Envoy with two workers. Each response is compared with what it must
//! be: healed, to the byte as it came, or the error that Envoy gives without Nomos.
//!
//! `scripts/chaos` runs it; `--quick` is a bounded version, `--floor` takes the oldest supported Envoy, further words
//! choose scenarios by name. Exit code 0 says that every scenario passed.

mod client;
mod expect;
mod report;
mod scenario;
mod stand;
mod upstream;

use std::process::ExitCode;

use crate::report::Report;
use crate::scenario::{SCENARIOS, Size};
use crate::stand::Stand;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| !["--quick", "--floor"].contains(*flag)) {
        eprintln!("chaos: found `{unknown}`; expected --quick, --floor or words of scenario names");
        return ExitCode::from(2);
    }
    let size = if flags.contains(&"--quick") { Size::Quick } else { Size::Full };
    let version = if flags.contains(&"--floor") { "floor" } else { "pinned" };
    match run(version, size, &names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("chaos: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything passed.
fn run(version: &str, size: Size, names: &[&str]) -> Result<bool, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| format!("no runtime: {e}"))?;
    runtime.block_on(async {
        let stand = Stand::start(version)?;
        let mut report = Report::new(version, &stand);
        let wanted = |name: &str| names.is_empty() || names.iter().any(|word| name.contains(word));
        let chosen: Vec<_> = SCENARIOS.iter().filter(|scenario| wanted(scenario.name)).collect();
        for (at, scenario) in chosen.iter().enumerate() {
            report.begin(at + 1, chosen.len(), scenario.name);
            let tally = scenario.run(&stand, size).await;
            report.end(scenario.name, tally, &stand);
        }
        Ok(report.finish(&stand))
    })
}
