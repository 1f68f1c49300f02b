//! How much processor time and memory a process has used.

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

/// Memory that a process has in use, in bytes.
pub fn resident(pid: u32) -> Result<u64, String> {
    status(pid, "VmRSS:")
}

/// The most that it ever had in use.
pub fn most_resident(pid: u32) -> Result<u64, String> {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> Result<u64, String> {
    let file = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    value.map(|kib| kib << 10).ok_or_else(|| format!("{file}: found no {field}; expected one in kB"))
}

fn thread_ns(task: &Path) -> Result<u64, String> {
    let file = task.join("schedstat");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let first = text.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
    first.ok_or_else(|| format!("{}: found `{}`; expected nanoseconds first", file.display(), text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_used_something() {
        let pid = std::process::id();
        assert!(cpu_ns(pid).expect("a time") > 0);
        let (now, most) = (resident(pid).expect("bytes"), most_resident(pid).expect("bytes"));
        assert!(now > 0 && most > 0);
    }
}
