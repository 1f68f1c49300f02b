//! The drifting API inside this process, and how closely a healed body matches the contract.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use drifting_upstream::{Mode, drift, server, user_body};
use serde_json::value::RawValue;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The members of a flat object, each with the exact bytes of its value.
pub type Members = BTreeMap<String, Box<RawValue>>;

/// The drifting API. It stops when dropped.
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

    /// Returns the address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Returns how many of the mode's drifted fields are back in place with the exact bytes of their values.
pub fn restored(mode: Mode, body: &[u8]) -> usize {
    let (Some(found), Some(expected)) = (members(body), members(user_body(Mode::Healthy).as_bytes())) else {
        return 0;
    };
    drift(mode).iter().filter(|(field, _)| same(&found, &expected, field)).count()
}

/// Returns whether a body has exactly the members of the healthy user, in any order.
pub fn is_healthy(body: &[u8]) -> bool {
    let (Some(found), Some(expected)) = (members(body), members(user_body(Mode::Healthy).as_bytes())) else {
        return false;
    };
    found.len() == expected.len() && expected.keys().all(|field| same(&found, &expected, field))
}

/// Returns the user of a mode after healing by a contract with these fields, none of which moves: their names become
/// those of the healthy user, and nothing else changes.
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
