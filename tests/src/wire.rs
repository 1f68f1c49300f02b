//! HTTP/1.1 responses, parsed while their bytes arrive.

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// All of it arrived, as its framing says.
    Complete,
    /// The connection closed early, or the stream was reset.
    Cut,
    /// The time was up before the end.
    TimedOut,
}

/// A response as received.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code, or 0 if no status line came.
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
    /// Returns a reply of which nothing has arrived.
    pub fn nothing() -> Self {
        Self { status: 0, headers: Vec::new(), body: Vec::new(), trailers: Vec::new(), end: End::TimedOut }
    }

    /// Returns the first value of a header.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_slice())
    }

    /// Returns the first value of a header as text, empty if there is none.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(self.header(name).unwrap_or_default()).into_owned()
    }

    /// Returns whether the body came with `transfer-encoding: chunked`.
    pub fn chunked(&self) -> bool {
        self.text("transfer-encoding").eq_ignore_ascii_case("chunked")
    }
}

/// Parses one response. Each byte is read once, so bodies may be long.
#[derive(Debug)]
pub struct Decoder {
    reply: Reply,
    head_request: bool,
    state: State,
    /// The bytes of an incomplete line.
    pending: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    /// This many bytes of the body are missing.
    Length(usize),
    ChunkSize,
    /// This many bytes of the chunk are missing, including its line end.
    Chunk(usize),
    Trailers,
    UntilClose,
    Done,
    /// The bytes are not HTTP/1.1.
    Broken,
}

impl Decoder {
    /// Returns a decoder for one response. A response to HEAD has no body.
    pub fn new(head_request: bool) -> Self {
        Self { reply: Reply::nothing(), head_request, state: State::Head, pending: Vec::new() }
    }

    /// Takes bytes as they arrive, and ignores those after the response.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !matches!(self.state, State::Done | State::Broken) {
            bytes = match self.state {
                State::Head | State::Trailers | State::ChunkSize => self.line(bytes),
                State::Length(left) => self.body(bytes, left),
                State::Chunk(left) => self.chunk(bytes, left),
                State::UntilClose => self.body(bytes, usize::MAX),
                State::Done | State::Broken => return,
            };
        }
    }

    /// Notes that the connection has closed.
    pub fn close(&mut self) {
        if self.reply.end != End::Complete {
            self.reply.end = if self.state == State::UntilClose { End::Complete } else { End::Cut };
        }
    }

    /// Returns what has arrived so far.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// Returns what has arrived.
    pub fn into_reply(self) -> Reply {
        self.reply
    }

    /// Takes bytes up to the end of a line, and parses the line if it is complete.
    fn line<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            self.pending.extend_from_slice(bytes);
            return &[];
        };
        let (line, rest) = bytes.split_at(end + 1);
        self.pending.extend_from_slice(line);
        let line = std::mem::take(&mut self.pending);
        self.take_line(line.trim_ascii_end());
        rest
    }

    fn take_line(&mut self, line: &[u8]) {
        match (self.state, line.is_empty()) {
            (State::Head, _) if self.reply.status == 0 => match status(line) {
                Some(status) => self.reply.status = status,
                None => self.state = State::Broken,
            },
            (State::Head, false) => self.reply.headers.extend(header_line(line)),
            (State::Head, true) => self.begin_body(),
            (State::ChunkSize, _) => match chunk_size(line) {
                Some(0) => self.state = State::Trailers,
                Some(size) => self.state = State::Chunk(size + 2),
                None => self.state = State::Broken,
            },
            (State::Trailers, false) => self.reply.trailers.extend(header_line(line)),
            _ => self.finish(),
        }
    }

    fn begin_body(&mut self) {
        let bodiless = self.head_request || matches!(self.reply.status, 100..=199 | 204 | 304);
        match self.reply.header("content-length").map(number) {
            _ if bodiless => self.finish(),
            _ if self.reply.chunked() => self.state = State::ChunkSize,
            Some(Some(0)) => self.finish(),
            Some(Some(length)) => self.state = State::Length(length),
            Some(None) => self.state = State::Broken,
            None => self.state = State::UntilClose,
        }
    }

    fn body<'a>(&mut self, bytes: &'a [u8], left: usize) -> &'a [u8] {
        let (body, rest) = bytes.split_at(bytes.len().min(left));
        self.reply.body.extend_from_slice(body);
        if left == body.len() {
            self.finish();
        } else if let State::Length(left) = &mut self.state {
            *left -= body.len();
        }
        rest
    }

    fn chunk<'a>(&mut self, bytes: &'a [u8], left: usize) -> &'a [u8] {
        let (part, rest) = bytes.split_at(bytes.len().min(left));
        let data = part.len().min(left.saturating_sub(2));
        self.reply.body.extend_from_slice(&part[..data]);
        self.state = if part.len() == left { State::ChunkSize } else { State::Chunk(left - part.len()) };
        rest
    }

    fn finish(&mut self) {
        self.state = State::Done;
        self.reply.end = End::Complete;
    }
}

fn status(line: &[u8]) -> Option<u16> {
    std::str::from_utf8(line).ok()?.split(' ').nth(1)?.parse().ok()
}

fn header_line(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let colon = line.iter().position(|b| *b == b':')?;
    let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
    Some((name, line[colon + 1..].trim_ascii().to_vec()))
}

fn chunk_size(line: &[u8]) -> Option<usize> {
    usize::from_str_radix(std::str::from_utf8(line).ok()?, 16).ok()
}

fn number(value: &[u8]) -> Option<usize> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Decoder, End};

    const ROWS: [(&str, &str, End); 9] = [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", "hi", End::Complete),
        ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "", End::Complete),
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhi", "hi", End::Cut),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", "hi", End::Complete),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\na: b\r\n\r\n", "hi", End::Complete),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n", "hi", End::Cut),
        ("HTTP/1.1 200 OK\r\n\r\nhi", "hi", End::Complete),
        ("HTTP/1.1 204 No Content\r\n\r\n", "", End::Complete),
        ("nonsense\r\n\r\n", "", End::Cut),
    ];

    #[test]
    fn reads_every_framing_however_it_is_cut() {
        for (wire, body, end) in ROWS {
            for size in 1..=wire.len() {
                let mut decoder = Decoder::new(false);
                wire.as_bytes().chunks(size).for_each(|piece| decoder.push(piece));
                decoder.close();
                let reply = decoder.into_reply();
                let found = (String::from_utf8_lossy(&reply.body).into_owned(), reply.end);
                assert_eq!(found, (body.to_owned(), end), "{wire:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn what_follows_is_another_response() {
        let mut decoder = Decoder::new(false);
        decoder.push(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhiHTTP/1.1 500 No\r\n\r\n");
        assert_eq!((decoder.reply().status, decoder.reply().end), (200, End::Complete));
        assert_eq!(decoder.into_reply().body, b"hi");
    }
}
