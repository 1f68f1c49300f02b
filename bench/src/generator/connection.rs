//! One connection: requests that wait to be written, and responses as they arrive.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use super::outcome::{Outcome, record};
use super::response::Decoder;

/// How many bytes are read at once: more than any small response, so that one read empties the socket.
const READ_BYTES: usize = 64 << 10;

pub(super) struct Connection {
    to: SocketAddr,
    token: Token,
    socket: TcpStream,
    /// Requests that the socket has not accepted yet.
    unwritten: Vec<u8>,
    under_way: VecDeque<Request>,
    decoder: Decoder,
    buffer: Vec<u8>,
}

struct Request {
    intended: Instant,
    sent: Instant,
    first_byte: Option<Instant>,
}

impl Connection {
    pub(super) fn open(to: SocketAddr, token: Token, registry: &Registry) -> io::Result<Self> {
        let socket = open(to, token, registry)?;
        let (under_way, decoder) = (VecDeque::new(), Decoder::default());
        Ok(Connection { to, token, socket, unwritten: Vec::new(), under_way, decoder, buffer: vec![0; READ_BYTES] })
    }

    /// Opens a new connection, and forgets all outstanding requests.
    pub(super) fn reopen(&mut self, registry: &Registry) -> io::Result<()> {
        self.socket = open(self.to, self.token, registry)?;
        self.unwritten.clear();
        self.under_way.clear();
        self.decoder = Decoder::default();
        Ok(())
    }

    /// Returns the number of requests without a response.
    pub(super) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    pub(super) fn send(&mut self, request: &[u8], intended: Instant) {
        self.unwritten.extend_from_slice(request);
        self.under_way.push_back(Request { intended, sent: Instant::now(), first_byte: None });
    }

    /// Writes as much as the socket accepts.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while !self.unwritten.is_empty() {
            match self.socket.write(&self.unwritten) {
                Ok(written) => drop(self.unwritten.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads everything that has arrived.
    pub(super) fn read(&mut self, outcome: &mut Outcome) -> io::Result<()> {
        loop {
            match self.socket.read(&mut self.buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    outcome.bytes += read as u64;
                    self.take(read, outcome)?;
                    // A short read means that the socket is empty, so the kernel will report it again.
                    if read < self.buffer.len() {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, read: usize, outcome: &mut Outcome) -> io::Result<()> {
        let now = Instant::now();
        let mut from = 0;
        while from < read {
            let Some(request) = self.under_way.front_mut() else {
                return Err(io::Error::other("bytes without a request"));
            };
            request.first_byte.get_or_insert(now);
            let (used, response) = self.decoder.push(&self.buffer[from..read])?;
            from += used;
            let Some(response) = response else { continue };
            let Some(Request { intended, sent, first_byte }) = self.under_way.pop_front() else { continue };
            if response.status != 200 {
                outcome.failed += 1;
                continue;
            }
            outcome.ok += 1;
            record(&mut outcome.latency, now - intended);
            record(&mut outcome.since_sent, now - sent);
            record(&mut outcome.first_byte, first_byte.unwrap_or(now) - intended);
            if let Some(us) = response.engine_us {
                outcome.engine_us.saturating_record(us);
            }
        }
        Ok(())
    }
}

/// Opens a connection and waits for it. On loopback that takes time only while the proxy's accept queue is full.
fn open(to: SocketAddr, token: Token, registry: &Registry) -> io::Result<TcpStream> {
    let socket = std::net::TcpStream::connect(to)?;
    socket.set_nodelay(true)?;
    socket.set_nonblocking(true)?;
    let mut socket = TcpStream::from_std(socket);
    registry.register(&mut socket, token, Interest::READABLE | Interest::WRITABLE)?;
    Ok(socket)
}
