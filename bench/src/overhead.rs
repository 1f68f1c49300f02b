//! What a filter adds to Envoy's processor time per request, over the same Envoy without one.

use std::io;
use std::net::SocketAddr;

use nomos_tests::client;
use nomos_tests::envoy::Envoy;
use serde::Serialize;
use serde_json::Value;

use crate::engine::median;
use crate::load::Load;
use crate::modules::Module;
use crate::table::Table;
use crate::upstream::Upstream;
use crate::{corpus, process, proxy};

/// Requests under way at a time: enough to keep the worker busy, few enough to fit every queue.
const CONNECTIONS: usize = 8;

/// Rounds between two lines of progress; one takes a second or two.
const PROGRESS: usize = 5;

/// How long to measure. Many short rounds rather than a few long ones: what else the machine does then falls on all
/// configurations alike, and differences within a round stay true.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds over all configurations.
    pub rounds: usize,
    /// Requests to one of them in a round.
    pub requests: usize,
}

/// All configurations, measured against the first, which has no filter.
#[derive(Clone, Debug, Serialize)]
pub struct Overhead {
    /// Requests in a round.
    pub requests: usize,
    /// Bytes of a body.
    pub bytes: usize,
    /// In the order measured.
    pub sides: Vec<Side>,
    /// Quantiles of `nomos_heal_us` over all of it, as Envoy prints them: healing as it is in a request, with caches
    /// that other code has just used, where a benchmark's loop finds them warm.
    pub heal_us: String,
}

/// One configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// Its name.
    pub name: &'static str,
    /// Processor time of Envoy per request, in microseconds, by round.
    pub rounds: Vec<f64>,
    /// Their median.
    pub median: f64,
    /// The median of what it takes more than Envoy without a filter in the same round.
    pub added: f64,
}

struct Setup {
    name: &'static str,
    path: &'static str,
    filter: Option<Value>,
    /// A piece of the response body that shows that the filter did its work.
    proof: &'static str,
}

/// Measures everything.
pub fn run(effort: Effort) -> Result<Overhead, String> {
    let drifted = corpus::flat();
    let bytes = drifted.bytes();
    let upstream = Upstream::start(&[("/drifted", drifted.bodies), ("/clean", corpus::clean().bodies)])
        .map_err(said("upstream"))?;
    let setups = setups();
    let listeners: Vec<(&str, Option<Value>)> = setups.iter().map(|s| (s.name, s.filter.clone())).collect();
    let mut envoy = proxy::start(upstream.address, &listeners)?;
    let pid = envoy.file("pid").trim().parse().map_err(|_| "Envoy's process id is not known".to_owned())?;
    let mut sides = setups.iter().map(|setup| open(&envoy, setup)).collect::<Result<Vec<_>, _>>()?;
    // The round before the first warms everything up.
    for round in 0..=effort.rounds {
        if round % PROGRESS == 0 {
            eprintln!("overhead: {round} of {} rounds", effort.rounds);
        }
        for at in 0..sides.len() {
            // Each round begins with another configuration, so that none always follows the same one.
            let (side, load) = &mut sides[(at + round) % setups.len()];
            let spent = spend(pid, load, &upstream, effort.requests).map_err(said(side.name))?;
            if round > 0 {
                side.rounds.push(spent);
            }
        }
        envoy.check()?;
    }
    let heal_us = heal_us(&envoy)?;
    let mut sides: Vec<Side> = sides.into_iter().map(|(side, _)| side).collect();
    settle(&mut sides);
    Ok(Overhead { requests: effort.requests, bytes, sides, heal_us })
}

/// The table that people read.
pub fn table(overhead: &Overhead) -> String {
    let floors = ["echo-bare", "echo-sdk", "echo-calls"];
    let mut table = Table::new(&[
        "configuration",
        "CPU us/request",
        "lowest",
        "highest",
        "added us",
        "x echo-bare",
        "x echo-sdk",
        "x echo-calls",
    ]);
    for side in &overhead.sides {
        let ratio = |floor: &str| match overhead.added(floor) {
            Some(added) if side.added > 0.0 => format!("{:.2}", side.added / added),
            _ => String::new(),
        };
        table.row(&[
            side.name.to_owned(),
            format!("{:.1}", side.median),
            format!("{:.1}", side.rounds.iter().copied().fold(f64::INFINITY, f64::min)),
            format!("{:.1}", side.rounds.iter().copied().fold(0.0, f64::max)),
            format!("{:.1}", side.added),
            ratio(floors[0]),
            ratio(floors[1]),
            ratio(floors[2]),
        ]);
    }
    format!("{}\n\nnomos_heal_us: {}", table.text(), overhead.heal_us)
}

impl Overhead {
    /// What a configuration adds, in microseconds.
    pub fn added(&self, name: &str) -> Option<f64> {
        self.sides.iter().find(|side| side.name == name).map(|side| side.added)
    }
}

/// The first has no filter.
fn setups() -> Vec<Setup> {
    let nomos = |configuration: &str| Some(proxy::wasm("nomos", Module::Filter, configuration));
    let heal = corpus::flat().config;
    let echo = |name, module, configuration| Some(proxy::wasm(name, module, configuration));
    let setup = |name, path, filter, proof| Setup { name, path, filter, proof };
    vec![
        setup("plain", "/drifted", None, "\"userId\""),
        setup("echo-bare", "/drifted", echo("echo-bare", Module::EchoBare, ""), "\"userId\""),
        setup("echo-bare-length", "/drifted", echo("echo-bare-length", Module::EchoBare, "keep"), "\"userId\""),
        setup("echo-sdk", "/drifted", echo("echo-sdk", Module::EchoSdk, ""), "\"userId\""),
        setup("echo-calls", "/drifted", echo("echo-calls", Module::EchoCalls, ""), "\"userId\""),
        setup("nomos-drifted", "/drifted", nomos(&heal), "\"user_id\""),
        setup("nomos-clean", "/clean", nomos(&heal), "\"user_id\""),
        setup("nomos-no-route", "/drifted", nomos(r#"{"routes": []}"#), "\"userId\""),
        setup("nomos-off", "/drifted", nomos(r#"{"mode": "off"}"#), "\"userId\""),
    ]
}

fn open(envoy: &Envoy, setup: &Setup) -> Result<(Side, Load), String> {
    let to: SocketAddr = envoy.listener(setup.name)?;
    let reply = client::fetch(to, "GET", setup.path, &[]).map_err(said(setup.name))?;
    if !String::from_utf8_lossy(&reply.body).contains(setup.proof) {
        return Err(format!("{}: found a body without {}; expected one with it", setup.name, setup.proof));
    }
    let load = Load::connect(to, CONNECTIONS, setup.path).map_err(said(setup.name))?;
    Ok((Side { name: setup.name, rounds: Vec::new(), median: 0.0, added: 0.0 }, load))
}

/// The quantiles since the start, which Envoy prints behind those of the last interval.
fn heal_us(envoy: &Envoy) -> Result<String, String> {
    let text = envoy.admin_get("/stats?filter=nomos_heal_us")?;
    let quantile = |field: &str| {
        let (name, values) = field.split_once('(')?;
        let value: f64 = values.trim_end_matches(')').split_once(',')?.1.parse().ok()?;
        matches!(name, "P50" | "P90" | "P99").then(|| format!("{name} {value:.1}"))
    };
    Ok(text.split_ascii_whitespace().filter_map(quantile).collect::<Vec<_>>().join(", "))
}

/// Microseconds of Envoy's processor time per request.
#[allow(clippy::cast_precision_loss)]
fn spend(pid: u32, load: &mut Load, upstream: &Upstream, requests: usize) -> io::Result<f64> {
    let per_connection = requests / load.connections();
    // What the caches lost to the others comes back before it counts.
    load.run(per_connection / 10 + 1, upstream)?;
    let before = process::cpu_ns(pid).map_err(io::Error::other)?;
    load.run(per_connection, upstream)?;
    let after = process::cpu_ns(pid).map_err(io::Error::other)?;
    Ok((after - before) as f64 / (per_connection * load.connections()) as f64 / 1e3)
}

fn settle(sides: &mut [Side]) {
    let plain = sides.first().map(|side| side.rounds.clone()).unwrap_or_default();
    for side in sides {
        side.median = median(side.rounds.clone());
        side.added = median(side.rounds.iter().zip(&plain).map(|(own, plain)| own - plain).collect());
    }
}

fn said<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> String {
    move |error| format!("{what}: {error}")
}
