//! What a result was measured on.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// Whatever a figure depends on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The day, in UTC.
    pub date: String,
    /// The commit, and `+` where files differed from it.
    pub commit: String,
    /// The processor.
    pub cpu: String,
    /// How many of them.
    pub cores: usize,
    /// The kernel's release.
    pub kernel: String,
    /// What `envoy --version` says.
    pub envoy: String,
    /// What `rustc --version` says.
    pub rustc: String,
    /// Load average over the last minute when the run began: whether the machine was quiet.
    pub load: String,
}

impl Machine {
    /// This machine, now.
    pub fn here(envoy: &Path) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Machine {
            date: said("date", &["-u", "+%F"]),
            commit: commit(),
            cpu: cpu.map_or_else(|| "unknown".to_owned(), |(_, model)| model.to_owned()),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            kernel: said("uname", &["-r"]),
            envoy: envoy_version(&said(&envoy.to_string_lossy(), &["--version"])),
            rustc: said("rustc", &["--version"]),
            load: fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or("").to_owned(),
        }
    }

    /// The same in two lines for people.
    pub fn text(&self) -> String {
        let Machine { date, commit, cpu, cores, kernel, envoy, rustc, load } = self;
        format!("{date}, commit {commit}, {cores} cores {cpu}, load {load}\nLinux {kernel}, Envoy {envoy}, {rustc}")
    }

    /// Name and value of each.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let Machine { date, commit, cpu, cores, kernel, envoy, rustc, load } = self;
        let texts = [("date", date), ("commit", commit), ("cpu", cpu), ("kernel", kernel), ("envoy", envoy)];
        let texts = texts.into_iter().chain([("rustc", rustc), ("load", load)]);
        texts.map(|(name, text)| (name, text.clone())).chain([("cores", cores.to_string())]).collect()
    }
}

fn commit() -> String {
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"]);
    if commit == "unknown" || said("git", &["status", "--porcelain"]).is_empty() { commit } else { commit + "+" }
}

/// The version out of `envoy  version: HASH/1.40.0/Clean/RELEASE/BoringSSL`.
fn envoy_version(text: &str) -> String {
    let version = text.split_once("version: ").and_then(|(_, build)| build.split('/').nth(1));
    version.unwrap_or("unknown").to_owned()
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(nomos_tests::paths::root()).output();
    let output = output.ok().filter(|output| output.status.success());
    output.map_or_else(|| "unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
