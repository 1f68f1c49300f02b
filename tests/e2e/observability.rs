//! What an operator sees: modes, verdicts, metrics, and configurations that share a VM.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Step;

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, PATIENCE, Rig};
use nomos_tests::bodies::{CLEAN, DRIFTED, HEALED};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json"), ("etag", b"\"v1\"")];

/// By then the module has told what it counted, and workers have passed that to the main thread.
const TOLD: Duration = Duration::from_millis(1500);

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.case("observe: nothing changes, and the ops are counted", observe),
        lane.case("observe, held: the verdict is in the headers", observe_held),
        lane.case("early: filter state", filter_state),
        lane.case("early: ten runs, the same bytes", ten_runs),
        lane.case("early: metrics", metrics),
        lane.case("two configurations in one VM", two_configurations),
        lane.case("a configuration as text", as_text),
    ]
}

fn observe(rig: &mut Rig<'_>) -> Outcome {
    for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(1), Framing::Close, Framing::Trailers] {
        expect::untouched(rig, Ask::get("observe"), "plain", &json(framing, DRIFTED))?;
        let (_, state) = rig.ask_verdict(Ask::get("observe"), json(framing, DRIFTED))?;
        expect::verdict(&state, "observed", 2).map_err(|why| format!("{framing:?}: {why}"))?;
        let (_, state) = rig.ask_verdict(Ask::get("observe"), json(framing, CLEAN))?;
        expect::verdict(&state, "clean", 0).map_err(|why| format!("{framing:?}: {why}"))?;
    }
    Ok(())
}

fn observe_held(rig: &mut Rig<'_>) -> Outcome {
    let reply = rig.ask(Ask::get("observe-held"), json(Framing::Length, DRIFTED))?;
    expect::reply(&reply, 200, DRIFTED)?;
    expect::header(&reply, "etag", "\"v1\"")?;
    expect::header(&reply, "content-length", &DRIFTED.len().to_string())?;
    expect::header(&reply, "x-nomos-verdict", "observed")?;
    expect::header(&reply, "x-nomos-ops", "2")
}

fn filter_state(rig: &mut Rig<'_>) -> Outcome {
    let (_, state) = rig.ask_verdict(Ask::get("early"), json(Framing::Length, DRIFTED))?;
    expect::verdict(&state, "healed", 2)?;
    let (_, state) = rig.ask_verdict(Ask::get("early"), json(Framing::Length, b"{\"mail\":}"))?;
    expect::verdict(&state, "failed", 0)?;
    expect::that(state["reason"].is_string(), || format!("filter state {state}: expected a reason"))?;
    let html = framing::response(Framing::Length, "200 OK", &[("content-type", b"text/html")], DRIFTED);
    let (_, state) = rig.ask_verdict(Ask::get("early"), html)?;
    expect::verdict(&state, "skipped", 0)?;
    expect::that(state["reason"].is_string(), || format!("filter state {state}: expected a reason"))
}

fn ten_runs(rig: &mut Rig<'_>) -> Outcome {
    for _ in 0..10 {
        expect::reply(&rig.ask(Ask::get("early"), json(Framing::Length, DRIFTED))?, 200, HEALED)?;
    }
    Ok(())
}

/// Each worker adds up what it counts, and Envoy must have it all.
fn metrics(rig: &mut Rig<'_>) -> Outcome {
    const RESPONSES: &str = "wasmcustom.verdict=.=healed;.;reason=.=none;.;route=.=r;.;nomos_responses_total";
    const OPS: &str = "wasmcustom.kind=.=rename;.;nomos_ops_total";
    const TIMES: u64 = 5;
    let counts = |rig: &Rig<'_>| -> Result<[u64; 2], String> { Ok([rig.envoy.stat(RESPONSES)?, rig.envoy.stat(OPS)?]) };
    // The module reports metrics twice a second, also those of the case before.
    let mut before = counts(rig)?;
    loop {
        thread::sleep(TOLD);
        let now = counts(rig)?;
        if now == before {
            break;
        }
        before = now;
    }
    for _ in 0..TIMES {
        expect::reply(&rig.ask(Ask::get("early"), json(Framing::Length, DRIFTED))?, 200, HEALED)?;
    }
    let (expected, started) = ([before[0] + TIMES, before[1] + 2 * TIMES], Instant::now());
    while counts(rig)? != expected && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(50));
    }
    expect::equal("healed responses and renames", counts(rig)?, expected)?;
    let text = rig.envoy.admin_get("/stats/prometheus?filter=nomos")?;
    let wanted = ["nomos_heal_us", "nomos_body_bytes", "nomos_held_bytes"];
    let missing: Vec<_> = wanted.into_iter().filter(|name| !text.contains(name)).collect();
    expect::that(missing.is_empty(), || format!("/stats/prometheus has no {missing:?}"))
}

fn two_configurations(rig: &mut Rig<'_>) -> Outcome {
    let other = br#"{"other":"a@b.c","uid":7,"n":1.50}"#;
    for _ in 0..3 {
        expect::reply(&rig.ask(Ask::get("early"), json(Framing::Length, DRIFTED))?, 200, HEALED)?;
        expect::reply(&rig.ask(Ask::get("other"), json(Framing::Length, DRIFTED))?, 200, other)?;
    }
    one_vm(rig)
}

/// With one worker there are three VMs: the one that others are cloned from, the main thread's, and the worker's. More
/// would mean that configurations do not share a VM.
fn one_vm(rig: &mut Rig<'_>) -> Outcome {
    let stats = rig.envoy.admin_get("/stats?filter=^wasm.envoy.wasm.runtime.v8.active$")?;
    expect::equal("VMs", stats.trim().rsplit(' ').next(), Some("3"))
}

fn as_text(rig: &mut Rig<'_>) -> Outcome {
    expect::reply(&rig.ask(Ask::get("text"), json(Framing::Length, DRIFTED))?, 200, HEALED)
}

fn json(framing: Framing, body: &[u8]) -> Vec<Step> {
    framing::response(framing, "200 OK", JSON, body)
}
