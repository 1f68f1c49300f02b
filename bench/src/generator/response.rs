//! Finds the ends of responses as their bytes arrive.

use std::io;

/// The maximum number of headers; no response here has that many.
const HEADERS: usize = 64;

/// Reads one response after the other.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    state: State,
    /// A head or line that is not complete yet.
    line: Vec<u8>,
    response: Response,
}

/// The relevant parts of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    /// The value of `x-nomos-latency-us`.
    pub(super) engine_us: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Head,
    /// This many bytes of the body are missing.
    Body(u64),
    ChunkSize,
    /// This many bytes of a chunk are missing, including the line end after it.
    Chunk(u64),
    /// Lines until an empty one.
    Trailers,
}

impl Decoder {
    /// Takes bytes. Returns how many were used, and the response if one ends with them.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<(usize, Option<Response>)> {
        let mut used = 0;
        while used < bytes.len() {
            let rest = &bytes[used..];
            let (took, next) = match self.state {
                State::Head => self.head(rest)?,
                State::Body(left) => skip(rest, left, State::Body, None),
                State::Chunk(left) => skip(rest, left, State::Chunk, Some(State::ChunkSize)),
                State::ChunkSize => self.chunk_size(rest)?,
                State::Trailers => self.trailer(rest),
            };
            used += took;
            let Some(next) = next else {
                self.state = State::Head;
                return Ok((used, Some(std::mem::take(&mut self.response))));
            };
            self.state = next;
        }
        Ok((used, None))
    }

    /// Reads a head. Returns the bytes used, and the next state, or `None` at the end of the response.
    fn head(&mut self, bytes: &[u8]) -> io::Result<(usize, Option<State>)> {
        let before = self.line.len();
        self.line.extend_from_slice(bytes);
        let from = before.saturating_sub(3);
        let Some(at) = self.line[from..].windows(4).position(|window| window == b"\r\n\r\n") else {
            return Ok((bytes.len(), Some(State::Head)));
        };
        let end = from + at + 4;
        let head = std::mem::take(&mut self.line);
        let next = self.read_head(&head[..end])?;
        // The memory is reused.
        self.line = head;
        self.line.clear();
        Ok((end - before, next))
    }

    fn read_head(&mut self, head: &[u8]) -> io::Result<Option<State>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        parsed.parse(head).map_err(io::Error::other)?;
        self.response.status = parsed.code.unwrap_or(0);
        let mut next = State::Body(0);
        for header in parsed.headers.iter() {
            let number = || std::str::from_utf8(header.value).ok()?.trim().parse::<u64>().ok();
            if header.name.eq_ignore_ascii_case("content-length") {
                next = State::Body(number().ok_or_else(|| io::Error::other("content-length is not a number"))?);
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                next = State::ChunkSize;
            } else if header.name.eq_ignore_ascii_case("x-nomos-latency-us") {
                self.response.engine_us = number();
            }
        }
        Ok(if matches!(next, State::Body(0)) { None } else { Some(next) })
    }

    fn chunk_size(&mut self, bytes: &[u8]) -> io::Result<(usize, Option<State>)> {
        let (used, is_whole) = self.line(bytes);
        if !is_whole {
            return Ok((used, Some(State::ChunkSize)));
        }
        let size = std::str::from_utf8(&self.line).ok().and_then(|line| line.trim_end().split(';').next());
        let size = size.and_then(|size| u64::from_str_radix(size, 16).ok());
        self.line.clear();
        match size {
            Some(0) => Ok((used, Some(State::Trailers))),
            Some(size) => Ok((used, Some(State::Chunk(size + 2)))),
            None => Err(io::Error::other("the size of a chunk is not a number")),
        }
    }

    fn trailer(&mut self, bytes: &[u8]) -> (usize, Option<State>) {
        let (used, is_whole) = self.line(bytes);
        if !is_whole {
            return (used, Some(State::Trailers));
        }
        let is_last = self.line.trim_ascii().is_empty();
        self.line.clear();
        (used, if is_last { None } else { Some(State::Trailers) })
    }

    /// Adds bytes to the line. Returns how many, and whether the line is complete.
    fn line(&mut self, bytes: &[u8]) -> (usize, bool) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(bytes.len(), |end| end + 1);
        self.line.extend_from_slice(&bytes[..used]);
        (used, end.is_some())
    }
}

/// Skips bytes of a body or a chunk. `then` is the state after it.
fn skip(bytes: &[u8], left: u64, state: fn(u64) -> State, then: Option<State>) -> (usize, Option<State>) {
    let used = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
    let left = left - used as u64;
    (used, if left == 0 { then } else { Some(state(left)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nx-nomos-latency-us: 7\r\n\r\n{}\
        HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n\
        HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n\
        HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\na: b\r\n\r\n";

    #[test]
    fn responses_end_where_they_end_however_they_are_cut() {
        for cut in 1..STREAM.len() {
            let (mut decoder, mut found) = (Decoder::default(), Vec::new());
            for mut bytes in STREAM.chunks(cut) {
                while !bytes.is_empty() {
                    let (used, response) = decoder.push(bytes).expect("well-formed responses");
                    found.extend(response.map(|response| (response.status, response.engine_us)));
                    bytes = &bytes[used..];
                }
            }
            assert_eq!(found, [(200, Some(7)), (200, None), (503, None), (200, None)], "cut to {cut}");
        }
    }

    #[test]
    fn what_is_no_response_is_an_error() {
        for bad in [&b"hello\r\n\r\n"[..], b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"] {
            assert!(Decoder::default().push(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
    }
}
