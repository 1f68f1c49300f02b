//! Byte identity: a body that must not be healed is the same as from a listener without the filter. Tested with
//! documents from a grammar and long ones like those of real APIs, in every framing, with both buffer limits.
//!
//! `NOMOS_DOCUMENTS=100000` tests that many documents from the grammar, and more kinds of long ones.

use std::collections::HashMap;
use std::sync::Arc;

use libtest_mimic::Trial;
use nomos_tests::client::{Connection, Reply};
use nomos_tests::documents::{self, Document, Random};
use nomos_tests::framing::{self, Framing};
use nomos_tests::http2::{self, Answer};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Lane, Outcome, Rig};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// The default number of documents from the grammar.
const DOCUMENTS: u64 = 1000;

/// The lengths of long documents: within the limit for held bodies, above it, and far above it.
const LONG: [usize; 3] = [100_000, 1_500_000, 20_000_000];

/// How a document is sent.
#[derive(Clone, Copy, Debug)]
enum Wire {
    Length,
    /// In chunks of this size, without pauses.
    Chunks(usize),
    Close,
    /// In HTTP/2 on both sides, in frames of this size.
    Http2(usize),
}

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = vec![lane.case("documents: from the grammar, as without the filter", from_grammar)];
    for size in LONG {
        cases
            .push(lane.case(&format!("documents: of {size} bytes, as without the filter"), move |rig| long(rig, size)));
    }
    cases
}

fn from_grammar(rig: &mut Rig<'_>) -> Outcome {
    let mut clients = Clients::default();
    for seed in 0..count().unwrap_or(DOCUMENTS) {
        let document = documents::small(seed);
        let mut random = Random::new(seed);
        let buffers = ["", "tight-"][random.below(2)];
        let chunk = 1 + random.below(2 * document.bytes.len().clamp(1, 3000));
        for wire in [Wire::Length, Wire::Chunks(chunk), Wire::Close, Wire::Http2(chunk)] {
            same(rig, &mut clients, buffers, wire, &document)?;
        }
    }
    Ok(())
}

fn long(rig: &mut Rig<'_>, size: usize) -> Outcome {
    let mut clients = Clients::default();
    // The longest take a while, so by default only one kind is tested.
    let kinds = if size > 10_000_000 && count().is_none() { 1 } else { usize::MAX };
    for document in documents::realistic(size).iter().rev().take(kinds) {
        for buffers in ["", "tight-"] {
            for wire in [Wire::Length, Wire::Chunks(50_000), Wire::Close, Wire::Http2(16_000)] {
                same(rig, &mut clients, buffers, wire, document)?;
            }
        }
    }
    Ok(())
}

fn count() -> Option<u64> {
    std::env::var("NOMOS_DOCUMENTS").ok()?.parse().ok()
}

/// The response with the filter, in both modes, equals the one without it, and both equal the document.
fn same(rig: &mut Rig<'_>, clients: &mut Clients, buffers: &str, wire: Wire, document: &Document) -> Outcome {
    let mut ask = |mode: &str| clients.ask(rig, &format!("{buffers}{mode}"), wire, &document.bytes);
    let plain = ask("plain")?;
    let said = |why| format!("{buffers}{wire:?}, {}: {why}", document.what);
    expect::reply(&plain, 200, &document.bytes).map_err(said)?;
    for mode in ["early", "held"] {
        let reply = ask(mode)?;
        expect::reply(&reply, plain.status, &plain.body).map_err(|why| said(format!("{mode}: {why}")))?;
        expect::equal("trailers", reply.trailers.len(), plain.trailers.len()).map_err(said)?;
    }
    Ok(())
}

/// The open connections, one per listener.
#[derive(Default)]
struct Clients {
    http1: HashMap<String, Connection>,
    http2: HashMap<String, http2::Connection>,
}

impl Clients {
    fn ask(&mut self, rig: &Rig<'_>, listener: &str, wire: Wire, body: &[u8]) -> Result<Reply, String> {
        if let Wire::Http2(frame) = wire {
            let registered = rig.http2.answer(Answer::json(body, frame, frame.is_multiple_of(2)));
            let listener = format!("up2-{listener}");
            if !self.http2.contains_key(&listener) {
                self.http2.insert(listener.clone(), http2::Connection::open(rig.envoy.listener(&listener)?)?);
            }
            let connection = self.http2.get_mut(&listener).ok_or("no connection")?;
            return connection.get("/r", &[("x-case", &registered.id())]);
        }
        let script = rig.upstream.script(steps(wire, body));
        let to = rig.envoy.listener(listener)?;
        let connection = self.http1.entry(listener.to_owned()).or_insert_with(|| Connection::new(to));
        connection.get("/r", &[("x-case", &script.id())]).map_err(|e| format!("{listener}: {e}"))
    }
}

fn steps(wire: Wire, body: &[u8]) -> Vec<Step> {
    match wire {
        Wire::Chunks(size) => {
            let chunks: Vec<u8> = body.chunks(size).flat_map(framing::chunk).chain(*b"0\r\n\r\n").collect();
            vec![Step::Send(framing::head(Framing::Chunked, "200 OK", JSON, 0)), Step::Send(chunks)]
        }
        Wire::Close => framing::response(Framing::Close, "200 OK", JSON, body),
        Wire::Length | Wire::Http2(_) => framing::response(Framing::Length, "200 OK", JSON, body),
    }
}
