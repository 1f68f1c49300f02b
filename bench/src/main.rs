//! Runs benchmarks, prints their results, and writes them to result files and into the document.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nomos_bench::machine::Machine;
use nomos_bench::progress::Progress;
use nomos_bench::report;
use nomos_bench::results::Results;
use nomos_bench::scenario::{self, Scenario, Setting};
use nomos_bench::{modules, peers, profile, tools, xdp};
use nomos_tests::paths;

/// Measures what healing costs.
#[derive(Parser)]
#[command(name = "nomos-bench", after_help = scenarios())]
struct Arguments {
    /// `all`, `quick`, names of scenarios, `report`, `profile`, or `xdp`.
    ///
    /// all: every scenario; writes bench/results/DATE-all.json and .csv, and docs/benchmarks.md.
    /// quick: the same with less certainty; writes bench/results/DATE-quick.json and .csv.
    /// report: docs/benchmarks.md and its plots from the newest result of `all`, or from --results.
    /// profile: where the time goes in Envoy, by perf; writes bench/results/DATE-profile.json and .csv, and docs/profile.md.
    /// xdp: throughput of Envoy with and without nomos-xdp on loopback; needs root; writes nothing.
    #[arg(required = true)]
    what: Vec<String>,
    /// Measure the named scenarios as `quick` does.
    #[arg(long)]
    quick: bool,
    /// Scenarios to leave out.
    #[arg(long, value_name = "SCENARIO")]
    skip: Vec<String>,
    /// Of `peers`, only fidelity and long bodies.
    #[arg(long)]
    untimed: bool,
    /// The result file for `report`; or one in which the named scenarios are measured again, as where something else ran
    /// beside them.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
}

const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let whole: Vec<&str> = arguments.what.iter().map(String::as_str).collect();
    let done = match whole[..] {
        ["report"] => write_report(arguments.results),
        ["xdp"] => run_xdp(),
        ["profile"] => profile::run(),
        ["peers"] if arguments.untimed => modules::build().and_then(|()| peers::run_untimed()),
        _ => match chosen(&arguments) {
            Ok(scenarios) => run(&arguments, &scenarios),
            Err(error) => {
                eprintln!("nomos-bench: {error}");
                return ExitCode::from(BAD_USAGE);
            }
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nomos-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn scenarios() -> String {
    let lines = scenario::ALL.iter().map(|scenario| format!("  {:<11} {}", scenario.name, scenario.title));
    format!("Scenarios:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Returns the scenarios to run, in their order.
fn chosen(arguments: &Arguments) -> Result<Vec<&'static Scenario>, String> {
    let Arguments { what, skip, .. } = arguments;
    let is_whole = |name: &str| name == "all" || name == "quick";
    let known = |name: &&String| scenario::ALL.iter().any(|scenario| scenario.name == name.as_str());
    let mut names = what.iter().filter(|name| !is_whole(name)).chain(skip);
    if let Some(name) = names.find(|name| !known(name)) {
        return Err(format!(
            "found `{name}`; expected all, quick, report, profile, xdp or a scenario\n{}",
            scenarios()
        ));
    }
    if arguments.results.is_some() && what.iter().any(|name| is_whole(name)) {
        return Err(
            "found --results beside `all` or `quick`, which write their own; expected names of scenarios".to_owned()
        );
    }
    if what.len() > 1 && what.iter().any(|name| is_whole(name)) {
        return Err("found other names beside `all` or `quick`; expected one of them alone".to_owned());
    }
    let wanted = |scenario: &&Scenario| {
        let is_asked_for = what.iter().any(|name| is_whole(name) || name == scenario.name);
        is_asked_for && !skip.iter().any(|name| name == scenario.name)
    };
    Ok(scenario::ALL.iter().filter(wanted).collect())
}

/// Runs scenarios one after the other. The failure of one does not lose the results of the others. Results so far are
/// in the result file even if the process ends abruptly.
fn run(arguments: &Arguments, scenarios: &[&Scenario]) -> Result<(), String> {
    let name = arguments.what.join("-");
    let quick = arguments.quick || name == "quick";
    let is_kept = name == "all" || name == "quick";
    let into = arguments.results.as_ref().map(Results::read).transpose()?;
    if let Some(into) = &into {
        into.may_take(quick)?;
    }
    modules::build()?;
    // Building it later would count as measuring.
    modules::command()?;
    let machine = Machine::here(&paths::envoy("pinned")?);
    let mut results = Results {
        run: name.clone(),
        quick,
        machine,
        tools: tools::all(),
        sections: Vec::new(),
        failures: Vec::new(),
        again: Vec::new(),
    };
    println!("{}\n", results.machine_text());
    let progress = Progress::new(scenarios.iter().map(|scenario| scenario.expected(quick)).sum());
    for scenario in scenarios {
        progress.begin(scenario.name, scenario.expected(quick));
        let start = std::time::Instant::now();
        match (scenario.run)(&Setting { quick, machine: &results.machine, progress: &progress }) {
            Ok(section) => {
                let took = start.elapsed().as_secs();
                progress.print(&format!("{}: {} ({took} s)\n\n{}", scenario.name, scenario.title, section.text()));
                results.sections.push(section);
            }
            Err(error) => {
                progress.print(&format!("{}: failed: {error}", scenario.name));
                results.failures.push((scenario.name.to_owned(), error));
            }
        }
        if is_kept {
            results.write()?;
        }
    }
    drop(progress);
    if is_kept {
        println!("written to {}", results.write()?);
    }
    if let Some(mut into) = into {
        let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name).collect();
        into.replace(Results { run: names.join(", "), ..results });
        results = into;
        println!("written to {}", results.write()?);
    }
    if results.run == "all" {
        for line in report::write(&results)? {
            println!("{line}");
        }
    }
    if results.failures.is_empty() {
        return Ok(());
    }
    let failed: Vec<&str> = results.failures.iter().map(|(name, _)| name.as_str()).collect();
    Err(format!("failed: {}; all others are in the results", failed.join(", ")))
}

fn write_report(file: Option<PathBuf>) -> Result<(), String> {
    let file = file.map_or_else(Results::newest, Ok)?;
    for line in report::write(&Results::read(&file)?)? {
        println!("{line}");
    }
    Ok(())
}

fn run_xdp() -> Result<(), String> {
    let machine = Machine::here(&paths::envoy("pinned")?);
    println!("{}\n", machine.text());
    println!("{}", xdp::run(xdp::Effort { rounds: 41, requests: 8_000 })?);
    Ok(())
}
