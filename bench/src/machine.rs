//! The machine on which a result was measured.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// Everything that a figure depends on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The day, in UTC.
    pub date: String,
    /// The commit, with `+` if files differed from it.
    pub commit: String,
    /// The model of the processor.
    pub cpu: String,
    /// The number of its cores.
    pub cores: usize,
    /// The kernel's release.
    pub kernel: String,
    /// The version from `envoy --version`.
    pub envoy: String,
    /// The output of `rustc --version`.
    pub rustc: String,
    /// The load average of the last minute at the start, which shows whether the machine was quiet.
    pub load: String,
}

impl Machine {
    /// Describes this machine at this time.
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

    /// Returns the description in two lines of text.
    pub fn text(&self) -> String {
        let Machine { date, commit, cpu, cores, kernel, envoy, rustc, load } = self;
        format!("{date}, commit {commit}, {cores} cores {cpu}, load {load}\nLinux {kernel}, Envoy {envoy}, {rustc}")
    }

    /// Returns the name and value of each field.
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

/// Extracts the version from `envoy  version: HASH/1.40.0/Clean/RELEASE/BoringSSL`.
fn envoy_version(text: &str) -> String {
    let version = text.split_once("version: ").and_then(|(_, build)| build.split('/').nth(1));
    version.unwrap_or("unknown").to_owned()
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(nomos_tests::paths::root()).output();
    let output = output.ok().filter(|output| output.status.success());
    output.map_or_else(|| "unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
