//! HTTP/2 on both sides of Envoy, without TLS: a client and a scripted upstream.
//!
//! Both have a blocking interface, like those for HTTP/1.1. One runtime serves all of them.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, client, server};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::wire::{End, Reply};

/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A window large enough for a long body not to wait for the reader.
const WINDOW: u32 = 16 << 20;

/// The response of the upstream.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Headers beside `:status: 200`.
    pub headers: Vec<(&'static str, String)>,
    /// The body as DATA frames.
    pub frames: Vec<Bytes>,
    /// Trailers, if any.
    pub trailers: Vec<(&'static str, String)>,
    /// Whether the stream is reset instead of ended.
    pub reset: bool,
}

impl Answer {
    /// Returns a JSON body in frames of at most `frame` bytes, with `content-length` if `tells_length`.
    pub fn json(body: &[u8], frame: usize, tells_length: bool) -> Self {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        headers.extend(tells_length.then(|| ("content-length", body.len().to_string())));
        let frames = body.chunks(frame).map(Bytes::copy_from_slice).collect();
        Self { headers, frames, ..Self::default() }
    }
}

/// An upstream that speaks HTTP/2 only. It lives as long as the process.
#[derive(Clone)]
pub struct Upstream {
    address: SocketAddr,
    answers: Arc<Answers>,
}

#[derive(Default)]
struct Answers {
    next: AtomicU64,
    by_id: Mutex<HashMap<u64, Answer>>,
}

/// A registered answer. It is forgotten when dropped.
pub struct Registered {
    id: u64,
    answers: Arc<Answers>,
}

impl Upstream {
    /// Listens on a free loopback port.
    pub fn start() -> io::Result<Self> {
        let listener = runtime().block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let upstream = Self { address: listener.local_addr()?, answers: Arc::default() };
        let answers = Arc::clone(&upstream.answers);
        runtime().spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&answers)));
            }
        });
        Ok(upstream)
    }

    /// Returns the address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Registers an answer.
    pub fn answer(&self, answer: Answer) -> Registered {
        let id = self.answers.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.answers).insert(id, answer);
        Registered { id, answers: Arc::clone(&self.answers) }
    }
}

impl Registered {
    /// Returns the value for the `x-case` header.
    pub fn id(&self) -> String {
        self.id.to_string()
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.answers).remove(&self.id);
    }
}

/// An HTTP/2 connection.
pub struct Connection {
    sender: client::conn::http2::SendRequest<Empty<Bytes>>,
}

impl Connection {
    /// Connects, with prior knowledge that the server speaks HTTP/2.
    pub fn open(to: SocketAddr) -> Result<Self, String> {
        runtime().block_on(async {
            let socket = TcpStream::connect(to).await.map_err(|e| e.to_string())?;
            socket.set_nodelay(true).map_err(|e| e.to_string())?;
            let (sender, connection) = client::conn::http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(WINDOW)
                .initial_connection_window_size(WINDOW)
                .handshake(TokioIo::new(socket))
                .await
                .map_err(|e| e.to_string())?;
            tokio::spawn(connection);
            Ok(Self { sender })
        })
    }

    /// Sends a GET and reads its response to the end.
    pub fn get(&mut self, path: &str, headers: &[(&str, &str)]) -> Result<Reply, String> {
        let mut request = Request::get(format!("http://test{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Empty::new()).map_err(|e| e.to_string())?;
        let mut reply = Reply::nothing();
        runtime().block_on(async {
            // If the time is up, the part that has arrived keeps its initial end: timed out.
            let _ = timeout(PATIENCE, self.exchange(request, &mut reply)).await;
        });
        Ok(reply)
    }

    async fn exchange(&mut self, request: Request<Empty<Bytes>>, reply: &mut Reply) {
        let Ok(response) = self.sender.send_request(request).await else {
            reply.end = End::Cut;
            return;
        };
        reply.status = response.status().as_u16();
        reply.headers = pairs(response.headers());
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            match frame.map(Frame::into_data) {
                Ok(Ok(data)) => reply.body.extend_from_slice(&data),
                Ok(Err(other)) => reply.trailers = other.trailers_ref().map(pairs).unwrap_or_default(),
                Err(_) => {
                    reply.end = End::Cut;
                    return;
                }
            }
        }
        // Hyper reports some resets as an orderly end, but remembers that the stream had none.
        reply.end = if body.is_end_stream() { End::Complete } else { End::Cut };
    }
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap_or_else(|e| panic!("no runtime: {e}")))
}

fn lock(answers: &Answers) -> MutexGuard<'_, HashMap<u64, Answer>> {
    answers.by_id.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(socket: TcpStream, answers: Arc<Answers>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let id = request.headers().get("x-case").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
        let answer = id.and_then(|id: u64| lock(&answers).get(&id).cloned());
        async move { Ok::<_, Infallible>(respond(answer)) }
    });
    let _ = socket.set_nodelay(true);
    // An error means that the peer went away.
    let _ =
        server::conn::http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), service).await;
}

fn respond(answer: Option<Answer>) -> Response<Frames> {
    let mut response = Response::new(Frames::default());
    let Some(answer) = answer else {
        *response.status_mut() = hyper::StatusCode::NOT_IMPLEMENTED;
        return response;
    };
    response.headers_mut().extend(header_map(&answer.headers));
    let mut frames: VecDeque<_> = answer.frames.into_iter().map(|data| Ok(Frame::data(data))).collect();
    if !answer.trailers.is_empty() {
        frames.push_back(Ok(Frame::trailers(header_map(&answer.trailers))));
    }
    if answer.reset {
        frames.push_back(Err(io::ErrorKind::ConnectionReset.into()));
    }
    *response.body_mut() = Frames(frames);
    response
}

fn header_map(headers: &[(&'static str, String)]) -> HeaderMap {
    let header = |(name, value): &(&'static str, String)| {
        HeaderValue::from_str(value).ok().map(|value| (HeaderName::from_static(name), value))
    };
    headers.iter().filter_map(header).collect()
}

fn pairs(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect()
}

/// A body of frames. An error in place of a frame resets the stream.
#[derive(Default)]
struct Frames(VecDeque<io::Result<Frame<Bytes>>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(self.0.pop_front())
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }
}
