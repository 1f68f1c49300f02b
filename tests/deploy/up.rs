//! `docker compose up` with a real engine: the demo heals, is watched, is put under load, and leaves nothing behind.
//!
//! Of the profiles, `wrk` of `load` is run. `xdp` is only built and prints its usage, because it would attach a program
//! to an interface of this machine. `nighthawk` is only read (`compose.rs`), because its image is large and made by
//! others.

use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::time::{Duration, Instant};

use drifting_upstream::{Mode, user_body};
use libtest_mimic::{Failed, Trial};
use nomos_tests::{client, drift, paths};

use crate::{Outcome, case_if, check, output};

/// The time limit for Prometheus to have scraped, with room for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The maximum size in bytes of our layers of an image: two programs of 2 to 4 MB each, or one and the module.
const ADDED_LIMIT: u64 = 7_000_000;

/// The port settings of docker-compose.yml.
const PORTS: [&str; 5] =
    ["NOMOS_PROXY_PORT", "NOMOS_UPSTREAM_PORT", "NOMOS_ADMIN_PORT", "NOMOS_PROMETHEUS_PORT", "NOMOS_GRAFANA_PORT"];

pub fn cases() -> Vec<Trial> {
    vec![case_if(&possible(), "docker compose up: heals, is watched, is loaded, and leaves nothing behind", up)]
}

/// Checks that a Docker engine answers.
pub fn engine() -> Result<(), String> {
    answers(&["info"], "no Docker engine answers; scripts/test-compose starts one where it can")
}

fn possible() -> Result<(), String> {
    engine()?;
    answers(&["compose", "version"], "docker has no compose command")?;
    output(Command::new(paths::root().join("scripts/stand-ins")).arg("--check")).map(drop)
}

fn answers(arguments: &[&str], why: &str) -> Result<(), String> {
    output(Command::new("docker").args(arguments)).map(drop).map_err(|_| why.to_owned())
}

/// A Compose project for the test alone, taken down when dropped.
struct Project {
    name: String,
    settings: Vec<(String, String)>,
}

impl Project {
    fn up() -> Result<Self, String> {
        let name = format!("nomos-test-{}", std::process::id());
        let mut settings = images()?;
        settings.push(("NOMOS_IMAGES".to_owned(), name.clone()));
        settings.push(("NOMOS_LOAD_SECONDS".to_owned(), "1".to_owned()));
        settings.extend(free_ports()?);
        let project = Self { name, settings };
        output(project.compose().args(["up", "--build", "--wait", "--wait-timeout", "120"]))?;
        Ok(project)
    }

    fn compose(&self) -> Command {
        let mut command = Command::new("docker");
        command.current_dir(paths::root()).args(["compose", "--project-name", &self.name]);
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    fn address(&self, setting: &str) -> Result<SocketAddr, String> {
        let port = self.settings.iter().find(|(name, _)| name == setting).and_then(|(_, port)| port.parse().ok());
        port.map(|port: u16| SocketAddr::from(([127, 0, 0, 1], port))).ok_or_else(|| format!("no {setting}"))
    }

    fn get(&self, setting: &str, path: &str) -> Result<Vec<u8>, Failed> {
        let reply = client::fetch(self.address(setting)?, "GET", path, &[])?;
        check(reply.status == 200, || format!("{setting} {path}: {}", reply.status))?;
        Ok(reply.body)
    }

    fn image(&self, service: &str) -> String {
        format!("{}-{service}", self.name)
    }

    fn down(&self) -> Result<String, String> {
        output(self.compose().args(["--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "5"]))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if let Err(why) = self.down() {
            eprintln!("{why}");
        }
        for service in ["upstream", "envoy", "wrk", "xdp"] {
            let _ = output(Command::new("docker").args(["image", "rm", &self.image(service)]));
        }
    }
}

/// Returns the substitutes for images that cannot be pulled.
fn images() -> Result<Vec<(String, String)>, String> {
    let mut script = Command::new(paths::root().join("scripts/stand-ins"));
    let text = output(script.stderr(std::process::Stdio::inherit()))?;
    let settings: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    for (name, value) in &settings {
        println!("docker compose up: {name}={value}");
    }
    Ok(settings)
}

fn free_ports() -> Result<Vec<(String, String)>, String> {
    // All sockets are held until all ports are known, so that these differ.
    let held: Result<Vec<_>, _> = PORTS.iter().map(|_| TcpListener::bind("127.0.0.1:0")).collect();
    let held = held.map_err(|e| format!("no free port: {e}"))?;
    let port = |socket: &TcpListener| socket.local_addr().map(|address| address.port().to_string());
    PORTS
        .iter()
        .zip(&held)
        .map(|(name, socket)| Ok(((*name).to_owned(), port(socket).map_err(|e| e.to_string())?)))
        .collect()
}

fn up() -> Outcome {
    let project = Project::up()?;
    healed(&project)?;
    told(&project)?;
    watched(&project)?;
    loaded(&project)?;
    built(&project)?;
    small(&project)?;
    project.down()?;
    let left = output(project.compose().args(["--profile", "*", "ps", "--all", "--quiet"]))?;
    check(left.is_empty(), || format!("left behind: {left}"))
}

fn healed(project: &Project) -> Outcome {
    let drifted = project.get("NOMOS_UPSTREAM_PORT", "/api/user")?;
    check(drifted == user_body(Mode::V2).as_bytes(), || "the upstream does not drift".to_owned())?;
    let healed = project.get("NOMOS_PROXY_PORT", "/api/user")?;
    check(healed == user_body(Mode::Healthy).as_bytes(), || format!("got {}", String::from_utf8_lossy(&healed)))?;
    for mode in Mode::ALL {
        let body = project.get("NOMOS_PROXY_PORT", &format!("/api/user?mode={}", mode.name()))?;
        check(drift::is_healthy(&body), || format!("{}: {}", mode.name(), String::from_utf8_lossy(&body)))?;
    }
    Ok(())
}

/// Checks the log that a user sees after `docker compose up`.
fn told(project: &Project) -> Outcome {
    let log = output(project.compose().args(["logs", "--no-log-prefix", "client"]))?;
    for (url, mode) in [("http://upstream:9090/api/user", Mode::V2), ("http://envoy:8080/api/user", Mode::Healthy)] {
        let expected = format!("GET {url}: 200 OK\n{}\n", user_body(mode));
        check(log.contains(&expected), || format!("the client's log does not show what {url} gives:\n{log}"))?;
    }
    Ok(())
}

fn watched(project: &Project) -> Outcome {
    let users = output(project.compose().args(["ps", "--quiet", "envoy", "upstream", "client"]))?;
    for container in users.lines() {
        let user = output(Command::new("docker").args(["inspect", "--format", "{{.Config.User}}", container]))?;
        check(matches!(user.trim(), "101:101" | "65532:65532"), || format!("{container} runs as {user}"))?;
    }
    project.get("NOMOS_GRAFANA_PORT", "/api/health")?;
    let query = "/api/v1/query?query=sum(nomos_responses_total%7Bverdict=%22healed%22%7D)";
    let start = Instant::now();
    loop {
        let answer = project.get("NOMOS_PROMETHEUS_PORT", query)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        if answer.contains(r#""value":["#) {
            return Ok(());
        }
        check(start.elapsed() < PATIENCE, || format!("Prometheus has not seen a healed response: {answer}"))?;
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Checks that every response that wrk gets through Envoy has status 200.
fn loaded(project: &Project) -> Outcome {
    let report = output(project.compose().args(["run", "--rm", "--no-TTY", "wrk"]))?;
    let requests = report.lines().find_map(|line| line.trim().split_once(" requests in ")).map(|(count, _)| count);
    let many = requests.and_then(|count| count.parse::<u64>().ok()).is_some_and(|count| count > 0);
    let failed = ["Non-2xx", "Socket errors"].iter().any(|words| report.contains(words));
    check(many && !failed, || format!("wrk reports:\n{report}"))
}

/// Checks that the program in the image of the profile `xdp` needs no files outside the image.
fn built(project: &Project) -> Outcome {
    output(project.compose().args(["--profile", "xdp", "build", "--quiet", "xdp"]))?;
    let help = output(Command::new("docker").args(["run", "--rm", &project.image("xdp"), "--help"]))?;
    check(help.contains("Usage: nomos-xdp"), || format!("xdp: {help}"))
}

fn small(project: &Project) -> Outcome {
    for service in ["upstream", "envoy", "xdp"] {
        let mut history = Command::new("docker");
        history.args(["history", "--no-trunc", "--human=false", "--format", "{{.Size}} {{.CreatedBy}}"]);
        let layers = output(history.arg(project.image(service)))?;
        // The layers with compiled files.
        let ours = layers.lines().filter(|line| line.contains("COPY /out/"));
        let added: u64 = ours.filter_map(|line| line.split_once(' ')?.0.parse::<u64>().ok()).sum();
        println!("docker compose up: {service}: {added} bytes beside what it is built on");
        check((1..=ADDED_LIMIT).contains(&added), || format!("{service}: layers of {added} bytes:\n{layers}"))?;
    }
    Ok(())
}
