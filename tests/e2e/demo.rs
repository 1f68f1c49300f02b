//! The demo as a user sees it: its output, how it ends, and what it leaves behind.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use drifting_upstream::Mode;
use libtest_mimic::Trial;
use nomos_tests::client;

use crate::expect;
use crate::rig::{Lane, Outcome};

/// The time limit for the demo and its child processes to end.
const END_LIMIT: Duration = Duration::from_secs(10);

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.alone("the demo", shows_every_mode),
        lane.alone("the demo: a signal for its whole group leaves nothing behind", signalled),
        lane.alone("the demo: Envoy is stopped", envoy_stopped),
    ]
}

fn shows_every_mode(lane: &Lane) -> Outcome {
    let output = demo(lane).output().map_err(|e| format!("demo: {e}"))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    expect::that(output.status.success(), || format!("the demo ended with {}:\n{text}", output.status))?;
    let shown = Mode::ALL.iter().all(|mode| text.lines().any(|line| line.starts_with(mode.name())));
    expect::that(shown, || format!("the demo does not show every mode:\n{text}"))?;
    let fields: usize = Mode::ALL.iter().map(|mode| mode.drifted_fields()).sum();
    let total = format!("{} modes, {fields} fields drifted, {fields} healed. Next: make run", Mode::ALL.len());
    expect::equal("last line", text.lines().last(), Some(total.as_str()))
}

/// Sends a signal to the whole group, as a terminal does at Ctrl-C, but TERM: a suite that runs in the background of a
/// script ignores INT.
fn signalled(lane: &Lane) -> Outcome {
    let mut demo = Staying::start(lane)?;
    let dir = std::env::temp_dir().join(format!("nomos-envoy-{}-0", demo.child.id()));
    expect::that(dir.exists(), || format!("the demo has no {}", dir.display()))?;
    demo.signal_group()?;
    demo.ended()?;
    let deadline = Instant::now() + END_LIMIT;
    while dir.exists() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    expect::that(!dir.exists(), || format!("the demo has left {} behind", dir.display()))
}

fn envoy_stopped(lane: &Lane) -> Outcome {
    let mut demo = Staying::start(lane)?;
    let admin = demo.shown.lines().find_map(|line| line.strip_prefix("admin ")?.trim().strip_prefix("http://"));
    let admin = admin.and_then(|address| address.parse().ok()).ok_or("the demo does not say where admin is")?;
    client::fetch(admin, "POST", "/quitquitquit", &[]).map_err(|e| format!("quitquitquit: {e}"))?;
    let status = demo.ended()?;
    expect::equal("exit code", status.code(), Some(1))?;
    let expected = "demo: Envoy was stopped, by a signal or through its admin interface\n";
    expect::equal("standard error", demo.said()?.as_str(), expected)
}

/// `make demo` on free ports.
fn demo(lane: &Lane) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command
        .envs(["NOMOS_PROXY_PORT", "NOMOS_UPSTREAM_PORT", "NOMOS_ADMIN_PORT"].map(|name| (name, "0")))
        .env("NOMOS_WASM", lane.module())
        .env("ENVOY_PATH", lane.binary());
    command
}

/// `make run` on free ports, in a process group of its own.
struct Staying {
    child: Child,
    shown: String,
}

impl Staying {
    /// Starts it, and waits until it is up.
    fn start(lane: &Lane) -> Result<Self, String> {
        let mut command = demo(lane);
        command.arg("--stay").process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|e| format!("demo: {e}"))?;
        let mut demo = Self { child, shown: String::new() };
        let output = demo.child.stdout.take().ok_or("the demo has no output")?;
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            demo.shown.push_str(&line);
            demo.shown.push('\n');
            // The last command shown. Closing the pipe earlier would end the demo.
            if line.contains("/stats/prometheus") {
                return Ok(demo);
            }
        }
        let said = demo.said()?;
        Err(format!("the demo does not stay up:\n{}{said}", demo.shown))
    }

    fn signal_group(&self) -> Outcome {
        let group = format!("-{}", self.child.id());
        let status = Command::new("kill").args(["-s", "TERM", "--", &group]).status();
        expect::that(status.is_ok_and(|status| status.success()), || format!("kill -- {group} failed"))
    }

    fn ended(&mut self) -> Result<ExitStatus, String> {
        let deadline = Instant::now() + END_LIMIT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().map_err(|e| format!("demo: {e}"))? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("the demo did not end within {} s", END_LIMIT.as_secs()))
    }

    /// Returns everything it has written to standard error. It must have ended.
    fn said(&mut self) -> Result<String, String> {
        let mut text = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            errors.read_to_string(&mut text).map_err(|e| format!("demo: {e}"))?;
        }
        Ok(text)
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
