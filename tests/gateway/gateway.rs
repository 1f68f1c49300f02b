//! A running Envoy Gateway with its Envoy.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use drifting_upstream::Mode;
use nomos_tests::drift;
use nomos_tests::expect::{self, Outcome};
use nomos_tests::{client, paths};
use serde_json::json;

use crate::FIELDS;
use crate::shipped::Shipped;

/// Where requests go; the port is that of the shipped Gateway.
pub const PROXY: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080));

/// Envoy Gateway starts, fetches the module, starts Envoy, which fetches and compiles it.
const START_LIMIT: Duration = Duration::from_mins(1);
/// After a signal it gives Envoy time to drain.
const STOP_LIMIT: Duration = Duration::from_secs(30);
/// Lines of the log that a failure shows.
const SHOWN_LINES: usize = 30;

/// A process of Envoy Gateway. Dropped, it is killed; the sandbox ends what it leaves.
pub struct Gateway {
    process: Child,
    home: PathBuf,
}

impl Gateway {
    /// Starts it on these resources.
    pub fn start(shipped: &Shipped<'_>) -> Result<Self, String> {
        let home = home()?;
        let resources = home.join("resources");
        let config = home.join("envoy-gateway.yaml");
        let io = |e: std::io::Error| format!("{}: {e}", home.display());
        fs::create_dir_all(&resources).map_err(io)?;
        for (name, text) in &shipped.files {
            fs::write(resources.join(name), text).map_err(io)?;
        }
        fs::write(&config, configuration(&home, &resources)?).map_err(io)?;
        install_envoy(&home)?;
        let log = fs::File::create(home.join("log")).map_err(io)?;
        let binary = variable("NOMOS_GATEWAY")?;
        let process = Command::new(&binary)
            .args(["server", "--config-path"])
            .arg(config)
            // The cache of modules is below.
            .env("HOME", &home)
            .stdout(log.try_clone().map_err(io)?)
            .stderr(log)
            .spawn()
            .map_err(|e| format!("{binary}: {e}"))?;
        Ok(Self { process, home })
    }

    /// What Envoy's admin interface answers.
    pub fn admin(&self, path: &str) -> Result<String, String> {
        let address = find(&self.home.join("run"), "admin-address.txt").ok_or("Envoy has no admin address yet")?;
        let address = fs::read_to_string(address).map_err(|e| e.to_string())?;
        let address: SocketAddr = address.trim().parse().map_err(|e| format!("{address}: {e}"))?;
        let reply = client::fetch(address, "GET", path, &[]).map_err(|e| format!("admin {path}: {e}"))?;
        expect::equal("admin status", reply.status, 200)?;
        Ok(String::from_utf8_lossy(&reply.body).into_owned())
    }

    /// Waits for the first healed response.
    pub fn wait_until_healed(&self) -> Outcome {
        self.wait_until("a healed response", || {
            let reply = client::fetch(PROXY, "GET", "/api/user?mode=v2", &[]);
            Ok(reply.is_ok_and(|reply| reply.body == drift::healed_in_place(Mode::V2, &FIELDS).as_bytes()))
        })
    }

    /// Waits until the log says something, and Envoy answers.
    pub fn wait_for_log(&self, words: &str) -> Outcome {
        self.wait_until(words, || {
            let answers = client::fetch(PROXY, "GET", "/api/user", &[]).is_ok_and(|reply| reply.status == 200);
            Ok(answers && self.log().contains(words))
        })
    }

    /// Waits until something holds.
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> Result<bool, String>) -> Outcome {
        let started = Instant::now();
        while started.elapsed() < START_LIMIT {
            if holds().unwrap_or(false) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(100));
        }
        Err(format!("in {} s there was not: {what}; the log ends:\n{}", START_LIMIT.as_secs(), self.tail()))
    }

    /// Stops it by its process id, and waits until Envoy is gone too.
    pub fn stop(mut self) -> Outcome {
        let status = Command::new("kill").arg(self.process.id().to_string()).status();
        expect::that(status.is_ok_and(|status| status.success()), || "kill failed".into())?;
        let started = Instant::now();
        while started.elapsed() < STOP_LIMIT {
            if let Ok(Some(status)) = self.process.try_wait() {
                expect::that(status.success(), || format!("Envoy Gateway ended with {status}:\n{}", self.tail()))?;
                return expect::that(client::fetch(PROXY, "GET", "/", &[]).is_err(), || "Envoy is still up".into());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(format!("Envoy Gateway did not stop; the log ends:\n{}", self.tail()))
    }

    fn log(&self) -> String {
        fs::read(self.home.join("log")).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }

    fn tail(&self) -> String {
        let log = self.log();
        // Access logs are of no interest.
        let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with("{\":authority")).collect();
        lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A setting of `scripts/gateway`.
pub fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("{name} is not set; run scripts/gateway"))
}

/// A directory of one process; the certificates are those of all.
fn home() -> Result<PathBuf, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("case-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    Ok(PathBuf::from(variable("NOMOS_GATEWAY_HOME")?).join(name))
}

/// The file provider and host infrastructure. YAML is a superset of JSON.
fn configuration(home: &Path, resources: &Path) -> Result<String, String> {
    let value = json!({
        "apiVersion": "gateway.envoyproxy.io/v1alpha1",
        "kind": "EnvoyGateway",
        "gateway": {"controllerName": "gateway.envoyproxy.io/gatewayclass-controller"},
        "provider": {"type": "Custom", "custom": {
            "resource": {"type": "File", "file": {"paths": [resources]}},
            "infrastructure": {"type": "Host", "host": {
                "configHome": format!("{}/config", variable("NOMOS_GATEWAY_HOME")?),
                "dataHome": home.join("data"),
                "stateHome": home.join("state"),
                "runtimeDir": home.join("run"),
            }},
        }},
        "extensionApis": {"enableBackend": true, "enableEnvoyPatchPolicy": true},
    });
    Ok(value.to_string())
}

/// Puts Envoy where Envoy Gateway looks before it would download one.
fn install_envoy(home: &Path) -> Outcome {
    let version = fs::read_to_string(paths::root().join(".envoy-version")).map_err(|e| e.to_string())?;
    let bin = home.join("data/envoy-versions").join(version.trim()).join("bin");
    let envoy = paths::envoy("pinned")?;
    fs::create_dir_all(&bin).and_then(|()| symlink(envoy, bin.join("envoy"))).map_err(|e| e.to_string())
}

fn find(directory: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(directory).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) }
    })
}
