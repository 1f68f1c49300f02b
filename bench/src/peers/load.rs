//! Sends GET requests to a peer with one thread: in a closed loop for throughput, and in an open loop for latency.
//!
//! The thread never sleeps, and serves the upstream in the same loop. A response must have status 200; its body is not
//! checked.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::stand::Place;
use super::upstream::Upstream;
use crate::response::is_complete;

/// A response that takes longer counts as failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The size of buffers, larger than any timed response.
const RESPONSE_BYTES: usize = 64 << 10;

/// Open connections to one side.
pub struct Load {
    connections: Vec<Connection>,
    request: Vec<u8>,
}

struct Connection {
    socket: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
    /// When the outstanding request was due.
    intended: Instant,
}

impl Load {
    /// Connects.
    pub fn connect(to: &Place, connections: usize, path: &str) -> io::Result<Self> {
        let connections = (0..connections).map(|_| Connection::open(to)).collect::<io::Result<_>>()?;
        let request = format!("GET {}{path} HTTP/1.1\r\nhost: bench\r\n\r\n", to.prefix).into_bytes();
        Ok(Load { connections, request })
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Sends this many requests on each connection, one after the other. Returns the time for all of them.
    pub fn closed(&mut self, requests: usize, upstream: &mut Upstream) -> io::Result<Duration> {
        let start = Instant::now();
        for connection in &mut self.connections {
            connection.socket.write_all(&self.request)?;
        }
        for round in 1..=requests {
            for connection in &mut self.connections {
                connection.await_response(upstream)?;
                if round < requests {
                    connection.socket.write_all(&self.request)?;
                }
            }
        }
        Ok(start.elapsed())
    }

    /// Sends this many requests at a constant rate, whatever happens to earlier ones. Latencies count from the time
    /// when a request was due, so waiting for a connection counts.
    pub fn open(&mut self, rate: u32, requests: usize, upstream: &mut Upstream) -> io::Result<Vec<Duration>> {
        let period = Duration::from_secs(1) / rate;
        let mut next = Instant::now();
        let end = next + period * u32::try_from(requests).unwrap_or(u32::MAX) + PATIENCE;
        let mut idle: Vec<usize> = (0..self.connections.len()).collect();
        let mut busy: Vec<usize> = Vec::with_capacity(idle.len());
        let mut latencies = Vec::with_capacity(requests);
        let mut sent = 0;
        while latencies.len() < requests {
            let now = Instant::now();
            if now > end {
                return Err(io::Error::other(format!("{} of {requests} responses came in time", latencies.len())));
            }
            if sent < requests
                && now >= next
                && let Some(index) = idle.pop()
            {
                let connection = &mut self.connections[index];
                connection.socket.write_all(&self.request)?;
                connection.intended = next;
                busy.push(index);
                next += period;
                sent += 1;
            }
            upstream.serve()?;
            for at in (0..busy.len()).rev() {
                let connection = &mut self.connections[busy[at]];
                if connection.poll()? {
                    latencies.push(connection.intended.elapsed());
                    idle.push(busy.swap_remove(at));
                }
            }
        }
        Ok(latencies)
    }
}

impl Connection {
    fn open(to: &Place) -> io::Result<Self> {
        let socket = TcpStream::connect(to.address)?;
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        Ok(Connection { socket, buffer: vec![0; RESPONSE_BYTES], filled: 0, intended: Instant::now() })
    }

    fn await_response(&mut self, upstream: &mut Upstream) -> io::Result<()> {
        let start = Instant::now();
        while !self.poll()? {
            upstream.serve()?;
            if start.elapsed() > PATIENCE {
                return Err(ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Reads, and returns whether the response is complete.
    fn poll(&mut self) -> io::Result<bool> {
        match self.socket.read(&mut self.buffer[self.filled..]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
            Ok(0) => return Err(io::Error::other("the response was cut, or is longer than the bench expects")),
            Ok(read) => self.filled += read,
        }
        let complete = is_complete(&self.buffer[..self.filled])?;
        if complete {
            self.filled = 0;
        }
        Ok(complete)
    }
}
