//! Sends GET requests in a closed loop on a few connections, with one thread.
//!
//! Each connection has one outstanding request. The thread takes them in turn: it reads the response of one, sends its
//! next request, and continues with the next connection. The thread never sleeps, and serves the upstream in the same
//! loop: [`Upstream`] says why.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::response::is_complete;
use crate::upstream::Upstream;

/// A response that takes longer counts as failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Open connections to one listener.
pub struct Load {
    connections: Vec<Connection>,
    request: Vec<u8>,
}

struct Connection {
    socket: TcpStream,
    buffer: Vec<u8>,
}

impl Load {
    /// Connects.
    pub fn connect(to: SocketAddr, connections: usize, path: &str) -> io::Result<Self> {
        let connections = (0..connections).map(|_| Connection::open(to)).collect::<io::Result<_>>()?;
        Ok(Load { connections, request: format!("GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n").into_bytes() })
    }

    /// Sends this many requests on each connection, and reads all responses. Each must have status 200.
    pub fn run(&mut self, rounds: usize, upstream: &Upstream) -> io::Result<()> {
        for connection in &mut self.connections {
            connection.socket.write_all(&self.request)?;
        }
        for round in 1..=rounds {
            for connection in &mut self.connections {
                connection.read_response(upstream)?;
                if round < rounds {
                    connection.socket.write_all(&self.request)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }
}

impl Connection {
    fn open(to: SocketAddr) -> io::Result<Self> {
        let socket = TcpStream::connect(to)?;
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        Ok(Connection { socket, buffer: vec![0; 256 << 10] })
    }

    fn read_response(&mut self, upstream: &Upstream) -> io::Result<()> {
        let start = Instant::now();
        let mut filled = 0;
        loop {
            let read = match self.socket.read(&mut self.buffer[filled..]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && start.elapsed() < PATIENCE => {
                    upstream.serve();
                    continue;
                }
                other => other?,
            };
            filled += read;
            if read == 0 || (filled == self.buffer.len()) {
                return Err(io::Error::other("the response was cut, or is longer than the bench expects"));
            }
            if is_complete(&self.buffer[..filled])? {
                return Ok(());
            }
        }
    }
}
