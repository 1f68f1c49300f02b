//! The processor time and memory of a process.

use std::fs;
use std::time::Duration;

use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// Returns the processor time of all threads of a process in nanoseconds.
///
/// This reads the process's own clock, which is exact for threads that are running. `/proc` is only as recent as the
/// scheduler's last tick, which is up to 10 ms old: as long as the measured slices.
pub fn cpu_ns(pid: u32) -> Result<u64, String> {
    let number = i32::try_from(pid).map_err(|_| format!("{pid} is no process"))?;
    let time = clock_getcpuclockid(Pid::from_raw(number)).and_then(clock_gettime);
    let time = time.map_err(|error| format!("processor time of process {pid}: {error}"))?;
    u64::try_from(Duration::from(time).as_nanos()).map_err(|error| error.to_string())
}

/// Returns the processor time of one thread in nanoseconds: exact while it sleeps, and as of the scheduler's last tick
/// while it runs.
pub fn thread_cpu_ns(pid: u32, thread: u32) -> Result<u64, String> {
    let file = format!("/proc/{pid}/task/{thread}/schedstat");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let first = text.split_ascii_whitespace().next().and_then(|number| number.parse().ok());
    first.ok_or_else(|| format!("{file}: found `{}`; expected nanoseconds first", text.trim()))
}

/// Returns the resident memory of a process in bytes.
pub fn resident(pid: u32) -> Result<u64, String> {
    status(pid, "VmRSS:")
}

/// Returns the maximum of its resident memory in bytes.
pub fn most_resident(pid: u32) -> Result<u64, String> {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> Result<u64, String> {
    let file = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    value.map(|kib| kib << 10).ok_or_else(|| format!("{file}: found no {field}; expected one in kB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that is as recent as the scheduler's last tick would give the same time again and again. How long the
    /// readings take, and what other threads do meanwhile, does not matter.
    #[test]
    fn processor_time_goes_on_while_a_thread_runs() {
        let now = || cpu_ns(std::process::id()).expect("a time");
        let times: Vec<u64> = (0..1000).map(|_| now()).collect();
        let later = times.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(later > 900, "{later} of 1,000 readings were later than the one before");
        let pid = std::process::id();
        assert!(thread_cpu_ns(pid, pid).expect("a main thread") <= now());
        assert!(cpu_ns(u32::MAX).is_err());
    }

    #[test]
    fn this_process_has_used_memory() {
        let pid = std::process::id();
        let (now, most) = (resident(pid).expect("bytes"), most_resident(pid).expect("bytes"));
        assert!(now > 0 && most > 0);
    }
}
