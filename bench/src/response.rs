//! Finds the end of a response, for clients that only time it.

use std::io;

/// Returns whether a response is complete, with content-length or in chunks. JSON bodies here contain no CRLF.
pub fn is_complete(response: &[u8]) -> io::Result<bool> {
    let Some(end) = response.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return Ok(false) };
    let head = &response[..end];
    if !head.starts_with(b"HTTP/1.1 200") {
        return Err(io::Error::other(format!("found {}; expected 200", String::from_utf8_lossy(head))));
    }
    Ok(match content_length(head) {
        Some(length) => response.len() >= end + 4 + length,
        None => response.ends_with(b"\r\n0\r\n\r\n"),
    })
}

/// Returns the content-length. Servers write the name in any case.
fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    let is_it = |line: &&[u8]| line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
    let line = head.split(|byte| *byte == b'\n').find(is_it)?;
    std::str::from_utf8(&line[NAME.len()..]).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_response_is_seen() {
        let rows: [(&[u8], bool); 6] = [
            (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", false),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", false),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true),
            (b"HTTP/1.1 200 OK\r\ncontent-length:2\r\nx: y\r\n\r\n{}", true),
            (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n", false),
            (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", true),
        ];
        for (bytes, complete) in rows {
            assert_eq!(is_complete(bytes).expect("a 200"), complete, "{}", String::from_utf8_lossy(bytes));
        }
        assert!(is_complete(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").is_err());
    }
}
