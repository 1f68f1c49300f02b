//! Two network namespaces for a test alone, joined by a veth pair. They carry only what the test sends.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde_json::Value;

/// The time limit for events that should be immediate, on a machine that may be busy with other tests.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The interface whose packets are counted.
pub const COUNTED: &str = "counted";
/// The other end of the pair.
pub const SENDER: &str = "sender";

/// The two namespaces.
pub struct Host {
    name: String,
}

/// Returns why tests that need privileges cannot run here, or `None` if they can.
pub fn obstacle() -> Option<String> {
    if let Some(obstacle) = nomos_xdp::available::obstacle() {
        return Some(obstacle);
    }
    if let Err(error) = Command::new("ip").arg("-V").output() {
        return Some(format!("the program `ip` does not start ({error}); install iproute2"));
    }
    Host::new().err().map(|why| format!("network namespaces cannot be made: {why}"))
}

impl Host {
    /// Creates the namespaces. They are removed when this is dropped.
    pub fn new() -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("nomos-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let host = Self { name };
        for side in [host.counted(), host.sending()] {
            ip(&["netns", "add", &side])?;
            // Otherwise the kernel would send packets of its own.
            let quiet = "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6";
            ip(&["netns", "exec", &side, "sh", "-c", quiet])?;
        }
        host.connect()?;
        Ok(host)
    }

    /// Creates the veth pair.
    pub fn connect(&self) -> Result<(), String> {
        let (counted, sending) = (self.counted(), self.sending());
        ip(&["link", "add", COUNTED, "netns", &counted, "type", "veth", "peer", "name", SENDER, "netns", &sending])?;
        ip(&["-n", &sending, "link", "set", SENDER, "arp", "off", "up"])?;
        ip(&["-n", &counted, "link", "set", COUNTED, "arp", "off", "up"])?;
        for (side, interface) in [(&sending, SENDER), (&counted, COUNTED)] {
            operational(side, interface)?;
        }
        Ok(())
    }

    /// Runs `ip` in the namespace of the counted interface.
    pub fn ip(&self, arguments: &[&str]) -> Result<(), String> {
        ip(&[&["-n", &self.counted()], arguments].concat())
    }

    /// Returns a command in the namespace of the counted interface.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.counted(), program]);
        command
    }

    /// Returns a command that runs the loader in that namespace.
    pub fn loader(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_nomos-xdp"));
        command.args(arguments);
        command
    }

    /// Sends frames into the counted interface, one after the other. Returns how many were sent again: each time that
    /// the other end had no room, `lost` counts one more.
    pub fn send(&self, frames: impl IntoIterator<Item = Vec<u8>> + Send) -> Result<u64, String> {
        let sending = self.sending();
        let sent = thread::scope(|scope| scope.spawn(|| send(&sending, frames)).join());
        sent.map_err(|_| "the sender panicked".to_owned())?.map_err(|error| format!("sending: {error}"))
    }

    /// Runs a function on a thread in the namespace of the counted interface.
    pub fn inside<T: Send>(&self, run: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
        let namespace = self.counted();
        let inner = || enter(&namespace).map_err(|error| error.to_string()).and_then(|()| run());
        thread::scope(|scope| scope.spawn(inner).join()).map_err(|_| "the thread panicked".to_owned())?
    }

    /// Returns the information of `ip link` about the counted interface.
    pub fn link(&self) -> Result<Value, String> {
        show(&self.counted(), COUNTED)
    }

    /// Returns how many frames the kernel lost between the two ends, including those that were then sent again.
    pub fn lost(&self) -> Result<u64, String> {
        let lost = |side: &str, interface: &str| -> Result<u64, String> {
            let stats = &show(side, interface)?["stats64"];
            let number = |direction: &str| stats[direction]["dropped"].as_u64().unwrap_or_default();
            Ok(number("rx") + number("tx"))
        };
        Ok(lost(&self.counted(), COUNTED)? + lost(&self.sending(), SENDER)?)
    }

    fn counted(&self) -> String {
        format!("{}-a", self.name)
    }

    fn sending(&self) -> String {
        format!("{}-b", self.name)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for side in [self.counted(), self.sending()] {
            // The namespace takes its end of the pair with it, and that the other end.
            let _ = ip(&["netns", "delete", &side]);
        }
    }
}

/// A running loader.
pub struct Loader {
    child: Child,
    said: Receiver<String>,
    reports: Receiver<Value>,
}

impl Loader {
    /// Starts it, with JSON reports ten times a second.
    pub fn start(host: &Host, arguments: &[&str]) -> Result<Self, String> {
        let mut command = host.loader(arguments);
        command.args(["--json", "--interval", "100ms"]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let said = lines(child.stderr.take(), Some);
        let reports = lines(child.stdout.take(), |line| serde_json::from_str(&line).ok());
        Ok(Self { child, said, reports })
    }

    /// Starts it, and waits until it is attached.
    pub fn attached(host: &Host, arguments: &[&str]) -> Result<Self, String> {
        let loader = Self::start(host, arguments)?;
        loader.wait_for("attached in").map(|_| loader)
    }

    /// Returns the next line on standard error that contains this text.
    pub fn wait_for(&self, text: &str) -> Result<String, String> {
        let start = Instant::now();
        let mut seen = Vec::new();
        loop {
            match self.said.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(line) if line.contains(text) => return Ok(line),
                Ok(line) => seen.push(line),
                Err(_) => return Err(format!("the loader said {seen:?}; expected `{text}`")),
            }
        }
    }

    /// Returns the first report that meets a condition.
    pub fn report(&self, condition: impl Fn(&Value) -> bool) -> Result<Value, String> {
        let start = Instant::now();
        let mut last = Value::Null;
        loop {
            match self.reports.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(report) if condition(&report) => return Ok(report),
                Ok(report) => last = report,
                Err(RecvTimeoutError::Timeout) => return Err(format!("timed out; the last report was {last}")),
                Err(RecvTimeoutError::Disconnected) => return Err(format!("it ended; the last report was {last}")),
            }
        }
    }

    /// Returns the process id.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Asks it to end, and returns its last report and exit code.
    pub fn stop(mut self) -> Result<(Value, Option<i32>), String> {
        kill_process(self.pid(), Signal::TERM).map_err(|error| error.to_string())?;
        let last = self.reports.iter().last().ok_or("there was no report")?;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        Ok((last, status.code()))
    }

    /// Kills it, so that it cannot clean up.
    pub fn crash(mut self) -> Result<(), String> {
        self.child.kill().and_then(|()| self.child.wait()).map(drop).map_err(|error| error.to_string())
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines<T: Send + 'static>(
    from: Option<impl io::Read + Send + 'static>,
    parse: impl Fn(String) -> Option<T> + Send + 'static,
) -> Receiver<T> {
    let (sender, receiver) = channel();
    if let Some(from) = from {
        thread::spawn(move || {
            for one in BufReader::new(from).lines().map_while(Result::ok).filter_map(parse) {
                // Reading continues even if nobody listens: a full pipe would block the loader.
                let _ = sender.send(one);
            }
        });
    }
    receiver
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output().map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// Waits until an interface carries frames. The kernel enables it some time after `up`, and silently drops earlier
/// frames.
fn operational(side: &str, interface: &str) -> Result<(), String> {
    let start = Instant::now();
    loop {
        let state = show(side, interface)?["operstate"].clone();
        if state == "UP" {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("{interface} is {state}; expected it to be UP"));
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the information of `ip link` about an interface.
fn show(side: &str, interface: &str) -> Result<Value, String> {
    let output = Command::new("ip").args(["-n", side, "-j", "-s", "link", "show", interface]).output();
    let output = output.map_err(|error| error.to_string())?;
    let said: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    Ok(said[0].clone())
}

/// Sends frames. Runs on a thread of its own, which stays in the other namespace.
fn send(namespace: &str, frames: impl IntoIterator<Item = Vec<u8>>) -> io::Result<u64> {
    enter(namespace)?;
    let mut socket = File::from(raw_socket(c"sender")?);
    let mut again = 0;
    for frame in frames {
        let written = loop {
            match socket.write(&frame) {
                // The queue is full, as on a busy machine: nothing was sent, and there will be room in a moment.
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                    again += 1;
                    thread::sleep(Duration::from_micros(100));
                }
                written => break written?,
            }
        };
        if written != frame.len() {
            return Err(io::Error::other(format!("sent {written} of {} bytes", frame.len())));
        }
    }
    Ok(again)
}

fn enter(namespace: &str) -> io::Result<()> {
    let entrance = File::open(format!("/run/netns/{namespace}"))?;
    Ok(move_into_link_name_space(entrance.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// Opens a socket that sends whole frames through one interface.
fn raw_socket(interface: &CStr) -> io::Result<OwnedFd> {
    // SAFETY: there are no pointers, and the descriptor is new and belongs to this process.
    let socket = unsafe {
        let fd = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(fd)
    };
    // SAFETY: the name is a C string and only read; all zeros is a valid `sockaddr_ll`, and `bind` gets its size.
    let bound = unsafe {
        let index = libc::if_nametoindex(interface.as_ptr());
        let mut address: libc::sockaddr_ll = std::mem::zeroed();
        address.sll_family = u16::try_from(libc::AF_PACKET).unwrap_or_default();
        address.sll_ifindex = i32::try_from(index).unwrap_or_default();
        let length = u32::try_from(size_of::<libc::sockaddr_ll>()).unwrap_or_default();
        libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length)
    };
    if bound == 0 { Ok(socket) } else { Err(io::Error::last_os_error()) }
}
