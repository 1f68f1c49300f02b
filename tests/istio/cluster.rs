//! The API of an empty Kubernetes cluster, which istiod wants to see even where its resources are files: every list is
//! empty, and nothing ever happens.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

/// Serves until the process ends, and says where.
pub fn serve() -> Result<SocketAddr, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // An error is a client that went away.
            thread::spawn(move || answer(&socket));
        }
    });
    Ok(address)
}

/// How istiod finds it.
pub fn kubeconfig(address: SocketAddr) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "empty", "cluster": {"server": format!("http://{address}")}}],
        "contexts": [{"name": "empty", "context": {"cluster": "empty", "user": "nobody"}}],
        "users": [{"name": "nobody", "user": {}}],
        "current-context": "empty",
    })
}

/// Answers one request and closes.
fn answer(socket: &TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let request = head.lines().next().unwrap_or_default();
    let is_read = request.starts_with("GET ");
    match request {
        // Clients then ask for a list and a watch, one after the other.
        _ if request.contains("sendInitialEvents") => {
            reply(socket, "422 Unprocessable Entity", &failure("Invalid", 422))
        }
        _ if is_read && request.contains("watch=") => watch(socket),
        _ if request.starts_with("GET /version") => {
            reply(socket, "200 OK", &json!({"major": "1", "minor": "34", "gitVersion": "v1.34.0"}))
        }
        _ if is_read => reply(socket, "200 OK", &list(head.contains("PartialObjectMetadata"))),
        _ => reply(socket, "404 Not Found", &failure("NotFound", 404)),
    }
}

fn list(of_metadata: bool) -> Value {
    let mut list = json!({"metadata": {"resourceVersion": "1"}, "items": []});
    // Clients for single kinds know what they asked for; this one wants it said.
    if of_metadata {
        list["kind"] = json!("PartialObjectMetadataList");
        list["apiVersion"] = json!("meta.k8s.io/v1");
    }
    list
}

fn failure(reason: &str, code: u16) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code})
}

/// Stays silent until the client has enough.
fn watch(mut socket: &TcpStream) -> io::Result<()> {
    socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")?;
    socket.read(&mut [0]).map(|_| ())
}

fn reply(mut socket: &TcpStream, status: &str, body: &Value) -> io::Result<()> {
    let (body, kind) = (body.to_string(), "application/json");
    let length = body.len();
    write!(
        socket,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
