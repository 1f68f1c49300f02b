//! A network namespace of this process's own, if it may have one. Its loopback interface carries only packets of the
//! tests, so that counting them by XDP neither sees nor disturbs other programs on the machine.

use std::process::{Command, ExitCode};

/// The variable that is set in the process with its own network.
const MARK: &str = "NOMOS_ALONE";

/// Returns whether this process has a network of its own.
pub fn is_alone() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs this program again with the same arguments in a network of its own, and returns its exit code. If that is
/// impossible, returns the reason, and the caller continues in the network that it has.
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
