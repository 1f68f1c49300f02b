//! The ways in which an HTTP/1.1 server can put a body on the wire.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::upstream::Step;

/// The pause between pieces: long enough for Envoy to read each one separately, short enough for a few hundred of them.
const GAP: Duration = Duration::from_micros(300);

/// One way of putting a body on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// With `content-length`.
    Length,
    /// With `content-length`, in pieces of this size.
    LengthPieces(usize),
    /// As one chunk.
    Chunked,
    /// As chunks of this size, each written separately.
    Chunks(usize),
    /// Until the connection closes.
    Close,
    /// As one chunk, then trailers.
    Trailers,
    /// Compressed, with `content-length`.
    Gzip,
    /// Compressed, in chunks of one byte.
    GzipBytewise,
}

impl Framing {
    /// Returns whether the receiver knows the length of the plain body in advance.
    pub fn tells_length(self) -> bool {
        matches!(self, Self::Length | Self::LengthPieces(_))
    }

    /// Returns whether the body is compressed.
    pub fn is_gzip(self) -> bool {
        matches!(self, Self::Gzip | Self::GzipBytewise)
    }
}

/// Returns a whole response: status line (`200 OK`), the given headers, and the body in this framing.
pub fn response(framing: Framing, status: &str, headers: &[(&str, &[u8])], body: &[u8]) -> Vec<Step> {
    let packed;
    let body = if framing.is_gzip() {
        packed = gzip(body);
        packed.as_slice()
    } else {
        body
    };
    let mut steps = vec![Step::Send(head(framing, status, headers, body.len()))];
    match framing {
        Framing::Length | Framing::Gzip => steps.push(Step::Send(body.to_vec())),
        Framing::LengthPieces(size) => steps.extend(apart(body.chunks(size).map(<[u8]>::to_vec))),
        Framing::Chunked => steps.push(Step::Send([chunk(body), last(b"")].concat())),
        Framing::Chunks(size) => steps.extend(chunks_apart(body, size)),
        Framing::GzipBytewise => steps.extend(chunks_apart(body, 1)),
        Framing::Close => steps.extend([Step::Send(body.to_vec()), Step::Close]),
        Framing::Trailers => steps.push(Step::Send([chunk(body), last(b"x-sum: 1\r\n")].concat())),
    }
    steps
}

/// Returns one chunk of a chunked body; nothing for no bytes, because an empty chunk would be the last one.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// Returns the status line, the given headers, and the headers that the framing needs.
pub fn head(framing: Framing, status: &str, headers: &[(&str, &[u8])], length: usize) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\n").into_bytes();
    let mut add = |name: &str, value: &[u8]| head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    for (name, value) in headers {
        add(name, value);
    }
    if framing.is_gzip() {
        add("content-encoding", b"gzip");
    }
    match framing {
        Framing::Length | Framing::LengthPieces(_) | Framing::Gzip => {
            add("content-length", length.to_string().as_bytes());
        }
        Framing::Close => add("connection", b"close"),
        _ => add("transfer-encoding", b"chunked"),
    }
    head.extend(b"\r\n");
    head
}

/// Returns the body compressed with gzip.
pub fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

fn last(trailers: &[u8]) -> Vec<u8> {
    [b"0\r\n", trailers, b"\r\n"].concat()
}

fn chunks_apart(body: &[u8], size: usize) -> Vec<Step> {
    apart(body.chunks(size).map(chunk).chain([last(b"")]))
}

fn apart(pieces: impl Iterator<Item = Vec<u8>>) -> Vec<Step> {
    pieces.flat_map(|piece| [Step::Wait(GAP), Step::Send(piece)]).collect()
}
