//! An HTTP/1.1 client on a raw socket. It hides nothing, so that a test can see framing, bytes and a cut connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::wire::Decoder;
pub use crate::wire::{End, Reply};

/// How long [`fetch`] and a [`Connection`] wait for a response.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request that has been sent, and the part of its response that has arrived.
pub struct Exchange {
    socket: TcpStream,
    decoder: Decoder,
    closed: bool,
}

impl Exchange {
    /// Connects and sends `METHOD PATH` with the given header lines.
    pub fn start(to: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<Self> {
        Self::start_version(to, "1.1", method, path, headers)
    }

    /// Does the same with another HTTP version.
    pub fn start_version(
        to: SocketAddr,
        version: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> io::Result<Self> {
        let socket = TcpStream::connect(to)?;
        socket.set_nodelay(true)?;
        Self::start_on(socket, &request(version, method, path, headers), method == "HEAD")
    }

    fn start_on(mut socket: TcpStream, request: &[u8], head_request: bool) -> io::Result<Self> {
        socket.write_all(request)?;
        Ok(Self { socket, decoder: Decoder::new(head_request), closed: false })
    }

    /// Reads until the response is complete, the connection closes, or the time is up.
    pub fn finish(mut self, within: Duration) -> Reply {
        self.read_while(within, |reply| reply.end != End::Complete);
        self.decoder.into_reply()
    }

    /// Reads until the body is at least `length` bytes long, the response ends, or the time is up.
    pub fn body_of(&mut self, length: usize, within: Duration) -> Reply {
        self.read_while(within, |reply| reply.body.len() < length && reply.end != End::Complete);
        self.decoder.reply().clone()
    }

    /// Reads until the headers are there, the response ends, or the time is up.
    pub fn headers(&mut self, within: Duration) -> Reply {
        self.read_while(within, |reply| reply.status == 0);
        self.decoder.reply().clone()
    }

    fn read_while(&mut self, within: Duration, more: impl Fn(&Reply) -> bool) {
        let deadline = Instant::now() + within;
        let mut block = vec![0; 256 * 1024];
        while !self.closed && more(self.decoder.reply()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            // A time-out of zero would mean none at all.
            let _ = self.socket.set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match self.socket.read(&mut block) {
                Ok(n) if n > 0 => self.decoder.push(&block[..n]),
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                _ => {
                    self.closed = true;
                    self.decoder.close();
                }
            }
        }
    }
}

/// A connection for one request after the other. It is opened again if it was closed.
pub struct Connection {
    to: SocketAddr,
    socket: Option<TcpStream>,
}

impl Connection {
    /// Returns a connection that is opened with the first request.
    pub fn new(to: SocketAddr) -> Self {
        Self { to, socket: None }
    }

    /// Sends one request and reads its response to the end.
    pub fn get(&mut self, path: &str, headers: &[(&str, &str)]) -> io::Result<Reply> {
        let socket = match self.socket.take() {
            Some(socket) => socket,
            None => TcpStream::connect(self.to)?,
        };
        socket.set_nodelay(true)?;
        let mut exchange = Exchange::start_on(socket, &request("1.1", "GET", path, headers), false)?;
        exchange.read_while(PATIENCE, |reply| reply.end != End::Complete);
        let closes = exchange.decoder.reply().text("connection").eq_ignore_ascii_case("close");
        if exchange.decoder.reply().end == End::Complete && !exchange.closed && !closes {
            self.socket = Some(exchange.socket);
        }
        Ok(exchange.decoder.into_reply())
    }
}

/// Sends one request and reads its response to the end.
pub fn fetch(to: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<Reply> {
    Ok(Exchange::start(to, method, path, headers)?.finish(PATIENCE))
}

/// Returns the bytes of a request without a body.
pub fn request(version: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    format!("{method} {path} HTTP/{version}\r\nhost: test\r\n{headers}\r\n").into_bytes()
}
