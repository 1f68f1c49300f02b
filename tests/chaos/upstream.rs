//! The scripted upstream for thousands of connections: the steps of [`nomos_tests::upstream`], played by tasks.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nomos_tests::upstream::Step;
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::sleep;

/// What one response is made of. Shared, so that a large one costs its memory once.
pub type Steps = Arc<[Step]>;

/// As many connections may wait to be accepted as a scenario opens at once.
const BACKLOG: u32 = 4096;

/// How often a script looks whether it may go on.
const LOOK: Duration = Duration::from_millis(5);

/// The scripted upstream.
#[derive(Clone)]
pub struct Upstream {
    address: SocketAddr,
    scripts: Arc<Scripts>,
}

#[derive(Default)]
struct Scripts {
    next: AtomicU64,
    by_id: Mutex<HashMap<u64, Steps>>,
}

/// A registered response; forgotten when dropped, which also ends its waiting.
pub struct Script {
    id: u64,
    scripts: Arc<Scripts>,
}

impl Upstream {
    /// Listens on a free loopback port.
    pub fn start() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        let listener = socket.listen(BACKLOG)?;
        let upstream = Self { address: listener.local_addr()?, scripts: Arc::default() };
        tokio::spawn(accept(listener, Arc::clone(&upstream.scripts)));
        Ok(upstream)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Registers a response.
    pub fn script(&self, steps: Steps) -> Script {
        let id = self.scripts.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.scripts).insert(id, steps);
        Script { id, scripts: Arc::clone(&self.scripts) }
    }
}

impl Script {
    /// The value for the `x-case` header.
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        lock(&self.scripts).remove(&self.id);
    }
}

fn lock(scripts: &Scripts) -> MutexGuard<'_, HashMap<u64, Steps>> {
    scripts.by_id.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, scripts: Arc<Scripts>) {
    while let Ok((socket, _)) = listener.accept().await {
        let scripts = Arc::clone(&scripts);
        // An error is a peer that went away, which some scenarios want.
        tokio::spawn(async move { serve(socket, &scripts).await });
    }
}

async fn serve(mut socket: TcpStream, scripts: &Scripts) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut head = Vec::with_capacity(2048);
    while socket.read_buf(&mut head).await? > 0 {
        // One request at a time comes on a connection, and none has a body.
        if !head.ends_with(b"\r\n\r\n") {
            continue;
        }
        let id = case(&head);
        head.clear();
        let steps = id.and_then(|id| lock(scripts).get(&id).cloned());
        let (Some(id), Some(steps)) = (id, steps) else {
            socket.write_all(b"HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\n\r\n").await?;
            continue;
        };
        if !play(&mut socket, &steps, || lock(scripts).contains_key(&id)).await? {
            return Ok(());
        }
    }
    Ok(())
}

fn case(head: &[u8]) -> Option<u64> {
    let head = std::str::from_utf8(head).ok()?;
    head.lines().find_map(|line| line.strip_prefix("x-case: "))?.trim().parse().ok()
}

/// Carries the steps out; false where the connection is to be closed.
async fn play(socket: &mut TcpStream, steps: &[Step], wanted: impl Fn() -> bool) -> io::Result<bool> {
    for step in steps {
        match step {
            Step::Send(bytes) => socket.write_all(bytes).await?,
            Step::Repeat(bytes, times) => {
                for _ in 0..*times {
                    socket.write_all(bytes).await?;
                }
            }
            Step::Wait(time) => sleep(*time).await,
            Step::Until(gate) => {
                while wanted() && !gate.is_open() {
                    sleep(LOOK).await;
                }
            }
            Step::Hold => {
                while wanted() {
                    sleep(LOOK).await;
                }
                return Ok(false);
            }
            Step::Close => return Ok(false),
            Step::Reset => {
                // Closing with a linger time of zero is how a socket sends a reset.
                SockRef::from(&*socket).set_linger(Some(Duration::ZERO))?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}
