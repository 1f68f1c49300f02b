//! A network of our own, where we may have one: its loopback interface carries our packets only, so that counting them
//! by XDP neither sees nor disturbs what else runs on the machine.

use std::process::{Command, ExitCode};

/// Set in the process that has the network.
const MARK: &str = "NOMOS_ALONE";

/// Whether this process has a network of its own.
pub fn is_alone() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs this program once more, with the same arguments, in a network of its own, and gives its exit code. The reason
/// where that is not possible; then the caller goes on in the network that it has.
pub fn again() -> Result<ExitCode, String> {
    let allowed = Command::new("unshare").args(["--net", "ip", "link", "set", "lo", "up"]).output();
    match allowed {
        Ok(output) if output.status.success() => {}
        Ok(output) => return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => return Err(format!("unshare: {error}")),
    }
    let program = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    let status = Command::new("unshare")
        .args(["--net", "sh", "-c", r#"ip link set lo up && exec "$0" "$@""#])
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(MARK, "1")
        .status()
        .map_err(|e| format!("unshare: {e}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
