//! The throughput of Envoy with and without `nomos-xdp` on the interface of all its traffic.
//!
//! Client, Envoy and upstream communicate over loopback, so the program sees all of their packets: more than on the
//! interface in front of Envoy. Loopback has no native mode. In skb mode the kernel copies each packet whose bytes TCP
//! still holds before a program sees it, which is most of the measured cost.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use nomos_tests::client;
use nomos_tests::paths;

use crate::engine::median;
use crate::load::Load;
use crate::table::Table;
use crate::upstream::Upstream;
use crate::{corpus, process, proxy};

const CONNECTIONS: usize = 8;
const LISTENER: &str = "plain";
const PATH: &str = "/drifted";

/// How long to measure: rounds, and requests with and without the program in each.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds.
    pub rounds: usize,
    /// Requests.
    pub requests: usize,
}

/// What is attached during the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Without,
    With,
}

/// One round of one side.
struct Sample {
    requests_per_second: f64,
    cpu_us: f64,
}

/// Measures, and returns the table for readers.
pub fn run(effort: Effort) -> Result<String, String> {
    let program = build()?;
    let body = corpus::flat();
    let upstream = Upstream::start(&[(PATH, body.bodies)]).map_err(said("upstream"))?;
    let mut envoy = proxy::start(upstream.address, &[(LISTENER, None)])?;
    let to = envoy.listener(LISTENER)?;
    let pid = proxy::pid(&envoy)?;
    client::fetch(to, "GET", PATH, &[]).map_err(said(LISTENER))?;
    let mut load = Load::connect(to, CONNECTIONS, PATH).map_err(said(LISTENER))?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    // Round 0 only warms everything up.
    for round in 0..=effort.rounds {
        // Rounds begin with alternating sides, so that no side always comes second.
        let sides = if round % 2 == 0 { [Side::Without, Side::With] } else { [Side::With, Side::Without] };
        for side in sides {
            let sample = measure(side, &program, to, pid, &mut load, &upstream, effort.requests)?;
            match side {
                _ if round == 0 => (),
                Side::Without => without.push(sample),
                Side::With => with.push(sample),
            }
        }
        envoy.check()?;
    }
    Ok(table(&without, &with))
}

#[expect(clippy::cast_precision_loss, reason = "counts and nanoseconds of a few seconds, far below 2^53")]
fn measure(
    side: Side,
    program: &PathBuf,
    to: SocketAddr,
    pid: u32,
    load: &mut Load,
    upstream: &Upstream,
    requests: usize,
) -> Result<Sample, String> {
    let attached = (side == Side::With).then(|| Attached::start(program, to)).transpose()?;
    let per_connection = requests / load.connections();
    load.run(per_connection / 10 + 1, upstream).map_err(said("load"))?;
    let (cpu, start) = (process::cpu_ns(pid)?, Instant::now());
    load.run(per_connection, upstream).map_err(said("load"))?;
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), process::cpu_ns(pid)? - cpu);
    let done = (per_connection * load.connections()) as f64;
    if let Some(attached) = attached {
        attached.stop(done)?;
    }
    Ok(Sample { requests_per_second: done / seconds, cpu_us: cpu as f64 / done / 1e3 })
}

fn table(without: &[Sample], with: &[Sample]) -> String {
    let middle = |samples: &[Sample], of: fn(&Sample) -> f64| median(samples.iter().map(of).collect());
    let mut table = Table::new(&["nomos-xdp on lo", "requests/s", "Envoy CPU us/request"]);
    for (name, samples) in [("detached", without), ("attached (skb)", with)] {
        let row = [middle(samples, |s| s.requests_per_second), middle(samples, |s| s.cpu_us)];
        table.row(&[name.to_owned(), format!("{:.0}", row[0]), format!("{:.1}", row[1])]);
    }
    let pairs = without.iter().zip(with);
    let change = median(pairs.map(|(a, b)| (b.requests_per_second / a.requests_per_second - 1.0) * 100.0).collect());
    let medians = middle(with, |s| s.requests_per_second) / middle(without, |s| s.requests_per_second);
    format!(
        "{}\n\nthroughput: {:+.2} % by the medians, {change:+.2} % by the median of the rounds' differences ({} rounds)",
        table.text(),
        (medians - 1.0) * 100.0,
        with.len()
    )
}

/// The loader, attached to loopback.
struct Attached {
    child: Child,
}

impl Attached {
    fn start(program: &PathBuf, to: SocketAddr) -> Result<Self, String> {
        let mut child = Command::new(program)
            .args(["--interface", "lo", "--mode", "skb", "--json", "--port", &to.port().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let said = child.stderr.take().map(|stderr| BufReader::new(stderr).lines().map_while(Result::ok));
        let attached = Self { child };
        let mut seen = Vec::new();
        for line in said.into_iter().flatten() {
            if line.contains("attached in") {
                return Ok(attached);
            }
            seen.push(line);
        }
        Err(format!("nomos-xdp did not attach: {}", seen.join("; ")))
    }

    /// Stops it. Fails if it has seen fewer packets than there were requests, because then it was not measured.
    fn stop(mut self, requests: f64) -> Result<(), String> {
        let pid = self.child.id().to_string();
        Command::new("kill").arg(&pid).status().map_err(|error| format!("kill {pid}: {error}"))?;
        let reports = self.child.stdout.take().map(|stdout| BufReader::new(stdout).lines().map_while(Result::ok));
        let last = reports.into_iter().flatten().last().unwrap_or_default();
        let last: serde_json::Value = serde_json::from_str(&last).unwrap_or_default();
        let packets = last["ports"][0]["packets"].as_f64().unwrap_or_default();
        if packets >= requests {
            Ok(())
        } else {
            Err(format!("nomos-xdp counted {packets} packets of {requests} requests"))
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--locked", "--release", "-p", "nomos-xdp"])
        .current_dir(paths::root())
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| paths::root().join("target"), PathBuf::from);
    if status.success() {
        Ok(target.join("release/nomos-xdp"))
    } else {
        Err("nomos-xdp could not be built; see above".to_owned())
    }
}

fn said<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> String {
    move |error| format!("{what}: {error}")
}
