//! What it costs to watch Nomos: metrics, access logs, traces. At a constant rate, because what happens once per second
//! is the cheaper per request the more there are of them.

use std::thread;
use std::time::Duration;

use nomos_tests::envoy::Envoy;
use serde_json::{Map, Value, json};

use crate::engine::median;
use crate::generator::{Pace, Until};
use crate::proxy::{Listener, Proxy};
use crate::scenario::Setting;
use crate::section::{Figures, Plot, Section};
use crate::sink::Sink;
use crate::target::Target;
use crate::{process, proxy};

use super::{HEALED, RECORD, UNHEALED, configuration, upstream};

/// Requests per second: less than half of what a worker does, as proxies are run.
const RATE: u32 = 5_000;

const CONNECTIONS: usize = 50;

/// A round of one side. Metrics are read once in each.
const ROUND: Duration = Duration::from_secs(1);

/// What is to be at most what metrics and traces of one request in a hundred add, in percent.
const TARGET: f64 = 5.0;

/// How one side is watched.
#[derive(Clone, Copy, Default)]
struct Watch {
    name: &'static str,
    heals: bool,
    metrics: bool,
    access_log: bool,
    /// Percent of requests.
    traces: u32,
}

const NOBODY: Watch = Watch { name: "", heals: true, metrics: false, access_log: false, traces: 0 };

/// What the others are compared with comes first, Nomos unwatched after it.
const WATCHES: [Watch; 8] = [
    Watch { name: "bare proxy", heals: false, ..NOBODY },
    Watch { name: "nothing", ..NOBODY },
    Watch { name: "metrics each second", metrics: true, ..NOBODY },
    Watch { name: "access log with filter state", access_log: true, ..NOBODY },
    Watch { name: "traces of 1 %", traces: 1, ..NOBODY },
    Watch { name: "metrics and traces of 1 %", metrics: true, traces: 1, ..NOBODY },
    Watch { name: "traces of 100 %", traces: 100, ..NOBODY },
    Watch { name: "everything", metrics: true, access_log: true, traces: 100, ..NOBODY },
];

/// Where [`WATCHES`] has Nomos unwatched, and the two that have a target.
const UNWATCHED: usize = 1;
const BOTH: usize = 5;

/// Measures.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let upstream = upstream()?;
    let sink = Sink::start().map_err(|error| format!("sink: {error}"))?;
    let listeners = WATCHES.iter().map(listener).collect::<Result<Vec<_>, _>>()?;
    let proxy = Proxy { listeners, sinks: vec![("sink", sink.address)], ..Proxy::before(&[upstream.address]) };
    let mut envoy = proxy.start()?;
    let pid = proxy::pid(&envoy)?;
    let connect = |watch: &Watch| {
        let proof = if watch.heals { HEALED } else { UNHEALED };
        Target::connect(watch.name, pid, envoy.listener(watch.name)?, CONNECTIONS, (RECORD, proof))
    };
    let mut targets = WATCHES.iter().map(connect).collect::<Result<Vec<_>, _>>()?;
    let rounds = setting.pick(11, 3);
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); WATCHES.len()];
    for round in 0..rounds {
        for at in 0..WATCHES.len() {
            setting.progress.at(round * WATCHES.len() + at, rounds * WATCHES.len());
            // Each round begins with another one, so that none always follows the same one.
            let at = (at + round) % WATCHES.len();
            let admin = WATCHES[at].metrics.then(|| envoy.admin());
            // In the middle of the round, by somebody else than the load.
            let scrape = admin.map(|admin| {
                thread::spawn(move || {
                    thread::sleep(ROUND / 2);
                    nomos_tests::client::fetch(admin, "GET", "/stats/prometheus", &[]).map(|reply| reply.status)
                })
            });
            targets[at].run(Pace::Open(RATE), Until::Sent(u64::from(RATE) / 20), &[&upstream])?;
            let measured = targets[at].run(Pace::Open(RATE), Until::Elapsed(ROUND), &[&upstream])?;
            measured.outcome.all_ok().map_err(|what| format!("{}: {what}", WATCHES[at].name))?;
            let scraped = scrape.map(thread::JoinHandle::join);
            if !matches!(scraped, None | Some(Ok(Ok(200)))) {
                return Err("metrics were not answered with 200".to_owned());
            }
            found[at].push(measured.cpu_us);
        }
        envoy.check()?;
    }
    let scrape = scrape(&envoy, pid)?;
    prove(&envoy, &sink)?;
    Ok(summed_up(&found, scrape))
}

fn listener(watch: &Watch) -> Result<Listener, String> {
    let mut manager = Map::new();
    if watch.access_log {
        manager.insert("access_log".to_owned(), access_log());
    }
    if watch.traces > 0 {
        manager.insert("tracing".to_owned(), tracing(watch.traces));
    }
    let filter = if watch.heals { Some(proxy::nomos(&configuration()?)) } else { None };
    Ok(Listener { name: watch.name.to_owned(), filter, manager })
}

/// As the shipped configuration writes it, to a file.
fn access_log() -> Value {
    let format = "%START_TIME% %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE% %BYTES_SENT% \
        %FILTER_STATE(wasm.nomos:PLAIN)%\n";
    json!([{"name": "file", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
        "path": "{dir}/access.log",
        "log_format": {"text_format_source": {"inline_string": format}},
    }}])
}

fn tracing(percent: u32) -> Value {
    json!({
        "random_sampling": {"value": percent},
        "provider": {"name": "envoy.tracers.opentelemetry", "typed_config": {
            "@type": "type.googleapis.com/envoy.config.trace.v3.OpenTelemetryConfig",
            "service_name": "bench",
            "http_service": {"http_uri": {"uri": "http://sink/v1/traces", "cluster": "sink", "timeout": "5s"}},
        }},
    })
}

/// Milliseconds of processor time that one reading of the metrics takes, without load.
#[allow(clippy::cast_precision_loss)]
fn scrape(envoy: &Envoy, pid: u32) -> Result<f64, String> {
    let mut times = Vec::new();
    for _ in 0..9 {
        let before = process::cpu_ns(pid)?;
        envoy.admin_get("/stats/prometheus")?;
        times.push(process::cpu_ns(pid)?.saturating_sub(before) as f64 / 1e6);
    }
    Ok(median(times))
}

/// That what is watched was told.
fn prove(envoy: &Envoy, sink: &Sink) -> Result<(), String> {
    let line = envoy.file("access.log").lines().last().unwrap_or_default().to_owned();
    if !line.contains("\"verdict\":\"healed\"") {
        return Err(format!("the access log ends with `{line}`; expected the verdict of a healed response"));
    }
    if sink.received() == 0 {
        return Err("no traces have come; expected some".to_owned());
    }
    Ok(())
}

fn summed_up(found: &[Vec<f64>], scrape: f64) -> Section {
    let mut figures = Figures::new(
        "watches",
        &[
            ("watched by", 0),
            ("CPU us/request", 1),
            ("lowest", 1),
            ("highest", 1),
            ("over the bare proxy us", 1),
            ("over Nomos unwatched us", 1),
            ("over Nomos unwatched %", 1),
        ],
    );
    let over =
        |at: usize, base: usize| median(found[at].iter().zip(&found[base]).map(|(own, base)| own - base).collect());
    let percent = |at: usize| {
        median(found[at].iter().zip(&found[UNWATCHED]).map(|(own, base)| (own / base - 1.0) * 100.0).collect())
    };
    for (at, (watch, rounds)) in WATCHES.iter().zip(found).enumerate() {
        let watched = at > UNWATCHED;
        figures.row(vec![
            watch.name.into(),
            median(rounds.clone()).into(),
            rounds.iter().copied().fold(f64::INFINITY, f64::min).into(),
            rounds.iter().copied().fold(0.0, f64::max).into(),
            over(at, 0).into(),
            watched.then(|| over(at, UNWATCHED)).into(),
            watched.then(|| percent(at)).into(),
        ]);
    }
    let both = percent(BOTH);
    let verdict = if both < TARGET { "met" } else { "missed" };
    let notes = vec![
        format!("Metrics and traces of 1 % together: {both:+.1} % (target: under {TARGET:.0} %, {verdict})."),
        format!("One reading of the metrics takes {scrape:.1} ms of processor time."),
    ];
    let names: Vec<String> = WATCHES.iter().map(|watch| watch.name.to_owned()).collect();
    let medians = found.iter().map(|rounds| median(rounds.clone())).collect();
    let title = format!("Processor time per request at {RATE} requests/s");
    let plot = Plot::bars("watches", &title, "us", &names, &[("CPU us/request", medians)]);
    Section { tables: vec![figures], plots: vec![plot], notes, ..Section::new("watching") }
}
