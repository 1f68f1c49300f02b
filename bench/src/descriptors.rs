//! The limit of open files for this process and the proxies that it starts.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to this number. If that fails, the error says what to do.
pub fn allow(wanted: u64) -> Result<(), String> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    let raised = Rlimit { current: Some(wanted), maximum: limit.maximum.map(|maximum| maximum.max(wanted)) };
    setrlimit(Resource::Nofile, raised)
        .map_err(|error| format!("{wanted} open files are needed ({error}): `ulimit -n {wanted}`, maybe as root"))
}
