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
use crate::scenario::Setting;
use crate::section::{Cell, Figures, Plot, Section};
use crate::upstream::Upstream;
use crate::{corpus, process, proxy};

/// Requests under way at a time: enough to keep the worker busy, few enough to fit every queue.
const CONNECTIONS: usize = 8;

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

/// The factor of processor time that healing 1 KB is to take at most.
const MOST: f64 = 1.3;

/// Measures everything.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let effort = Effort { rounds: setting.pick(75, 11), requests: 2_000 };
    let overhead = run(effort, &|done, of| setting.progress.at(done, of))?;
    let mut notes = vec![format!("`nomos_heal_us` in the same run: {}.", overhead.heal_us)];
    if let (Some(plain), Some(healed)) = (overhead.side("plain"), overhead.side("nomos-drifted")) {
        let factor = healed.times(plain);
        let verdict = if factor <= MOST { "met" } else { "missed" };
        notes.push(format!(
            "Healing 1 KB takes {factor:.2} times the processor time of plain Envoy (at most {MOST:.2}: {verdict})."
        ));
    }
    let names: Vec<String> = overhead.sides.iter().skip(1).map(|side| side.name.to_owned()).collect();
    let added = overhead.sides.iter().skip(1).map(|side| side.added).collect();
    let plot = Plot::bars(
        "added",
        "Processor time added to Envoy, body of 1 KB",
        "us per request",
        &names,
        &[("added", added)],
    );
    let rounds = serde_json::to_value(&overhead).map_err(|error| error.to_string())?;
    Ok(Section { tables: vec![table(&overhead)], plots: vec![plot], notes, rounds, ..Section::new("overhead") })
}

fn run(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Overhead, String> {
    let drifted = corpus::flat();
    let bytes = drifted.bytes();
    let upstream = Upstream::start(&[("/drifted", drifted.bodies), ("/clean", corpus::clean().bodies)])
        .map_err(said("upstream"))?;
    let setups = setups();
    let listeners: Vec<(&str, Option<Value>)> = setups.iter().map(|s| (s.name, s.filter.clone())).collect();
    let mut envoy = proxy::start(upstream.address, &listeners)?;
    let pid = proxy::pid(&envoy)?;
    let mut sides = setups.iter().map(|setup| open(&envoy, setup)).collect::<Result<Vec<_>, _>>()?;
    // The round before the first warms everything up.
    for round in 0..=effort.rounds {
        progress(round, effort.rounds);
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
fn table(overhead: &Overhead) -> Figures {
    let mut figures = Figures::new(
        "configurations",
        &[
            ("configuration", 0),
            ("CPU us/request", 1),
            ("lowest", 1),
            ("highest", 1),
            ("added us", 1),
            ("x plain", 2),
            ("x echo-bare", 2),
            ("x echo-sdk", 2),
            ("x echo-calls", 2),
        ],
    );
    for side in &overhead.sides {
        let ratio = |floor: &str| {
            let floor = overhead.side(floor).filter(|_| side.added > 0.0);
            Cell::from(floor.map(|floor| side.added / floor.added))
        };
        figures.row(vec![
            side.name.into(),
            side.median.into(),
            side.rounds.iter().copied().fold(f64::INFINITY, f64::min).into(),
            side.rounds.iter().copied().fold(0.0, f64::max).into(),
            side.added.into(),
            overhead.sides.first().map(|plain| side.times(plain)).into(),
            ratio("echo-bare"),
            ratio("echo-sdk"),
            ratio("echo-calls"),
        ]);
    }
    figures
}

impl Side {
    /// The median of the quotients within a round.
    fn times(&self, plain: &Side) -> f64 {
        median(self.rounds.iter().zip(&plain.rounds).map(|(own, plain)| own / plain).collect())
    }
}

impl Overhead {
    fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
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
        setup("nomos-no-state", "/drifted", nomos(&without_state(&heal)), "\"user_id\""),
        setup("nomos-clean", "/clean", nomos(&heal), "\"user_id\""),
        setup("nomos-no-route", "/drifted", nomos(r#"{"routes": []}"#), "\"userId\""),
        setup("nomos-off", "/drifted", nomos(r#"{"mode": "off"}"#), "\"userId\""),
    ]
}

/// A configuration of which no access log reads the filter state.
fn without_state(configuration: &str) -> String {
    configuration.replacen('{', "{\"filter_state\":false,", 1)
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
