//! An upstream that answers each path with bytes made before, by one thread per connection: about the least that an
//! upstream can do, so that it is not what is measured.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Longer than the head of any request that Envoy makes here.
const HEAD_BYTES: usize = 8 << 10;

type Responses = Arc<HashMap<String, Vec<Vec<u8>>>>;

/// Serves JSON bodies by path, for as long as the process lives. A connection gets those of a path in turn.
pub fn start(bodies: &[(&str, Vec<String>)]) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let rendered = |bodies: &Vec<String>| bodies.iter().map(|body| response("200 OK", body)).collect();
    let responses = bodies.iter().map(|(path, bodies)| ((*path).to_owned(), rendered(bodies))).collect();
    let responses: Responses = Arc::new(responses);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let responses = Arc::clone(&responses);
            // An error is a proxy that went away.
            thread::spawn(move || serve(socket, &responses));
        }
    });
    Ok(address)
}

fn response(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

fn serve(mut socket: TcpStream, responses: &Responses) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let missing = response("404 Not Found", "{}");
    let mut head = vec![0; HEAD_BYTES];
    let (mut filled, mut turn) = (0, 0);
    loop {
        let read = socket.read(&mut head[filled..])?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        // One request at a time comes on a connection, and none has a body.
        if head[..filled].ends_with(b"\r\n\r\n") {
            let path = head[..filled].split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let found = std::str::from_utf8(path).ok().and_then(|path| responses.get(path));
            let response = found.and_then(|bodies| bodies.get(turn % bodies.len().max(1)));
            socket.write_all(response.unwrap_or(&missing))?;
            (filled, turn) = (0, turn + 1);
        }
    }
}
