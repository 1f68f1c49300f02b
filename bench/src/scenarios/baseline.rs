//! The throughput of a proxy: responses of its own, and responses of two fast upstreams. For Envoy alone, Envoy with
//! Nomos, and nginx, with one worker each.

use std::time::Duration;

use nomos_tests::envoy::Envoy;

use crate::engine::median;
use crate::generator::{Pace, Until};
use crate::nginx::Nginx;
use crate::scenario::Setting;
use crate::section::{Cell, Figures, Plot, Section};
use crate::target::{Measured, Target, us};
use crate::upstream::Upstream;
use crate::{corpus, proxy, tools, wrk};

use super::{HEALED, RECORD, UNHEALED, configuration};

/// The cases: name, path, connections, and outstanding requests on each connection.
const CASES: [(&str, &str, usize, usize); 5] = [
    ("local, 100 connections", proxy::LOCAL, 100, 1),
    ("local, 500 connections", proxy::LOCAL, 500, 1),
    ("two upstreams, 100 connections", RECORD, 100, 1),
    ("two upstreams, 500 connections", RECORD, 500, 1),
    ("two upstreams, 100 connections, 8 pipelined", RECORD, 100, 8),
];

/// How many requests at the start of a case do not count.
const WARM_UP: u64 = 1_000;

/// A proxy: its name, process and address, and a text in its proxied bodies.
struct Side {
    name: &'static str,
    pid: u32,
    to: std::net::SocketAddr,
    proof: &'static str,
}

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    crate::descriptors::allow(5_000)?;
    let bodies = [(RECORD, corpus::flat().bodies)];
    let start = || Upstream::start(&bodies).map_err(|error| format!("upstream: {error}"));
    let upstreams = [start()?, start()?];
    let addresses = [upstreams[0].address, upstreams[1].address];
    let filter = proxy::nomos(&configuration()?);
    let mut envoy =
        proxy::Proxy::before(&addresses).listener("plain", None).listener("healed", Some(filter)).start()?;
    let nginx = Nginx::start(&addresses)?;
    let sides = sides(&envoy, nginx.as_ref())?;
    let rounds = setting.pick(5, 3);
    let time = Duration::from_millis(setting.pick(1_000, 250));
    let mut found: Vec<Vec<Vec<Measured>>> = vec![vec![Vec::new(); sides.len()]; CASES.len()];
    for round in 0..rounds {
        for (case, ((_, path, connections, depth), found)) in CASES.iter().zip(&mut found).enumerate() {
            setting.progress.at(round * CASES.len() + case, rounds * CASES.len());
            // Each round begins with another side.
            for at in 0..sides.len() {
                let at = (round + at) % sides.len();
                let (side, found) = (&sides[at], &mut found[at]);
                let proof = if *path == proxy::LOCAL { "ok" } else { side.proof };
                let mut target = Target::connect(side.name, side.pid, side.to, *connections, (path, proof))?;
                let all = [&upstreams[0], &upstreams[1]];
                target.run(Pace::Closed(*depth), Until::Sent(WARM_UP), &all)?;
                let measured = target.run(Pace::Closed(*depth), Until::Elapsed(time), &all)?;
                measured.outcome.all_ok().map_err(|what| format!("{}: {what}", side.name))?;
                found.push(measured);
            }
        }
        envoy.check()?;
    }
    let mut section = summed_up(&sides, &found);
    if nginx.is_none() {
        section.notes.push("nginx could not be had: `scripts/bench-tools nginx` says why.".to_owned());
    }
    by_wrk(setting, &sides, &mut section)?;
    Ok(section)
}

fn sides(envoy: &Envoy, nginx: Option<&Nginx>) -> Result<Vec<Side>, String> {
    let pid = proxy::pid(envoy)?;
    let side = |name, pid, to, proof| Side { name, pid, to, proof };
    let mut sides = vec![
        side("Envoy alone", pid, envoy.listener("plain")?, UNHEALED),
        side("Envoy with Nomos", pid, envoy.listener("healed")?, HEALED),
    ];
    sides.extend(nginx.map(|nginx| side("nginx", nginx.worker, nginx.address, UNHEALED)));
    Ok(sides)
}

fn summed_up(sides: &[Side], found: &[Vec<Vec<Measured>>]) -> Section {
    let mut figures = Figures::new(
        "proxies",
        &[
            ("case", 0),
            ("proxy", 0),
            ("requests/s", 0),
            ("lowest", 0),
            ("highest", 0),
            ("CPU us/request", 1),
            ("p50 us", 0),
            ("p99 us", 0),
        ],
    );
    let mut series: Vec<(&str, Vec<f64>)> = sides.iter().map(|side| (side.name, Vec::new())).collect();
    for ((case, ..), found) in CASES.iter().zip(found) {
        for ((side, measured), series) in sides.iter().zip(found).zip(&mut series) {
            let of = |figure: fn(&Measured) -> f64| measured.iter().map(figure).collect::<Vec<f64>>();
            let rates = of(|measured| measured.outcome.per_second());
            let cpu = median(of(|measured| measured.cpu_us));
            series.1.push(cpu);
            figures.row(vec![
                (*case).into(),
                side.name.into(),
                median(rates.clone()).into(),
                rates.iter().copied().fold(f64::INFINITY, f64::min).into(),
                rates.iter().copied().fold(0.0, f64::max).into(),
                cpu.into(),
                median(of(|measured| us(&measured.outcome.latency, 50.0))).into(),
                median(of(|measured| us(&measured.outcome.latency, 99.0))).into(),
            ]);
        }
        if found.len() < 3 {
            let nothing = (0..6).map(|_| Cell::Nothing);
            figures.row([(*case).into(), "nginx: could not be had".into()].into_iter().chain(nothing).collect());
        }
    }
    let cases = CASES.map(|(case, ..)| case.replace(" connections", "").replace("two upstreams", "proxied"));
    let plot = Plot::bars("cpu", "Processor time per request, one worker", "us", &cases, &series);
    Section { tables: vec![figures], plots: vec![plot], ..Section::new("baseline") }
}

/// Measures the local responses again with a well-known load generator.
fn by_wrk(setting: &Setting<'_>, sides: &[Side], section: &mut Section) -> Result<(), String> {
    let Some(program) = tools::find("wrk") else {
        section.notes.push("wrk could not be had: `scripts/bench-tools wrk` says why.".to_owned());
        return Ok(());
    };
    let mut figures = Figures::new(
        "wrk",
        &[("local answers by wrk", 0), ("proxy", 0), ("requests/s", 0), ("p50 us", 0), ("p99 us", 0)],
    );
    for connections in [100, 500] {
        for side in sides {
            let uri = format!("http://{}{}", side.to, proxy::LOCAL);
            let found = wrk::run(&program, &uri, connections, setting.pick(2, 1))?;
            let start = [format!("{connections} connections").into(), side.name.into()];
            figures.row(start.into_iter().chain(found.map(Cell::from)).collect());
        }
    }
    section.tables.push(figures);
    Ok(())
}
