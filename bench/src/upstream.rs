//! An upstream that answers each path with prepared bytes. This is nearly the minimum of work for an upstream, so that
//! it is not what is measured.
//!
//! While load runs, the load's own thread serves the upstream, and that thread never sleeps. A peer that sleeps must be
//! woken by its sender, which on a virtual machine costs the sender microseconds. A slower proxy lets its peers sleep
//! more often, so its processor time would grow by more than the cost of the filter.

use std::collections::{HashMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

/// The size of the buffer for a head, larger than any head of a proxy's request here.
const HEAD_BYTES: usize = 8 << 10;

/// How often connections are served while no load runs.
const PERIOD: Duration = Duration::from_millis(1);

/// How many events are taken from the kernel at once.
const EVENTS: usize = 256;

/// The listener's token. Tokens of connections are below it.
const LISTENER: Token = Token(usize::MAX - 1);

/// Serves JSON bodies by path as long as the process lives. Each connection gets the bodies of a path in turn.
#[derive(Clone)]
pub struct Upstream {
    /// The address at which it listens.
    pub address: SocketAddr,
    server: Arc<Mutex<Server>>,
}

struct Server {
    poll: Poll,
    events: Events,
    listener: TcpListener,
    connections: HashMap<Token, Connection>,
    next: usize,
    responses: HashMap<String, Vec<Arc<[u8]>>>,
    missing: Arc<[u8]>,
}

struct Connection {
    socket: TcpStream,
    head: Vec<u8>,
    filled: usize,
    turn: usize,
    /// The responses to write, and how much of the first one has been written.
    unwritten: VecDeque<Arc<[u8]>>,
    written: usize,
}

impl Upstream {
    /// Starts listening. A thread serves it when no load does, so other threads can simply wait for responses.
    pub fn start(bodies: &[(&str, Vec<String>)]) -> io::Result<Self> {
        let mut listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let address = listener.local_addr()?;
        let poll = Poll::new()?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let rendered = |bodies: &Vec<String>| bodies.iter().map(|body| response("200 OK", body)).collect();
        let server = Server {
            poll,
            events: Events::with_capacity(EVENTS),
            listener,
            connections: HashMap::new(),
            next: 0,
            responses: bodies.iter().map(|(path, bodies)| ((*path).to_owned(), rendered(bodies))).collect(),
            missing: response("404 Not Found", "{}"),
        };
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

    /// Answers the requests that have come, without waiting for more.
    pub fn serve(&self) {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).serve();
    }
}

impl Server {
    fn serve(&mut self) {
        if self.poll.poll(&mut self.events, Some(Duration::ZERO)).is_err() {
            return;
        }
        let tokens: Vec<Token> = self.events.iter().map(mio::event::Event::token).collect();
        for token in tokens {
            if token == LISTENER {
                self.accept();
            } else if let Some(connection) = self.connections.get_mut(&token) {
                // An error means that the proxy closed the connection.
                if connection.serve(&self.responses, &self.missing).is_err() {
                    self.connections.remove(&token);
                }
            }
        }
    }

    fn accept(&mut self) {
        while let Ok((mut socket, _)) = self.listener.accept() {
            let token = Token(self.next);
            self.next += 1;
            let interest = Interest::READABLE | Interest::WRITABLE;
            if socket.set_nodelay(true).is_ok() && self.poll.registry().register(&mut socket, token, interest).is_ok() {
                self.connections.insert(token, Connection::new(socket));
            }
        }
    }
}

impl Connection {
    fn new(socket: TcpStream) -> Self {
        Connection { socket, head: vec![0; HEAD_BYTES], filled: 0, turn: 0, unwritten: VecDeque::new(), written: 0 }
    }

    fn serve(&mut self, responses: &HashMap<String, Vec<Arc<[u8]>>>, missing: &Arc<[u8]>) -> io::Result<()> {
        self.write()?;
        let read = match self.socket.read(&mut self.head[self.filled..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            other => other?,
        };
        self.filled += read;
        // Requests have no body.
        while let Some(end) = self.head[..self.filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let path = self.head[..end].split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let found = std::str::from_utf8(path).ok().and_then(|path| responses.get(path));
            let response = found.and_then(|bodies| bodies.get(self.turn % bodies.len().max(1))).unwrap_or(missing);
            self.unwritten.push_back(Arc::clone(response));
            self.turn += 1;
            self.head.copy_within(end + 4..self.filled, 0);
            self.filled -= end + 4;
        }
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        while let Some(response) = self.unwritten.front() {
            match self.socket.write(&response[self.written..]) {
                Ok(more) => self.written += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.written == response.len() {
                self.unwritten.pop_front();
                self.written = 0;
            }
        }
        Ok(())
    }
}

fn response(status: &str, body: &str) -> Arc<[u8]> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
        .into()
}
