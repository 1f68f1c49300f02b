//! A reverse proxy on one thread: `rust-proxy UPSTREAM PLAIN DOCUMENT MEMBERS`, each an address.
//!
//! What comes to PLAIN is passed on, what comes to the others is healed as well: the whole document as a tree, or the
//! members of the root alone.

use std::env;
use std::error::Error;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderValue, TRANSFER_ENCODING};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;
type Body = BoxBody<Bytes, hyper::Error>;
type Upstream = Client<HttpConnector, Incoming>;
/// What is done to a body; nothing where it stays as it is.
type Heal = fn(&[u8]) -> Option<Vec<u8>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let addresses: Vec<SocketAddr> = env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [upstream, plain, document, members] = addresses[..] else {
        return Err("expected four addresses: UPSTREAM PLAIN DOCUMENT MEMBERS".into());
    };
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Upstream = Client::builder(TokioExecutor::new()).build(connector);
    tokio::try_join!(
        serve(plain, upstream, client.clone(), None),
        serve(document, upstream, client.clone(), Some(peer_heal::by_document)),
        serve(members, upstream, client, Some(peer_heal::by_members)),
    )?;
    Ok(())
}

async fn serve(at: SocketAddr, upstream: SocketAddr, client: Upstream, heal: Option<Heal>) -> Result<(), Failure> {
    let listener = TcpListener::bind(at).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let client = client.clone();
        let service = service_fn(move |request| answer(request, upstream, client.clone(), heal));
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service);
        // A client that goes away is its own affair.
        tokio::spawn(async move { drop(connection.await) });
    }
}

async fn answer(
    request: Request<Incoming>,
    upstream: SocketAddr,
    client: Upstream,
    heal: Option<Heal>,
) -> Result<Response<Body>, Failure> {
    let response = match client.request(forward(request, upstream)?).await {
        Ok(response) => response,
        Err(error) => return Ok(bad_gateway(&error)),
    };
    match heal {
        None => Ok(response.map(BodyExt::boxed)),
        Some(heal) => healed(response, heal).await,
    }
}

fn forward(mut request: Request<Incoming>, upstream: SocketAddr) -> Result<Request<Incoming>, Failure> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = Uri::builder().scheme("http").authority(upstream.to_string()).path_and_query(path).build()?;
    request.headers_mut().remove(CONNECTION);
    request.headers_mut().remove(HOST);
    Ok(request)
}

async fn healed(response: Response<Incoming>, heal: Heal) -> Result<Response<Body>, Failure> {
    let (mut head, body) = response.into_parts();
    let drifted = body.collect().await?.to_bytes();
    let body = heal(&drifted).map_or(drifted, Bytes::from);
    head.headers.remove(TRANSFER_ENCODING);
    head.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    Ok(Response::from_parts(head, full(body)))
}

fn bad_gateway(error: &hyper_util::client::legacy::Error) -> Response<Body> {
    let mut response = Response::new(full(Bytes::from(error.to_string())));
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response
}

fn full(body: Bytes) -> Body {
    Full::new(body).map_err(|never| match never {}).boxed()
}
