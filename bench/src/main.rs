//! Runs the benchmarks that need an Envoy, prints tables and writes a result file.

use std::process::ExitCode;

use nomos_bench::machine::Machine;
use nomos_bench::results::Results;
use nomos_bench::{engine, modules, overhead, peers, similarity, streaming, xdp};
use nomos_tests::paths;

const USAGE: &str = "\
Usage: nomos-bench all|quick|engine|similarity|overhead|streaming|peers|xdp

  all        everything, some minutes; writes bench/results/DATE-all.json
  quick      the same in about a minute, with less certainty; writes bench/results/DATE-quick.json
  engine     the engine only, natively and inside Envoy's V8; writes nothing
  similarity known shapes, first sights, large contracts and `nomos match` only; writes nothing
  overhead   processor time that filters add to Envoy only; writes nothing
  streaming  lists that are too long to be held: against healing as a whole, and through Envoy; writes nothing
  peers      Nomos beside what people would use instead; writes bench/results/DATE-peers.json and docs/peers.md
             (with --quick in a minute, and not the latter; with --untimed fidelity and long bodies only)
  xdp        throughput of Envoy with and without nomos-xdp on loopback; needs root; writes nothing

The engine natively by name of body: cargo bench -p nomos-bench -- flat-1k";

const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let run = match argument.as_str() {
        "xdp" => run_xdp(),
        "peers" => run_peers(),
        "streaming" => modules::build().and_then(|()| streaming::run()),
        name @ ("all" | "quick" | "engine" | "similarity" | "overhead") => run(name),
        other => {
            eprintln!(
                "nomos-bench: found `{other}`; expected all, quick, engine, similarity, overhead, streaming, peers or xdp\n{USAGE}"
            );
            return ExitCode::from(BAD_USAGE);
        }
    };
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nomos-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str) -> Result<(), String> {
    let quick = name == "quick";
    modules::build()?;
    let machine = Machine::here(&paths::envoy("pinned")?);
    println!("{}\n", machine.text());
    let mut results = Results {
        run: name.to_owned(),
        machine,
        native: Vec::new(),
        in_envoy: Vec::new(),
        overhead: None,
        similarity: None,
    };
    let effort = engine::Effort { rounds: if quick { 3 } else { 7 }, batches: if quick { 60 } else { 150 } };
    if matches!(name, "all" | "quick" | "engine") {
        results.native = engine::native(effort)?;
        println!("Natively\n\n{}\n", engine::table(&results.native));
        results.in_envoy = engine::in_envoy(effort)?;
        println!("In Envoy's V8\n\n{}\n", engine::table(&results.in_envoy));
    }
    if name != "overhead" {
        let measured = similarity::run(effort)?;
        println!("Similarity\n\n{}\n", similarity::table(&measured));
        results.similarity = Some(measured);
    }
    if matches!(name, "all" | "quick" | "overhead") {
        let (rounds, requests) = if quick { (15, 2_000) } else { (75, 2_000) };
        let measured = overhead::run(overhead::Effort { rounds, requests })?;
        println!("{}\n", overhead::table(&measured));
        results.overhead = Some(measured);
    }
    if matches!(name, "all" | "quick") {
        println!("written to {}", results.write()?);
    }
    Ok(())
}

fn run_peers() -> Result<(), String> {
    modules::build()?;
    let machine = Machine::here(&paths::envoy("pinned")?);
    println!("{}\n", machine.text());
    match std::env::args().nth(2).as_deref() {
        None => peers::run(false, &machine),
        Some("--quick") => peers::run(true, &machine),
        Some("--untimed") => peers::run_untimed(),
        Some(other) => Err(format!("peers: found `{other}`; expected --quick, --untimed or nothing")),
    }
}

fn run_xdp() -> Result<(), String> {
    let machine = Machine::here(&paths::envoy("pinned")?);
    println!("{}\n", machine.text());
    println!("{}", xdp::run(xdp::Effort { rounds: 41, requests: 8_000 })?);
    Ok(())
}
