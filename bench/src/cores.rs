//! Assigns cores: proxies have one for themselves; the load generator and the upstream have the other.
//!
//! A process or thread stays on the core of the thread that starts it.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Two of the cores that this process may use. When it is dropped, this thread may use all of them again.
#[derive(Debug)]
pub struct Cores {
    all: CpuSet,
    pair: Option<(usize, usize)>,
}

impl Cores {
    /// Returns two cores of this machine. With fewer than two, everything runs anywhere.
    pub fn of_this_process() -> Result<Self, String> {
        let all = sched_getaffinity(None).map_err(|error| format!("sched_getaffinity: {error}"))?;
        let mut usable = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core));
        Ok(Cores { all, pair: usable.next().zip(usable.next()) })
    }

    /// Makes this thread, and everything that it starts from here on, run on the load generator's core.
    pub fn with_the_load(&self) -> Result<(), String> {
        self.pair.map_or(Ok(()), |(load, _)| pin(&only(load)))
    }

    /// Makes everything that this thread starts from here on run on the proxies' core.
    pub fn with_the_proxies(&self) -> Result<(), String> {
        self.pair.map_or(Ok(()), |(_, proxies)| pin(&only(proxies)))
    }

    /// Returns whether there are two cores.
    pub fn are_apart(&self) -> bool {
        self.pair.is_some()
    }
}

impl Drop for Cores {
    fn drop(&mut self) {
        // If this fails, the thread stays on its core and measures just as well.
        let _ = pin(&self.all);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_apart_and_given_back() {
        let usable = || sched_getaffinity(None).expect("a set of cores").count();
        let before = usable();
        let cores = Cores::of_this_process().expect("cores");
        cores.with_the_proxies().expect("a core");
        assert_eq!(usable(), if cores.are_apart() { 1 } else { before });
        drop(cores);
        assert_eq!(usable(), before);
    }
}
