//! The HTTP server. Single users and lists of usual length are prepared, so that a benchmark through this server does
//! not measure their creation.

use crate::{DEFAULT_COUNT, MAX_COUNT, mode::Mode, user_body, users_body};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
use std::{
    collections::HashMap,
    convert::Infallible,
    future::Future,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::net::{TcpListener, TcpStream};

/// How long connections may finish their requests when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// The pause after a failed accept. Most likely the descriptors are used up, which does not pass immediately.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Lists up to this length, of about 2 MB, are kept after their creation.
const KEPT_COUNT: usize = 2_000;

/// How many lists are kept.
const KEPT_LISTS: usize = 32;

/// The maximum length of the body of `PUT /__mode`. Names of modes are far shorter.
const MODE_BODY: usize = 64;

/// Serves on a listener until `stop` completes.
pub async fn serve(listener: TcpListener, mode: Mode, stop: impl Future<Output = ()>) {
    let api = Arc::new(Api::new(mode));
    let connections = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((socket, _)) => connect(socket, Arc::clone(&api), &connections),
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    // A connection that is still open after the grace period belongs to a client that does not read.
    let _ = tokio::time::timeout(GRACE, connections.shutdown()).await;
}

fn connect(socket: TcpStream, api: Arc<Api>, connections: &GracefulShutdown) {
    // Otherwise Nagle's algorithm and delayed acknowledgements add 40 ms. The call fails only on a dead socket.
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request| answer(Arc::clone(&api), request));
    let connection = http1::Builder::new()
        // A proxy keeps idle connections, and would lose requests if they were closed.
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(socket), service);
    let connection = connections.watch(connection);
    // An error means that the client went away.
    tokio::spawn(async move { connection.await.ok() });
}

/// The state shared by all connections.
struct Api {
    /// The index of the current mode in [`Mode::ALL`].
    mode: AtomicUsize,
    users: [Bytes; Mode::ALL.len()],
    lists: Mutex<HashMap<(Mode, usize), Bytes>>,
}

type Answer = Response<Full<Bytes>>;

/// The parameters of a query string.
#[derive(Debug, PartialEq, Eq)]
struct Query {
    mode: Option<Mode>,
    count: usize,
}

impl Api {
    fn new(mode: Mode) -> Api {
        let api = Api {
            mode: AtomicUsize::new(mode.index()),
            users: Mode::ALL.map(|mode| Bytes::from(user_body(mode))),
            lists: Mutex::default(),
        };
        for mode in Mode::ALL {
            api.list(mode, DEFAULT_COUNT);
        }
        api
    }

    fn mode(&self) -> Mode {
        Mode::ALL[self.mode.load(Ordering::Relaxed)]
    }

    fn list(&self, mode: Mode, count: usize) -> Bytes {
        let lists = || self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists().get(&(mode, count)) {
            return list.clone();
        }
        let list = Bytes::from(users_body(mode, count));
        if count <= KEPT_COUNT {
            let mut lists = lists();
            if lists.len() >= KEPT_LISTS {
                lists.clear();
            }
            lists.insert((mode, count), list.clone());
        }
        list
    }
}

async fn answer(api: Arc<Api>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    Ok(match (path, reads) {
        ("/api/user" | "/api/users", true) => document(&api, &request),
        ("/healthz", true) => text(StatusCode::OK, "ok\n"),
        ("/__mode", true) => text(StatusCode::OK, api.mode().name()),
        ("/__mode", false) if request.method() == Method::PUT => switch(&api, request).await,
        ("/__mode", false) => not_allowed("GET, HEAD, PUT"),
        ("/api/user" | "/api/users" | "/healthz", false) => not_allowed("GET, HEAD"),
        _ => refused(
            StatusCode::NOT_FOUND,
            &format!("found {path}; expected /api/user, /api/users, /__mode or /healthz"),
        ),
    })
}

fn document(api: &Api, request: &Request<Incoming>) -> Answer {
    let query = match Query::parse(request.uri().query().unwrap_or_default()) {
        Ok(query) => query,
        Err(error) => return refused(StatusCode::BAD_REQUEST, &error),
    };
    let mode = query.mode.unwrap_or_else(|| api.mode());
    if request.uri().path() == "/api/user" {
        return json(StatusCode::OK, api.users[mode.index()].clone());
    }
    let list = || api.list(mode, query.count);
    // A list of many megabytes takes a while to write, so other connections must not wait for it.
    let body = if query.count > KEPT_COUNT { tokio::task::block_in_place(list) } else { list() };
    json(StatusCode::OK, body)
}

/// Switches to the mode in the query, or else to that in the body.
async fn switch(api: &Api, request: Request<Incoming>) -> Answer {
    match Query::parse(request.uri().query().unwrap_or_default()) {
        Ok(Query { mode: Some(mode), .. }) => return set(api, mode),
        Ok(_) => (),
        Err(error) => return refused(StatusCode::BAD_REQUEST, &error),
    }
    let body = match Limited::new(request.into_body(), MODE_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            return refused(StatusCode::BAD_REQUEST, &format!("body: {error}; expected the name of a mode"));
        }
    };
    match String::from_utf8_lossy(&body).trim().parse::<Mode>() {
        Ok(mode) => set(api, mode),
        Err(error) => refused(StatusCode::BAD_REQUEST, &format!("body: {error}")),
    }
}

fn set(api: &Api, mode: Mode) -> Answer {
    api.mode.store(mode.index(), Ordering::Relaxed);
    text(StatusCode::OK, mode.name())
}

impl Query {
    /// Parses a query string. Unknown parameters are ignored.
    fn parse(text: &str) -> Result<Query, String> {
        let mut query = Query { mode: None, count: DEFAULT_COUNT };
        for pair in text.split('&') {
            match pair.split_once('=') {
                Some(("mode", mode)) => {
                    query.mode = Some(mode.parse().map_err(|error| format!("?mode: {error}"))?);
                }
                Some(("count", count)) => query.count = Self::count(count)?,
                _ => {}
            }
        }
        Ok(query)
    }

    fn count(text: &str) -> Result<usize, String> {
        let count = text.parse().ok().filter(|count| *count <= MAX_COUNT);
        count.ok_or_else(|| format!("?count: found `{text}`; expected a number from 0 to {MAX_COUNT}"))
    }
}

fn json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    typed(status, "application/json", body.into())
}

fn text(status: StatusCode, body: &'static str) -> Answer {
    typed(status, "text/plain; charset=utf-8", Bytes::from_static(body.as_bytes()))
}

fn refused(status: StatusCode, error: &str) -> Answer {
    json(status, serde_json::json!({"error": error}).to_string())
}

fn not_allowed(allow: &'static str) -> Answer {
    let mut answer = refused(StatusCode::METHOD_NOT_ALLOWED, &format!("expected one of {allow}"));
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    answer
}

/// Returns a response. The length of the body is known, so hyper sends it as content-length.
fn typed(status: StatusCode, content_type: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_chooses_mode_and_count() {
        let rows = [
            ("", None, DEFAULT_COUNT),
            ("mode=camel", Some(Mode::Camel), DEFAULT_COUNT),
            ("count=3&mode=v2&page=1", Some(Mode::V2), 3),
            ("count=100000", None, MAX_COUNT),
            ("x&=&y=mode=v2", None, DEFAULT_COUNT),
        ];
        for (text, mode, count) in rows {
            assert_eq!(Query::parse(text), Ok(Query { mode, count }), "{text}");
        }
        for text in ["mode=", "mode=v9", "count=-1", "count=", "count=100001"] {
            assert!(Query::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn kept_lists_are_bounded_and_equal_to_new_ones() {
        let api = Api::new(Mode::Healthy);
        for count in 0..3 * KEPT_LISTS {
            assert_eq!(api.list(Mode::V2, count), users_body(Mode::V2, count));
            assert!(api.lists.lock().expect("a lock").len() <= KEPT_LISTS);
        }
    }
}
