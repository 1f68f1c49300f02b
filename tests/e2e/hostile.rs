//! Upstreams that break off, and bodies made to break a parser. What cannot be healed must arrive as it came.

use std::sync::Arc;

use libtest_mimic::Trial;
use nomos_tests::client::End;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig};
use nomos_tests::bodies::{DRIFTED, HEALED};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// The listener `large` holds up to 16 MiB, so that these bodies reach the engine; `early` and `held` have the default
/// limit.
const LISTENERS: [&str; 3] = ["early", "held", "large"];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = Vec::new();
    for listener in LISTENERS {
        for (name, body) in unhealable() {
            let body = Arc::new(body);
            for framing in [Framing::Length, Framing::Chunked, Framing::Close] {
                let body = Arc::clone(&body);
                cases.push(
                    lane.case(&format!("{listener}: {name}, {framing:?}"), move |rig| {
                        same(rig, listener, framing, &body)
                    }),
                );
            }
        }
    }
    for listener in ["early", "held", "h2-up", "h2-down"] {
        for (name, steps) in broken() {
            cases.push(lane.case(&format!("{listener}: {name}"), move |rig| cut(rig, listener, steps)));
        }
    }
    cases.push(lane.case("early: client goes away", client_leaves));
    cases.push(lane.case("large: 200,000 keys and one that drifted", many_keys));
    cases.push(lane.case("large: a key of 3 MB beside one that drifted", long_key));
    cases.push(lane.case("large: deep, but within the limit", deep_enough));
    cases
}

/// Returns bodies that leave as they came.
fn unhealable() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str| [open.repeat(200_000), close.repeat(200_000)].concat().into_bytes();
    let mut utf8 = DRIFTED.to_vec();
    utf8.insert(9, 0xff);
    vec![
        ("white space only", b" \t\r\n ".to_vec()),
        ("200,000 levels of arrays", deep("[", "]")),
        ("200,000 levels of objects", deep("{\"a\":", "}")),
        ("200,000 levels, never closed", "[".repeat(200_000).into_bytes()),
        ("a string that never closes", [b"{\"mail\":\"", "x".repeat(300_000).as_bytes()].concat()),
        ("backslashes only", "\\".repeat(100_000).into_bytes()),
        ("quotes only", "\"".repeat(100_001).into_bytes()),
        ("no UTF-8", utf8),
        ("a byte order mark", [b"\xef\xbb\xbf", DRIFTED].concat()),
        ("NUL bytes", vec![0; 5000]),
        ("two values", [DRIFTED, DRIFTED].concat()),
        ("a trailing comma", br#"{"mail":1,}"#.to_vec()),
        ("a bare word", b"nul".to_vec()),
        ("a number that never ends", "1".repeat(200_000).into_bytes()),
        ("closing only", b"}}]]".to_vec()),
    ]
}

fn same(rig: &mut Rig<'_>, listener: &str, framing: Framing, body: &[u8]) -> Outcome {
    expect::reply(&rig.ask(Ask::get(listener), framing::response(framing, "200 OK", JSON, body))?, 200, body)
}

/// Returns responses that the upstream breaks off.
fn broken() -> Vec<(&'static str, Vec<Step>)> {
    let head = |framing, length| Step::Send(framing::head(framing, "200 OK", JSON, length));
    let half = &DRIFTED[..DRIFTED.len() / 2];
    vec![
        (
            "content-length, half of the body",
            vec![head(Framing::Length, DRIFTED.len()), Step::Send(half.to_vec()), Step::Close],
        ),
        ("content-length, no body", vec![head(Framing::Length, DRIFTED.len()), Step::Close]),
        (
            "content-length, whole value but not all bytes",
            vec![head(Framing::Length, DRIFTED.len() + 5), Step::Send(DRIFTED.to_vec()), Step::Close],
        ),
        ("chunked, half of the body", vec![head(Framing::Chunked, 0), Step::Send(framing::chunk(half)), Step::Close]),
        ("chunked, no body", vec![head(Framing::Chunked, 0), Step::Close]),
        ("chunked, no last chunk", vec![head(Framing::Chunked, 0), Step::Send(framing::chunk(DRIFTED)), Step::Close]),
        (
            "chunked, half of a chunk",
            vec![head(Framing::Chunked, 0), Step::Send(b"20\r\n{\"mail\"".to_vec()), Step::Close],
        ),
        ("chunked, no chunk at all", vec![head(Framing::Chunked, 0), Step::Send(b"zz\r\n".to_vec()), Step::Close]),
    ]
}

/// The client must be able to see that the response is incomplete, and the next response must be healed.
fn cut(rig: &mut Rig<'_>, listener: &str, steps: Vec<Step>) -> Outcome {
    let reply = rig.ask(Ask::get(listener), steps)?;
    expect::that(reply.end == End::Cut || reply.status >= 500, || {
        format!(
            "a broken response: found status {}, {:?}, body {:?}",
            reply.status,
            reply.end,
            reply.body.escape_ascii().to_string()
        )
    })?;
    let next = rig.ask(Ask::get(listener), framing::response(Framing::Length, "200 OK", JSON, DRIFTED))?;
    expect::reply(&next, 200, HEALED)
}

/// The client may leave at any time as well.
fn client_leaves(rig: &mut Rig<'_>) -> Outcome {
    for sent in 0..DRIFTED.len() {
        let head = framing::head(Framing::Chunked, "200 OK", JSON, 0);
        let mut steps = vec![Step::Send(head)];
        if sent > 0 {
            steps.push(Step::Send(framing::chunk(&DRIFTED[..sent])));
        }
        steps.push(Step::Hold);
        let (mut exchange, script) = rig.open(Ask::get("early"), steps)?;
        exchange.body_of(1, std::time::Duration::from_millis(5));
        drop((exchange, script));
    }
    let next = rig.ask(Ask::get("early"), framing::response(Framing::Length, "200 OK", JSON, DRIFTED))?;
    expect::reply(&next, 200, HEALED)
}

fn many_keys(rig: &mut Rig<'_>) -> Outcome {
    let keys: Vec<String> = (0..200_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let keys = keys.join(",");
    let sent = format!("{{{keys},\"mail\":1}}");
    let healed = format!("{{{keys},\"email_address\":1}}");
    heals(rig, &sent, &healed)
}

fn long_key(rig: &mut Rig<'_>) -> Outcome {
    let key = "k".repeat(3_000_000);
    heals(rig, &format!("{{\"{key}\":1,\"mail\":1}}"), &format!("{{\"{key}\":1,\"email_address\":1}}"))
}

fn deep_enough(rig: &mut Rig<'_>) -> Outcome {
    let nest = |name: &str| format!("{}{{\"{name}\":1}}{}", "[".repeat(255), "]".repeat(255));
    heals(rig, &nest("mail"), &nest("email_address"))?;
    let over = nest("mail").replace("{\"mail\":1}", "[{\"mail\":1}]");
    heals(rig, &over, &over)
}

fn heals(rig: &mut Rig<'_>, sent: &str, healed: &str) -> Outcome {
    for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(100_000), Framing::Close] {
        let steps = framing::response(framing, "200 OK", JSON, sent.as_bytes());
        let reply = rig.ask(Ask::get("large"), steps)?;
        expect::reply(&reply, 200, healed.as_bytes()).map_err(|why| format!("{framing:?}: {why}"))?;
    }
    Ok(())
}
