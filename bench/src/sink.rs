//! A server that accepts everything: the receiver of traces.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::process;

/// The server. It runs as long as the process, on its own thread, which sleeps while there is nothing to do.
pub struct Sink {
    /// The address at which it listens.
    pub address: SocketAddr,
    received: Arc<AtomicU64>,
    /// The thread id in the operating system.
    thread: u32,
}

impl Sink {
    /// Starts listening.
    pub fn start() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let received = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&received);
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            // If this fails, nobody waits for it.
            let _ = tell.send(rustix::thread::gettid().as_raw_pid().cast_unsigned());
            runtime.block_on(tokio::task::LocalSet::new().run_until(serve(listener, count)));
        });
        let thread = told.recv().map_err(io::Error::other)?;
        Ok(Sink { address, received, thread })
    }

    /// Returns the number of bytes of the bodies received.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Returns its processor time so far in nanoseconds.
    pub fn cpu_ns(&self) -> Result<u64, String> {
        process::thread_cpu_ns(std::process::id(), self.thread)
    }
}

async fn serve(listener: TcpListener, received: Arc<AtomicU64>) {
    while let Ok((socket, _)) = listener.accept().await {
        let received = Arc::clone(&received);
        let answer = service_fn(move |request| answer(request, Arc::clone(&received)));
        // An error only ends the connection.
        tokio::task::spawn_local(async move {
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), answer).await;
        });
    }
}

async fn answer(request: Request<Incoming>, received: Arc<AtomicU64>) -> Result<Response<Empty<Bytes>>, Infallible> {
    if let Ok(body) = request.into_body().collect().await {
        received.fetch_add(body.to_bytes().len() as u64, Ordering::Relaxed);
    }
    Ok(Response::new(Empty::new()))
}
