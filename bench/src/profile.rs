//! Finds out where the time goes: compares samples of Envoy's worker while it heals with samples of the same Envoy
//! without the filter.
//!
//! perf takes the stack of the worker some thousand times per second. Envoy and V8's code keep frame pointers, so
//! stacks are complete. Frames of the module have names because Envoy's V8 is made to write them down and the module
//! keeps its own (`named`). Envoy's names are stripped, so its functions are classified by their callers and callees
//! (`stack`).

mod named;
mod perf;
mod stack;

use std::collections::BTreeMap;
use std::time::Duration;

use drifting_upstream::{Mode, contract, users_body};
use nomos_tests::envoy::Envoy;
use serde_json::{Value, json};

use crate::generator::{Pace, Until};
use crate::machine::Machine;
use crate::proxy::Proxy;
use crate::report;
use crate::results::Results;
use crate::section::{Cell, Figures, Section};
use crate::target::Target;
use crate::upstream::Upstream;
use crate::{corpus, proxy, tools};

use named::Functions;
use perf::Stack;
use stack::{Calls, Share};

/// The document with the results.
const DOCUMENT: &str = "docs/profile.md";

/// The number of rounds, and how long each side is sampled in a round.
const ROUNDS: usize = 5;
const SAMPLED: Duration = Duration::from_secs(2);

/// A function that is found at least this often with the filter, but never without it, belongs to the filter.
const ENOUGH: usize = 20;

/// The length of the list in bytes, and how many single functions are listed.
const LIST_BYTES: usize = 10_000_000;
const MOST_FUNCTIONS: usize = 12;

/// A kind of body that is healed.
struct Subject {
    name: &'static str,
    unit: &'static str,
    /// How many of the unit are in a microsecond.
    per_us: f64,
    path: &'static str,
    body: Vec<String>,
    configuration: Value,
    connections: usize,
    /// Texts that prove that a body was healed, and that it was not.
    proofs: [&'static str; 2],
}

/// The samples of one side of a subject, and the processor time of one response in microseconds.
#[derive(Default)]
struct Side {
    stacks: Vec<Stack>,
    cpu_us: Vec<f64>,
}

/// Samples, prints the results, and writes the result file and the document.
pub fn run() -> Result<(), String> {
    perf::check()?;
    let (module, binary) = (named::module()?, named::envoy()?);
    let functions = Functions::of(&binary)?;
    let subjects = subjects()?;
    let bodies: Vec<(&str, Vec<String>)> = subjects.iter().map(|s| (s.path, s.body.clone())).collect();
    let upstream = Upstream::start(&bodies).map_err(|error| format!("upstream: {error}"))?;
    let mut proxy =
        Proxy { binary: Some(binary.clone()), ..Proxy::before(&[upstream.address]) }.listener("plain", None);
    for subject in &subjects {
        let filter = proxy::wasm_at("nomos", &module, &subject.configuration.to_string());
        proxy = proxy.listener(subject.name, Some(filter));
    }
    let mut envoy = proxy.start()?;
    let mut section = Section::new("profile");
    for subject in &subjects {
        println!("{}: {ROUNDS} rounds of {} s for each side", subject.name, SAMPLED.as_secs());
        let [plain, healed] = sample(&envoy, subject, &upstream, &functions)?;
        let tables = tables(subject, &plain, &healed);
        section.tables.extend(tables);
        envoy.check()?;
    }
    perf::forget_names(proxy::pid(&envoy)?);
    println!("{}", section.text());
    let machine = Machine::here(&binary);
    let tools = [tools::all(), vec![("perf".to_owned(), perf::version())]].concat();
    let results = Results {
        run: "profile".to_owned(),
        quick: false,
        machine,
        tools,
        sections: vec![section],
        failures: Vec::new(),
        again: Vec::new(),
    };
    println!("written to {}", results.write()?);
    report::write_to(DOCUMENT, &results)?.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn subjects() -> Result<[Subject; 2], String> {
    let flat = corpus::flat();
    let route = json!({"match": {"prefix": "/"}, "packs": ["all"], "contract": contract::users()});
    let one = users_body(Mode::V2, 20).len() / 20;
    Ok([
        Subject {
            name: "record",
            unit: "us",
            per_us: 1.0,
            path: "/record",
            configuration: serde_json::from_str(&flat.config).map_err(|error| error.to_string())?,
            body: flat.bodies,
            connections: 8,
            proofs: ["\"user_id\"", "\"userId\""],
        },
        Subject {
            name: "list",
            unit: "ms",
            per_us: 1e-3,
            path: "/list",
            configuration: json!({"routes": [route]}),
            body: vec![users_body(Mode::V2, LIST_BYTES / one)],
            connections: 1,
            proofs: ["\"user_id\"", "\"user_identifier\""],
        },
    ])
}

/// Samples both sides in turn.
fn sample(envoy: &Envoy, subject: &Subject, upstream: &Upstream, functions: &Functions) -> Result<[Side; 2], String> {
    let pid = proxy::pid(envoy)?;
    let connect = |listener: &str, proof| {
        Target::connect(listener, pid, envoy.listener(listener)?, subject.connections, (subject.path, proof))
    };
    let mut targets = [connect("plain", subject.proofs[1])?, connect(subject.name, subject.proofs[0])?];
    let mut sides = [Side::default(), Side::default()];
    // Round 0 only warms everything up.
    for round in 0..=ROUNDS {
        for (target, side) in targets.iter_mut().zip(&mut sides) {
            let recording = perf::record(pid)?;
            let measured = target.run(Pace::Closed(1), Until::Elapsed(SAMPLED), &[upstream])?;
            let stacks = recording.stop(functions)?;
            measured.outcome.all_ok()?;
            if round > 0 {
                side.stacks.extend(stacks);
                side.cpu_us.push(measured.cpu_us);
            }
        }
    }
    Ok(sides)
}

/// Returns the processor time of a response by purpose, and by function of the module.
#[allow(clippy::cast_precision_loss)]
fn tables(subject: &Subject, plain: &Side, healed: &Side) -> Vec<Figures> {
    let mean = |side: &Side| side.cpu_us.iter().sum::<f64>() / side.cpu_us.len().max(1) as f64 * subject.per_us;
    let (bare, whole) = (mean(plain), mean(healed));
    let added = whole - bare;
    let calls = Calls::of(&plain.stacks, &healed.stacks, ENOUGH);
    let mut shares: BTreeMap<Share, usize> = BTreeMap::new();
    let mut functions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut memory = 0;
    for stack in &healed.stacks {
        *shares.entry(calls.share(stack)).or_default() += 1;
        memory += usize::from(calls.asks_for_memory(stack));
        if let Some(name) = stack::own(stack) {
            *functions.entry(name).or_default() += 1;
        }
    }
    let each = whole / healed.stacks.len().max(1) as f64;
    let unit = subject.unit;
    let titles = [format!("{unit} per response"), "% of what healing adds".to_owned()];
    let columns = |first| [(first, 0), (titles[0].as_str(), 2), (titles[1].as_str(), 1)];
    let row = |figures: &mut Figures, name: String, value: f64| {
        figures.row(vec![Cell::from(name), value.into(), (value / added * 100.0).into()]);
    };
    let mut by_share: Vec<(Share, f64)> =
        shares.into_iter().map(|(share, count)| (share, count as f64 * each)).collect();
    let known: f64 = by_share.iter().filter(|(share, _)| *share != Share::Plain).map(|(_, value)| value).sum();
    by_share.retain(|(share, _)| *share != Share::Plain);
    by_share.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut costs = Figures::new(&format!("{}-costs", subject.name), &columns("what it goes to"));
    for (share, value) in by_share {
        row(&mut costs, share.to_string(), value);
    }
    row(&mut costs, "all else: chunks in the place of content-length, caches".to_owned(), added - known);
    row(&mut costs, "healing adds".to_owned(), added);
    row(&mut costs, "of which: Envoy asks the module for memory".to_owned(), memory as f64 * each);
    row(&mut costs, "a response without the filter".to_owned(), bare);
    let mut functions: Vec<(&str, usize)> = functions.into_iter().collect();
    functions.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut inside = Figures::new(&format!("{}-functions", subject.name), &columns("function of the module"));
    for (name, count) in functions.into_iter().take(MOST_FUNCTIONS) {
        row(&mut inside, format!("`{name}`"), count as f64 * each);
    }
    vec![costs, inside]
}
