//! How much processor time a process has used.

use std::fs;
use std::path::Path;

/// Time on a processor of all threads of a process, in nanoseconds.
///
/// From the scheduler's own account: `/proc/PID/stat` counts in steps of 10 ms, too coarse for a round of a second.
pub fn cpu_ns(pid: u32) -> Result<u64, String> {
    let tasks = format!("/proc/{pid}/task");
    let entries = fs::read_dir(&tasks).map_err(|error| format!("{tasks}: {error}"))?;
    entries.flatten().map(|task| thread_ns(&task.path())).sum()
}

fn thread_ns(task: &Path) -> Result<u64, String> {
    let file = task.join("schedstat");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let first = text.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
    first.ok_or_else(|| format!("{}: found `{}`; expected nanoseconds first", file.display(), text.trim()))
}
