//! Responses that the filter must not touch at all, compared with those of a listener without it.

use std::sync::Arc;

use libtest_mimic::Trial;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig};
use nomos_tests::bodies::{DRIFTED, HEALED};

type Header = (&'static str, &'static [u8]);

/// Responses that must reach the client unchanged: name, status line, headers, body.
const UNTOUCHED: [(&str, &str, &[Header], &[u8]); 20] = [
    ("205", "205 Reset Content", &[JSON, ETAG], b""),
    ("206", "206 Partial Content", &[JSON, ETAG, ("content-range", b"bytes 0-32/40")], DRIFTED),
    ("HTML", "200 OK", &[("content-type", b"text/html"), ETAG], DRIFTED),
    ("text", "200 OK", &[("content-type", b"text/plain; charset=utf-8"), ETAG], DRIFTED),
    ("JavaScript", "200 OK", &[("content-type", b"application/javascript"), ETAG], DRIFTED),
    ("JSON lines", "200 OK", &[("content-type", b"application/x-ndjson"), ETAG], DRIFTED),
    ("JSON sequence", "200 OK", &[("content-type", b"application/json-seq"), ETAG], DRIFTED),
    ("event stream", "200 OK", &[("content-type", b"text/event-stream"), ETAG], DRIFTED),
    ("multipart", "200 OK", &[("content-type", b"multipart/mixed; boundary=x"), ETAG], DRIFTED),
    ("gRPC", "200 OK", &[("content-type", b"application/grpc+json"), ETAG], DRIFTED),
    ("no content-type", "200 OK", &[ETAG], DRIFTED),
    ("empty content-type", "200 OK", &[("content-type", b""), ETAG], DRIFTED),
    ("content-type with Latin-1", "200 OK", &[("content-type", b"application/jso\xf1"), ETAG], DRIFTED),
    ("no-transform", "200 OK", &[JSON, ETAG, ("cache-control", b"private, No-Transform")], DRIFTED),
    ("no-transform in a second header", "200 OK", &[JSON, ETAG, MAX_AGE, ("cache-control", b"no-transform")], DRIFTED),
    ("brotli", "200 OK", &[JSON, ETAG, ("content-encoding", b"br")], b"\x8b\x01\x80{}\x03"),
    ("two encodings", "200 OK", &[JSON, ETAG, ("content-encoding", b"identity, gzip")], b"\x1f\x8b"),
    ("a second encoding", "200 OK", &[JSON, ("content-encoding", b"identity"), ("content-encoding", b"br")], DRIFTED),
    ("unknown encoding", "200 OK", &[JSON, ETAG, ("content-encoding", b"x-\xe9")], DRIFTED),
    ("an empty body", "200 OK", &[JSON, ETAG], b""),
];

/// Unusual headers that still mean JSON. These bodies are healed.
const HEALED_TYPES: [(&str, &[Header]); 6] = [
    ("upper case", &[("content-type", b"Application/JSON")]),
    ("parameters", &[("content-type", b"application/json;charset=UTF-8; x=\"y\"")]),
    ("a JSON suffix", &[("content-type", b"application/vnd.api+json")]),
    ("identity", &[JSON, ("content-encoding", b"identity")]),
    ("cacheable", &[JSON, MAX_AGE]),
    ("Latin-1 header value", &[JSON, ("x-name", b"caf\xe9 \xff")]),
];

const JSON: Header = ("content-type", b"application/json");
const ETAG: Header = ("etag", b"\"v1\"");
const MAX_AGE: Header = ("cache-control", b"max-age=60");

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = Vec::new();
    for listener in ["early", "held", "all"] {
        for (name, status, headers, body) in UNTOUCHED {
            let steps = framing::response(Framing::Length, status, headers, body);
            cases.push(untouched(lane, listener, name, "GET", steps));
        }
        for (name, method, wire) in BODILESS {
            cases.push(untouched(lane, listener, name, method, vec![Step::Send(wire.to_vec())]));
        }
        let gzip = framing::response(Framing::Gzip, "200 OK", &[JSON, ETAG], DRIFTED);
        cases.push(untouched(lane, listener, "gzip without a decompressor", "GET", gzip));
        if listener != "all" {
            cases.push(lane.case(&format!("{listener}: no route"), move |rig| no_route(rig, listener)));
        }
        cases.push(lane.case(&format!("{listener}: upgrade"), move |rig| upgrade(rig, listener)));
        cases.push(lane.case(&format!("{listener}: refused upgrade"), move |rig| refused_upgrade(rig, listener)));
        for (name, headers) in HEALED_TYPES {
            cases
                .push(lane.case(&format!("{listener}: healed with {name}"), move |rig| healed(rig, listener, headers)));
        }
        for status in ["200 OK", "201 Created", "404 Not Found", "500 Internal Server Error"] {
            cases.push(
                lane.case(&format!("{listener}: healed with {status}"), move |rig| any_status(rig, listener, status)),
            );
        }
    }
    cases.push(lane.case("off: everything", off));
    cases
}

const UPGRADE: [(&str, &str); 2] = [("connection", "upgrade"), ("upgrade", "websocket")];

/// Name, method, and the whole response as sent.
const BODILESS: [(&str, &str, &[u8]); 5] = [
    (
        "HEAD",
        "HEAD",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 33\r\netag: \"v1\"\r\n\r\n",
    ),
    ("HEAD without length", "HEAD", b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: \"v1\"\r\n\r\n"),
    ("204", "GET", b"HTTP/1.1 204 No Content\r\ncontent-type: application/json\r\netag: \"v1\"\r\n\r\n"),
    ("304", "GET", b"HTTP/1.1 304 Not Modified\r\ncontent-type: application/json\r\netag: \"v1\"\r\n\r\n"),
    (
        "304 with a length",
        "GET",
        b"HTTP/1.1 304 Not Modified\r\ncontent-type: application/json\r\ncontent-length: 33\r\netag: \"v1\"\r\n\r\n",
    ),
];

fn untouched(lane: &Arc<Lane>, listener: &'static str, name: &str, method: &'static str, steps: Vec<Step>) -> Trial {
    lane.case(&format!("{listener}: untouched: {name}"), move |rig| {
        expect::untouched(rig, Ask { method, ..Ask::get(listener) }, "plain", &steps)
    })
}

fn no_route(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    let steps = framing::response(Framing::Length, "200 OK", &[JSON, ETAG], DRIFTED);
    for path in ["/", "/rr", "/r/", "/R", "/r%20", "/other?x=/r"] {
        expect::untouched(rig, Ask { path, ..Ask::get(listener) }, "plain", &steps)
            .map_err(|why| format!("{path}: {why}"))?;
    }
    let (reply, _) = rig.ask_verdict(Ask { path: "/r?x=1", ..Ask::get(listener) }, steps)?;
    expect::reply(&reply, 200, HEALED)
}

/// After 101 the connection carries bytes that only look like a body.
fn upgrade(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    let head = b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\ncontent-type: application/json\r\n\r\n";
    let steps = vec![Step::Send(head.to_vec()), Step::Send(DRIFTED.to_vec()), Step::Close];
    expect::untouched(rig, Ask { headers: &UPGRADE, ..Ask::get(listener) }, "plain", &steps)
}

/// To such a response without a length, Envoy gives a length of 0.
fn refused_upgrade(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    for offer in ["websocket", "h2,h2c"] {
        let headers: [Header; 3] = [JSON, ("connection", b"upgrade"), ("upgrade", offer.as_bytes())];
        let steps = framing::response(Framing::Length, "426 Upgrade Required", &headers, DRIFTED);
        expect::untouched(rig, Ask { headers: &UPGRADE, ..Ask::get(listener) }, "plain", &steps)?;
        // Some servers offer HTTP/2 in every response.
        let steps = framing::response(Framing::Length, "200 OK", &headers, DRIFTED);
        expect::reply(&rig.ask(Ask::get(listener), steps)?, 200, HEALED)?;
    }
    Ok(())
}

fn healed(rig: &mut Rig<'_>, listener: &str, headers: &[Header]) -> Outcome {
    let steps = framing::response(Framing::Length, "200 OK", headers, DRIFTED);
    let reply = rig.ask(Ask { headers: &[("x-client", "caf\u{e9}")], ..Ask::get(listener) }, steps)?;
    expect::reply(&reply, 200, HEALED)?;
    for (name, value) in headers {
        expect::equal(name, reply.header(name), Some(*value))?;
    }
    Ok(())
}

fn any_status(rig: &mut Rig<'_>, listener: &str, status: &str) -> Outcome {
    let code = status[..3].parse().map_err(|e| format!("{status}: {e}"))?;
    let steps = framing::response(Framing::Length, status, &[JSON], DRIFTED);
    expect::reply(&rig.ask(Ask::get(listener), steps)?, code, HEALED)
}

fn off(rig: &mut Rig<'_>) -> Outcome {
    for framing in [Framing::Length, Framing::Chunks(3), Framing::Close, Framing::Trailers] {
        let steps = framing::response(framing, "200 OK", &[JSON, ETAG], DRIFTED);
        expect::untouched(rig, Ask::get("off"), "plain", &steps)?;
    }
    Ok(())
}
