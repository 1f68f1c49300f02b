//! The API that drifts, in this process, and how far a healed answer is what the contract promises.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use drifting_upstream::{Mode, drift, server, user_body};
use serde_json::value::RawValue;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The members of a flat object, each value with its bytes as they stand.
pub type Members = BTreeMap<String, Box<RawValue>>;

/// The drifting API; it stops when dropped.
pub struct Api {
    address: SocketAddr,
    _runtime: Runtime,
}

impl Api {
    /// Serves on a loopback port; 0 takes a free one.
    pub fn start(port: u16) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|e| format!("no runtime: {e}"))?;
        let listener = runtime
            .block_on(TcpListener::bind(("127.0.0.1", port)))
            .map_err(|e| format!("cannot listen on 127.0.0.1:{port}: {e}"))?;
        let address = listener.local_addr().map_err(|e| format!("no address: {e}"))?;
        runtime.spawn(server::serve(listener, Mode::Healthy, std::future::pending()));
        Ok(Self { address, _runtime: runtime })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// How many of the fields that the mode drifts are back in their place with the bytes of their value.
pub fn restored(mode: Mode, body: &[u8]) -> usize {
    let (Some(found), Some(expected)) = (members(body), members(user_body(Mode::Healthy).as_bytes())) else {
        return 0;
    };
    drift(mode).iter().filter(|(field, _)| same(&found, &expected, field)).count()
}

/// Whether a body holds the members of the healthy user and nothing else, whatever their order.
pub fn is_healthy(body: &[u8]) -> bool {
    let (Some(found), Some(expected)) = (members(body), members(user_body(Mode::Healthy).as_bytes())) else {
        return false;
    };
    found.len() == expected.len() && expected.keys().all(|field| same(&found, &expected, field))
}

/// What a contract with these fields makes of the user of a mode in which none of them moves: their names, and nothing
/// else, are those of the healthy user.
pub fn healed_in_place(mode: Mode, fields: &[&str]) -> String {
    let mut body = user_body(mode);
    for (field, found) in drift(mode).iter().filter(|(field, _)| fields.contains(field)) {
        body = body.replacen(&format!("\"{found}\":"), &format!("\"{field}\":"), 1);
    }
    body
}

fn same(found: &Members, expected: &Members, field: &str) -> bool {
    let text = |members: &Members| members.get(field).map(|value| value.get().to_owned());
    text(found).is_some() && text(found) == text(expected)
}

fn members(body: &[u8]) -> Option<Members> {
    serde_json::from_slice(body).ok()
}
