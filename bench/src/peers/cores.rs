//! Which core runs what: proxies have one for themselves, the load generator and the upstream have the other.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Two of the cores that this process may use.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    all: CpuSet,
    pair: Option<(usize, usize)>,
}

impl Cores {
    /// Those of this machine. With fewer than two, everything runs wherever it is put.
    pub fn of_this_process() -> Result<Self, String> {
        let all = sched_getaffinity(None).map_err(|error| format!("sched_getaffinity: {error}"))?;
        let mut usable = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core));
        Ok(Cores { all, pair: usable.next().zip(usable.next()) })
    }

    /// This thread, and what it starts from now on, runs with the load generator.
    pub fn with_the_load(&self) -> Result<(), String> {
        self.pair.map_or(Ok(()), |(load, _)| pin(&only(load)))
    }

    /// What this thread starts from now on runs with the proxies.
    pub fn with_the_proxies(&self) -> Result<(), String> {
        self.pair.map_or(Ok(()), |(_, proxies)| pin(&only(proxies)))
    }

    /// As it was.
    pub fn anywhere(&self) -> Result<(), String> {
        pin(&self.all)
    }

    /// Whether there were two.
    pub fn are_apart(&self) -> bool {
        self.pair.is_some()
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}

fn pin(set: &CpuSet) -> Result<(), String> {
    sched_setaffinity(None, set).map_err(|error| format!("sched_setaffinity: {error}"))
}
