//! The cost of responses in fuel, which counts wasm instructions and does not depend on the machine's load.
//!
//! A response is counted from the creation of its context to its end. That includes host calls and headers, but not the
//! host's work in a call. Instructions are not time: one that copies memory counts as one, however much it copies.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use drifting_upstream::{Mode, contract, user_body};
use nomos_bench::{corpus, streaming};
use serde_json::json;

use crate::host::Host;
use crate::hostile::{self, Hostile};
use crate::module::Module;
use crate::response::{Reply, Response};
use crate::vm::Vm;

/// How far a count may differ from its budget, in percent. Counts are exact; the tolerance lets small changes pass.
pub const TOLERANCE: f64 = 3.0;

/// How many bytes Envoy reads from a socket at once.
const CHUNK: usize = 16 << 10;

/// The length in bytes of a list that streams: twice what is held by default.
const STREAM: usize = 2 << 20;

/// The number of responses of which the median or the maximum is taken: some more than are needed until a stencil is
/// drawn.
const ROUNDS: usize = 9;

/// The suffix for bodies whose skeleton, and that of the elements in them, is new to the VM.
pub const UNSEEN: &str = "-unseen";

/// The suffix for such bodies after which a stencil is drawn.
pub const DRAWN: &str = "-drawn";

/// The command that updates the budget.
pub const UPDATE: &str = "cargo run -p nomos-harness -- budget --write";

/// The cost of one response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Its name in the budget.
    pub name: String,
    /// The length of the body in bytes.
    pub bytes: usize,
    /// The number of instructions.
    pub fuel: u64,
}

/// A difference between costs and budgets.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The cost exceeds its budget by more than the tolerance, or one of the two is missing.
    Over(String),
    /// The cost is below its budget by more than the tolerance, so the budget can be lowered.
    Hint(String),
}

/// Counts everything that has a budget: all bodies of the benchmarks, and the work of similarity.
pub fn measure(module: &Module) -> Result<Vec<Cost>, String> {
    let mut costs = Vec::new();
    for subject in corpus::subjects().into_iter().chain([corpus::flat_by_path("/u")]) {
        let bodies: Vec<&[u8]> = subject.bodies.iter().map(String::as_bytes).collect();
        let changes = subject.ops > 0;
        let name = subject.name;
        let bytes = bodies.iter().map(|body| body.len()).sum::<usize>() / bodies.len().max(1);
        let fuel = known(module, &subject.config, &bodies, changes).map_err(|what| say(&name, &what))?;
        let cost = |suffix: &str, fuel| Cost { name: format!("{name}{suffix}"), bytes, fuel };
        costs.push(cost("", fuel));
        let [fuel, drawn] = unseen(module, &subject.config, &bodies, changes).map_err(|what| say(&name, &what))?;
        costs.extend([cost(UNSEEN, fuel), cost(DRAWN, drawn)]);
    }
    for subject in streaming::subjects(STREAM) {
        let config = subject.configuration().to_string();
        let name = slug(subject.name);
        let changes = !name.ends_with("-healthy");
        let bytes = subject.body.len();
        let fuel = known(module, &config, &[subject.body.as_bytes()], changes).map_err(|what| say(&name, &what))?;
        costs.push(Cost { name, bytes, fuel });
    }
    let body = user_body(Mode::V2);
    let figures = similarity(module, body.as_bytes()).map_err(|what| say("similarity", &what))?;
    let names = ["similarity-first-sight", "similarity-known-shape", "similarity-known-shape-unseen"];
    for (name, fuel) in names.into_iter().zip(figures) {
        costs.push(Cost { name: name.to_owned(), bytes: body.len(), fuel });
    }
    for subject in hostile::all() {
        costs.push(hostile(module, &subject).map_err(|what| say(subject.name, &what))?);
    }
    Ok(costs)
}

/// Compares costs with budgets. Failures come before hints.
pub fn compare(costs: &[Cost], budgets: &BTreeMap<String, u64>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = costs.iter().filter_map(|cost| judge(cost, budgets)).collect();
    let gone = budgets.keys().filter(|name| !costs.iter().any(|cost| cost.name == **name));
    findings.extend(
        gone.map(|name| Finding::Over(format!("{name}: has a budget, and is not counted; to update: {UPDATE}"))),
    );
    findings.sort_by_key(|finding| matches!(finding, Finding::Hint(_)));
    findings
}

/// Returns a table of costs and budgets.
pub fn table(costs: &[Cost], budgets: &BTreeMap<String, u64>) -> String {
    let mut out =
        format!("{:<34}{:>9}{:>12}{:>10}{:>12}{:>9}\n", "response", "bytes", "fuel", "per byte", "budget", "change");
    for cost in costs {
        let per_byte = ratio(cost.fuel, cost.bytes as u64);
        let _ = write!(out, "{:<34}{:>9}{:>12}{per_byte:>10.1}", cost.name, cost.bytes, cost.fuel);
        let _ = match budgets.get(&cost.name) {
            Some(budget) => writeln!(out, "{budget:>12}{:>+8.1}%", percent(cost.fuel, *budget)),
            None => writeln!(out, "{:>12}{:>9}", "none", ""),
        };
    }
    out
}

/// Reads the committed budgets.
pub fn read() -> Result<BTreeMap<String, u64>, String> {
    let path = path();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{}: {error}; to write it: {UPDATE}", path.display()))?;
    parse(&text).map_err(|what| format!("{}: {what}; to write it anew: {UPDATE}", path.display()))
}

/// Makes these costs the budgets, and returns the path of the file.
pub fn write(costs: &[Cost]) -> Result<PathBuf, String> {
    let path = path();
    let mut text = format!("# Fuel per response, which CI holds to within {TOLERANCE} %. Written by: {UPDATE}\n");
    for cost in costs {
        let _ = writeln!(text, "{} {}", cost.name, cost.fuel);
    }
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("budget.txt")
}

fn parse(text: &str) -> Result<BTreeMap<String, u64>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let parts = line.split_once(' ').and_then(|(name, fuel)| Some((name.to_owned(), fuel.parse().ok()?)));
            parts.ok_or_else(|| format!("line {}: found `{line}`; expected a name, a space and a number", at + 1))
        })
        .collect()
}

fn judge(cost: &Cost, budgets: &BTreeMap<String, u64>) -> Option<Finding> {
    let Cost { name, fuel, .. } = cost;
    let Some(budget) = budgets.get(name) else {
        return Some(Finding::Over(format!("{name}: has no budget; to update: {UPDATE}")));
    };
    let change = percent(*fuel, *budget);
    if change > TOLERANCE {
        let what = format!(
            "{name}: {fuel} fuel, {change:+.1} % of its budget of {budget}, which may be exceeded by {TOLERANCE} %"
        );
        Some(Finding::Over(format!("{what}; make it cheaper, or if it is worth that: {UPDATE}")))
    } else if change < -TOLERANCE {
        Some(Finding::Hint(format!(
            "{name}: {fuel} fuel, {change:+.1} % of its budget of {budget}; to lower it: {UPDATE}"
        )))
    } else {
        None
    }
}

/// Returns the fuel of responses with these bodies in a VM that has seen them before: the median of some rounds, each
/// the average over all bodies. In the first rounds the allocator still searches the heap, which costs up to a tenth of
/// a response, depending on its layout.
fn known(module: &Module, config: &str, bodies: &[&[u8]], changes: bool) -> Result<u64, String> {
    let mut vm = start(module, config)?;
    for body in bodies {
        count(&mut vm, body, changes)?;
    }
    let rounds = sorted(|_| {
        let fuel: Result<u64, String> = bodies.iter().map(|body| count(&mut vm, body, changes)).sum();
        Ok(fuel? / bodies.len().max(1) as u64)
    })?;
    Ok(rounds[ROUNDS / 2])
}

/// Returns the fuel of responses with these bodies if each has a skeleton that is new to the VM: the median of some
/// rounds, and the maximum, which is a response after which a stencil is drawn. Each is the average over all bodies.
fn unseen(module: &Module, config: &str, bodies: &[&[u8]], changes: bool) -> Result<[u64; 2], String> {
    let mut fuel = [0; 2];
    for body in bodies {
        let mut vm = start(module, config)?;
        count(&mut vm, body, changes)?;
        let rounds = sorted(|round| count(&mut vm, &spaced(body, round), changes))?;
        fuel[0] += rounds[ROUNDS / 2];
        fuel[1] += rounds[ROUNDS - 1];
    }
    Ok(fuel.map(|fuel| fuel / bodies.len().max(1) as u64))
}

/// Returns the results of `count` for rounds from 1 on, in ascending order.
fn sorted(mut count: impl FnMut(usize) -> Result<u64, String>) -> Result<[u64; ROUNDS], String> {
    let mut counts = [0; ROUNDS];
    for (before, fuel) in counts.iter_mut().enumerate() {
        *fuel = count(before + 1)?;
    }
    counts.sort_unstable();
    Ok(counts)
}

/// Returns a body with this many additional spaces at the start of each object.
fn spaced(body: &[u8], spaces: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    for byte in body {
        out.push(*byte);
        if *byte == b'{' {
            out.extend(std::iter::repeat_n(b' ', spaces));
        }
    }
    out
}

/// Returns the fuel of a body whose shape is new to similarity, of the same body again, and of a body with this shape
/// and another skeleton. A body of another shape warms up the VM first.
fn similarity(module: &Module, body: &[u8]) -> Result<[u64; 3], String> {
    let route = json!({"match": {"prefix": "/"}, "contract": contract::user(), "similarity": {"profile": "default"}});
    let mut vm = start(module, &json!({"routes": [route]}).to_string())?;
    count(&mut vm, user_body(Mode::Camel).as_bytes(), true)?;
    let first = count(&mut vm, body, true)?;
    count(&mut vm, body, true)?;
    let again = count(&mut vm, body, true)?;
    let indented = [b" ", body].concat();
    Ok([first, again, count(&mut vm, &indented, true)?])
}

/// Returns the cost of a hostile body, whose shapes are new.
fn hostile(module: &Module, hostile: &Hostile) -> Result<Cost, String> {
    let route = json!({"match": {"prefix": "/"}, "contract": hostile.contract, "similarity": {"profile": "default"}});
    let config = json!({"max_held_bytes": hostile.held, "routes": [route]});
    let mut vm = start(module, &config.to_string())?;
    count(&mut vm, user_body(Mode::V2).as_bytes(), false)?;
    let fuel = count(&mut vm, hostile.body.as_bytes(), hostile.heals)?;
    Ok(Cost { name: format!("similarity-{}", hostile.name), bytes: hostile.body.len(), fuel })
}

fn start(module: &Module, config: &str) -> Result<Vm, String> {
    let vm = Vm::configured(module, Host::new(config)).map_err(|trap| trap.to_string())?;
    vm.ok_or_else(|| "the configuration is refused".to_owned())
}

/// Returns the fuel of one response. Fails unless its body changes as expected.
fn count(vm: &mut Vm, body: &[u8], changes: bool) -> Result<u64, String> {
    let response = Response::json(body).cut(CHUNK);
    let (fuel, Reply { body: got, trap, .. }) = vm.fuel(|vm| response.run(vm));
    match trap {
        Some(trap) => Err(trap.to_string()),
        None if (got != body) == changes => Ok(fuel),
        None => Err(format!("{}: expected it to be healed: {changes}", String::from_utf8_lossy(&got))),
    }
}

/// Returns the budget's name for a list that streams.
fn slug(name: &str) -> String {
    format!("stream-{}", name.replace(',', "").replace(' ', "-"))
}

fn say(name: &str, what: &str) -> String {
    format!("{name}: {what}")
}

fn percent(fuel: u64, budget: u64) -> f64 {
    ratio(fuel, budget) * 100.0 - 100.0
}

/// The counts here are far below the point where an f64 is inexact.
#[allow(clippy::cast_precision_loss)]
fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fuel: u64) -> Vec<Finding> {
        let costs = [Cost { name: "a".to_owned(), bytes: 10, fuel }];
        compare(&costs, &BTreeMap::from([("a".to_owned(), 1000)]))
    }

    #[test]
    fn only_what_is_over_fails() {
        assert!(matches!(&found(1031)[..], [Finding::Over(what)] if what.contains(UPDATE)));
        assert!(found(1030).is_empty() && found(970).is_empty());
        assert!(matches!(&found(969)[..], [Finding::Hint(what)] if what.contains(UPDATE)));
    }

    #[test]
    fn budget_and_counts_have_the_same_names() {
        let cost = Cost { name: "b".to_owned(), bytes: 1, fuel: 1 };
        let findings = compare(&[cost], &BTreeMap::from([("a".to_owned(), 1)]));
        assert!(matches!(&findings[..], [Finding::Over(_), Finding::Over(_)]), "{findings:?}");
    }

    #[test]
    fn files() {
        assert_eq!(parse("# x\na 1\n\nb 2\n"), Ok(BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)])));
        for bad in ["a", "a b", "1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
