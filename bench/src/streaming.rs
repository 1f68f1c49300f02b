//! Lists that are too long to be held: healed while they stream, compared natively with healing them as a whole, and in
//! Envoy with an Envoy without a filter.

use std::hint::black_box;
use std::time::{Duration, Instant};

use drifting_upstream::{Mode, contract, users_body};
use healer::config::Config;
use healer::{Healer, Limits, Memo, Plan};
use nomos_tests::client::End;
use nomos_tests::download::download;
use nomos_tests::envoy;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Upstream;
use serde_json::{Value, json};

use crate::modules::Module;
use crate::scenario::Setting;
use crate::section::{Figures, Plot, Section};
use crate::{process, proxy};

/// The sizes of chunks in bytes: what Envoy reads from a socket, and what the module reads of a chunk at once.
const CHUNKS: [usize; 2] = [16 << 10, 64 << 10];

/// The rounds of a full and of a quick run. The minimum of each side counts, because disturbances only add time.
const ROUNDS: [usize; 2] = [15, 4];

/// The length in bytes of a native list, and of one through Envoy.
const NATIVE: usize = 1 << 20;
const THROUGH: usize = 10 << 20;

/// Envoy Gateway's buffer limit, the smallest met in the field.
const BUFFER_LIMIT: u32 = 32 << 10;

/// A list, and how it is healed.
pub struct Subject {
    /// The name in words.
    pub name: &'static str,
    route: Value,
    /// The list.
    pub body: String,
}

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let rounds = ROUNDS[usize::from(setting.quick)];
    let native = native(rounds)?;
    setting.progress.at(1, 4);
    let through = through_envoy(rounds, &|done, of| setting.progress.at(of + 3 * done, 4 * of))?;
    let names: Vec<String> = subjects(0).iter().map(|subject| subject.name.to_owned()).collect();
    let column = |at: usize| {
        let cells = through.rows.iter().filter_map(|row| row.get(at));
        cells.map(|cell| if let crate::section::Cell::Number(number) = cell { *number } else { f64::NAN }).collect()
    };
    let series = [("Envoy alone", column(1)), ("Envoy with Nomos", column(2))];
    let plot = Plot::bars("throughput", "One list of 10 MiB through Envoy", "MB/s", &names, &series);
    Ok(Section { tables: vec![native, through], plots: vec![plot], ..Section::new("streaming") })
}

/// Returns lists of about this length: as large APIs send them, and the worst cases.
pub fn subjects(bytes: usize) -> Vec<Subject> {
    let contract = || json!({"packs": ["all"], "contract": contract::users()});
    let similar = || json!({"similarity": {"profile": "default"}, "contract": contract::users()});
    let users = |mode| {
        let one = users_body(mode, 100).len() / 100;
        users_body(mode, bytes / one)
    };
    let small = |name: &str| {
        let items: Vec<String> =
            (0..bytes / 40).map(|n| format!(r#"{{"{name}":"{n:08}@example.org","n":{n}}}"#)).collect();
        format!("[{}]", items.join(","))
    };
    // An order with some items. The names of the items have drifted like its own.
    let order = |n: usize| {
        let item = |at: usize| {
            format!(r#"{{"itemSku":"sku-{n:06}-{at}","qty":{at},"unitPrice":{}.50,"text":"an item"}}"#, n % 90 + 10)
        };
        let items: Vec<String> = (0..n * 7 % 6).map(item).collect();
        format!(
            r#"{{"orderNumber":{n},"customerName":"customer {n}","items":[{}],"createdAt":"2026-11-21T10:00:00Z","paid":true}}"#,
            items.join(",")
        )
    };
    let orders = || {
        let one = (0..6).map(|n| order(n).len() + 1).sum::<usize>() / 6;
        format!("[{}]", (0..bytes / one).map(order).collect::<Vec<_>>().join(","))
    };
    let renames = json!({"orderNumber": "order_number", "customerName": "customer_name", "createdAt": "created_at",
        "itemSku": "sku", "qty": "quantity", "unitPrice": "unit_price"});
    let item = json!({"type": "object", "properties": {"sku": {}, "quantity": {}, "unit_price": {}, "text": {}}});
    let contract_of_orders = json!({"type": "array", "items": {"type": "object", "properties": {"order_number": {},
        "customer_name": {}, "items": {"type": "array", "items": item}, "created_at": {}, "paid": {}}}});
    let subject = |name, route, body| Subject { name, route, body };
    vec![
        subject("users, packs, v2", json!({"packs": ["all"]}), users(Mode::V2)),
        subject("users, contract, healthy", contract(), users(Mode::Healthy)),
        subject("users, contract, v2", contract(), users(Mode::V2)),
        subject("users, contract, deep", contract(), users(Mode::Deep)),
        subject("users, contract, mixed", contract(), users(Mode::Mixed)),
        subject("users, similarity, camel", similar(), users(Mode::Camel)),
        subject("records of 40 bytes", json!({"rename": {"mail": "email_address"}}), small("mail")),
        subject("orders, 0 to 5 items", json!({"rename": renames, "contract": contract_of_orders}), orders()),
    ]
}

impl Subject {
    /// Returns the configuration of the module.
    pub fn configuration(&self) -> Value {
        let mut route = self.route.clone();
        route["match"] = json!({"prefix": "/"});
        json!({"routes": [route]})
    }
}

#[allow(clippy::cast_precision_loss)]
fn native(rounds: usize) -> Result<Figures, String> {
    let mut table = Figures::new(
        "native",
        &[
            ("list, natively, 1 MiB", 0),
            ("held ns/B", 2),
            ("held, elements seen ns/B", 2),
            ("16 KiB pieces ns/B", 2),
            ("64 KiB pieces ns/B", 2),
            ("seen x held", 2),
            ("16 KiB x held", 2),
            ("64 KiB x held", 2),
        ],
    );
    for subject in subjects(NATIVE) {
        let config = Config::parse(subject.configuration().to_string().as_bytes()).map_err(|e| e.to_string())?;
        let plan = config.routes.first().map(|route| &route.plan).ok_or("no route")?;
        let mut times = [Duration::MAX; 4];
        let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
        let body = subject.body.as_bytes();
        for _ in 0..rounds {
            times[0] = times[0].min(timed(|| held(&mut healer, plan, &mut memo, body)));
            times[1] = times[1].min(timed(|| seen(&mut healer, plan, &mut memo, body)));
            for (time, chunk) in times[2..].iter_mut().zip(CHUNKS) {
                *time = (*time).min(timed(|| streamed(&mut healer, plan, &mut memo, body, chunk)));
            }
        }
        let [held, seen, small, large] = times.map(|time| time.as_secs_f64() * 1e9 / body.len() as f64);
        let cells = [held, seen, small, large, seen / held, small / held, large / held];
        table.row(std::iter::once(subject.name.into()).chain(cells.map(Into::into)).collect());
    }
    Ok(table)
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn limits() -> Limits {
    Limits { max_held_bytes: 64 << 20, ..Limits::default() }
}

/// Heals in chunks, but at the end, as if no body had come before.
fn held(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &[u8]) {
    let mut intake = healer.intake(limits());
    for chunk in body.chunks(CHUNKS[0]) {
        let _ = intake.push(chunk);
    }
    let _ = black_box(healer.heal(plan, memo, &intake));
    healer.recycle(intake);
}

/// Heals as the filter does: elements whose skeleton is known are skipped.
fn seen(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &[u8]) {
    let mut intake = healer.intake(limits());
    for chunk in body.chunks(CHUNKS[0]) {
        let _ = intake.receive(chunk, plan, memo);
    }
    let _ = black_box(healer.heal(plan, memo, &intake));
    healer.learn(plan, memo, &intake);
    healer.recycle(intake);
}

fn streamed(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &[u8], size: usize) {
    let mut incremental = healer.incremental(Limits::default());
    for chunk in body.chunks(size) {
        healer.clear_output();
        incremental.push(healer, plan, memo, chunk);
        black_box(healer.output());
    }
    incremental.finish(healer, memo);
    healer.recycle_incremental(incremental);
}

/// Returns what a list becomes as a whole. Fails unless it changes, or has nothing to heal.
fn healed(subject: &Subject) -> Result<Vec<u8>, String> {
    let say = |what: &str| format!("{}: {what}", subject.name);
    let config = Config::parse(subject.configuration().to_string().as_bytes()).map_err(|e| say(&e.to_string()))?;
    let plan = config.routes.first().map(|route| &route.plan).ok_or_else(|| say("no route"))?;
    let mut healer = Healer::new();
    let mut intake = healer.intake(limits());
    let _ = intake.push(subject.body.as_bytes());
    let summary = healer.heal(plan, &mut Memo::new(plan), &intake).map_err(|failure| say(&failure.to_string()))?;
    if summary.changed == subject.name.ends_with("healthy") {
        return Err(say(&format!("found {} ops", summary.ops())));
    }
    Ok(if summary.changed { healer.output().to_vec() } else { subject.body.as_bytes().to_vec() })
}

#[allow(clippy::cast_precision_loss, clippy::similar_names)]
fn through_envoy(rounds: usize, progress: &dyn Fn(usize, usize)) -> Result<Figures, String> {
    let mut table = Figures::new(
        "through-envoy",
        &[
            ("list, through Envoy, 10 MiB", 0),
            ("plain MB/s", 0),
            ("healed MB/s", 0),
            ("share", 2),
            ("plain CPU ms", 1),
            ("healed CPU ms", 1),
            ("added KiB", 0),
        ],
    );
    let upstream = Upstream::start().map_err(|e| format!("upstream: {e}"))?;
    let subjects = subjects(THROUGH);
    for (at, subject) in subjects.iter().enumerate() {
        progress(at, subjects.len());
        let filter = proxy::wasm("nomos", Module::Filter, &subject.configuration().to_string());
        let listeners = [("plain", None), ("healed", Some(filter))];
        let mut envoy = proxy::start_with(upstream.address(), &listeners, Some(BUFFER_LIMIT))?;
        let pid = envoy.pid();
        let number = pid.parse().map_err(|_| "Envoy's process id is not known".to_owned())?;
        let json: &[(&str, &[u8])] = &[("content-type", b"application/json")];
        let script = upstream.script(framing::response(Framing::Length, "200 OK", json, subject.body.as_bytes()));
        let expected = [subject.body.as_bytes().to_vec(), healed(subject)?];
        let mut best = [(Duration::MAX, u64::MAX); 2];
        let (mut before, mut highest) = (0, 0);
        for round in 0..rounds {
            for (side, listener) in ["plain", "healed"].into_iter().enumerate() {
                if (round, side) == (0, 1) {
                    before = envoy::resident_bytes(&pid).unwrap_or(0);
                }
                let mut body = Vec::new();
                let keep = |piece: &[u8]| {
                    // Only the first round keeps what it gets, since that takes time.
                    if round == 0 {
                        body.extend_from_slice(piece);
                    }
                    true
                };
                let (start, cpu) = (Instant::now(), process::cpu_ns(number)?);
                let reply = download(envoy.listener(listener)?, "/", &[("x-case", &script.id())], keep)
                    .map_err(|e| format!("{}: {e}", subject.name))?;
                if (reply.status, reply.end) != (200, End::Complete) {
                    let (status, end) = (reply.status, reply.end);
                    return Err(format!("{}, {listener}: found status {status}, {end:?}; expected 200", subject.name));
                }
                if round == 0 && body != expected[side] {
                    return Err(format!("{}, {listener}: found another body than expected", subject.name));
                }
                let cpu = process::cpu_ns(number)?.saturating_sub(cpu);
                best[side] = (best[side].0.min(start.elapsed()), best[side].1.min(cpu));
                highest = highest.max(envoy::resident_bytes(&pid).unwrap_or(0));
            }
        }
        envoy.check()?;
        let speed = |side: usize| subject.body.len() as f64 / 1e6 / best[side].0.as_secs_f64();
        let cpu = |side: usize| best[side].1 as f64 / 1e6;
        table.row(vec![
            subject.name.into(),
            speed(0).into(),
            speed(1).into(),
            (speed(1) / speed(0)).into(),
            cpu(0).into(),
            cpu(1).into(),
            (highest.saturating_sub(before) >> 10).into(),
        ]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_the_same_in_pieces() {
        for subject in subjects(100_000) {
            let config = Config::parse(subject.configuration().to_string().as_bytes()).expect("a configuration");
            let plan = &config.routes[0].plan;
            let (mut healer, mut memo, mut out) = (Healer::new(), Memo::new(plan), Vec::new());
            let mut incremental = healer.incremental(Limits::default());
            for chunk in subject.body.as_bytes().chunks(CHUNKS[0]) {
                healer.clear_output();
                incremental.push(&mut healer, plan, &mut memo, chunk);
                out.extend_from_slice(healer.output());
            }
            assert!(out == healed(&subject).expect("a healed list"), "{}", subject.name);
        }
    }
}
