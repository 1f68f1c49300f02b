//! Draws the dashboard after three minutes of traffic from an API that begins to drift: `scripts/dashboard [FILE]`.

use std::fs;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use drifting_upstream::Mode;
use nomos_dashboard::alone;
use nomos_dashboard::dashboard::{self, Intervals, Panel};
use nomos_dashboard::picture::{self, Filled, Line, Picture};
use nomos_dashboard::prometheus::{Programs, Range};
use nomos_dashboard::stand::{self, Settings, Stand};
use nomos_dashboard::traffic::Kind;
use serde_json::Value;

/// The path of the picture in the docs.
const PICTURE: &str = "docs/dashboard.svg";

/// The time before the shown part, so that rates and alerts have earlier values.
const BEFORE: Duration = Duration::from_secs(25);

/// The scrape interval. Rates in the picture look back as far as Grafana lets them at this interval.
const SCRAPE: &str = "1s";
const INTERVALS: Intervals<'_> = Intervals { rate: "4s", step: "6s", range: "3m" };

/// The seconds between two values, and between two bars. In Grafana bars are a minute apart.
const STEP: f64 = 2.0;
const BAR: f64 = 6.0;

/// A part of the story: requests of these kinds, for this many seconds.
type Act<'a> = (u64, &'a [(Kind, u32)]);

const USUAL: [(Kind, u32); 5] =
    [(Kind::Clean, 60), (Kind::DriftedList(3), 7), (Kind::NoRoute, 3), (Kind::NotModified, 5), (Kind::Slow, 3)];

/// Returns the hour of a bad day in three minutes: a release is tried, rolled out, loses a field, and is repaired; then
/// a cache begins to compress and to cut bodies.
fn story() -> Vec<(u64, Vec<(Kind, u32)>)> {
    let acts: [Act<'_>; 8] = [
        (40, &[]),
        (14, &[(Kind::Drifted(Mode::V2), 8), (Kind::Strange(1), 1)]),
        (22, &[(Kind::Drifted(Mode::V2), 60), (Kind::Drifted(Mode::Deep), 25), (Kind::Strange(2), 2)]),
        (
            16,
            &[
                (Kind::Drifted(Mode::V2), 60),
                (Kind::Drifted(Mode::Deep), 25),
                (Kind::WithoutPhone, 6),
                (Kind::Strange(3), 1),
            ],
        ),
        (28, &[(Kind::Drifted(Mode::V2), 60), (Kind::Drifted(Mode::Deep), 40), (Kind::Strange(4), 1), (Kind::Wide, 1)]),
        (18, &[(Kind::Drifted(Mode::V2), 40), (Kind::Brotli, 40)]),
        (22, &[(Kind::Drifted(Mode::V2), 20), (Kind::Malformed, 3), (Kind::Truncated, 6)]),
        (20, &[]),
    ];
    acts.into_iter().map(|(seconds, more)| (seconds, USUAL.iter().chain(more).copied().collect())).collect()
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(why) => {
            eprintln!("dashboard: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let programs = Programs::find()?.ok_or("there is no Prometheus; see above")?;
    nomos_tests::paths::envoy("pinned")?;
    if !alone::is_alone() {
        return alone::again().map_err(|why| format!("the packet statistics need root: {why}"));
    }
    let file = std::env::args().nth(1).unwrap_or_else(|| PICTURE.to_owned());
    let settings = Settings { proxy: 8080, admin: 9901, interval: SCRAPE, clients: 4, hurried: true };
    let stand = Stand::start(&programs, settings)?;
    if let Some(why) = &stand.without_xdp {
        return Err(format!("no packet statistics: {why}"));
    }
    let picture = seen(&stand)?;
    fs::write(&file, picture::draw(&picture)).map_err(|e| format!("{file}: {e}"))?;
    println!("{file}");
    Ok(ExitCode::SUCCESS)
}

fn seen(stand: &Stand) -> Result<Picture, String> {
    play(stand, &[(BEFORE.as_secs(), USUAL.to_vec())]);
    let start = stand::now().ceil();
    play(stand, &story());
    let range = Range { start, end: stand::now().floor(), step: STEP };
    let dashboard = dashboard::shipped()?;
    let panels = dashboard::panels(&dashboard).into_iter().map(|panel| fill(stand, panel, range));
    let variables = dashboard["templating"]["list"].as_array().into_iter().flatten();
    Ok(Picture {
        title: text(&dashboard["title"]),
        variables: variables.filter(|one| one["type"] == "query").map(|one| text(&one["label"])).collect(),
        range,
        panels: panels.collect::<Result<_, _>>()?,
        alerts: alerts(stand, &dashboard, range)?,
    })
}

/// Plays the story. The rate of requests varies, as real ones do.
fn play(stand: &Stand, acts: &[(u64, Vec<(Kind, u32)>)]) {
    for (seconds, mix) in acts {
        for _ in 0..*seconds {
            let phase = stand::now() / 25.0;
            stand.traffic.set(mix, Duration::from_secs_f64(0.014 + 0.004 * phase.sin() + 0.0015 * (phase * 5.3).sin()));
            thread::sleep(Duration::from_secs(1));
        }
    }
}

fn fill(stand: &Stand, panel: Panel, range: Range) -> Result<Filled, String> {
    let bars = panel.queries.iter().any(|query| query.expression.contains("$__interval"));
    let range = Range { step: if bars { BAR } else { STEP }, ..range };
    let mut lines = Vec::new();
    for query in &panel.queries {
        let found = stand.prometheus.range(&query.filled(INTERVALS), range)?;
        lines.extend(found.into_iter().map(|series| Line::new(&query.legend, series)));
    }
    Ok(Filled { panel, lines, range })
}

/// Returns when each alert first began to fire.
fn alerts(stand: &Stand, dashboard: &Value, range: Range) -> Result<Vec<(String, f64)>, String> {
    let mut alerts: Vec<(String, f64)> = Vec::new();
    for expression in dashboard::annotations(dashboard) {
        for series in stand.prometheus.range(&expression, range)? {
            let (Some(name), Some((time, _))) = (series.labels.get("alertname"), series.points.first()) else {
                continue;
            };
            match alerts.iter_mut().find(|(known, _)| known == name) {
                Some((_, earliest)) => *earliest = earliest.min(*time),
                None => alerts.push((name.clone(), *time)),
            }
        }
    }
    alerts.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok(alerts)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
