//! A fake upstream whose every byte is scripted, so that a test can use any framing, pause or broken connection.
//!
//! A test registers the steps of a response, and sends the returned id in the `x-case` header of its request.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;

/// The maximum time that a script waits for a test.
const HOLD_LIMIT: Duration = Duration::from_secs(20);

/// A step of a response.
#[derive(Clone, Debug)]
pub enum Step {
    /// Write these bytes in one piece.
    Send(Vec<u8>),
    /// Write these bytes this many times.
    Repeat(Vec<u8>, usize),
    /// Write nothing for a while.
    Wait(Duration),
    /// Write nothing until the gate is open.
    Until(Gate),
    /// Keep the connection open and silent until the script is dropped.
    Hold,
    /// Close the connection.
    Close,
    /// Close the connection with a reset, so that the peer may lose what it has not read yet.
    Reset,
}

/// A gate at which scripts wait for a test.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    /// Releases all scripts that wait at the gate.
    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns whether the gate is open.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The scripted upstream. It lives as long as the process.
#[derive(Clone)]
pub struct Upstream {
    address: SocketAddr,
    scripts: Arc<Scripts>,
}

#[derive(Default)]
struct Scripts {
    next: AtomicU64,
    by_id: Mutex<HashMap<u64, Vec<Step>>>,
}

/// A registered response. It is forgotten when dropped, which also ends a [`Step::Hold`].
pub struct Script {
    id: u64,
    scripts: Arc<Scripts>,
}

impl Upstream {
    /// Listens on a free loopback port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let upstream = Self { address: listener.local_addr()?, scripts: Arc::default() };
        let scripts = Arc::clone(&upstream.scripts);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let scripts = Arc::clone(&scripts);
                // An error means that the peer went away, which some cases provoke.
                thread::spawn(move || serve(socket, &scripts));
            }
        });
        Ok(upstream)
    }

    /// Returns the address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Registers a response.
    pub fn script(&self, steps: Vec<Step>) -> Script {
        let id = self.scripts.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.scripts).insert(id, steps);
        Script { id, scripts: Arc::clone(&self.scripts) }
    }
}

impl Script {
    /// Returns the value for the `x-case` header.
    pub fn id(&self) -> String {
        self.id.to_string()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        lock(&self.scripts).remove(&self.id);
    }
}

fn lock(scripts: &Scripts) -> std::sync::MutexGuard<'_, HashMap<u64, Vec<Step>>> {
    scripts.by_id.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut socket: TcpStream, scripts: &Scripts) -> io::Result<()> {
    socket.set_nodelay(true)?;
    while let Some(head) = request_head(&mut socket)? {
        let id = head.lines().find_map(|line| line.strip_prefix("x-case: ")).and_then(|id| id.trim().parse().ok());
        let steps = id.and_then(|id: u64| lock(scripts).get(&id).cloned());
        match (id, steps) {
            (Some(id), Some(steps)) => {
                if !play(&mut socket, steps, || lock(scripts).contains_key(&id))? {
                    return Ok(());
                }
            }
            _ => socket.write_all(b"HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\n\r\n")?,
        }
    }
    Ok(())
}

/// Plays the steps. Returns false if the connection must be closed.
fn play(socket: &mut TcpStream, steps: Vec<Step>, wanted: impl Fn() -> bool) -> io::Result<bool> {
    for step in steps {
        match step {
            Step::Send(bytes) => socket.write_all(&bytes)?,
            Step::Repeat(bytes, times) => (0..times).try_for_each(|_| socket.write_all(&bytes))?,
            Step::Wait(time) => thread::sleep(time),
            Step::Until(gate) => wait_while(|| wanted() && !gate.is_open()),
            Step::Hold => {
                wait_while(&wanted);
                return Ok(false);
            }
            Step::Close => return Ok(false),
            Step::Reset => {
                // A socket closed with a linger time of zero sends a reset.
                SockRef::from(&*socket).set_linger(Some(Duration::ZERO))?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn wait_while(wanted: impl Fn() -> bool) {
    let started = Instant::now();
    while wanted() && started.elapsed() < HOLD_LIMIT {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Reads the head of the next request, which has no body. Returns `None` once the peer has closed.
fn request_head(socket: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if socket.read(&mut byte)? == 0 {
            return Ok(None);
        }
        head.push(byte[0]);
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}
