//! An external processor for Envoy on one thread: `ext-proc SOCKET`, the path of a Unix socket.

mod messages;

use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::future::{Ready, ready};
use std::pin::Pin;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::UnixListener;
use tonic::server::{Grpc, StreamingService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use messages::{ProcessingRequest, ProcessingResponse};

/// The longest body, and the window in which it may come without a pause.
const MESSAGE_BYTES: usize = 64 << 20;
const WINDOW_BYTES: u32 = 1 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("expected the path of a Unix socket")?;
    let listener = UnixListener::bind(path)?;
    loop {
        let (socket, _) = listener.accept().await?;
        let connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .serve_connection(TokioIo::new(socket), service_fn(process));
        tokio::spawn(async move { drop(connection.await) });
    }
}

/// There is but one method, so nobody looks at the path.
async fn process(request: hyper::Request<Incoming>) -> Result<hyper::Response<tonic::body::Body>, Infallible> {
    let mut grpc = Grpc::new(ProstCodec::default()).max_decoding_message_size(MESSAGE_BYTES);
    Ok(grpc.streaming(Process, request).await)
}

struct Process;

impl StreamingService<ProcessingRequest> for Process {
    type Response = ProcessingResponse;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<ProcessingResponse, Status>> + Send>>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<ProcessingRequest>>) -> Self::Future {
        let answers = request.into_inner().map(|message| message.map(answer));
        ready(Ok(Response::new(Box::pin(answers))))
    }
}

/// Envoy is configured to send response bodies alone.
fn answer(message: ProcessingRequest) -> ProcessingResponse {
    let body = message.response_body.map(|body| body.body).unwrap_or_default();
    ProcessingResponse::body(peer_heal::by_members(&body).map(Bytes::from))
}
