//! The upstream while peers are timed: prepared responses, sent by the thread that generates the load.
//!
//! It works like [`crate::upstream`], which gives the reason, but for hundreds of connections of many proxies. So it
//! asks the kernel which connections have data.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

use rustix::event::epoll;
use rustix::fd::OwnedFd;
use rustix::time::Timespec;

/// The size of the buffer for a head, larger than any head of a proxy's request here.
const HEAD_BYTES: usize = 8 << 10;

/// How many events are taken from the kernel at once.
const EVENTS: usize = 64;

/// The number that stands for the listener among the connections.
const LISTENER: u64 = u64::MAX;

/// Sends bodies in turn, whatever the path. It only answers when it is served.
pub struct Upstream {
    /// The address at which it listens.
    pub address: SocketAddr,
    listener: TcpListener,
    poll: OwnedFd,
    connections: HashMap<u64, Connection>,
    opened: u64,
    responses: Vec<Vec<u8>>,
    turn: usize,
    events: Vec<epoll::Event>,
}

struct Connection {
    socket: TcpStream,
    head: Vec<u8>,
    filled: usize,
}

impl Upstream {
    /// Starts listening.
    pub fn start(bodies: &[String]) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&poll, &listener, epoll::EventData::new_u64(LISTENER), epoll::EventFlags::IN)?;
        Ok(Upstream {
            address: listener.local_addr()?,
            listener,
            poll,
            connections: HashMap::new(),
            opened: 0,
            responses: bodies.iter().map(|body| response(body)).collect(),
            turn: 0,
            events: Vec::with_capacity(EVENTS),
        })
    }

    /// Answers the requests that have come, without waiting for more.
    pub fn serve(&mut self) -> io::Result<()> {
        let mut events = std::mem::take(&mut self.events);
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        epoll::wait(&self.poll, rustix::buffer::spare_capacity(&mut events), Some(&at_once))?;
        for event in events.drain(..) {
            match event.data.u64() {
                LISTENER => self.accept()?,
                name => self.answer(name),
            }
        }
        self.events = events;
        Ok(())
    }

    fn accept(&mut self) -> io::Result<()> {
        let (socket, _) = self.listener.accept()?;
        socket.set_nonblocking(true)?;
        socket.set_nodelay(true)?;
        epoll::add(&self.poll, &socket, epoll::EventData::new_u64(self.opened), epoll::EventFlags::IN)?;
        self.connections.insert(self.opened, Connection { socket, head: vec![0; HEAD_BYTES], filled: 0 });
        self.opened += 1;
        Ok(())
    }

    fn answer(&mut self, name: u64) {
        let Some(connection) = self.connections.get_mut(&name) else { return };
        let response = &self.responses[self.turn % self.responses.len()];
        match connection.serve(response) {
            Ok(answered) => self.turn += usize::from(answered),
            // A proxy has closed it. The kernel forgets it with the socket.
            Err(_) => drop(self.connections.remove(&name)),
        }
    }
}

impl Connection {
    /// Reads, and answers if a request is complete. Returns whether it was. Requests come one at a time and have no
    /// body.
    fn serve(&mut self, response: &[u8]) -> io::Result<bool> {
        let read = self.socket.read(&mut self.head[self.filled..])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.filled += read;
        let complete = self.head[..self.filled].ends_with(b"\r\n\r\n");
        if complete {
            self.filled = 0;
            self.socket.write_all(response)?;
        }
        Ok(complete)
    }
}

/// Returns a response with this body.
pub fn response(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}
