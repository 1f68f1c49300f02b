//! Packet counts of the kernel on loopback during the demo, from `nomos-xdp` if it may run.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

/// The address at which `nomos-xdp` serves its metrics while the demo stays up.
const METRICS: &str = "127.0.0.1:9902";

/// The interval of reports, and a time in which one surely arrives.
const INTERVAL: &str = "500ms";
const SURELY_ANOTHER: Duration = Duration::from_millis(700);

/// A running `nomos-xdp`.
pub struct Packets {
    child: Child,
    last: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Packets {
    /// Starts it on loopback, or returns the reason why it cannot run.
    ///
    /// It ends with this process in any case: nobody then reads the pipe that its reports go into.
    pub fn start(proxy: u16, upstream: u16, stay: bool) -> Result<Self, String> {
        let program = std::env::var_os("NOMOS_XDP").ok_or("nomos-xdp was not built; see above")?;
        let mut command = Command::new(&program);
        command.args(["--interface", "lo", "--mode", "skb", "--json", "--interval", INTERVAL]);
        command.args(["--port", &proxy.to_string(), "--port", &upstream.to_string()]);
        if stay {
            command.args(["--metrics", METRICS]);
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // In a process group of its own, because otherwise Ctrl-C would end it even if this process ignores the
            // signal.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let said = child.stderr.take().map(|stderr| BufReader::new(stderr).lines().map_while(Result::ok));
        let mut last = String::new();
        for line in said.into_iter().flatten() {
            if line.contains("attached in") {
                return Self::read(child);
            }
            line.trim_start_matches("nomos-xdp: ").clone_into(&mut last);
        }
        // It has printed the reason, and ends.
        let _ = child.wait();
        Err(without_its_options(&last))
    }

    /// Returns the address of its metrics.
    pub fn metrics() -> &'static str {
        METRICS
    }

    /// Returns what it has counted so far.
    pub fn counted(&self) -> Result<String, String> {
        thread::sleep(SURELY_ANOTHER);
        shown(&self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stops it, and returns what it has counted.
    pub fn stop(mut self) -> Result<String, String> {
        let pid = self.child.id().to_string();
        Command::new("kill").arg(&pid).status().map_err(|error| format!("kill {pid}: {error}"))?;
        self.child.wait().map_err(|error| format!("nomos-xdp: {error}"))?;
        self.reader.join().map_err(|_| "the reader of nomos-xdp panicked".to_owned())?;
        shown(&self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(mut child: Child) -> Result<Self, String> {
        let reports = child.stdout.take().ok_or("the reports of nomos-xdp cannot be read")?;
        let last = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&last);
        let reader = thread::spawn(move || {
            for line in BufReader::new(reports).lines().map_while(Result::ok) {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = line;
            }
        });
        Ok(Self { child, last, reader })
    }
}

/// Returns the reason without the options of a command line that the reader has not typed.
fn without_its_options(why: &str) -> String {
    let Some((found, _)) = why.split_once(", and it stays; --replace") else { return why.to_owned() };
    // The kernel does not always report the name.
    if found.contains("(nomos_xdp") || found.contains("(of unknown name)") {
        return "another make demo, make run or nomos-xdp counts on lo already".to_owned();
    }
    found.to_owned()
}

/// Formats a report in a few lines.
fn shown(line: &str) -> Result<String, String> {
    let report: Value = serde_json::from_str(line).map_err(|error| format!("nomos-xdp reported `{line}`: {error}"))?;
    let row = |name: &str, counted: &Value, syn: &Value| {
        let [packets, bytes, syn] = [&counted["packets"], &counted["bytes"], syn].map(Value::to_string);
        format!("{name:<22} {packets:>9} {bytes:>12} {syn:>6}\n")
    };
    let mut text = format!("{:<22} {:>9} {:>12} {:>6}\n", "received on lo", "packets", "bytes", "SYN");
    text += &row("all", &report, &report["tcp"]["syn"]);
    for port in report["ports"].as_array().into_iter().flatten() {
        text += &row(&format!("TCP to port {}", port["port"]), port, &port["syn"]);
    }
    text += "SYN of all: SYN-ACKs too, which go to the ports of the clients\n";
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::without_its_options;

    #[test]
    fn no_option_of_nomos_xdp_is_recommended() {
        let taken = |by: &str| {
            let why = format!("lo: there is an XDP program already ({by}), and it stays; --replace takes its place");
            without_its_options(&why)
        };
        let ours = "another make demo, make run or nomos-xdp counts on lo already";
        assert_eq!(taken("nomos_xdp_skb, id 7"), ours);
        assert_eq!(taken("of unknown name"), ours);
        assert_eq!(taken("cilium, id 7"), "lo: there is an XDP program already (cilium, id 7)");
        assert_eq!(without_its_options("needs CAP_BPF"), "needs CAP_BPF");
    }
}
