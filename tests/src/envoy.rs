//! A real Envoy: starts it from a configuration text with free ports, watches it, and stops it reliably.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client;

/// The time limit for the start. Envoy compiles the module on its main thread before it listens.
const START_LIMIT: Duration = Duration::from_mins(1);

/// Runs Envoy, and ends it when standard input closes, so that it cannot outlive this process. The shell exits with
/// Envoy's code. `$0` is the directory of this Envoy, which is removed after an orderly end.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
envoy=$!
echo "$envoy" >"$0/pid"
{ cat <&3 >/dev/null; kill "$envoy" 2>/dev/null; } &
watch=$!
exec 3<&-
wait "$envoy"
code=$?
kill "$watch" 2>/dev/null
[ "$code" -ne 0 ] || rm -rf "$0"
exit "$code"
"#;

/// Texts in Envoy's log that say that a module trapped, or that Envoy itself is about to die.
const TRAPS: [&str; 9] = [
    "panicked at",
    "Function: proxy_on",
    "wasm trap",
    "Proxy-Wasm plugin in-VM backtrace",
    "Uncaught RuntimeError",
    "failed to start VM",
    "Plugin failed",
    "assert failure",
    "Caught Segmentation fault",
];

/// A running Envoy.
pub struct Envoy {
    keeper: Child,
    dir: PathBuf,
    admin: SocketAddr,
    ports: HashMap<String, SocketAddr>,
    log_seen: u64,
}

/// Options for starting an Envoy, besides its configuration.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The number of worker threads. With one, each case sees what the one before did to the VM.
    pub workers: usize,
    /// Files for its own directory, by name, such as those that its configuration watches. `{dir}` is replaced in them.
    pub files: &'a [(&'a str, &'a str)],
}

impl Default for Start<'_> {
    fn default() -> Self {
        Start { workers: 1, files: &[] }
    }
}

/// Envoy did not start.
#[derive(Debug)]
pub struct NotStarted {
    /// What happened, in a sentence.
    pub why: String,
    /// Everything that Envoy wrote.
    pub log: String,
}

impl Envoy {
    /// Starts `binary` and waits until it serves.
    ///
    /// `config` is YAML or JSON. Listeners may use port 0. `{dir}` stands for the directory of this Envoy, which is
    /// removed at the end.
    pub fn start(binary: &Path, config: &str) -> Result<Self, NotStarted> {
        Self::start_with(binary, config, Start::default())
    }

    /// Does the same with these options.
    pub fn start_with(binary: &Path, config: &str, start: Start<'_>) -> Result<Self, NotStarted> {
        let dir =
            fresh_dir().map_err(|e| NotStarted { why: format!("no temporary directory: {e}"), log: String::new() })?;
        let mut envoy = Self {
            keeper: launch(binary, config, start, &dir)
                .map_err(|e| NotStarted { why: format!("{}: {e}", binary.display()), log: String::new() })?,
            dir,
            admin: SocketAddr::from(([127, 0, 0, 1], 0)),
            ports: HashMap::new(),
            log_seen: 0,
        };
        match envoy.wait_until_ready() {
            Ok(()) => Ok(envoy),
            Err(why) => Err(NotStarted { why, log: envoy.log() }),
        }
    }

    /// Returns the address of the listener with this name.
    pub fn listener(&self, name: &str) -> Result<SocketAddr, String> {
        self.ports.get(name).copied().ok_or_else(|| format!("Envoy has no listener {name}"))
    }

    /// Returns the address of the admin interface.
    pub fn admin(&self) -> SocketAddr {
        self.admin
    }

    /// Returns the answer of the admin interface to a GET request.
    pub fn admin_get(&self, path: &str) -> Result<String, String> {
        admin_get(self.admin, path)
    }

    /// Sets a value of Envoy's runtime. An empty text removes it.
    pub fn set_runtime(&self, key: &str, value: &str) -> Result<(), String> {
        let path = format!("/runtime_modify?{key}={value}");
        let reply = client::fetch(self.admin, "POST", &path, &[]).map_err(|e| format!("admin {path}: {e}"))?;
        if reply.status == 200 { Ok(()) } else { Err(format!("admin {path}: status {}", reply.status)) }
    }

    /// Fails if Envoy has died, or has logged a trap since the last call.
    pub fn check(&mut self) -> Result<(), String> {
        if let Ok(Some(status)) = self.keeper.try_wait() {
            return Err(gone(status, &self.log()));
        }
        let new = self.new_log();
        match TRAPS.iter().find(|trap| new.contains(**trap)) {
            Some(trap) => Err(format!("Envoy's log says `{trap}`:\n{}", tail(&new))),
            None => Ok(()),
        }
    }

    /// Returns everything that Envoy has logged.
    pub fn log(&self) -> String {
        read_lossy(&self.log_path())
    }

    /// Returns the path of Envoy's log.
    pub fn log_path(&self) -> PathBuf {
        self.dir.join("envoy.log")
    }

    /// Returns the text of a file in this Envoy's directory, empty if it does not exist.
    pub fn file(&self, name: &str) -> String {
        read_lossy(&self.dir.join(name))
    }

    /// Replaces a file in this Envoy's directory by moving a new one there, which is what Envoy watches for.
    pub fn replace_file(&self, name: &str, text: &str) -> io::Result<()> {
        write_file(&self.dir, name, text)
    }

    /// Returns the process id, empty until there is one.
    pub fn pid(&self) -> String {
        self.file("pid").trim().to_owned()
    }

    /// Returns the value of a counter or gauge of the admin interface, or 0 if Envoy has none with that name.
    pub fn stat(&self, name: &str) -> Result<u64, String> {
        let stats = self.admin_get("/stats")?;
        let value = stats.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        Ok(value.and_then(|value| value.trim().parse().ok()).unwrap_or(0))
    }

    /// Returns the resident memory of the process in bytes, if the system reports it.
    pub fn resident_bytes(&self) -> Option<u64> {
        resident_bytes(&self.pid())
    }

    fn new_log(&mut self) -> String {
        let mut text = Vec::new();
        if let Ok(mut file) = fs::File::open(self.log_path()) {
            let _ = file.seek(SeekFrom::Start(self.log_seen));
            let _ = file.read_to_end(&mut text);
        }
        self.log_seen += text.len() as u64;
        String::from_utf8_lossy(&text).into_owned()
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.keeper.try_wait() {
                return Err(format!("Envoy ended at start ({status})"));
            }
            if let Ok(admin) = self.file("admin").trim().parse() {
                self.admin = admin;
                if admin_get(admin, "/ready").is_ok_and(|body| body.starts_with("LIVE")) {
                    self.ports = listeners(admin)?;
                    return Ok(());
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("Envoy did not serve within {} s", START_LIMIT.as_secs()))
    }
}

impl Drop for Envoy {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let deadline = Instant::now() + Duration::from_secs(5);
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Returns the resident memory of a process in bytes, if the system reports it.
pub fn resident_bytes(pid: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

fn launch(binary: &Path, config: &str, start: Start<'_>, dir: &Path) -> io::Result<Child> {
    for (name, text) in start.files.iter().chain([&("envoy.yaml", config)]) {
        write_file(dir, name, text)?;
    }
    let log = fs::File::create(dir.join("envoy.log"))?;
    Command::new("/bin/sh")
        .args(["-c", KEEPER])
        .arg(dir)
        .arg(binary)
        .arg("-c")
        .arg(dir.join("envoy.yaml"))
        .arg("--admin-address-path")
        .arg(dir.join("admin"))
        .args(["--concurrency", &start.workers.to_string()])
        // Hot restart would share memory with other Envoys on this machine. Tests read the access logs, so these must
        // be flushed soon.
        .args(["--disable-hot-restart", "--file-flush-interval-msec", "20"])
        .args(["--log-level", "warning", "--component-log-level", "wasm:info"])
        .current_dir(crate::paths::root())
        .stdin(Stdio::piped())
        .stdout(log.try_clone()?)
        .stderr(log)
        // A signal for the whole foreground group, such as that of Ctrl-C, must not end the keeper before it has
        // cleaned up. It notices the end of this process by the pipe.
        .process_group(0)
        .spawn()
}

/// Says how Envoy ended. After an orderly end its keeper has removed the log, and nothing is wrong.
fn gone(status: ExitStatus, log: &str) -> String {
    if status.success() {
        return "Envoy was stopped, by a signal or through its admin interface".to_owned();
    }
    format!("Envoy is gone ({status}); its log ends:\n{}", tail(log))
}

fn listeners(admin: SocketAddr) -> Result<HashMap<String, SocketAddr>, String> {
    let text = admin_get(admin, "/listeners?format=json")?;
    let list: Value = serde_json::from_str(&text).map_err(|e| format!("/listeners: {e}"))?;
    let entries = list["listener_statuses"].as_array().cloned().unwrap_or_default();
    Ok(entries.iter().filter_map(listener_address).collect())
}

fn listener_address(entry: &Value) -> Option<(String, SocketAddr)> {
    let socket = &entry["local_address"]["socket_address"];
    let port = u16::try_from(socket["port_value"].as_u64()?).ok()?;
    Some((entry["name"].as_str()?.to_owned(), SocketAddr::new(socket["address"].as_str()?.parse().ok()?, port)))
}

fn admin_get(admin: SocketAddr, path: &str) -> Result<String, String> {
    let reply = client::fetch(admin, "GET", path, &[]).map_err(|e| format!("admin {path}: {e}"))?;
    if reply.status != 200 {
        return Err(format!("admin {path}: status {}", reply.status));
    }
    Ok(String::from_utf8_lossy(&reply.body).into_owned())
}

fn fresh_dir() -> io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("nomos-envoy-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = std::env::temp_dir().join(name);
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn write_file(dir: &Path, name: &str, text: &str) -> io::Result<()> {
    let (path, new) = (dir.join(name), dir.join(format!("{name}.new")));
    fs::write(&new, text.replace("{dir}", &dir.display().to_string()))?;
    fs::rename(new, path)
}

fn read_lossy(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Returns the last lines of a log, without those that every start writes.
pub fn tail(log: &str) -> String {
    let usual = ["Deprecated field: ", "There is no configured limit to the number of allowed active downstream"];
    let lines: Vec<&str> = log.lines().filter(|line| !usual.iter().any(|usual| line.contains(usual))).collect();
    lines[lines.len().saturating_sub(25)..].join("\n")
}
