//! Samples by perf, on the processor's clock, which also works on virtual machines without counters.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::named::Functions;

/// The number of samples per second: a prime, so that periodic work is neither always nor never found.
const FREQUENCY: &str = "3989";

/// The time that perf needs to open its counters.
const STARTING: Duration = Duration::from_millis(300);

/// The name of Envoy's worker thread.
const WORKER: &str = "wrk:worker_0";

/// A function on a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A function of the module, by its name.
    Module(String),
    /// The function by which V8 enters a module.
    Entry,
    /// Code that V8 generated to call out of a module, or for itself.
    Glue,
    /// A function of Envoy, by its start address.
    Envoy(u64),
    /// A function of the kernel or a library.
    Other,
}

/// A stack, with the innermost function first.
pub type Stack = Vec<Frame>;

/// A running perf.
pub struct Recording {
    perf: Child,
    file: PathBuf,
}

/// Checks that perf is installed and may sample.
pub fn check() -> Result<(), String> {
    let probe = Command::new("perf").args(["record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "true"]).output();
    match probe {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "perf may not sample here: {}; as root: sysctl kernel.perf_event_paranoid=1",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(format!("perf: {error}; Debian's package linux-perf has it")),
    }
}

/// Returns perf's version.
pub fn version() -> String {
    let output = Command::new("perf").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.trim().trim_start_matches("perf version ").to_owned()
}

/// Starts sampling a process.
pub fn record(pid: u32) -> Result<Recording, String> {
    let file = std::env::temp_dir().join(format!("nomos-profile-{pid}.data"));
    let perf = Command::new("perf")
        .args(["record", "-q", "-F", FREQUENCY, "-e", "cpu-clock", "--call-graph", "fp", "-p", &pid.to_string(), "-o"])
        .arg(&file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("perf: {error}"))?;
    thread::sleep(STARTING);
    Ok(Recording { perf, file })
}

/// Removes the file with the names of V8's code.
pub fn forget_names(pid: u32) {
    let _ = fs::remove_file(format!("/tmp/perf-{pid}.map"));
}

impl Recording {
    /// Stops sampling, and returns the samples of the worker.
    pub fn stop(mut self, functions: &Functions) -> Result<Vec<Stack>, String> {
        let pid = i32::try_from(self.perf.id()).ok().and_then(Pid::from_raw).ok_or("perf has no process id")?;
        kill_process(pid, Signal::INT).map_err(|error| format!("perf: {error}"))?;
        self.perf.wait().map_err(|error| format!("perf: {error}"))?;
        let output = Command::new("perf")
            .args(["script", "-F", "comm,ip,sym,dso", "-i"])
            .arg(&self.file)
            .stderr(Stdio::null())
            .output()
            .map_err(|error| format!("perf script: {error}"))?;
        let _ = fs::remove_file(&self.file);
        let text = String::from_utf8_lossy(&output.stdout);
        let stacks: Vec<Stack> = text.split("\n\n").filter_map(|sample| read(sample, functions)).collect();
        if stacks.is_empty() { Err("perf: found no samples of Envoy's worker".to_owned()) } else { Ok(stacks) }
    }
}

/// Parses one sample: a line with the thread's name, then a line for each function, the innermost first.
fn read(sample: &str, functions: &Functions) -> Option<Stack> {
    let mut lines = sample.trim().lines();
    lines.next()?.starts_with(WORKER).then(|| lines.filter_map(|line| frame(line, functions)).collect())
}

/// Parses a line `ADDRESS SYMBOL+OFFSET (FILE)`.
fn frame(line: &str, functions: &Functions) -> Option<Frame> {
    let (address, rest) = line.trim().split_once(' ')?;
    let (symbol, file) = rest.rsplit_once(" (")?;
    let symbol = symbol.rsplit_once("+0x").map_or(symbol, |(symbol, _)| symbol);
    Some(if file.starts_with("/tmp/perf-") || file.starts_with("[JIT]") {
        match symbol.split_once(':') {
            Some(("JS", name)) => Frame::Module(super::stack::readable(name)),
            Some(("Stub", name)) if name.starts_with("c-wasm-entry") => Frame::Entry,
            _ => Frame::Glue,
        }
    } else if file.trim_end_matches(')') == functions.file() {
        Frame::Envoy(functions.start(u64::from_str_radix(address, 16).ok()?))
    } else {
        Frame::Other
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read() {
        let functions = Functions::from_starts("/bin/envoy", vec![0x100, 0x200]);
        let sample = "wrk:worker_0 \n\
            ffffffff821f8922 __schedule+0x3e2 ([kernel.kallsyms])\n\
            \t     1ff [unknown] (/bin/envoy)\n\
            \t  8923942e134 [unknown] (/tmp/perf-834.map)\n\
            \t  892393a55ed JS:_ZN12nomos_filter2vm5begin17h47faf3b0d865b8b1E-116-turbofan+0x6d (/tmp/perf-834.map)\n\
            \t  7f880f6c044a Stub:c-wasm-entry:iii:i+0x4a (/tmp/perf-834.map)\n\
            \t     200 [unknown] (/bin/envoy)\n\
            \t     891f5 start_thread+0x305 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n";
        let module = Frame::Module("nomos_filter::vm::begin".to_owned());
        let expected = vec![
            Frame::Other,
            Frame::Envoy(0x100),
            Frame::Glue,
            module,
            Frame::Entry,
            Frame::Envoy(0x200),
            Frame::Other,
        ];
        assert_eq!(read(sample, &functions), Some(expected));
        assert_eq!(read(&sample.replace(WORKER, "envoy"), &functions), None);
    }
}
