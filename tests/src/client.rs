//! An HTTP/1.1 client on a raw socket: it hides nothing, so that a test can see framing, bytes and a cut connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All of it arrived, as its framing says.
    Complete,
    /// The connection closed before that.
    Cut,
    /// Nothing more came before the time was up.
    TimedOut,
}

/// One response as it came over the wire.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code; 0 where no status line came.
    pub status: u16,
    /// Names in lower case, values as bytes, in the order received.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body without its transfer coding.
    pub body: Vec<u8>,
    /// The trailers of a chunked body.
    pub trailers: Vec<(String, Vec<u8>)>,
    /// How it ended.
    pub end: End,
}

impl Reply {
    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_slice())
    }

    /// The first value of a header as text; empty where there is none.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(self.header(name).unwrap_or_default()).into_owned()
    }

    /// Whether the body came with `transfer-encoding: chunked`.
    pub fn chunked(&self) -> bool {
        self.text("transfer-encoding").eq_ignore_ascii_case("chunked")
    }
}

/// A request that has been sent, and what has come back so far.
pub struct Exchange {
    socket: TcpStream,
    received: Vec<u8>,
    head_request: bool,
    closed: bool,
}

impl Exchange {
    /// Connects and sends `METHOD PATH` with the given header lines.
    pub fn start(to: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<Self> {
        Self::start_version(to, "1.1", method, path, headers)
    }

    /// The same with another HTTP version.
    pub fn start_version(
        to: SocketAddr,
        version: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> io::Result<Self> {
        let headers: String = headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
        let request = format!("{method} {path} HTTP/{version}\r\nhost: test\r\n{headers}\r\n");

        let mut socket = TcpStream::connect(to)?;
        socket.set_nodelay(true)?;
        socket.write_all(request.as_bytes())?;
        Ok(Self { socket, received: Vec::new(), head_request: method == "HEAD", closed: false })
    }

    /// Reads until the response is complete, the connection closes, or the time is up.
    pub fn finish(mut self, within: Duration) -> Reply {
        self.read_while(within, |reply| reply.end != End::Complete)
    }

    /// Reads until the body is at least `length` bytes long, the response ends, or the time is up.
    pub fn body_of(&mut self, length: usize, within: Duration) -> Reply {
        self.read_while(within, |reply| reply.body.len() < length && reply.end != End::Complete)
    }

    fn read_while(&mut self, within: Duration, more: impl Fn(&Reply) -> bool) -> Reply {
        let deadline = Instant::now() + within;
        let mut block = vec![0; 256 * 1024];
        loop {
            let reply = parse(&self.received, self.head_request, self.closed);
            if self.closed || !more(&reply) {
                return reply;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Reply { end: End::TimedOut, ..reply };
            }
            // A zero time-out would mean "for ever".
            let _ = self.socket.set_read_timeout(Some(left.max(Duration::from_millis(1))));
            match self.socket.read(&mut block) {
                Ok(0) => self.closed = true,
                Ok(n) => self.received.extend_from_slice(&block[..n]),
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(_) => self.closed = true,
            }
        }
    }
}

/// Sends one request and reads its response to the end.
pub fn fetch(to: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<Reply> {
    Ok(Exchange::start(to, method, path, headers)?.finish(Duration::from_secs(10)))
}

/// Reads what has arrived so far. Cheap enough to be called again for each block read: bodies here are a few megabytes.
pub(crate) fn parse(bytes: &[u8], head_request: bool, closed: bool) -> Reply {
    let unfinished = if closed { End::Cut } else { End::TimedOut };
    let mut reply = Reply { status: 0, headers: Vec::new(), body: Vec::new(), trailers: Vec::new(), end: unfinished };
    let Some(head) = find(bytes, b"\r\n\r\n") else {
        return reply;
    };
    let mut lines = bytes[..head].split(|b| *b == b'\n');
    reply.status = lines.next().and_then(status).unwrap_or(0);
    reply.headers = lines.filter_map(header_line).collect();

    let rest = &bytes[head + 4..];
    if head_request || matches!(reply.status, 100..=199 | 204 | 304) {
        reply.end = End::Complete;
    } else if reply.chunked() {
        if dechunk(rest, &mut reply) {
            reply.end = End::Complete;
        }
    } else if let Some(length) = reply.header("content-length").and_then(number) {
        reply.body = rest[..rest.len().min(length)].to_vec();
        if rest.len() >= length {
            reply.end = End::Complete;
        }
    } else {
        reply.body = rest.to_vec();
        if closed {
            reply.end = End::Complete;
        }
    }
    reply
}

/// Takes the chunks that are there; true once the last chunk and the trailers have been seen.
fn dechunk(mut rest: &[u8], reply: &mut Reply) -> bool {
    loop {
        let Some(line) = find(rest, b"\r\n") else {
            return false;
        };
        let size = std::str::from_utf8(&rest[..line]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(size) = size else { return false };
        rest = &rest[line + 2..];
        if size == 0 {
            return trailers(rest, reply);
        }
        reply.body.extend_from_slice(&rest[..size.min(rest.len())]);
        let Some(next) = rest.get(size + 2..) else {
            return false;
        };
        rest = next;
    }
}

fn trailers(rest: &[u8], reply: &mut Reply) -> bool {
    if rest.starts_with(b"\r\n") {
        return true;
    }
    let Some(end) = find(rest, b"\r\n\r\n") else {
        return false;
    };
    reply.trailers = rest[..end].split(|b| *b == b'\n').filter_map(header_line).collect();
    true
}

fn status(line: &[u8]) -> Option<u16> {
    std::str::from_utf8(line).ok()?.split(' ').nth(1)?.trim().parse().ok()
}

fn header_line(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let colon = line.iter().position(|b| *b == b':')?;
    let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
    Some((name, line[colon + 1..].trim_ascii().to_vec()))
}

fn number(value: &[u8]) -> Option<usize> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::{End, parse};

    #[test]
    fn reads_every_framing() {
        let rows: [(&str, &str, End); 7] = [
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", "hi", End::Complete),
            ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhi", "hi", End::Cut),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", "hi", End::Complete),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\na: b\r\n\r\n", "hi", End::Complete),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n", "hi", End::Cut),
            ("HTTP/1.1 200 OK\r\n\r\nhi", "hi", End::Complete),
            ("HTTP/1.1 204 No Content\r\n\r\n", "", End::Complete),
        ];
        for (wire, body, end) in rows {
            let reply = parse(wire.as_bytes(), false, true);
            assert_eq!((String::from_utf8_lossy(&reply.body).as_ref(), reply.end), (body, end), "{wire:?}");
        }
    }
}
