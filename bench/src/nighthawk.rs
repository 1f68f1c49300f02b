//! Nighthawk, Envoy's own load generator, if it is installed: `bench/nighthawk/` says how.

use std::io::Read;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use nomos_tests::paths;
use serde::Deserialize;

use crate::section::{Cell, Figures};
use crate::upstream::Upstream;

use super::scenarios::RECORD;

/// The parts of a result that are read.
#[derive(Debug, Deserialize)]
struct Output {
    results: Vec<Found>,
}

#[derive(Debug, Deserialize)]
struct Found {
    name: String,
    #[serde(default)]
    statistics: Vec<Statistic>,
    #[serde(default)]
    counters: Vec<Counter>,
}

#[derive(Debug, Deserialize)]
struct Statistic {
    id: String,
    #[serde(default)]
    percentiles: Vec<Percentile>,
}

/// In JSON made from protocol buffers, 64-bit numbers are text, and durations are seconds followed by `s`.
#[derive(Debug, Deserialize)]
struct Percentile {
    percentile: f64,
    duration: String,
}

#[derive(Debug, Deserialize)]
struct Counter {
    name: String,
    value: String,
}

/// Returns the script that runs it, if it is installed.
pub fn find() -> Option<PathBuf> {
    let script = paths::root().join("bench/nighthawk/run");
    let status = Command::new(&script).arg("--find").stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success()).then_some(script)
}

/// Runs it at these rates against these listeners.
pub fn measure(
    script: &PathBuf,
    upstream: &Upstream,
    to: &[SocketAddr],
    names: &[&str],
    rates: &[u32],
    seconds: u64,
) -> Result<Figures, String> {
    let columns = [
        ("requests/s wanted", 0),
        ("proxy", 0),
        ("2xx/s", 0),
        ("p50 us", 0),
        ("p90 us", 0),
        ("p99 us", 0),
        ("p99.9 us", 0),
    ];
    let mut figures = Figures::new("nighthawk", &columns);
    for rate in rates {
        for (address, name) in to.iter().zip(names) {
            let text = run(script, upstream, &format!("http://{address}{RECORD}"), *rate, seconds)?;
            let start = [u64::from(*rate).into(), (*name).into()];
            figures.row(start.into_iter().chain(cells(&text, seconds)?).collect());
        }
    }
    Ok(figures)
}

/// Runs it, and serves the upstream until it ends.
fn run(script: &PathBuf, upstream: &Upstream, uri: &str, rate: u32, seconds: u64) -> Result<String, String> {
    let said = |error: std::io::Error| format!("{}: {error}", script.display());
    let mut child = Command::new(script)
        .args([uri, &rate.to_string(), &seconds.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(said)?;
    let mut output = child.stdout.take().ok_or("no output")?;
    let reader = thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    while !reader.is_finished() {
        upstream.serve();
    }
    let status = child.wait().map_err(said)?;
    if !status.success() {
        return Err(format!("{} ended with {status}", script.display()));
    }
    reader.join().map_err(|_| "reading failed".to_owned())?.map_err(said)
}

#[allow(clippy::cast_precision_loss)]
fn cells(text: &str, seconds: u64) -> Result<Vec<Cell>, String> {
    let output: Output = serde_json::from_str(text).map_err(|error| format!("Nighthawk's result: {error}"))?;
    let global =
        output.results.iter().find(|found| found.name == "global").ok_or("Nighthawk's result has no `global`")?;
    let answered = global.counters.iter().find(|counter| counter.name == "benchmark.http_2xx");
    let answered: f64 = answered.and_then(|counter| counter.value.parse().ok()).unwrap_or(0.0);
    let statistic = global.statistics.iter().find(|s| s.id == "benchmark_http_client.request_to_response");
    let percentiles = statistic.map_or(&[][..], |statistic| &statistic.percentiles);
    // The percentiles are in ascending order, and Nighthawk chooses them.
    let at = |wanted: f64| {
        let found = percentiles.iter().find(|percentile| percentile.percentile >= wanted)?;
        found.duration.trim_end_matches('s').parse::<f64>().ok().map(|seconds| seconds * 1e6)
    };
    let rate = Cell::from(answered / seconds.max(1) as f64);
    Ok([rate].into_iter().chain([0.5, 0.9, 0.99, 0.999].map(|wanted| Cell::from(at(wanted)))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let text = r#"{"options": {}, "results": [{"name": "worker_0"}, {"name": "global",
            "statistics": [{"id": "sequencer.callback"}, {"id": "benchmark_http_client.request_to_response", "count": "1499",
                "percentiles": [{"percentile": 0, "count": "1", "duration": "0.000056611s"},
                    {"percentile": 0.5, "count": "750", "duration": "0.000059131s"},
                    {"percentile": 0.9902, "count": "1485", "duration": "0.000157s"},
                    {"percentile": 1, "count": "1499", "duration": "0.0012s"}]}],
            "counters": [{"name": "benchmark.http_2xx", "value": "1500"}]}]}"#;
        let cells = cells(text, 3).expect("a result");
        let texts: Vec<String> = cells.iter().map(|cell| cell.text(0)).collect();
        assert_eq!(texts, ["500", "59", "157", "157", "1200"]);
        assert!(super::cells("{}", 3).is_err());
    }
}
