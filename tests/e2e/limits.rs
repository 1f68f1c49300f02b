//! Bodies over a limit of the filter, or of Envoy's buffers.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use nomos_tests::bodies;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, PATIENCE, Rig};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json"), ("etag", b"\"v1\"")];

/// Envoy's own memory varies by less than this many bytes. Not freeing 80 bodies would take 70 MB.
const GROWTH: u64 = 16 * 1024 * 1024;

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = vec![
        lane.case("early: over max_held_bytes", over),
        lane.case("early: a record over max_held_bytes", record),
        lane.case("early: just within max_held_bytes", within),
        lane.case("early: over the default max_held_bytes", over_default),
    ];
    cases.push(lane.case("narrow: keys, depth and tokens over their limits", narrow));
    cases.push(lane.case("early: memory does not grow", memory));
    for listener in ["early-gzip", "held-gzip", "observe-gzip"] {
        cases.push(lane.case(&format!("{listener}: 100 MB unpacked from 1 MB"), move |rig| unpacked(rig, listener)));
    }
    for listener in ["tight-early", "tight-held"] {
        for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(9000), Framing::Close] {
            let name = format!("{listener}: Envoy buffers of 32 KiB, {framing:?}");
            cases.push(lane.case(&name, move |rig| tight(rig, listener, framing)));
        }
    }
    for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(500)] {
        cases.push(lane.case(&format!("long-early: grows tenfold, {framing:?}"), move |rig| grows(rig, framing)));
    }
    cases.push(lane.case("long-held: an output over Envoy's buffer is not written", held_growth));
    cases
        .push(lane.case("long-early-buffered: what outgrows the buffer of another filter is no heal", buffered_growth));
    cases.push(lane.case("low-observe-held: observing asks nothing of Envoy's buffers", low_observe));
    for listener in ["slow-early", "slow-held", "slow-observe-held", "early-slow"] {
        cases.push(lane.case(&format!("{listener}: a rate limit beside the filter"), move |rig| slow(rig, listener)));
    }
    cases
}

fn over(rig: &mut Rig<'_>) -> Outcome {
    let (sent, healed, ops) = bodies::list(5000);
    for framing in [
        Framing::Length,
        Framing::LengthPieces(700),
        Framing::Chunked,
        Framing::Chunks(700),
        Framing::Close,
        Framing::Trailers,
        Framing::Gzip,
    ] {
        let listener = if framing.is_gzip() { "small-gzip" } else { "small" };
        let (reply, state) = rig.ask_verdict(Ask::get(listener), json(framing, &sent))?;
        expect::reply(&reply, 200, &healed)
            .and_then(|()| expect::verdict(&state, "healed", ops))
            .map_err(|why| format!("{framing:?}: {why}"))?;
    }
    Ok(())
}

/// The body is one record over the limit.
fn record(rig: &mut Rig<'_>) -> Outcome {
    let sent = format!(r#"[{{"mail":"{}"}}]"#, "x".repeat(5000)).into_bytes();
    for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(700), Framing::Close, Framing::Trailers] {
        let (reply, state) = rig.ask_verdict(Ask::get("small"), json(framing, &sent))?;
        expect::reply(&reply, 200, &sent).map_err(|why| format!("{framing:?}: {why}"))?;
        expect::equal("reason", state["reason"].as_str(), Some("too_large"))?;
    }
    Ok(())
}

fn within(rig: &mut Rig<'_>) -> Outcome {
    let (mut sent, mut healed, ops) = bodies::list(4000);
    let room = 4096 - sent.len();
    sent.extend(vec![b' '; room]);
    healed.extend(vec![b' '; room]);
    for framing in [Framing::Length, Framing::Chunks(700)] {
        let (reply, state) = rig.ask_verdict(Ask::get("small"), json(framing, &sent))?;
        expect::reply(&reply, 200, &healed).map_err(|why| format!("{framing:?}: {why}"))?;
        expect::verdict(&state, "healed", ops)?;
    }
    Ok(())
}

fn over_default(rig: &mut Rig<'_>) -> Outcome {
    let (sent, healed, _) = bodies::list(3 * 1024 * 1024);
    for listener in ["early", "held", "h2-up", "h2-down"] {
        for framing in [Framing::Length, Framing::Chunked, Framing::Close] {
            expect::reply(&rig.ask(Ask::get(listener), json(framing, &sent))?, 200, &healed)
                .map_err(|why| format!("{listener}, {framing:?}: {why}"))?;
        }
    }
    let (exchange, _script) = rig.open_http10("early", json(Framing::Length, &sent))?;
    expect::reply(&exchange.finish(PATIENCE), 200, &healed)
}

/// Every byte must arrive, wherever the limit is reached.
fn narrow(rig: &mut Rig<'_>) -> Outcome {
    let keys: Vec<String> = (0..20).map(|key| format!("\"k{key}\":0,")).collect();
    let keys = keys.concat();
    let rows = [
        ("too_many_keys", format!("[{{\"mail\":1}},{{{keys}\"mail\":1}}]")),
        ("too_deep", format!("{}{{\"mail\":1}}{}", "[".repeat(20), "]".repeat(20))),
        ("too_many_tokens", format!("[{{\"mail\":1}},{}]", vec!["0"; 200].join(","))),
    ];
    for (reason, sent) in rows {
        for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(7), Framing::Close, Framing::Trailers] {
            let (reply, state) = rig.ask_verdict(Ask::get("narrow"), json(framing, sent.as_bytes()))?;
            expect::reply(&reply, 200, sent.as_bytes()).map_err(|why| format!("{reason}, {framing:?}: {why}"))?;
            expect::equal("verdict", state["verdict"].as_str(), Some("failed"))?;
            expect::equal("reason", state["reason"].as_str(), Some(reason))?;
        }
        let healed = sent.replace("mail", "email_address");
        expect::reply(&rig.ask(Ask::get("early"), json(Framing::Chunked, sent.as_bytes()))?, 200, healed.as_bytes())?;
    }
    Ok(())
}

/// Linear memory never shrinks, so memory that is not freed stays lost as long as Envoy runs.
fn memory(rig: &mut Rig<'_>) -> Outcome {
    let (sent, healed, _) = bodies::list(900_000);
    let (_, unclosed) = sent.split_last().ok_or("no body")?;
    let mut round = || -> Result<u64, String> {
        for _ in 0..40 {
            expect::reply(&rig.ask(Ask::get("early"), json(Framing::Chunks(100_000), &sent))?, 200, &healed)?;
            expect::reply(&rig.ask(Ask::get("early"), json(Framing::Chunked, unclosed))?, 200, unclosed)?;
        }
        Ok(rig.envoy.resident_bytes().unwrap_or(0))
    };
    let warm = round()?;
    let after = round()?.max(round()?);
    expect::that(after < warm + GROWTH, || format!("memory grew from {warm} to {after} bytes"))
}

/// A decompressor hands over all that one chunk unpacks to, here 76 times its length. Such a chunk passes in parts: Envoy
/// must append each part to what it has of the chunk.
fn unpacked(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    const RECORDS: u64 = 190_000;
    let records: Vec<String> =
        (0..RECORDS).map(|n| format!(r#"{{"n":{},"mail":"{}"}}"#, n * 7919 % 100_000, "x".repeat(500))).collect();
    let sent = format!("[{}]", records.join(","));
    let observes = listener.starts_with("observe");
    let healed = sent.replace("\"mail\"", "\"email_address\"");
    let (body, verdict) = if observes { (&sent, "observed") } else { (&healed, "healed") };
    let (reply, state) = rig.ask_verdict(Ask::get(listener), json(Framing::Gzip, sent.as_bytes()))?;
    expect::that(reply.body == body.as_bytes(), || format!("{} bytes for {}", reply.body.len(), body.len()))?;
    expect::verdict(&state, verdict, RECORDS)
}

/// The limits that gateways ship. In the default mode they must not affect what is healed, and in neither mode may a
/// response be lost.
fn tight(rig: &mut Rig<'_>, listener: &str, framing: Framing) -> Outcome {
    for size in [10_000, 16_300, 20_000, 33_000, 100_000, 1_000_000] {
        let (sent, healed, ops) = bodies::list(size);
        let (reply, state) = rig.ask_verdict(Ask::get(listener), json(framing, &sent))?;
        expect::reply(&reply, 200, &healed)
            .and_then(|()| expect::verdict(&state, "healed", ops))
            .map_err(|why| format!("{size} bytes: {why}"))?;
    }
    Ok(())
}

fn grows(rig: &mut Rig<'_>, framing: Framing) -> Outcome {
    for items in [100, 1000, 10_000] {
        let (sent, grown) = growing(items);
        let reply = rig.ask(Ask::get("long-early"), json(framing, &sent))?;
        expect::reply(&reply, 200, &grown).map_err(|why| format!("{items} items: {why}"))?;
    }
    Ok(())
}

/// Writing more into a paused body than its buffer may hold would end Envoy's process.
fn held_growth(rig: &mut Rig<'_>) -> Outcome {
    let (sent, grown) = growing(50);
    expect::reply(&rig.ask(Ask::get("long-held"), json(Framing::Length, &sent))?, 200, &grown)?;
    for pieces in [Framing::Length, Framing::LengthPieces(1000)] {
        let (sent, _) = growing(1500);
        let (reply, state) = rig.ask_verdict(Ask::get("long-held"), json(pieces, &sent))?;
        expect::reply(&reply, 200, &sent)?;
        expect::header(&reply, "content-length", &sent.len().to_string())?;
        expect::equal("reason", state["reason"].as_str(), Some("output_too_large"))?;
    }
    Ok(())
}

/// If another filter has buffered a body, Envoy ends the stream when the healed body outgrows the buffer.
fn buffered_growth(rig: &mut Rig<'_>) -> Outcome {
    let mut wanted = Vec::new();
    for (framing, lost) in [(Framing::Length, 1), (Framing::Chunked, 2)] {
        let (sent, grown) = growing(100);
        expect::reply(&rig.ask(Ask::get("long-early-buffered"), json(framing, &sent))?, 200, &grown)?;
        let (sent, _) = growing(1000);
        let reply = rig.ask(Ask::get("long-early-buffered"), json(framing, &sent))?;
        expect::that(reply.body.is_empty(), || format!("{framing:?}: a body that the buffer cannot have taken"))?;
        wanted = vec![
            format!("reason=.=none;.;route=.=buffered;.;nomos_responses_total: {lost}"),
            format!("reason=.=host_error;.;route=.=buffered;.;nomos_responses_total: {lost}"),
        ];
    }
    let mut stats = String::new();
    for _ in 0..60 {
        stats = rig.envoy.admin_get("/stats?filter=route=.=buffered")?;
        if wanted.iter().all(|wanted| stats.contains(wanted)) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(format!("no {wanted:?} in\n{stats}"))
}

/// A rate limit behind the filter hands out what the upstream sent long before. If the length is unknown, this looks
/// like a body that broke off. With held headers the rest is awaited, because Envoy would end the body when the headers
/// leave.
fn slow(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    let (sent, healed, ops) = bodies::list(3000);
    let observes = listener.contains("observe");
    let (body, verdict) = if observes { (&sent, "observed") } else { (&healed, "healed") };
    let (reply, state) = rig.ask_verdict(Ask::get(listener), json(Framing::Length, &sent))?;
    expect::reply(&reply, 200, body).and_then(|()| expect::verdict(&state, verdict, ops))?;
    for framing in [Framing::Chunked, Framing::Trailers] {
        let (reply, state) = rig.ask_verdict(Ask::get(listener), json(framing, &sent))?;
        let outcome = match listener {
            "early-slow" | "slow-held" => {
                expect::reply(&reply, 200, &healed).and_then(|()| expect::verdict(&state, "healed", ops))
            }
            _ => expect::reply(&reply, 200, &sent)
                .and_then(|()| expect::equal("reason", state["reason"].as_str(), Some("truncated"))),
        };
        outcome.map_err(|why| format!("{framing:?}: {why}"))?;
        if listener == "slow-held" {
            expect::header(&reply, "x-nomos-verdict", "healed")?;
        }
    }
    Ok(())
}

/// Limits below what held headers need: those of filters that read requests apply to responses too.
fn low_observe(rig: &mut Rig<'_>) -> Outcome {
    let (sent, _, ops) = bodies::list(10_000);
    for framing in [Framing::Length, Framing::LengthPieces(5000), Framing::LengthPieces(100), Framing::Chunks(5000)] {
        let (reply, state) = rig.ask_verdict(Ask::get("low-observe-held"), json(framing, &sent))?;
        expect::reply(&reply, 200, &sent)
            .and_then(|()| expect::verdict(&state, "observed", ops))
            .map_err(|why| format!("{framing:?}: {why}"))?;
        if framing.tells_length() {
            expect::header(&reply, "content-length", &sent.len().to_string())?;
        }
    }
    Ok(())
}

/// Returns a list, and the list after the rule of the `long-*` listeners, more than ten times as long.
fn growing(items: usize) -> (Vec<u8>, Vec<u8>) {
    let sent = format!("[{}]", vec![r#"{"a":1}"#; items].join(","));
    let grown = sent.replace("\"a\"", &format!("\"{}\"", "x".repeat(100)));
    (sent.into_bytes(), grown.into_bytes())
}

fn json(framing: Framing, body: &[u8]) -> Vec<Step> {
    framing::response(framing, "200 OK", JSON, body)
}
