//! The upstream while nothing is timed: any body of any length, by the path of the request.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use super::upstream::response;

/// The size of the buffer for a head, larger than any head of a proxy's request here.
const HEAD_BYTES: usize = 8 << 10;

/// Serves bodies by path for as long as the process lives.
pub fn start(bodies: &[(String, String)]) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let responses = bodies.iter().map(|(path, body)| (path.clone(), response(body))).collect();
    let responses: Arc<HashMap<String, Vec<u8>>> = Arc::new(responses);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let responses = Arc::clone(&responses);
            // An error means that the proxy closed the connection.
            thread::spawn(move || drop(serve(socket, &responses)));
        }
    });
    Ok(address)
}

fn serve(mut socket: TcpStream, responses: &HashMap<String, Vec<u8>>) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut head = vec![0; HEAD_BYTES];
    let mut filled = 0;
    loop {
        let read = socket.read(&mut head[filled..])?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        if head[..filled].ends_with(b"\r\n\r\n") {
            let path = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let found = responses.get(String::from_utf8_lossy(path).as_ref());
            let missing: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
            socket.write_all(found.map_or(missing, Vec::as_slice))?;
            filled = 0;
        }
    }
}
