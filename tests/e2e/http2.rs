//! Every version of HTTP towards the client combined with every version towards the upstream, in both header modes,
//! with the buffer limits of plain Envoy (1 MiB) and of Envoy Gateway (32 KiB).

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use nomos_tests::bodies::{self, Body, DRIFTED, HEALED};
use nomos_tests::client::{End, Reply};
use nomos_tests::framing::{self, Framing};
use nomos_tests::http2::{Answer, Connection};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// The time limit for the HTTP/1.0 client.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    Http10,
    Http11,
    Http2,
}

const CLIENTS: [Client; 3] = [Client::Http10, Client::Http11, Client::Http2];

/// How an upstream sends a body.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Http1(Framing),
    /// In DATA frames of this many bytes.
    Http2 {
        frame: usize,
        length: bool,
        trailers: bool,
    },
}

const HTTP1: [Sent; 5] = [
    Sent::Http1(Framing::Length),
    Sent::Http1(Framing::Chunked),
    Sent::Http1(Framing::Chunks(20)),
    Sent::Http1(Framing::Close),
    Sent::Http1(Framing::Trailers),
];

const HTTP2: [Sent; 5] = [
    Sent::Http2 { frame: 1 << 20, length: true, trailers: false },
    Sent::Http2 { frame: 1 << 20, length: false, trailers: false },
    Sent::Http2 { frame: 1, length: true, trailers: false },
    Sent::Http2 { frame: 7, length: false, trailers: false },
    Sent::Http2 { frame: 10, length: false, trailers: true },
];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = Vec::new();
    for listener in ["up2-rpc-plain", "up2-rpc-early", "up2-rpc-held"] {
        cases.push(lane.case(&format!("transcoded stream, {listener}"), move |rig| {
            CLIENTS.iter().try_for_each(|client| transcoded(rig, *client, listener))
        }));
    }
    for client in CLIENTS {
        for (upstream, sent) in [("", HTTP1), ("up2-", HTTP2)] {
            for buffers in ["", "tight-"] {
                for mode in ["early", "held"] {
                    let listener = format!("{upstream}{buffers}{mode}");
                    cases.push(lane.case(&format!("versions: {client:?} client, {listener}"), move |rig| {
                        sent.iter().try_for_each(|sent| {
                            all(rig, client, &listener, *sent).map_err(|why| format!("{sent:?}: {why}"))
                        })
                    }));
                }
            }
        }
    }
    cases
}

/// A stream of gRPC messages becomes a list. If there are none, the transcoder writes the list or the error when it gets
/// trailers. Where headers are still held, the error sets the status too.
fn transcoded(rig: &mut Rig<'_>, client: Client, listener: &str) -> Outcome {
    let headers = || vec![("content-type", "application/grpc".to_owned())];
    let message: &[u8] = b"\0\0\0\0\x03\x0a\x01x";
    let failed = if listener.ends_with("held") { 404 } else { 200 };
    for (message, outcome, status, body) in [
        (&[][..], "0", 200, "[]"),
        (message, "0", 200, r#"[{"a":"x"}]"#),
        (&[], "5", failed, r#"{"code":5}"#),
        (&[], "0", 200, "[]"),
    ] {
        let trailers = vec![("grpc-status", outcome.to_owned())];
        let answer = Answer { headers: headers(), trailers, ..Answer::json(message, 8, false) };
        let reply = ask(rig, client, listener, Wire::Http2(answer))?;
        expect::reply(&reply, status, body.as_bytes())?;
    }
    Ok(())
}

fn all(rig: &mut Rig<'_>, client: Client, listener: &str, sent: Sent) -> Outcome {
    for body in bodies::small() {
        let reply = ask(rig, client, listener, answer(sent, &body.sent))?;
        small(&reply, client, sent, &body).map_err(|why| format!("{}: {why}", body.what))?;
    }
    for size in [20_000, 200_000] {
        let (drifted, healed, _) = bodies::list(size);
        let reply = ask(rig, client, listener, answer(larger(sent, size), &drifted))?;
        expect::reply(&reply, 200, &healed).map_err(|why| format!("{size} bytes: {why}"))?;
    }
    broken(rig, client, listener, sent)
}

fn small(reply: &Reply, client: Client, sent: Sent, body: &Body) -> Outcome {
    let trailers = matches!(sent, Sent::Http1(Framing::Trailers) | Sent::Http2 { trailers: true, .. });
    // If trailers end a document that never closes, nothing can be written any more, so the client must see a reset. An
    // HTTP/1.0 client cannot see one: without a length a body ends with its connection, however that closes.
    let cut = reply.end == End::Cut || (client == Client::Http10 && reply.body.is_empty());
    if body.is_cut() && trailers && cut {
        return Ok(());
    }
    expect::reply(reply, 200, &body.healed)
}

/// The upstream breaks off in the middle of the body. The client must see it, and the next response must be healed.
fn broken(rig: &mut Rig<'_>, client: Client, listener: &str, sent: Sent) -> Outcome {
    let half = &DRIFTED[..DRIFTED.len() / 2];
    let wire = match sent {
        Sent::Http1(Framing::Close) => return Ok(()),
        Sent::Http1(framing) => {
            let body = if framing == Framing::Length { half.to_vec() } else { framing::chunk(half) };
            Wire::Http1(vec![
                Step::Send(framing::head(framing, "200 OK", JSON, DRIFTED.len())),
                Step::Send(body),
                Step::Close,
            ])
        }
        Sent::Http2 { frame, length, .. } => {
            let whole = Answer::json(DRIFTED, frame, length);
            let frames = whole.frames.iter().take(whole.frames.len() / 2).cloned().collect();
            Wire::Http2(Answer { frames, reset: true, ..whole })
        }
    };
    let reply = ask(rig, client, listener, wire)?;
    // HTTP/1.0 can only mark the end of a body without a length by closing the connection.
    let cannot_tell = client == Client::Http10 && reply.header("content-length").is_none();
    expect::that(reply.end == End::Cut || reply.status >= 500 || cannot_tell, || {
        format!(
            "a broken response: {:?}, status {}, {:?}",
            reply.end,
            reply.status,
            reply.body.escape_ascii().to_string()
        )
    })?;
    expect::reply(&ask(rig, client, listener, answer(sent, DRIFTED))?, 200, HEALED)
}

/// The response of the upstream.
enum Wire {
    Http1(Vec<Step>),
    Http2(Answer),
}

fn answer(sent: Sent, body: &[u8]) -> Wire {
    match sent {
        Sent::Http1(framing) => Wire::Http1(framing::response(framing, "200 OK", JSON, body)),
        Sent::Http2 { frame, length, trailers } => {
            let trailers = if trailers { vec![("x-sum", "1".to_owned())] } else { Vec::new() };
            Wire::Http2(Answer { trailers, ..Answer::json(body, frame, length) })
        }
    }
}

/// Returns the same way of sending, with pieces of a size that is usual for long bodies.
fn larger(sent: Sent, size: usize) -> Sent {
    match sent {
        Sent::Http1(Framing::Chunks(_)) => Sent::Http1(Framing::Chunks(size / 9)),
        Sent::Http1(framing) => Sent::Http1(framing),
        Sent::Http2 { length, trailers, frame } => Sent::Http2 { frame: (frame * 1000).min(size), length, trailers },
    }
}

fn ask(rig: &mut Rig<'_>, client: Client, listener: &str, wire: Wire) -> Result<Reply, String> {
    match wire {
        Wire::Http1(steps) if client == Client::Http10 => {
            let (exchange, _script) = rig.open_http10(listener, steps)?;
            Ok(exchange.finish(PATIENCE))
        }
        Wire::Http1(steps) if client == Client::Http11 => rig.ask(Ask::get(listener), steps),
        Wire::Http1(steps) => {
            let script = rig.upstream.script(steps);
            Connection::open(rig.envoy.listener(listener)?)?.get("/r", &[("x-case", &script.id())])
        }
        Wire::Http2(answer) => {
            let registered = rig.http2.answer(answer);
            let (to, id) = (rig.envoy.listener(listener)?, registered.id());
            let version = if client == Client::Http10 { "1.0" } else { "1.1" };
            if client == Client::Http2 {
                return Connection::open(to)?.get("/r", &[("x-case", &id)]);
            }
            let exchange = nomos_tests::client::Exchange::start_version(to, version, "GET", "/r", &[("x-case", &id)]);
            Ok(exchange.map_err(|e| format!("request: {e}"))?.finish(PATIENCE))
        }
    }
}
