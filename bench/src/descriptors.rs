//! How many files this process, and proxies that it starts, may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Allows so many, or says what to do.
pub fn allow(wanted: u64) -> Result<(), String> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum.map(|maximum| maximum.max(wanted)) };
    setrlimit(Resource::Nofile, raised)
        .map_err(|error| format!("{wanted} open files are needed ({error}): `ulimit -n {wanted}`, maybe as root"))
}
