//! Peers as processes: each is started in a directory of its own, awaited, and stopped reliably.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nomos_tests::kept::Kept;

/// The time limit for a peer to accept connections.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running peer.
pub struct Server {
    kept: Kept,
    dir: PathBuf,
}

impl Server {
    /// Starts a program in a directory.
    pub fn start(dir: PathBuf, program: &Path, arguments: &[String], variables: &[(&str, String)]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value))).current_dir(&dir);
        Ok(Server { kept: Kept::start(&command, dir.join("log"))?, dir })
    }

    /// Waits until it accepts connections.
    pub fn await_port(&mut self, address: SocketAddr) -> Result<(), String> {
        self.await_that(|| TcpStream::connect(address).is_ok())
    }

    /// Waits until it has created a file.
    pub fn await_file(&mut self, path: &Path) -> Result<(), String> {
        self.await_that(|| path.exists())
    }

    fn await_that(&mut self, ready: impl Fn() -> bool) -> Result<(), String> {
        self.kept.wait_until(PATIENCE, |_| ready()).map_err(|why| format!("it did not start: {why}"))
    }

    /// Returns the ids of the process and its children, such as the workers of nginx.
    pub fn pids(&self) -> Vec<u32> {
        let pid = self.kept.pid();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        [pid].into_iter().chain(children.split_whitespace().filter_map(|pid| pid.parse().ok())).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kept.stop();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Creates a new directory.
pub fn directory() -> io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("nomos-peer-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = std::env::temp_dir().join(name);
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// Returns an address on which nothing listens, for servers that must be told one.
pub fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// Replaces each `{name}` in a text.
pub fn render(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
