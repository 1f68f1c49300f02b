//! An HTTP/1.1 client for thousands of connections: the reader of [`nomos_tests::wire`], fed by tasks.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use nomos_tests::client::request;
use nomos_tests::wire::{Decoder, End, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// Read at once.
const BLOCK: usize = 64 * 1024;

/// A connection that is used for one request after the other, and opened again where it was closed.
pub struct Client {
    to: SocketAddr,
    socket: Option<TcpStream>,
    block: Vec<u8>,
}

impl Client {
    /// Connects with the first request.
    pub fn new(to: SocketAddr) -> Self {
        Self { to, socket: None, block: vec![0; BLOCK] }
    }

    /// Connects, so that the first request has not to.
    pub async fn connect(&mut self) -> io::Result<()> {
        if self.socket.is_none() {
            let socket = TcpStream::connect(self.to).await?;
            socket.set_nodelay(true)?;
            self.socket = Some(socket);
        }
        Ok(())
    }

    /// Sends a GET and reads its response until it is complete, cut, or the time is up.
    pub async fn get(&mut self, path: &str, case: u64, patience: Duration) -> io::Result<Reply> {
        self.connect().await?;
        let Some(mut socket) = self.socket.take() else { return Err(io::ErrorKind::NotConnected.into()) };
        socket.write_all(&request("1.1", "GET", path, &[("x-case", &case.to_string())])).await?;
        let mut decoder = Decoder::new(false);
        let deadline = Instant::now() + patience;
        let mut open = true;
        while open && decoder.reply().end != End::Complete {
            match timeout_at(deadline, socket.read(&mut self.block)).await {
                Ok(Ok(read)) if read > 0 => decoder.push(&self.block[..read]),
                Ok(_) => {
                    open = false;
                    decoder.close();
                }
                Err(_) => return Ok(decoder.into_reply()),
            }
        }
        if open && !decoder.reply().text("connection").eq_ignore_ascii_case("close") {
            self.socket = Some(socket);
        }
        Ok(decoder.into_reply())
    }
}
