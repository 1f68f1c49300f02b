//! The whole setup: an upstream, Envoy with the filter, `nomos-xdp` if it may run, and Prometheus.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nomos_tests::envoy::{Envoy, tail};
use nomos_tests::kept::Kept;
use nomos_tests::paths;
use nomos_tests::shipped::Changes;
use nomos_tests::upstream::Upstream;

use crate::alone;
use crate::deployed::{self, Scrape};
use crate::prometheus::{Programs, Prometheus, free_address};
use crate::traffic::Traffic;

/// Everything that runs. It stops when dropped.
pub struct Stand {
    /// The clients.
    pub traffic: Traffic,
    /// The real Prometheus.
    pub prometheus: Prometheus,
    /// Why there are no packet statistics, if there are none.
    pub without_xdp: Option<String>,
    /// The real Envoy.
    pub envoy: Envoy,
    _xdp: Option<Kept>,
    _directory: Directory,
}

/// The settings that differ between a test and a picture.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The port for clients; 0 takes a free one.
    pub proxy: u16,
    /// The port of Envoy's admin interface; 0 takes a free one.
    pub admin: u16,
    /// The scrape interval, in Prometheus's syntax.
    pub interval: &'static str,
    /// The number of clients.
    pub clients: u32,
    /// Whether the rules' minutes pass as seconds.
    pub hurried: bool,
}

impl Stand {
    /// Starts everything.
    pub fn start(programs: &Programs, settings: Settings) -> Result<Self, String> {
        let directory = Directory::new()?;
        let module = paths::module()?;
        let upstream = Upstream::start().map_err(|e| format!("upstream: {e}"))?;
        let configuration = deployed::envoy(Changes {
            proxy: settings.proxy,
            upstream: upstream.address().port(),
            admin: settings.admin,
            module: &module,
            held: false,
        })?;
        let envoy = Envoy::start(&paths::envoy("pinned")?, &configuration)
            .map_err(|e| format!("{}; its log ends:\n{}", e.why, tail(&e.log)))?;
        let proxy = envoy.listener("nomos")?;
        let (xdp, without_xdp) = match count_packets(&directory.0, proxy.port()) {
            Ok(running) => (Some(running), None),
            Err(why) => (None, Some(why)),
        };
        let interval = settings.interval;
        let scrape = Scrape { envoy: envoy.admin(), xdp: xdp.as_ref().map(|(address, _)| *address), interval };
        let rules = deployed::text("deploy/prometheus/alerts.yml")?;
        let rules = if settings.hurried { deployed::hurried(&rules) } else { rules };
        let prometheus = programs.start(&directory.0, &deployed::prometheus(&scrape)?, &rules)?;
        let traffic = Traffic::start(settings.clients, proxy, &upstream);
        let xdp = xdp.map(|(_, kept)| kept);
        Ok(Self { traffic, prometheus, without_xdp, envoy, _xdp: xdp, _directory: directory })
    }
}

/// Returns the seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Starts counting packets, but only in a network of this process's own: on the machine's loopback another program may
/// be counting already.
fn count_packets(directory: &Path, proxy: u16) -> Result<(SocketAddr, Kept), String> {
    if !alone::is_alone() {
        return Err("without root there is no network of its own to count in".to_owned());
    }
    let program = nomos_xdp()?;
    let metrics = free_address()?;
    let mut command = Command::new(&program);
    command.args(["--interface", "lo", "--mode", "skb"]);
    command.args(["--port", &proxy.to_string(), "--metrics", &metrics.to_string()]);
    let mut kept =
        Kept::start(&command, directory.join("xdp.log")).map_err(|e| format!("{}: {e}", program.display()))?;
    kept.wait_until(Duration::from_secs(10), |kept| kept.log().contains("attached in"))?;
    Ok((metrics, kept))
}

/// Returns `$NOMOS_XDP`, or else the program beside this one in Cargo's output directory.
fn nomos_xdp() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("NOMOS_XDP") {
        return Ok(path.into());
    }
    let here = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    let built = here.ancestors().skip(1).take(2).map(|directory| directory.join("nomos-xdp"));
    built
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| "nomos-xdp is not built: cargo build -p nomos-xdp".to_owned())
}

/// A temporary directory.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("nomos-dashboard-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
