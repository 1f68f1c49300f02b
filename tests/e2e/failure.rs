//! What Envoy does when the module fails, or when either end of a response breaks off: measured, and compared with
//! `docs/operations.md`.
//!
//! The module that traps is built by `scripts/trap` and traps when a request tells it to. Each place and failure
//! setting has a listener and a VM of its own, because a trap ends a VM.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use nomos_tests::client::{End, Exchange, Reply};
use nomos_tests::envoy::{self, Envoy, Start};
use nomos_tests::framing::{self, Framing};
use nomos_tests::paths;
use nomos_tests::topology::{self, Failure, Listener, Plugin};
use nomos_tests::upstream::{Gate, Script, Step, Upstream};
use serde_json::{Value, json};

use crate::expect;
use crate::measured::Table;
use crate::rig::{self, Ask, Lane, Outcome, Rig};
use nomos_tests::bodies::{self, DRIFTED, HEALED};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// A response that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(8);

/// Long enough for a request and half of its response to have passed through Envoy.
const UNDER_WAY: Duration = Duration::from_millis(150);

/// Long enough for a new VM: Envoy makes one for the next request, but not within a second of the last one.
const RELOAD: Duration = Duration::from_millis(2500);

/// How many traps to try in a row. Whether Envoy makes a new VM sooner depends on chance.
const TRAPS: usize = 10;

/// Longer than the module's tick, which comes twice a second.
const TICK: Duration = Duration::from_millis(1200);

/// The time limit for Envoy to notice a changed file.
const UPDATE: Duration = Duration::from_secs(8);

/// The length of a body that needs more than the free memory of a module that cannot grow, not counting its reserve.
const LARGE: usize = 900_000;

/// The place where the module fails, and whether its headers are held.
#[derive(Clone, Copy)]
struct Place {
    name: &'static str,
    /// The value of `x-nomos-trap`.
    order: &'static str,
    held: bool,
}

const PLACES: [Place; 5] = [
    Place { name: "Request headers", order: "request-headers", held: false },
    Place { name: "Response headers", order: "response-headers", held: false },
    Place { name: "Body, second piece, `early`", order: "response-body", held: false },
    Place { name: "Body, second piece, `held`", order: "response-body", held: true },
    Place { name: "Tick", order: "tick", held: false },
];

/// Memory can no longer grow when a large body comes. This is not in the table, because nothing traps: the body is
/// healed from the reserve or leaves as it came, and the next one is healed.
const MEMORY: Place = Place { name: "no more memory", order: "memory", held: false };

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.alone("failure: a trap, under every setting", traps),
        lane.alone("failure: a refused configuration, under every setting", refused),
        lane.case("failure: either end breaks off", broken_off),
    ]
}

fn traps(lane: &Lane) -> Outcome {
    let stand = Stand::start(lane)?;
    let cells: Vec<Result<Cell, String>> = thread::scope(|scope| {
        let stand = &stand;
        let measure = |(place, failure)| scope.spawn(move || stand.measure(place, failure));
        let threads: Vec<_> = plots().map(measure).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("the case panicked".into()))).collect()
    });
    let cells = cells.into_iter().collect::<Result<Vec<Cell>, String>>()?;
    expect::that(!stand.envoy.pid().is_empty() && stand.envoy.admin_get("/ready").is_ok(), || {
        format!("Envoy is gone; its log ends:\n{}", envoy::tail(&stand.envoy.log()))
    })?;
    let pages = "memory ends at 16384 pages of 64 KiB";
    expect::that(stand.envoy.log().contains(pages), || format!("Envoy's log lacks `{pages}`"))?;
    table(&cells)?.compare()
}

/// What clients got, in words, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    /// The response whose callback trapped.
    own: String,
    /// A response of which the module held a part at that time.
    other: String,
    /// The next response.
    next: String,
    /// The response right after a second trap.
    again: String,
    /// A response some seconds later.
    seconds: String,
    /// A response after a configuration update.
    update: String,
}

/// Selects one of the words of a cell.
type Word = fn(&Cell) -> &String;

/// Returns the table: a row for each place and outcome that depends on it, then rows for outcomes that do not.
fn table(cells: &[Cell]) -> Result<Table, String> {
    let columns: Vec<String> = Failure::ALL.iter().map(|failure| format!("`{}`", failure.yaml())).collect();
    let columns: Vec<&str> =
        ["It traps in", "Response"].into_iter().chain(columns.iter().map(String::as_str)).collect();
    let mut table = Table::new("trap", &columns);
    let mut row = |place: &str, response: &str, words: Vec<String>| {
        table.row([place.to_owned(), response.to_owned()].into_iter().chain(words).collect());
    };
    let places: Vec<&[Cell]> = cells.chunks(Failure::ALL.len()).collect();
    let (traps, _) = places.split_at(PLACES.len());
    for (place, cells) in PLACES.iter().zip(traps) {
        if place.order != "tick" {
            row(place.name, "its own", cells.iter().map(|cell| cell.own.clone()).collect());
        }
        row(place.name, "others, of which a piece waits", cells.iter().map(|cell| cell.other.clone()).collect());
    }
    let later: [(&str, Word); 4] = [
        ("the next", |cell| &cell.next),
        ("the next after traps within a second", |cell| &cell.again),
        ("after some seconds", |cell| &cell.seconds),
        ("after a configuration update", |cell| &cell.update),
    ];
    for (name, word) in later {
        row("Any of these", name, uniform(traps, word)?);
    }
    Ok(table)
}

/// Returns the words of one kind. They must be the same for every place.
fn uniform(places: &[&[Cell]], word: impl Fn(&Cell) -> &String) -> Result<Vec<String>, String> {
    let rows: Vec<Vec<String>> =
        places.iter().map(|cells| cells.iter().map(|cell| word(cell).clone()).collect()).collect();
    let first = rows.first().ok_or("nothing was measured")?;
    expect::that(rows.iter().all(|row| row == first), || format!("it depends on the place: {rows:?}"))?;
    Ok(first.clone())
}

fn plots() -> impl Iterator<Item = (Place, Failure)> {
    PLACES.into_iter().chain([MEMORY]).flat_map(|place| Failure::ALL.map(|failure| (place, failure)))
}

/// An Envoy with a listener for each place and failure setting.
struct Stand {
    envoy: Envoy,
    upstream: Upstream,
    module: std::path::PathBuf,
}

impl Stand {
    fn start(lane: &Lane) -> Result<Self, String> {
        let module = paths::trap_module()?;
        let upstream = Upstream::start().map_err(|e| format!("upstream: {e}"))?;
        let names: Vec<String> = plots().map(|(place, failure)| plot_name(place, failure)).collect();
        let files: Vec<(String, String)> = plots()
            .map(|(place, failure)| (format!("{}.yaml", plot_name(place, failure)), file(&module, place, failure, 100)))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let listeners: Vec<Listener> =
            names.iter().map(|name| Listener::new(name, vec![topology::discovered(name)])).collect();
        let config = topology::bootstrap(upstream.address(), &listeners);
        let envoy = Envoy::start_with(lane.binary(), &config, Start { files: &files, ..Start::default() })
            .map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
        Ok(Self { envoy, upstream, module })
    }

    fn measure(&self, place: Place, failure: Failure) -> Result<Cell, String> {
        let name = plot_name(place, failure);
        expect::equal("before", word(&self.ask(&name, "", whole())?), "healed".to_owned())?;
        // The VM is as new as this Envoy, so it is too early for the next one.
        thread::sleep(RELOAD);
        let gate = Gate::default();
        let other = self.open(&name, "", halves(&gate))?;
        thread::sleep(UNDER_WAY);
        let own = self.trap(&name, place)?;
        if place.order == MEMORY.order {
            return self.without_memory(&name);
        }
        gate.open();
        let other = word(&other.0.finish(PATIENCE));
        let next = word(&self.ask(&name, "", whole())?);
        let again = self.trap_again(&name)?;
        thread::sleep(RELOAD);
        let seconds = word(&self.ask(&name, "", whole())?);
        let update = self.update(&name, place, failure)?;
        Ok(Cell { own, other, next, again, seconds, update })
    }

    /// Makes the module trap, and returns the outcome of the response that caused it.
    fn trap(&self, name: &str, place: Place) -> Result<String, String> {
        let gate = Gate::default();
        let own = self.open(name, place.order, halves(&gate))?;
        match place.order {
            "tick" => thread::sleep(TICK),
            "request-headers" => {}
            _ => thread::sleep(UNDER_WAY),
        }
        gate.open();
        Ok(word(&own.0.finish(PATIENCE)))
    }

    /// Makes the module trap a few more times in quick succession. Returns the outcome of the next response, stopping
    /// at the first 503.
    fn trap_again(&self, name: &str) -> Result<String, String> {
        let mut last = String::new();
        for _ in 0..TRAPS {
            // In the request headers, because those traps are answered immediately, without waiting for a connection to
            // close.
            self.trap(name, PLACES[0])?;
            last = word(&self.ask(name, "", whole())?);
            if last == "503" {
                break;
            }
        }
        Ok(last)
    }

    fn without_memory(&self, name: &str) -> Result<Cell, String> {
        let (sent, healed, _) = bodies::list(LARGE);
        // In pieces for which the module still has room.
        let reply = self.ask(name, "", framing::response(Framing::Chunks(4000), "200 OK", JSON, &sent))?;
        let own = if reply.end == End::Complete && reply.body == sent {
            "as it came".to_owned()
        } else if reply.end == End::Complete && reply.body == healed {
            "healed".to_owned()
        } else {
            word(&reply)
        };
        let next = word(&self.ask(name, "", whole())?);
        let harmless = ["as it came", "healed"].contains(&own.as_str()) && next == "healed";
        expect::that(harmless, || format!("{name}: own response {own}, next {next}"))?;
        let none = String::new;
        Ok(Cell { own, other: none(), next, again: none(), seconds: none(), update: none() })
    }

    /// Writes another configuration, waits until it is used, and returns the outcome of a response.
    fn update(&self, name: &str, place: Place, failure: Failure) -> Result<String, String> {
        let text = file(&self.module, place, failure, 101);
        self.envoy.replace_file(&format!("{name}.yaml"), &text).map_err(|e| e.to_string())?;
        let started = Instant::now();
        loop {
            let word = word(&self.ask(name, "", whole())?);
            if word == "healed" || started.elapsed() > UPDATE {
                return Ok(word);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn ask(&self, listener: &str, order: &str, steps: Vec<Step>) -> Result<Reply, String> {
        let (exchange, _script) = self.open(listener, order, steps)?;
        Ok(exchange.finish(PATIENCE))
    }

    fn open(&self, listener: &str, order: &str, steps: Vec<Step>) -> Result<(Exchange, Script), String> {
        let script = self.upstream.script(steps);
        let id = script.id();
        let to = self.envoy.listener(listener)?;
        let exchange = Exchange::start(to, "GET", "/r", &[("x-nomos-trap", order), ("x-case", &id)]);
        Ok((exchange.map_err(|e| format!("request: {e}"))?, script))
    }
}

/// Measures updates that are refused, and starts with a configuration that is refused.
fn refused(lane: &Lane) -> Outcome {
    let mut table = Table::new("refused", &["Where it comes from", "Outcome"]);
    table.row(vec!["`envoy.yaml`, at start".into(), same(|failure| bad_start(lane, failure))?]);
    let stand = Discovered::start(lane, &bad_settings())?;
    table.row(vec!["A file for ECDS, at start".into(), same(|failure| stand.served_without(failure))?]);
    let stand = Discovered::start(lane, &rig::settings(json!({})))?;
    table.row(vec!["A file for ECDS, as an update".into(), same(|failure| stand.bad_update(failure))?]);
    table.compare()
}

/// Returns the outcome. It must be the same under every failure setting.
fn same(measure: impl Fn(Failure) -> Result<String, String>) -> Result<String, String> {
    let words = Failure::ALL.into_iter().map(measure).collect::<Result<Vec<String>, String>>()?;
    let first = words.first().cloned().unwrap_or_default();
    expect::that(words.iter().all(|word| *word == first), || format!("it depends on the setting: {words:?}"))?;
    Ok(first)
}

fn bad_start(lane: &Lane, failure: Failure) -> Result<String, String> {
    let filter = Plugin { failure, ..Plugin::shipped(lane.module()) }.filter(&bad_settings());
    let upstream = Upstream::start().map_err(|e| e.to_string())?;
    let config = topology::bootstrap(upstream.address(), &[Listener::new("bad", vec![filter])]);
    match Envoy::start(lane.binary(), &config) {
        Err(refusal) if refusal.log.contains("nomos: configuration refused: ") => Ok("Envoy does not start".into()),
        Err(refusal) => Err(format!("{}:\n{}", refusal.why, envoy::tail(&refusal.log))),
        Ok(_) => Ok("Envoy starts".into()),
    }
}

/// An Envoy with a listener for each failure setting, whose filters are configured in files.
struct Discovered {
    envoy: Envoy,
    upstream: Upstream,
    module: std::path::PathBuf,
}

impl Discovered {
    fn start(lane: &Lane, settings: &Value) -> Result<Self, String> {
        let upstream = Upstream::start().map_err(|e| e.to_string())?;
        let names = Failure::ALL.map(|failure| format!("{failure:?}"));
        let files =
            Failure::ALL.map(|failure| (format!("{failure:?}.yaml"), discovered(lane.module(), failure, settings)));
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let listeners = names.map(|name| Listener::new(&name, vec![topology::discovered(&name)]));
        let config = topology::bootstrap(upstream.address(), &listeners);
        let envoy = Envoy::start_with(lane.binary(), &config, Start { files: &files, ..Start::default() })
            .map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
        Ok(Self { envoy, upstream, module: lane.module().to_owned() })
    }

    fn served_without(&self, failure: Failure) -> Result<String, String> {
        Ok(format!("Envoy starts; {}, until a good one comes", self.ask(failure)?.status))
    }

    fn bad_update(&self, failure: Failure) -> Result<String, String> {
        expect::equal("before", word(&self.ask(failure)?), "healed".to_owned())?;
        let counter = |name: &str| format!("extension_config_discovery.http_filter.{name}.config_fail");
        let rejected = counter(&format!("{failure:?}"));
        let bad = discovered(&self.module, failure, &bad_settings());
        self.envoy.replace_file(&format!("{failure:?}.yaml"), &bad).map_err(|e| e.to_string())?;
        let started = Instant::now();
        while self.envoy.stat(&rejected)? == 0 {
            let stats = || self.envoy.admin_get("/stats?filter=extension_config").unwrap_or_default();
            expect::that(started.elapsed() < UPDATE, || format!("no update was rejected:\n{}", stats()))?;
            thread::sleep(Duration::from_millis(20));
        }
        let next = word(&self.ask(failure)?);
        Ok(format!("Rejected, counted in `{}`; the next response is {next}", counter("NAME")))
    }

    fn ask(&self, failure: Failure) -> Result<Reply, String> {
        let script = self.upstream.script(whole());
        let to = self.envoy.listener(&format!("{failure:?}"))?;
        let exchange = Exchange::start(to, "GET", "/r", &[("x-case", &script.id())]);
        Ok(exchange.map_err(|e| format!("request: {e}"))?.finish(PATIENCE))
    }
}

/// Returns the file for a listener of [`Discovered`].
fn discovered(module: &Path, failure: Failure, settings: &Value) -> String {
    let plugin = Plugin { failure, ..Plugin::shipped(module) };
    topology::discovered_file(&format!("{failure:?}"), &plugin.typed_config(settings))
}

/// Here the module does not fail, so Envoy must do what it does without the module.
fn broken_off(rig: &mut Rig<'_>) -> Outcome {
    let mut table = Table::new("broken off", &["Event", "Without Nomos", "`early`", "`held`"]);
    for (name, last) in [
        ("Upstream closes mid-body", Step::Close),
        ("Upstream resets mid-body", Step::Reset),
        ("Upstream takes longer than the route's `timeout` mid-body", Step::Hold),
    ] {
        let suffix = if matches!(last, Step::Hold) { "hasty-" } else { "" };
        let mut row = vec![name.to_owned()];
        for listener in ["plain", "early", "held"] {
            let (first, _) = DRIFTED.split_at(DRIFTED.len() / 2);
            let head = framing::head(Framing::Length, "200 OK", JSON, DRIFTED.len());
            let steps = vec![Step::Send([head, first.to_vec()].concat()), Step::Wait(UNDER_WAY), last.clone()];
            row.push(word(&rig.ask(Ask::get(&format!("{suffix}{listener}")), steps)?));
        }
        table.row(row);
    }
    let mut row = vec!["Client goes away mid-body: `nomos_held_bytes` then".to_owned(), "does not apply".to_owned()];
    for listener in ["early", "held"] {
        row.push(client_leaves(rig, listener)?.to_string());
    }
    table.row(row);
    table.compare()
}

/// Returns the bytes that the module reports as held after the client has left: 0 as soon as there are none, otherwise
/// the number at the end of the time limit.
fn client_leaves(rig: &mut Rig<'_>, listener: &str) -> Result<u64, String> {
    let gate = Gate::default();
    let (mut exchange, script) = rig.open(Ask::get(listener), halves(&gate))?;
    exchange.headers(UNDER_WAY);
    drop(exchange);
    drop(script);
    let started = Instant::now();
    loop {
        let held = rig.envoy.stat("wasmcustom.nomos_held_bytes")?;
        if held == 0 && started.elapsed() > TICK || started.elapsed() > PATIENCE {
            return Ok(held);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn plot_name(place: Place, failure: Failure) -> String {
    format!("{}-{}-{failure:?}", place.order, place.held)
}

fn file(module: &Path, place: Place, failure: Failure, depth: u32) -> String {
    let name = plot_name(place, failure);
    let headers = if place.held { "held" } else { "early" };
    let settings = rig::settings(json!({"response_headers": headers, "max_depth": depth}));
    topology::discovered_file(&name, &Plugin { module, vm_id: &name, failure }.typed_config(&settings))
}

fn bad_settings() -> Value {
    rig::settings(json!({"mode": "repair"}))
}

fn whole() -> Vec<Step> {
    framing::response(Framing::Length, "200 OK", JSON, DRIFTED)
}

/// Returns a response whose second half comes when the gate opens.
fn halves(gate: &Gate) -> Vec<Step> {
    let (first, second) = DRIFTED.split_at(DRIFTED.len() / 2);
    vec![
        Step::Send([framing::head(Framing::Length, "200 OK", JSON, DRIFTED.len()), first.to_vec()].concat()),
        Step::Until(gate.clone()),
        Step::Send(second.to_vec()),
    ]
}

/// Says what a client got of [`DRIFTED`].
fn word(reply: &Reply) -> String {
    match reply.end {
        End::TimedOut => "hangs".into(),
        End::Cut => "cut off".into(),
        End::Complete if reply.status != 200 => reply.status.to_string(),
        End::Complete if reply.body == HEALED => "healed".into(),
        End::Complete if reply.body == DRIFTED => "as it came".into(),
        End::Complete => "**complete, but bytes are missing**".into(),
    }
}
