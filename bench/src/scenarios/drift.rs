//! The fields healed in each drift mode by rules, by similarity, and by both.

use std::hint::black_box;
use std::time::Instant;

use drifting_upstream::{Mode, contract, drift, user_body};
use healer::config::Config;
use healer::{Healer, Limits, Memo, Plan, Summary};
use serde_json::{Value, json};

use crate::engine::median;
use crate::proxy;
use crate::scenario::Setting;
use crate::section::{Cell, Figures, Plot, Section};
use crate::upstream::Upstream;
use nomos_tests::client;

/// What a route heals by.
const BY: [&str; 3] = ["rules", "similarity", "both"];

/// The bodies in a batch, and the number of batches.
const BATCH: u32 = 200;
const BATCHES: usize = 25;

/// The result of one mode healed in one way.
struct Healed {
    /// The number of drifted fields whose value is back where the contract expects it.
    restored: usize,
    ops: u32,
    ns: f64,
}

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let mut found = Vec::new();
    for (at, mode) in Mode::ALL.into_iter().enumerate() {
        setting.progress.at(at, Mode::ALL.len());
        let healed = BY.iter().map(|by| heal(mode, by)).collect::<Result<Vec<_>, _>>()?;
        found.push((mode, healed));
    }
    through_envoy(&found)?;
    Ok(summed_up(&found))
}

fn route(by: &str) -> Value {
    let mut route = json!({"name": by, "match": {"prefix": format!("/{by}")}, "contract": contract::user()});
    if by != "similarity" {
        route["packs"] = json!(["all"]);
    }
    if by != "rules" {
        route["similarity"] = json!({"profile": "default"});
    }
    route
}

fn heal(mode: Mode, by: &str) -> Result<Healed, String> {
    let config = Config::parse(json!({"routes": [route(by)]}).to_string().as_bytes()).map_err(|e| e.to_string())?;
    let plan = &config.routes.first().ok_or("no route")?.plan;
    let (mut healer, mut memo, body) = (Healer::new(), Memo::new(plan), user_body(mode));
    let summary = once(&mut healer, plan, &mut memo, &body).map_err(|what| format!("{by}, {}: {what}", mode.name()))?;
    let output = if summary.changed { healer.output() } else { body.as_bytes() };
    let (restored, ops) = (restored(mode, output)?, summary.ops());
    let mut batches = Vec::new();
    for _ in 0..BATCHES {
        let start = Instant::now();
        for _ in 0..BATCH {
            once(&mut healer, plan, &mut memo, black_box(&body))?;
        }
        batches.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH));
    }
    Ok(Healed { restored, ops, ns: median(batches) })
}

fn once(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &str) -> Result<Summary, String> {
    let mut intake = healer.intake(Limits::default());
    let _ = intake.push(body.as_bytes());
    let summary = healer.heal(plan, memo, &intake).map_err(|failure| format!("{failure:?}"));
    black_box(healer.output());
    healer.recycle(intake);
    summary
}

fn restored(mode: Mode, body: &[u8]) -> Result<usize, String> {
    let got: Value = serde_json::from_slice(body).map_err(|error| format!("{}: {error}", mode.name()))?;
    let expected: Value = serde_json::from_str(&user_body(Mode::Healthy)).map_err(|error| error.to_string())?;
    let drifted = drift(mode).iter();
    Ok(drifted.filter(|(name, _)| got.get(*name).is_some() && got.get(*name) == expected.get(*name)).count())
}

/// Checks that the filter does what the engine does.
fn through_envoy(found: &[(Mode, Vec<Healed>)]) -> Result<(), String> {
    let paths: Vec<String> = found.iter().flat_map(|(mode, _)| BY.map(|by| format!("/{by}/{}", mode.name()))).collect();
    let bodies = found.iter().flat_map(|(mode, _)| BY.map(|_| vec![user_body(*mode)]));
    let bodies: Vec<(&str, Vec<String>)> = paths.iter().map(String::as_str).zip(bodies).collect();
    let upstream = Upstream::start(&bodies).map_err(|error| format!("upstream: {error}"))?;
    let filter = proxy::nomos(&json!({"routes": BY.map(route)}));
    let mut envoy = proxy::start(upstream.address, &[("nomos", Some(filter))])?;
    let to = envoy.listener("nomos")?;
    let healed = found.iter().flat_map(|(mode, healed)| healed.iter().map(move |healed| (*mode, healed)));
    for ((mode, healed), path) in healed.zip(&paths) {
        let reply = client::fetch(to, "GET", path, &[]).map_err(|error| format!("{path}: {error}"))?;
        let got = restored(mode, &reply.body)?;
        if got != healed.restored {
            return Err(format!("{path}: found {got} fields through Envoy; expected {} as natively", healed.restored));
        }
    }
    envoy.check()
}

#[allow(clippy::cast_precision_loss)]
fn summed_up(found: &[(Mode, Vec<Healed>)]) -> Section {
    let names: Vec<String> = BY.iter().flat_map(|by| [format!("{by} %"), "ops".to_owned(), "ns".to_owned()]).collect();
    let columns: Vec<(&str, usize)> =
        [("mode", 0), ("drifted fields", 0)].into_iter().chain(names.iter().map(|name| (name.as_str(), 0))).collect();
    let mut figures = Figures::new("modes", &columns);
    let mut rates = vec![Vec::new(); BY.len()];
    for (mode, healed) in found {
        let drifted = mode.drifted_fields();
        let mut row: Vec<Cell> = vec![mode.name().into(), drifted.into()];
        for (healed, rates) in healed.iter().zip(&mut rates) {
            let rate = if drifted == 0 { f64::NAN } else { healed.restored as f64 / drifted as f64 * 100.0 };
            row.extend([rate.into(), u64::from(healed.ops).into(), healed.ns.into()]);
            rates.push(rate);
        }
        figures.row(row);
    }
    // The healthy mode comes first and has nothing to heal.
    let modes: Vec<String> = found.iter().skip(1).map(|(mode, _)| mode.name().to_owned()).collect();
    let series: Vec<(&str, Vec<f64>)> = BY.into_iter().zip(rates.iter().map(|rates| rates[1..].to_vec())).collect();
    let plot = Plot::bars("rate", "Drifted fields that are healed", "%", &modes, &series);
    Section { tables: vec![figures], plots: vec![plot], ..Section::new("drift") }
}
