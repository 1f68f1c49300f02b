//! A real Prometheus: starts it on a free port with the shipped configuration, and queries it over HTTP.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nomos_tests::kept::Kept;
use nomos_tests::{client, paths};
use serde_json::Value;

/// The directory of `prometheus` and `promtool`.
#[derive(Clone, Debug)]
pub struct Programs {
    directory: PathBuf,
}

/// A running Prometheus.
pub struct Prometheus {
    address: SocketAddr,
    _kept: Kept,
}

/// Values of one series over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Times in seconds since 1970 with their values, which may be NaN.
    pub points: Vec<(f64, f64)>,
}

/// The times of a query.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Seconds since 1970.
    pub start: f64,
    /// Seconds since 1970.
    pub end: f64,
    /// Seconds between two values.
    pub step: f64,
}

impl Programs {
    /// Finds the programs by `scripts/prometheus`. Returns `None` if they are unavailable; the script has printed the
    /// reason.
    pub fn find() -> Result<Option<Self>, String> {
        let script = paths::root().join("scripts/prometheus");
        let output = Command::new(&script)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|e| format!("{}: {e}", script.display()))?;
        match output.status.code() {
            Some(0) => Ok(Some(Self { directory: String::from_utf8_lossy(&output.stdout).trim().into() })),
            Some(3) => Ok(None),
            _ => Err(format!("{} failed; see above", script.display())),
        }
    }

    /// Runs `promtool` in the root of the repository. Fails with its output if it finds a problem.
    pub fn promtool(&self, arguments: &[&str]) -> Result<(), String> {
        let output = Command::new(self.directory.join("promtool"))
            .args(arguments)
            .current_dir(paths::root())
            .output()
            .map_err(|e| format!("promtool: {e}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        Err(format!("promtool {}:\n{}", arguments.join(" "), String::from_utf8_lossy(&said)))
    }

    /// Starts a Prometheus with this configuration and these rules, and keeps everything else in `directory`.
    pub fn start(&self, directory: &Path, configuration: &str, rules: &str) -> Result<Prometheus, String> {
        let error = |e: std::io::Error| format!("{}: {e}", directory.display());
        fs::write(directory.join("prometheus.yml"), configuration).map_err(error)?;
        fs::write(directory.join("alerts.yml"), rules).map_err(error)?;
        let address = free_address()?;
        let mut command = Command::new(self.directory.join("prometheus"));
        command.args([
            format!("--config.file={}", directory.join("prometheus.yml").display()),
            format!("--storage.tsdb.path={}", directory.join("data").display()),
            format!("--web.listen-address={address}"),
            "--log.level=warn".to_owned(),
        ]);
        let mut kept = Kept::start(&command, directory.join("prometheus.log")).map_err(error)?;
        kept.wait_until(Duration::from_secs(30), |_| {
            client::fetch(address, "GET", "/-/ready", &[]).is_ok_and(|reply| reply.status == 200)
        })
        .map_err(|why| format!("Prometheus: {why}"))?;
        Ok(Prometheus { address, _kept: kept })
    }
}

impl Prometheus {
    /// Returns the series of an expression over time.
    pub fn range(&self, expression: &str, range: Range) -> Result<Vec<Series>, String> {
        let Range { start, end, step } = range;
        let query = encode(expression);
        let data = self.get(&format!("/api/v1/query_range?query={query}&start={start}&end={end}&step={step}"))?;
        Ok(data["result"].as_array().into_iter().flatten().map(|one| series(one, &one["values"])).collect())
    }

    /// Returns the series of an expression at a time, each with one value.
    pub fn at(&self, expression: &str, time: f64) -> Result<Vec<Series>, String> {
        let data = self.get(&format!("/api/v1/query?query={}&time={time}", encode(expression)))?;
        Ok(data["result"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| series(one, &Value::Array(vec![one["value"].clone()])))
            .collect())
    }

    /// Returns the values of a metric's label.
    pub fn label_values(&self, metric: &str, label: &str) -> Result<Vec<String>, String> {
        let data = self.get(&format!("/api/v1/label/{label}/values?match[]={}", encode(metric)))?;
        Ok(data.as_array().into_iter().flatten().filter_map(|value| Some(value.as_str()?.to_owned())).collect())
    }

    /// Returns all rules with their state, as in `/api/v1/rules`.
    pub fn rules(&self) -> Result<Vec<Value>, String> {
        let data = self.get("/api/v1/rules")?;
        let groups = data["groups"].as_array().cloned().unwrap_or_default();
        Ok(groups.iter().flat_map(|group| group["rules"].as_array().cloned().unwrap_or_default()).collect())
    }

    fn get(&self, path: &str) -> Result<Value, String> {
        let reply = client::fetch(self.address, "GET", path, &[]).map_err(|e| format!("Prometheus: {e}"))?;
        let text = String::from_utf8_lossy(&reply.body);
        let answer: Value = serde_json::from_str(&text).map_err(|e| format!("Prometheus: {e} in `{text}`"))?;
        if answer["status"] == "success" { Ok(answer["data"].clone()) } else { Err(format!("Prometheus: {answer}")) }
    }
}

/// Returns a loopback address on which nothing listens.
pub fn free_address() -> Result<SocketAddr, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| format!("no free port: {e}"))?;
    listener.local_addr().map_err(|e| format!("no free port: {e}"))
}

fn series(one: &Value, values: &Value) -> Series {
    let labels = one["metric"].as_object().into_iter().flatten();
    let point = |value: &Value| Some((value[0].as_f64()?, value[1].as_str()?.parse().ok()?));
    Series {
        labels: labels.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
        points: values.as_array().into_iter().flatten().filter_map(point).collect(),
    }
}

/// Escapes a text for a URL: everything but letters, digits and a few other characters.
fn encode(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
