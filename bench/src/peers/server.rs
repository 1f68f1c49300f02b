//! Peers as processes: started with a directory of their own, waited for, and stopped for certain.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a peer may take until it accepts connections, or until it has ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a server and ends it when standard input closes: so it cannot outlive us, however we end. `$0` is its log.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null >"$0" 2>&1 3<&- &
server=$!
echo "$server"
cat <&3 >/dev/null
kill "$server" 2>/dev/null
wait "$server"
"#;

/// A running peer.
pub struct Server {
    keeper: Child,
    dir: PathBuf,
    pid: u32,
}

impl Server {
    /// Starts a program in a directory of its own.
    pub fn start(dir: PathBuf, program: &Path, arguments: &[String], variables: &[(&str, String)]) -> io::Result<Self> {
        let mut keeper = Command::new("/bin/sh")
            .args(["-c", KEEPER])
            .arg(dir.join("log"))
            .arg(program)
            .args(arguments)
            .envs(variables.iter().map(|(name, value)| (*name, value)))
            .current_dir(&dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = keeper.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let pid = line.trim().parse().map_err(|_| io::Error::other("the server's process id is not known"))?;
        Ok(Server { keeper, dir, pid })
    }

    /// Waits until it accepts connections.
    pub fn await_port(&self, address: SocketAddr) -> Result<(), String> {
        self.await_that(|| TcpStream::connect(address).is_ok())
    }

    /// Waits until it has made a file.
    pub fn await_file(&self, path: &Path) -> Result<(), String> {
        self.await_that(|| path.exists())
    }

    fn await_that(&self, ready: impl Fn() -> bool) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline && Path::new(&format!("/proc/{}", self.pid)).exists() {
            if ready() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(10));
        }
        let log = fs::read_to_string(self.dir.join("log")).unwrap_or_default();
        let last = log.lines().last().unwrap_or("it said nothing");
        Err(format!("it did not start: {last}"))
    }

    /// The process and its children, such as the workers of nginx.
    pub fn pids(&self) -> Vec<u32> {
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.pid)).unwrap_or_default();
        [self.pid].into_iter().chain(children.split_whitespace().filter_map(|pid| pid.parse().ok())).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let deadline = Instant::now() + PATIENCE;
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// A new directory.
pub fn directory() -> io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("nomos-peer-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = std::env::temp_dir().join(name);
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// An address that nobody listens at, for servers that must be told one.
pub fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// The text with each `{name}` replaced.
pub fn render(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
