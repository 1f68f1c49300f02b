//! The processor time per request that a filter adds to the same Envoy without one.
//!
//! All listeners belong to one Envoy on a core of its own. They take turns in short slices, many per round, so that the
//! comparison of two of them within a round covers the same phases of the machine.

use std::io;
use std::net::SocketAddr;

use nomos_tests::client;
use nomos_tests::envoy::Envoy;
use serde::Serialize;
use serde_json::Value;

use crate::cores::Cores;
use crate::engine::median;
use crate::load::Load;
use crate::modules::Module;
use crate::scenario::Setting;
use crate::section::{Cell, Figures, Plot, Section};
use crate::spread::{Spread, from_to};
use crate::turns::{self, Spent};
use crate::upstream::Upstream;
use crate::{corpus, process, proxy};

/// The number of outstanding requests: enough to keep the worker busy, few enough to fit every queue.
const CONNECTIONS: usize = 8;

/// The number of turns in a round. With one turn of as many requests, differences within a round vary half as much
/// again. Slices of a quarter of this length are too short compared with their warm-up, and vary more than either.
const TURNS: usize = 8;

/// The number of requests in a slice, which takes about 10 ms.
const REQUESTS: usize = 256;

/// Requests before a slice that do not count: they refill the caches that other sides have used.
const WARM_UP: usize = 32;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds over all configurations.
    pub rounds: usize,
}

/// All configurations, compared with the first one, which has no filter.
#[derive(Clone, Debug, Serialize)]
pub struct Overhead {
    /// The number of requests in a round.
    pub requests: usize,
    /// The length of a body in bytes.
    pub bytes: usize,
    /// The sides, in the order of measurement.
    pub sides: Vec<Side>,
    /// Quantiles of `nomos_heal_us` over the whole run, as Envoy prints them. They show healing inside a request, with
    /// caches that other code has just used; in a benchmark's loop the caches are warm.
    pub heal_us: String,
}

/// One configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// Its name.
    pub name: &'static str,
    /// The processor time of Envoy per request by round, in microseconds.
    pub rounds: Vec<f64>,
    /// The median of the rounds.
    pub median: f64,
    /// The median of the differences from Envoy without a filter in the same round.
    pub added: f64,
}

struct Setup {
    name: &'static str,
    path: &'static str,
    filter: Option<Value>,
    /// A part of the response body that proves that the filter did its work.
    proof: &'static str,
}

/// The maximum factor of processor time for healing 1 KB.
const MOST: f64 = 1.3;

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let effort = Effort { rounds: setting.pick(72, 10) };
    let overhead = run(effort, &|done, of| setting.progress.at(done, of))?;
    let mut notes = vec![format!("`nomos_heal_us` in the same run: {}.", overhead.heal_us)];
    if let (Some(plain), Some(healed)) = (overhead.side("plain"), overhead.side("nomos-drifted")) {
        let Spread { median: factor, interval, .. } = healed.times(plain);
        let verdict = if factor <= MOST { "met" } else { "missed" };
        let surely = interval.map_or(String::new(), |interval| format!(" ({})", from_to(interval, 2)));
        notes.push(format!(
            "Healing 1 KB takes {factor:.2}{surely} times the processor time of plain Envoy (at most {MOST:.2}: {verdict})."
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
    Ok(Section {
        tables: vec![table(&overhead), sureness(&overhead)],
        plots: vec![plot],
        notes,
        rounds,
        ..Section::new("overhead")
    })
}

fn run(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Overhead, String> {
    let drifted = corpus::flat();
    let bytes = drifted.bytes();
    let cores = Cores::of_this_process()?;
    cores.with_the_load()?;
    let upstream = Upstream::start(&[("/drifted", drifted.bodies), ("/clean", corpus::clean().bodies)])
        .map_err(said("upstream"))?;
    let setups = setups();
    let listeners: Vec<(&str, Option<Value>)> = setups.iter().map(|s| (s.name, s.filter.clone())).collect();
    cores.with_the_proxies()?;
    let mut envoy = proxy::start(upstream.address, &listeners)?;
    cores.with_the_load()?;
    let pid = proxy::pid(&envoy)?;
    let mut sides = setups.iter().map(|setup| open(&envoy, setup)).collect::<Result<Vec<_>, _>>()?;
    // Round 0 only warms everything up.
    for round in 0..=effort.rounds {
        progress(round, effort.rounds);
        let mut spent = vec![Spent::default(); sides.len()];
        for turn in 0..TURNS {
            for at in turns::order(round * TURNS + turn, sides.len()) {
                let (side, load) = &mut sides[at];
                spent[at] += slice(pid, load, &upstream).map_err(said(side.name))?;
            }
        }
        if round > 0 {
            sides.iter_mut().zip(spent).for_each(|((side, _), spent)| side.rounds.push(spent.us()));
        }
        envoy.check()?;
    }
    let heal_us = heal_us(&envoy)?;
    let mut sides: Vec<Side> = sides.into_iter().map(|(side, _)| side).collect();
    settle(&mut sides);
    Ok(Overhead { requests: TURNS * REQUESTS, bytes, sides, heal_us })
}

/// Returns the table for readers.
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
    let plain = overhead.side("plain");
    for side in &overhead.sides {
        let ratio = |floor: &str| match plain.filter(|_| side.added > 0.0) {
            Some(_) if side.name == floor => Cell::from(1.0),
            Some(plain) => overhead.times_added(side, plain, floor).map(|times| times.median).into(),
            None => Cell::Nothing,
        };
        figures.row(vec![
            side.name.into(),
            side.median.into(),
            side.rounds.iter().copied().fold(f64::INFINITY, f64::min).into(),
            side.rounds.iter().copied().fold(0.0, f64::max).into(),
            side.added.into(),
            plain.map(|plain| side.times(plain).median).into(),
            ratio("echo-bare"),
            ratio("echo-sdk"),
            ratio("echo-calls"),
        ]);
    }
    figures
}

/// Returns the table of the results' certainty.
fn sureness(overhead: &Overhead) -> Figures {
    let mut figures = Figures::new(
        "sureness",
        &[
            ("configuration", 0),
            ("added us, quartiles", 0),
            ("added us, 95 % sure", 0),
            ("x plain, quartiles", 0),
            ("x plain, 95 % sure", 0),
            ("x echo-sdk, quartiles", 0),
            ("x echo-sdk, 95 % sure", 0),
        ],
    );
    let Some((plain, others)) = overhead.sides.split_first() else { return figures };
    for side in others {
        let floor = overhead.times_added(side, plain, "echo-sdk");
        let cells = [
            side.over(plain).cells(1),
            side.times(plain).cells(2),
            floor.map_or([Cell::Nothing, Cell::Nothing], |times| times.cells(2)),
        ];
        figures.row([Cell::from(side.name)].into_iter().chain(cells.into_iter().flatten()).collect());
    }
    figures
}

impl Side {
    /// Returns the additional time within rounds.
    fn over(&self, plain: &Side) -> Spread {
        Spread::of_differences(&self.rounds, &plain.rounds)
    }

    /// Returns the quotient of times within rounds.
    fn times(&self, plain: &Side) -> Spread {
        Spread::of_quotients(&self.rounds, &plain.rounds)
    }
}

impl Overhead {
    fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }

    /// Returns the quotient of the additional times of two sides within rounds.
    fn times_added(&self, side: &Side, plain: &Side, floor: &str) -> Option<Spread> {
        let floor = self.side(floor).filter(|floor| floor.name != side.name)?;
        let added = |side: &Side| -> Vec<f64> { side.rounds.iter().zip(&plain.rounds).map(|(a, b)| a - b).collect() };
        Some(Spread::of_quotients(&added(side), &added(floor)))
    }
}

/// Returns the configurations. The first one has no filter.
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
        setup("nomos-by-path", "/drifted", nomos(&corpus::flat_by_path("/drifted").config), "\"user_id\""),
        setup("nomos-no-state", "/drifted", nomos(&without_state(&heal)), "\"user_id\""),
        setup("nomos-clean", "/clean", nomos(&heal), "\"user_id\""),
        setup("nomos-no-route", "/drifted", nomos(r#"{"routes": []}"#), "\"userId\""),
        setup("nomos-off", "/drifted", nomos(r#"{"mode": "off"}"#), "\"userId\""),
    ]
}

/// Returns a configuration without filter state, for deployments whose access log does not read it.
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

/// Returns the quantiles since the start, which Envoy prints after those of the last interval.
fn heal_us(envoy: &Envoy) -> Result<String, String> {
    let text = envoy.admin_get("/stats?filter=nomos_heal_us")?;
    let quantile = |field: &str| {
        let (name, values) = field.split_once('(')?;
        let value: f64 = values.trim_end_matches(')').split_once(',')?.1.parse().ok()?;
        matches!(name, "P50" | "P90" | "P99").then(|| format!("{name} {value:.1}"))
    };
    Ok(text.split_ascii_whitespace().filter_map(quantile).collect::<Vec<_>>().join(", "))
}

/// Returns the processor time of Envoy for a slice.
fn slice(pid: u32, load: &mut Load, upstream: &Upstream) -> io::Result<Spent> {
    load.run(WARM_UP / load.connections(), upstream)?;
    let before = process::cpu_ns(pid).map_err(io::Error::other)?;
    load.run(REQUESTS / load.connections(), upstream)?;
    let after = process::cpu_ns(pid).map_err(io::Error::other)?;
    Ok(Spent { cpu_ns: after.saturating_sub(before), requests: REQUESTS as u64 })
}

fn settle(sides: &mut [Side]) {
    let Some(plain) = sides.first().cloned() else { return };
    for side in sides {
        side.median = median(side.rounds.clone());
        side.added = side.over(&plain).median;
    }
}

fn said<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> String {
    move |error| format!("{what}: {error}")
}
