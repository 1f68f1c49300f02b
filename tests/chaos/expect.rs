//! What a response must be.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use drifting_upstream::Mode;
use nomos_tests::drift;
use nomos_tests::wire::{End, Reply};

/// Bytes that several requests share.
pub type Bytes = Arc<[u8]>;

/// What a response must be.
#[derive(Clone)]
pub enum Expect {
    /// Complete, with this healed body.
    Healed(Bytes),
    /// Complete, with this body as it came.
    Exact(Bytes),
    /// Complete, and all of it one of these two: healed or as it came.
    Either(Bytes, Bytes),
    /// Complete, and healed by all of one of these configurations, never by two.
    OneOf(Arc<[Bytes]>),
    /// Complete, and healthy again from this mode; always by the same bytes.
    Healthy(Mode, Arc<Mutex<HashMap<&'static str, Vec<u8>>>>),
    /// An answer of Envoy itself.
    Status(u16),
    /// Visibly not all there, and what is there is the beginning of one of these: healed, or as it came.
    Broken(Bytes, Bytes),
    /// The same status and end as without Nomos, and the same body if it is complete.
    Like(Arc<Reply>),
    /// As it is without Nomos, or visibly not all there.
    LikeOrCut(Arc<Reply>),
}

/// What a response was, if it was what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Healed,
    Exact,
    Error,
}

impl Expect {
    /// What the response was, or why it is not what it must be.
    pub fn judge(&self, reply: &Reply) -> Result<Kind, String> {
        match self {
            Self::Healed(body) => whole(reply, body).map(|()| Kind::Healed),
            Self::Exact(body) => whole(reply, body).map(|()| Kind::Exact),
            Self::Either(healed, sent) if reply.body.len() == sent.len() => whole(reply, sent).map(|()| Kind::Exact),
            Self::Either(healed, _) => whole(reply, healed).map(|()| Kind::Healed),
            Self::OneOf(bodies) => one_of(reply, bodies),
            Self::Healthy(mode, seen) => healthy(reply, *mode, seen),
            Self::Status(status) => of_status(reply, *status),
            Self::Broken(healed, sent) => broken(reply, healed, sent),
            Self::LikeOrCut(_) if reply.end == End::Cut => Ok(Kind::Error),
            Self::Like(plain) | Self::LikeOrCut(plain) => like(reply, plain),
        }
    }
}

fn whole(reply: &Reply, body: &[u8]) -> Result<(), String> {
    if reply.end == End::Complete && reply.status == 200 && reply.body == body {
        return Ok(());
    }
    Err(format!("found {}; expected a complete 200 with {} bytes {}", say(reply), body.len(), start(body)))
}

fn one_of(reply: &Reply, bodies: &[Bytes]) -> Result<Kind, String> {
    if bodies.iter().any(|body| whole(reply, body).is_ok()) {
        return Ok(Kind::Healed);
    }
    Err(format!("found {}; expected one of {} bodies, whole", say(reply), bodies.len()))
}

fn healthy(reply: &Reply, mode: Mode, seen: &Mutex<HashMap<&'static str, Vec<u8>>>) -> Result<Kind, String> {
    if reply.end != End::Complete || reply.status != 200 || !drift::is_healthy(&reply.body) {
        return Err(format!("{}: found {}; expected the healthy user", mode.name(), say(reply)));
    }
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    if *seen.entry(mode.name()).or_insert_with(|| reply.body.clone()) != reply.body {
        return Err(format!("{}: healed in another way than before: {}", mode.name(), say(reply)));
    }
    Ok(if mode == Mode::Healthy { Kind::Exact } else { Kind::Healed })
}

fn of_status(reply: &Reply, status: u16) -> Result<Kind, String> {
    if reply.end == End::Complete && reply.status == status {
        return Ok(Kind::Error);
    }
    Err(format!("found {}; expected a complete {status}", say(reply)))
}

fn broken(reply: &Reply, healed: &[u8], sent: &[u8]) -> Result<Kind, String> {
    let by_envoy = reply.end == End::Complete && reply.status >= 500;
    let visible = reply.end == End::Cut && (healed.starts_with(&reply.body) || sent.starts_with(&reply.body));
    if by_envoy || visible {
        return Ok(Kind::Error);
    }
    Err(format!("found {}; expected it to be visibly cut, or Envoy's own error", say(reply)))
}

fn like(reply: &Reply, plain: &Reply) -> Result<Kind, String> {
    let same = reply.end == plain.end && reply.status == plain.status;
    if !same || (plain.end == End::Complete && reply.body != plain.body) {
        return Err(format!("found {}; expected what is so without Nomos: {}", say(reply), say(plain)));
    }
    Ok(if plain.end == End::Complete && plain.status == 200 { Kind::Exact } else { Kind::Error })
}

fn say(reply: &Reply) -> String {
    format!("{:?}, status {}, {} bytes {}", reply.end, reply.status, reply.body.len(), start(&reply.body))
}

fn start(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(80)];
    format!("`{}`", shown.escape_ascii())
}
