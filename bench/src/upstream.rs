//! An upstream that answers each path with bytes made before: about the least that an upstream can do, so that it is
//! not what is measured.
//!
//! While load runs, the load's own thread serves it, and neither ever sleeps. A peer that sleeps has to be woken by
//! whoever sends to it, which on a virtual machine takes the sender microseconds, and it sleeps the more often the
//! slower the proxy is: its processor time would grow by more than what a filter takes.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Longer than the head of any request that Envoy makes here.
const HEAD_BYTES: usize = 8 << 10;

/// How often connections are served while no load runs.
const PERIOD: Duration = Duration::from_millis(1);

/// Serves JSON bodies by path, for as long as the process lives. A connection gets those of a path in turn.
#[derive(Clone)]
pub struct Upstream {
    /// Where it listens.
    pub address: SocketAddr,
    server: Arc<Mutex<Server>>,
}

struct Server {
    listener: TcpListener,
    connections: Vec<Connection>,
    responses: HashMap<String, Vec<Vec<u8>>>,
    missing: Vec<u8>,
}

struct Connection {
    socket: TcpStream,
    head: Vec<u8>,
    filled: usize,
    turn: usize,
}

impl Upstream {
    /// Listens. Other threads may wait for its answers; none need serve them.
    pub fn start(bodies: &[(&str, Vec<String>)]) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let rendered = |bodies: &Vec<String>| bodies.iter().map(|body| response("200 OK", body)).collect();
        let responses = bodies.iter().map(|(path, bodies)| ((*path).to_owned(), rendered(bodies))).collect();
        let missing = response("404 Not Found", "{}");
        let server = Server { listener, connections: Vec::new(), responses, missing };
        let upstream = Upstream { address, server: Arc::new(Mutex::new(server)) };
        let idle = upstream.clone();
        thread::spawn(move || {
            loop {
                idle.serve();
                thread::sleep(PERIOD);
            }
        });
        Ok(upstream)
    }

    /// Answers what has come, without waiting for more.
    pub fn serve(&self) {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).serve();
    }
}

impl Server {
    fn serve(&mut self) {
        if let Ok((socket, _)) = self.listener.accept()
            && socket.set_nonblocking(true).and_then(|()| socket.set_nodelay(true)).is_ok()
        {
            self.connections.push(Connection { socket, head: vec![0; HEAD_BYTES], filled: 0, turn: 0 });
        }
        let Server { connections, responses, missing, .. } = self;
        // An error is a proxy that went away.
        connections.retain_mut(|connection| match connection.serve(responses, missing) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        });
    }
}

impl Connection {
    fn serve(&mut self, responses: &HashMap<String, Vec<Vec<u8>>>, missing: &[u8]) -> io::Result<()> {
        let read = self.socket.read(&mut self.head[self.filled..])?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.filled += read;
        // One request at a time comes on a connection, and none has a body. Answers are short enough for any socket.
        let head = &self.head[..self.filled];
        if head.ends_with(b"\r\n\r\n") {
            let path = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let found = std::str::from_utf8(path).ok().and_then(|path| responses.get(path));
            let response = found.and_then(|bodies| bodies.get(self.turn % bodies.len().max(1)));
            self.socket.write_all(response.map_or(missing, Vec::as_slice))?;
            (self.filled, self.turn) = (0, self.turn + 1);
        }
        Ok(())
    }
}

fn response(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}
