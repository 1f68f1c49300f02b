//! Every way of sending a body, in both header modes: the client must get the healed body, complete.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use nomos_tests::client::{self, End, Reply};
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::{Script, Step};

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, PATIENCE, Rig};
use nomos_tests::bodies::{self, Body, DRIFTED, HEALED};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// The time limit for a value that has closed to arrive, whatever the upstream does next.
const AT_ONCE: Duration = Duration::from_secs(3);

/// Name, framing, and whether held headers can be exact: only if the first body callback has the whole body.
const FRAMINGS: [(&str, Framing, bool); 10] = [
    ("content-length", Framing::Length, true),
    ("content-length in bytes", Framing::LengthPieces(1), true),
    ("content-length in pieces", Framing::LengthPieces(7), true),
    ("chunked", Framing::Chunked, true),
    ("one byte per chunk", Framing::Chunks(1), false),
    ("chunks of 5", Framing::Chunks(5), false),
    ("connection close", Framing::Close, true),
    ("trailers", Framing::Trailers, true),
    ("gzip behind a decompressor", Framing::Gzip, true),
    ("gzip in bytes behind a decompressor", Framing::GzipBytewise, false),
];

/// The listener of each mode. The listener `NAME-gzip` has a decompressor behind the filter.
const MODES: [&str; 2] = ["early", "held"];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = Vec::new();
    for (name, framing, exact) in FRAMINGS {
        for listener in MODES {
            cases.push(lane.case(&format!("{listener}: {name}"), move |rig| {
                bodies::small().iter().try_for_each(|body| small(rig, listener, framing, exact, body))
            }));
        }
    }
    for (name, framing, _) in FRAMINGS.into_iter().filter(|(_, framing, _)| !framing.is_gzip()) {
        cases.push(lane.case(&format!("held-rewritten: {name}"), move |rig| {
            bodies::small().iter().try_for_each(|body| through(rig, "held-rewritten", framing, body).map(|_| ()))
        }));
    }
    let large = [Framing::Length, Framing::Chunked, Framing::Chunks(1000), Framing::Close, Framing::Gzip];
    for framing in large {
        for listener in MODES {
            cases.push(lane.case(&format!("{listener}: large bodies, {framing:?}"), move |rig| {
                [15_000, 17_000, 70_000, 700_000].iter().try_for_each(|size| large_body(rig, listener, framing, *size))
            }));
        }
    }
    for listener in ["h2-up", "h2-up-held", "h2-down", "h2-down-held"] {
        cases.push(lane.case(&format!("{listener}: HTTP/2"), move |rig| http2(rig, listener)));
    }
    for listener in ["early", "held", "h2-up", "h2-down"] {
        cases.push(lane.case(&format!("{listener}: healed when the value closes"), move |rig| closes(rig, listener)));
    }
    for listener in ["plain", "early", "held", "small"] {
        cases.push(lane.case(&format!("{listener}: requests that do not wait"), move |rig| pipelined(rig, listener)));
        cases.push(lane.case(&format!("{listener}: early hints first"), move |rig| early_hints(rig, listener)));
    }
    for listener in ["early", "held", "h2-up", "h2-down", "observe-held"] {
        cases.push(lane.case(&format!("{listener}: nothing but white space"), move |rig| blank(rig, listener)));
    }
    cases.push(lane.case("early: compressed again for the client", recompressed));
    cases.push(lane.case("early: HTTP/1.0 client", http10));
    cases
}

fn small(rig: &mut Rig<'_>, listener: &str, framing: Framing, exact: bool, body: &Body) -> Outcome {
    let listener = if framing.is_gzip() { format!("{listener}-gzip") } else { listener.to_owned() };
    let reply = through(rig, &listener, framing, body)?;
    if reply.end == End::Cut {
        return Ok(());
    }
    // A cut document never closes. If its length is unknown, headers cannot wait for it.
    let exact = exact && (!body.is_cut() || framing.tells_length());
    headers(&reply, &listener, exact, body).map_err(|why| format!("{}: {why}", body.what))
}

/// Sends the body through a listener in a framing. The client must get it healed.
fn through(rig: &mut Rig<'_>, listener: &str, framing: Framing, body: &Body) -> Result<Reply, String> {
    let steps = framing::response(framing, "200 OK", JSON, &body.sent);
    let (reply, state) = rig.ask_verdict(Ask::get(listener), steps)?;
    let checked = if body.is_cut() && framing == Framing::Trailers && reply.end == End::Cut {
        // Once trailers have come, a filter can write no more body bytes. The held bytes are lost, so the response must
        // not look complete to the client.
        Ok(())
    } else {
        expect::reply(&reply, 200, &body.healed)
    };
    checked
        .and_then(|()| expect::verdict(&state, body.verdict, body.ops))
        .map_err(|why| format!("{framing:?}, {}: {why}", body.what))?;
    Ok(reply)
}

/// Early headers report nothing. Held ones report the outcome if they could wait for the whole body.
fn headers(reply: &Reply, listener: &str, exact: bool, body: &Body) -> Outcome {
    if listener.starts_with("early") {
        expect::equal("content-length", reply.header("content-length"), None)?;
        return expect::header(reply, "x-nomos-verdict", "");
    }
    if !exact {
        return Ok(());
    }
    expect::header(reply, "x-nomos-verdict", body.verdict)?;
    expect::header(reply, "x-nomos-ops", &body.ops.to_string())?;
    expect::that(reply.text("x-nomos-latency-us").parse::<u64>().is_ok(), || "x-nomos-latency-us: no number".into())
}

fn large_body(rig: &mut Rig<'_>, listener: &str, framing: Framing, size: usize) -> Outcome {
    let (sent, healed, ops) = bodies::list(size);
    let listener = if framing.is_gzip() { format!("{listener}-gzip") } else { listener.to_owned() };
    let steps = framing::response(framing, "200 OK", JSON, &sent);
    let (reply, state) = rig.ask_verdict(Ask::get(&listener), steps)?;
    expect::reply(&reply, 200, &healed)
        .and_then(|()| expect::verdict(&state, "healed", ops))
        .map_err(|why| format!("{size} bytes: {why}"))
}

fn http2(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(1), Framing::Close, Framing::Trailers] {
        for body in bodies::small() {
            through(rig, listener, framing, &body)?;
        }
    }
    Ok(())
}

/// The upstream sends the whole value, but then neither the last chunk nor anything else.
fn closes(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    for framing in [Framing::Chunked, Framing::Close] {
        let body = if framing == Framing::Chunked { framing::chunk(DRIFTED) } else { DRIFTED.to_vec() };
        let steps = vec![Step::Send(framing::head(framing, "200 OK", JSON, 0)), Step::Send(body), Step::Hold];
        let (mut exchange, script) = rig.open(Ask::get(listener), steps)?;
        let reply = exchange.body_of(HEALED.len(), AT_ONCE);
        expect::body(&reply.body, HEALED).map_err(|why| format!("{framing:?}: {why}"))?;
        drop(script);
    }
    Ok(())
}

fn recompressed(rig: &mut Rig<'_>) -> Outcome {
    let (sent, healed, ops) = bodies::list(5000);
    let steps = framing::response(Framing::Gzip, "200 OK", JSON, &sent);
    let ask = Ask { headers: &[("accept-encoding", "gzip")], ..Ask::get("recompress") };
    let (reply, state) = rig.ask_verdict(ask, steps)?;
    expect::header(&reply, "content-encoding", "gzip")?;
    expect::equal("end", reply.end, End::Complete)?;
    expect::body(&gunzip(&reply.body)?, &healed)?;
    expect::verdict(&state, "healed", ops)
}

fn http10(rig: &mut Rig<'_>) -> Outcome {
    let (exchange, _script) = rig.open_http10("early", framing::response(Framing::Length, "200 OK", JSON, DRIFTED))?;
    expect::reply(&exchange.finish(AT_ONCE), 200, HEALED)
}

/// Twenty requests in one write: the responses come in order, each healed by itself.
fn pipelined(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    let bodies: Vec<String> = (0..20).map(|n| format!(r#"{{"mail":{n}}}"#)).collect();
    let scripts: Vec<Script> = bodies
        .iter()
        .map(|body| rig.upstream.script(framing::response(Framing::Length, "200 OK", JSON, body.as_bytes())))
        .collect();
    let close = |n: usize| if n + 1 == scripts.len() { "close" } else { "keep-alive" };
    let request = |(n, script): (usize, &Script)| {
        client::request("1.1", "GET", "/r", &[("x-case", &script.id()), ("connection", close(n))])
    };
    let requests: Vec<u8> = scripts.iter().enumerate().flat_map(request).collect();
    let answers = all_that_comes(rig.envoy.listener(listener)?, &requests)?;
    let found: Vec<&str> = answers.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
    let name = if listener == "plain" { "mail" } else { "email_address" };
    let expected: Vec<String> = (0..bodies.len()).map(|n| format!("\"{name}\":{n}")).collect();
    expect::equal("bodies", found, expected.iter().map(String::as_str).collect())
}

/// An interim response is not the response; the one after it is healed. By default Envoy does not pass interim
/// responses on.
fn early_hints(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    let mut steps = vec![Step::Send(b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".to_vec())];
    steps.extend(framing::response(Framing::Length, "200 OK", JSON, DRIFTED));
    let body = if listener == "plain" { DRIFTED } else { HEALED };
    expect::reply(&rig.ask(Ask::get(listener), steps)?, 200, body)
}

/// White space that trailers end needs no reset, because no byte of it is withheld.
fn blank(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(1), Framing::Close, Framing::Trailers] {
        let (reply, state) =
            rig.ask_verdict(Ask::get(listener), framing::response(framing, "200 OK", JSON, b" \r\n\t"))?;
        expect::reply(&reply, 200, b" \r\n\t")
            .and_then(|()| expect::equal("reason", state["reason"].as_str(), Some("empty")))
            .map_err(|why| format!("{framing:?}: {why}"))?;
    }
    Ok(())
}

fn all_that_comes(from: SocketAddr, sent: &[u8]) -> Result<String, String> {
    let say = |error: std::io::Error| error.to_string();
    let mut socket = TcpStream::connect(from).map_err(say)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(say)?;
    socket.write_all(sent).map_err(say)?;
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).map_err(say)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn gunzip(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut plain)
        .map_err(|e| format!("gzip: {e}"))?;
    Ok(plain)
}
