//! Receives a body that is too long to be kept: piece by piece, in the order of arrival.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::wire::{Decoder, End, Reply};

/// The maximum wait for any data.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many bytes are read at once.
const BLOCK: usize = 256 * 1024;

/// Sends `GET path` and passes each piece of the body to `sink`, until that returns false or the response ends. Returns
/// the reply with an empty body.
pub fn download(
    to: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    sink: impl FnMut(&[u8]) -> bool,
) -> io::Result<Reply> {
    let headers: String = headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    let mut socket = TcpStream::connect(to)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.write_all(format!("GET {path} HTTP/1.1\r\nhost: test\r\n{headers}\r\n").as_bytes())?;

    let mut input = Input { socket, block: vec![0; BLOCK], filled: 0, at: 0 };
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match input.byte() {
            Ok(byte) => head.push(byte),
            Err(end) => return Ok(Reply { end, ..read_head(&head) }),
        }
    }
    let mut reply = read_head(&head);
    reply.end = body(&mut input, &reply, sink).err().unwrap_or(End::Complete);
    Ok(reply)
}

/// Parses status and headers.
fn read_head(head: &[u8]) -> Reply {
    let mut decoder = Decoder::new(true);
    decoder.push(head);
    decoder.into_reply()
}

fn body(input: &mut Input, reply: &Reply, mut sink: impl FnMut(&[u8]) -> bool) -> Result<(), End> {
    if !reply.chunked() {
        let length = reply.text("content-length").parse().ok();
        return match input.pass(length.unwrap_or(usize::MAX), &mut sink) {
            Err(End::Cut) if length.is_none() => Ok(()),
            result => result,
        };
    }
    loop {
        let line = input.line()?;
        let size = std::str::from_utf8(&line).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let size = size.ok_or(End::Cut)?;
        input.pass(size, &mut sink)?;
        // After the last chunk, these lines are the trailers.
        while !input.line()?.is_empty() {}
        if size == 0 {
            return Ok(());
        }
    }
}

struct Input {
    socket: TcpStream,
    block: Vec<u8>,
    filled: usize,
    at: usize,
}

impl Input {
    fn fill(&mut self) -> Result<(), End> {
        if self.at < self.filled {
            return Ok(());
        }
        self.at = 0;
        self.filled = match self.socket.read(&mut self.block) {
            Ok(0) => return Err(End::Cut),
            Ok(n) => n,
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(End::TimedOut);
            }
            Err(_) => return Err(End::Cut),
        };
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, End> {
        self.fill()?;
        self.at += 1;
        Ok(self.block[self.at - 1])
    }

    /// Reads a line, and returns it without its end.
    fn line(&mut self) -> Result<Vec<u8>, End> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(self.byte()?);
        }
        line.truncate(line.len() - 2);
        Ok(line)
    }

    /// Passes on this many bytes.
    fn pass(&mut self, mut left: usize, sink: &mut impl FnMut(&[u8]) -> bool) -> Result<(), End> {
        while left > 0 {
            self.fill()?;
            let piece = &self.block[self.at..self.filled.min(self.at.saturating_add(left))];
            self.at += piece.len();
            left -= piece.len();
            if !sink(piece) {
                return Err(End::Cut);
            }
        }
        Ok(())
    }
}
