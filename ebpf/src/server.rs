//! Serves the metrics by HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::metrics;

/// The time limit for a client to send its request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause if connections cannot be accepted, for example because no file descriptors are left.
const PAUSE: Duration = Duration::from_millis(200);

/// Listens on an address. Fails if it is not available.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| format!("--metrics {address}: {error}"))
}

/// Serves the result of `text`, for ever.
pub async fn serve(listener: TcpListener, text: impl Fn() -> Result<String, String> + Clone + Send + Sync + 'static) {
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let text = text.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| std::future::ready(Ok::<_, Infallible>(answer(&request, &text))));
            // An error means that the client went away.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .serve_connection(TokioIo::new(socket), service)
                .await;
        });
    }
}

fn answer(request: &Request<Incoming>, text: &impl Fn() -> Result<String, String>) -> Response<Full<Bytes>> {
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") => match text() {
            Ok(text) => (StatusCode::OK, metrics::CONTENT_TYPE, text),
            Err(why) => (StatusCode::INTERNAL_SERVER_ERROR, "text/plain", why + "\n"),
        },
        (_, "/metrics") => (StatusCode::METHOD_NOT_ALLOWED, "text/plain", "expected GET\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, "text/plain", "expected /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("GET, HEAD"));
    }
    response
}
