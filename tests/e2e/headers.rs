//! Headers that depend on the body must match the body that the client gets, in both modes.

use std::sync::Arc;

use libtest_mimic::Trial;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig};
use nomos_tests::bodies::{CLEAN, DRIFTED, HEALED};

/// Header, value as sent, and value for the client if the body was or may be changed.
const DEPENDENT: [(&str, &str, Option<&str>); 11] = [
    ("etag", "\"v1\"", Some("W/\"v1\"")),
    ("etag", "W/\"v1\"", Some("W/\"v1\"")),
    ("content-md5", "Q2hlY2sgSW50ZWdyaXR5IQ==", None),
    ("digest", "sha-256=abc", None),
    ("content-digest", "sha-256=:abc=:", None),
    ("repr-digest", "sha-256=:abc=:", None),
    ("unencoded-digest", "sha-256=:abc=:", None),
    ("accept-ranges", "bytes", None),
    ("last-modified", "Sat, 21 Nov 2026 00:00:00 GMT", Some("Sat, 21 Nov 2026 00:00:00 GMT")),
    ("vary", "accept", Some("accept")),
    ("x-nomos-note", "kept", Some("kept")),
];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.case("early: dependent headers, drifted", |rig| dependent(rig, "early", DRIFTED, HEALED)),
        lane.case("early: dependent headers, clean", |rig| dependent(rig, "early", CLEAN, CLEAN)),
        lane.case("held: dependent headers, drifted", |rig| dependent(rig, "held", DRIFTED, HEALED)),
        lane.case("held: dependent headers, clean", held_clean),
        lane.case("held: exact content-length", held_length),
        lane.case("early: a chunked body needs no content-length", early_chunked),
        lane.case("early: digests in trailers", |rig| trailers(rig, "early")),
        lane.case("held: digests in trailers", |rig| trailers(rig, "held")),
        lane.case("held: an upstream cannot forge a verdict", forged),
    ]
}

fn dependent(rig: &mut Rig<'_>, listener: &str, sent: &[u8], received: &[u8]) -> Outcome {
    for (name, value, expected) in DEPENDENT {
        let reply = rig.ask(Ask::get(listener), json(name, value, sent))?;
        expect::reply(&reply, 200, received)?;
        expect::equal(name, reply.header(name), expected.map(str::as_bytes))?;
    }
    Ok(())
}

/// With held headers, a response that needs no op keeps every header.
fn held_clean(rig: &mut Rig<'_>) -> Outcome {
    for (name, value, _) in DEPENDENT {
        let reply = rig.ask(Ask::get("held"), json(name, value, CLEAN))?;
        expect::reply(&reply, 200, CLEAN)?;
        expect::header(&reply, name, value)?;
        expect::header(&reply, "content-length", &CLEAN.len().to_string())?;
    }
    Ok(())
}

fn held_length(rig: &mut Rig<'_>) -> Outcome {
    for (sent, received) in [(DRIFTED, HEALED), (CLEAN, CLEAN), (&b"{\"mail\":tru"[..], &b"{\"mail\":tru"[..])] {
        let reply = rig.ask(Ask::get("held"), json("x-a", "b", sent))?;
        expect::reply(&reply, 200, received)?;
        expect::header(&reply, "content-length", &received.len().to_string())?;
        expect::equal("transfer-encoding", reply.header("transfer-encoding"), None)?;
    }
    Ok(())
}

fn early_chunked(rig: &mut Rig<'_>) -> Outcome {
    let reply = rig.ask(Ask::get("early"), json("x-a", "b", DRIFTED))?;
    expect::equal("content-length", reply.header("content-length"), None)?;
    expect::equal("chunked", reply.chunked(), true)
}

/// Trailers may contain a digest of the body, which must go; other trailers stay.
fn trailers(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    let head = framing::head(Framing::Trailers, "200 OK", &[("content-type", b"application/json")], 0);
    let last = b"0\r\nx-sum: 1\r\ndigest: sha-256=abc\r\n\r\n".to_vec();
    let steps = vec![Step::Send(head), Step::Send(framing::chunk(DRIFTED)), Step::Send(last)];
    let reply = rig.ask(Ask::get(listener), steps)?;
    expect::reply(&reply, 200, HEALED)?;
    let names: Vec<&str> = reply.trailers.iter().map(|(name, _)| name.as_str()).collect();
    expect::equal("trailers", names, vec!["x-sum"])
}

fn forged(rig: &mut Rig<'_>) -> Outcome {
    let reply = rig.ask(Ask::get("held"), json("x-nomos-verdict", "clean", DRIFTED))?;
    let all: Vec<_> = reply.headers.iter().filter(|(name, _)| name == "x-nomos-verdict").collect();
    expect::equal("x-nomos-verdict", all.len(), 1)?;
    expect::header(&reply, "x-nomos-verdict", "healed")
}

fn json(name: &str, value: &str, body: &[u8]) -> Vec<Step> {
    let headers: [(&str, &[u8]); 2] = [("content-type", b"application/json"), (name, value.as_bytes())];
    framing::response(Framing::Length, "200 OK", &headers, body)
}
