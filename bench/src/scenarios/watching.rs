//! The cost of watching Nomos by metrics, access logs and traces.
//!
//! All sides are listeners of one Envoy on a core of its own, and share a VM. They take turns in slices of an eighth of
//! a second, under a load that never sleeps. Envoy's runtime switches the share of traced requests on the same
//! connections. Metrics are read once per second of a side's load. A slice begins with load that does not count,
//! watched like the slice itself. It pays for exports and writes that the slice before left over, and the slice leaves
//! over as many at its end. So these are neither paid twice nor by another side.
//!
//! Envoy's main thread, which reports metrics, works once per second, and rounds are shorter. So its time in all slices
//! of a side is spread evenly over the side's rounds.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use nomos_tests::client;
use nomos_tests::envoy::Envoy;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};

use crate::cores::Cores;
use crate::engine::median;
use crate::generator::{Pace, Until};
use crate::proxy::{Listener, Proxy};
use crate::scenario::Setting;
use crate::section::{Cell, Figures, Plot, Section};
use crate::sink::Sink;
use crate::spread::{Spread, from_to};
use crate::target::Target;
use crate::turns::{self, Spent};
use crate::upstream::Upstream;
use crate::{process, proxy};

use super::{HEALED, RECORD, UNHEALED, configuration, upstream};

/// The number of outstanding requests: enough to keep the worker busy, few enough to fit every queue.
const CONNECTIONS: usize = 8;

/// The turns in a round: the second one in reverse order.
const TURNS: usize = 2;

/// The length of a slice of one side in a turn, and the number of slices in a second. Metrics are read once in so many
/// slices.
const SLICE: Duration = Duration::from_millis(125);
const SECOND: usize = 8;

/// The length of the load before a slice that does not count: longer than the interval of writes to the access log (20
/// ms, as Envoy is started here), and than an export.
const WARM_UP: Duration = Duration::from_millis(25);

/// The delay in milliseconds after which waiting spans are exported, whichever side is being measured: here never. Five
/// spans are still exported at once, which is Envoy's default.
const FLUSH_MS: u64 = 3_600_000;

/// The number of spans in an export.
const EXPORTED: f64 = 5.0;

/// The key of the share of traced requests in percent, for all listeners that trace.
const SAMPLING: &str = "tracing.random_sampling";

/// The maximum cost in percent of metrics and of traces of one request in a hundred.
const TARGET: f64 = 5.0;

/// A rate of requests per second at which a proxy has time left. The cost of reading metrics is also reported for this
/// rate.
const RATE: f64 = 5_000.0;

/// The listener of a side. Sides with the same listener differ in what is switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Bare,
    BareTraced,
    Unwatched,
    /// The same as `Unwatched`.
    Control,
    Logged,
    Traced,
    Both,
}

impl Place {
    const ALL: [Place; 7] =
        [Place::Bare, Place::BareTraced, Place::Unwatched, Place::Control, Place::Logged, Place::Traced, Place::Both];

    fn name(self) -> String {
        format!("{self:?}")
    }

    fn heals(self) -> bool {
        !matches!(self, Place::Bare | Place::BareTraced)
    }

    fn is_logged(self) -> bool {
        matches!(self, Place::Logged | Place::Both)
    }

    fn is_traced(self) -> bool {
        matches!(self, Place::BareTraced | Place::Traced | Place::Both)
    }
}

/// How one side is watched.
#[derive(Clone, Copy)]
struct Watch {
    name: &'static str,
    place: Place,
    metrics: bool,
    /// The percentage of traced requests.
    traces: u32,
}

const fn watch(name: &'static str, place: Place, metrics: bool, traces: u32) -> Watch {
    Watch { name, place, metrics, traces }
}

/// All sides. The ones that others are compared with come first: the bare proxy, and Nomos unwatched after the sides
/// without Nomos.
const WATCHES: [Watch; 11] = [
    watch("bare proxy", Place::Bare, false, 0),
    watch("bare proxy, traces of 1 %", Place::BareTraced, false, 1),
    watch("nothing", Place::Unwatched, false, 0),
    watch("nothing, another listener", Place::Control, false, 0),
    watch("metrics each second", Place::Unwatched, true, 0),
    watch("access log with filter state", Place::Logged, false, 0),
    watch("traces of 0 %", Place::Traced, false, 0),
    watch("traces of 1 %", Place::Traced, false, 1),
    watch("metrics and traces of 1 %", Place::Traced, true, 1),
    watch("traces of 100 %", Place::Traced, false, 100),
    watch("everything", Place::Both, true, 100),
];

/// The indices in [`WATCHES`] of traces of 1 % without Nomos, of Nomos unwatched, of such traces with Nomos, and of
/// these with metrics. The last one has a target.
const BARE_TRACES: usize = 1;
const UNWATCHED: usize = 2;
const TRACES: usize = 7;
const BOTH: usize = 8;

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let mut stage = Stage::start()?;
    stage.rehearse()?;
    let rounds = setting.pick(28, 4);
    let mut found = vec![Found::default(); WATCHES.len()];
    for round in 0..rounds {
        let mut spent = [Spent::default(); WATCHES.len()];
        for turn in round * TURNS..(round + 1) * TURNS {
            setting.progress.at(turn, rounds * TURNS);
            for at in turns::order(turn, WATCHES.len()) {
                let slice = stage.slice(&WATCHES[at], turn % SECOND == turn / SECOND % SECOND)?;
                spent[at] += slice.workers;
                found[at].take(&slice);
            }
        }
        found.iter_mut().zip(spent).for_each(|(found, spent)| found.rounds.push(spent.us()));
        stage.envoy.check()?;
    }
    found.iter_mut().for_each(Found::spread_main_thread);
    let scrape = stage.scrape()?;
    stage.prove()?;
    summed_up(&found, scrape)
}

/// The results of one side.
#[derive(Clone, Default)]
struct Found {
    /// The proxy's processor time per request by round, in microseconds.
    rounds: Vec<f64>,
    /// The time of its main thread.
    main: Spent,
    /// The times of the trace server and of the reader of metrics, which are not part of the proxy's time.
    sink: Spent,
    scraper: Spent,
}

impl Found {
    fn take(&mut self, slice: &Slice) {
        self.main += slice.main;
        self.sink += slice.sink;
        self.scraper += slice.scraper;
    }

    /// Adds the time of the main thread to the rounds, which contain only the other threads.
    fn spread_main_thread(&mut self) {
        let main = self.main.us();
        self.rounds.iter_mut().for_each(|round| *round += main);
    }
}

/// The times of one slice.
struct Slice {
    /// The proxy without its main thread.
    workers: Spent,
    main: Spent,
    sink: Spent,
    scraper: Spent,
}

/// Everything that runs.
struct Stage {
    upstream: Upstream,
    sink: Sink,
    envoy: Envoy,
    pid: u32,
    /// The targets, in the order of [`Place::ALL`].
    targets: Vec<Target>,
    /// The percentage of traced requests.
    sampling: u32,
    /// Keeps the cores assigned.
    _cores: Cores,
}

impl Stage {
    fn start() -> Result<Self, String> {
        let cores = Cores::of_this_process()?;
        cores.with_the_load()?;
        let upstream = upstream()?;
        let sink = Sink::start().map_err(|error| format!("sink: {error}"))?;
        let listeners = Place::ALL.iter().map(|place| listener(*place)).collect::<Result<Vec<_>, _>>()?;
        let runtime = Some(json!({"tracing.opentelemetry.flush_interval_ms": FLUSH_MS}));
        let sinks = vec![("sink", sink.address)];
        let proxy = Proxy { listeners, sinks, runtime, ..Proxy::before(&[upstream.address]) };
        cores.with_the_proxies()?;
        let envoy = proxy.start()?;
        cores.with_the_load()?;
        let pid = proxy::pid(&envoy)?;
        let connect = |place: &Place| {
            let proof = if place.heals() { HEALED } else { UNHEALED };
            Target::connect(&place.name(), pid, envoy.listener(&place.name())?, CONNECTIONS, (RECORD, proof))
        };
        let targets = Place::ALL.iter().map(connect).collect::<Result<Vec<_>, _>>()?;
        let mut stage = Stage { upstream, sink, envoy, pid, targets, sampling: 100, _cores: cores };
        stage.sample(0)?;
        Ok(stage)
    }

    /// Runs one turn that does not count, and checks that each side is watched as configured.
    fn rehearse(&mut self) -> Result<(), String> {
        for watch in &WATCHES {
            let before = self.spans()?;
            let slice = self.slice(watch, true)?;
            let spans = self.spans()? - before;
            is_sampled(watch, spans, slice.workers.requests)?;
            if watch.metrics == (slice.scraper.cpu_ns == 0) {
                return Err(format!("{}: metrics were read: {}", watch.name, !watch.metrics));
            }
        }
        Ok(())
    }

    /// Returns the number of spans sent so far.
    #[allow(clippy::cast_precision_loss)]
    fn spans(&self) -> Result<f64, String> {
        Ok(self.envoy.stat("tracing.opentelemetry.spans_sent")? as f64)
    }

    fn slice(&mut self, watch: &Watch, reads_metrics: bool) -> Result<Slice, String> {
        if watch.place.is_traced() {
            self.sample(watch.traces)?;
        }
        self.load(watch, WARM_UP)?;
        let scraper = (watch.metrics && reads_metrics).then(|| Scraper::start(&self.envoy));
        let before = self.cpu_ns()?;
        let requests = self.load(watch, SLICE)?;
        let scraper = scraper.map_or(Ok(0), Scraper::finish)?;
        let after = self.cpu_ns()?;
        let [proxy, main, sink] = std::array::from_fn(|at| after[at].saturating_sub(before[at]));
        let [workers, main, sink, scraper] =
            [proxy.saturating_sub(main), main, sink, scraper].map(|cpu_ns| Spent { cpu_ns, requests });
        Ok(Slice { workers, main, sink, scraper })
    }

    /// Returns the processor time of the proxy, of its main thread, and of the trace server.
    fn cpu_ns(&self) -> Result<[u64; 3], String> {
        Ok([process::cpu_ns(self.pid)?, process::thread_cpu_ns(self.pid, self.pid)?, self.sink.cpu_ns()?])
    }

    fn load(&mut self, watch: &Watch, time: Duration) -> Result<u64, String> {
        let measured =
            self.targets[watch.place as usize].run(Pace::Closed(1), Until::Elapsed(time), &[&self.upstream])?;
        measured.outcome.all_ok().map_err(|what| format!("{}: {what}", watch.name))?;
        Ok(measured.outcome.ok)
    }

    /// Sets the percentage of traced requests.
    fn sample(&mut self, percent: u32) -> Result<(), String> {
        if self.sampling != percent {
            self.envoy.set_runtime(SAMPLING, &percent.to_string())?;
            self.sampling = percent;
        }
        Ok(())
    }

    /// Returns the processor time of one reading of the metrics without load, in milliseconds.
    #[allow(clippy::cast_precision_loss)]
    fn scrape(&self) -> Result<f64, String> {
        let mut times = Vec::new();
        for _ in 0..9 {
            let before = process::cpu_ns(self.pid)?;
            self.envoy.admin_get(METRICS)?;
            times.push(process::cpu_ns(self.pid)?.saturating_sub(before) as f64 / 1e6);
        }
        Ok(median(times))
    }

    /// Checks that the access log and the traces were written.
    fn prove(&self) -> Result<(), String> {
        let line = self.envoy.file("access.log").lines().last().unwrap_or_default().to_owned();
        if !line.contains("\"verdict\":\"healed\"") {
            return Err(format!("the access log ends with `{line}`; expected the verdict of a healed response"));
        }
        if self.sink.received() == 0 {
            return Err("no traces have come; expected some".to_owned());
        }
        Ok(())
    }
}

/// Fails if the share of traced requests differs from the configured one.
#[allow(clippy::cast_precision_loss)]
fn is_sampled(watch: &Watch, spans: f64, requests: u64) -> Result<(), String> {
    // The load before the slice is traced too, and requests are selected at random.
    let wanted = requests as f64 * f64::from(watch.traces) / 100.0;
    if (wanted / 3.0 - EXPORTED..=wanted * 3.0 + EXPORTED).contains(&spans) {
        return Ok(());
    }
    Err(format!("{}: found {spans} spans of {requests} requests; expected about {wanted:.0}", watch.name))
}

/// The path of Envoy's metrics.
const METRICS: &str = "/stats/prometheus";

/// Reads the metrics once, in the middle of a slice, on a separate thread.
struct Scraper(JoinHandle<Result<u64, String>>);

impl Scraper {
    fn start(envoy: &Envoy) -> Self {
        let admin = envoy.admin();
        Scraper(thread::spawn(move || {
            thread::sleep(SLICE / 2);
            let reply = client::fetch(admin, "GET", METRICS, &[]).map_err(|error| format!("metrics: {error}"))?;
            if reply.status != 200 || !String::from_utf8_lossy(&reply.body).contains("nomos_responses_total") {
                return Err(format!("metrics: status {}; expected 200 and those of Nomos", reply.status));
            }
            let time = clock_gettime(ClockId::ThreadCPUTime);
            let time = Duration::try_from(time).map_err(|error| error.to_string())?;
            u64::try_from(time.as_nanos()).map_err(|error| error.to_string())
        }))
    }

    /// Returns the processor time of the reader in nanoseconds.
    fn finish(self) -> Result<u64, String> {
        self.0.join().map_err(|_| "reading metrics panicked".to_owned())?
    }
}

fn listener(place: Place) -> Result<Listener, String> {
    let mut manager = Map::new();
    if place.is_logged() {
        manager.insert("access_log".to_owned(), access_log());
    }
    if place.is_traced() {
        manager.insert("tracing".to_owned(), tracing());
    }
    let filter = if place.heals() { Some(proxy::nomos(&configuration()?)) } else { None };
    Ok(Listener { name: place.name(), filter, manager })
}

/// Returns the access log of the shipped configuration, written to a file.
fn access_log() -> Value {
    let format = "%START_TIME% %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE% %BYTES_SENT% \
        %FILTER_STATE(wasm.nomos:PLAIN)%\n";
    json!([{"name": "file", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
        "path": "{dir}/access.log",
        "log_format": {"text_format_source": {"inline_string": format}},
    }}])
}

fn tracing() -> Value {
    json!({
        "provider": {"name": "envoy.tracers.opentelemetry", "typed_config": {
            "@type": "type.googleapis.com/envoy.config.trace.v3.OpenTelemetryConfig",
            "service_name": "bench",
            "http_service": {"http_uri": {"uri": "http://sink/v1/traces", "cluster": "sink", "timeout": "5s"}},
        }},
    })
}

fn summed_up(found: &[Found], scrape: f64) -> Result<Section, String> {
    let rounds = |at: usize| found[at].rounds.as_slice();
    let percent = |at| Spread::of_quotients(rounds(at), rounds(UNWATCHED)).map(|times| (times - 1.0) * 100.0);
    let mut figures = Figures::new(
        "watches",
        &[
            ("watched by", 0),
            ("CPU us/request", 1),
            ("lowest", 1),
            ("highest", 1),
            ("over the bare proxy us", 1),
            ("over Nomos unwatched us", 1),
            ("us, quartiles", 0),
            ("over Nomos unwatched %", 1),
            ("%, quartiles", 0),
            ("%, 95 % sure", 0),
        ],
    );
    for (at, watch) in WATCHES.iter().enumerate() {
        let over = Spread::of_differences(rounds(at), rounds(UNWATCHED));
        let watched = |cell: Cell| if at > UNWATCHED { cell } else { Cell::Nothing };
        let ([us, _], [quartiles, surely]) = (over.cells(1), percent(at).cells(1));
        figures.row(vec![
            watch.name.into(),
            median(rounds(at).to_vec()).into(),
            rounds(at).iter().copied().fold(f64::INFINITY, f64::min).into(),
            rounds(at).iter().copied().fold(0.0, f64::max).into(),
            Spread::of_differences(rounds(at), rounds(0)).median.into(),
            watched(over.median.into()),
            watched(us),
            watched(percent(at).median.into()),
            watched(quartiles),
            watched(surely),
        ]);
    }
    let notes = vec![verdict(&percent(BOTH)), own_share(found), at_rate(found, scrape)];
    let names: Vec<String> = WATCHES.iter().map(|watch| watch.name.to_owned()).collect();
    let medians = found.iter().map(|found| median(found.rounds.clone())).collect();
    let plot =
        Plot::bars("watches", "Processor time per request, watched", "us", &names, &[("CPU us/request", medians)]);
    let rounds: Vec<(&str, &[f64])> = WATCHES.iter().zip(found).map(|(w, f)| (w.name, f.rounds.as_slice())).collect();
    let rounds = serde_json::to_value(rounds).map_err(|error| error.to_string())?;
    Ok(Section { tables: vec![figures, watchers(found)], plots: vec![plot], notes, rounds, ..Section::new("watching") })
}

/// Returns the table of the watchers' own costs.
fn watchers(found: &[Found]) -> Figures {
    let mut figures = Figures::new(
        "watchers",
        &[("beside the proxy", 0), ("trace server us/request", 2), ("reader of metrics us/request", 2)],
    );
    for (watch, found) in WATCHES.iter().zip(found).filter(|(watch, _)| watch.metrics || watch.traces > 0) {
        figures.row(vec![watch.name.into(), found.sink.us().into(), found.scraper.us().into()]);
    }
    figures
}

fn verdict(both: &Spread) -> String {
    let Spread { median, interval, .. } = both;
    let start = format!("Metrics and traces of 1 % together: {median:+.1} %");
    let Some([low, high]) = interval else {
        return format!("{start} (target: under {TARGET:.0} %; so few rounds do not tell).");
    };
    let verdict = match (*high < TARGET, *low < TARGET) {
        (true, _) => "met",
        (false, true) => "within what is not told",
        (false, false) => "missed",
    };
    format!("{start}, {low:+.1} to {high:+.1} (target: under {TARGET:.0} %, {verdict}).")
}

/// Returns the share of tracing without Nomos.
fn own_share(found: &[Found]) -> String {
    let over = |at: usize, base: usize| {
        let over = Spread::of_differences(&found[at].rounds, &found[base].rounds);
        let quartiles = over.quartiles.map_or(String::new(), |quartiles| format!(" ({})", from_to(quartiles, 1)));
        format!("{:.1}{quartiles} us", over.median)
    };
    let (bare, nomos) = (over(BARE_TRACES, 0), over(TRACES, UNWATCHED));
    format!("Traces of 1 % take {bare} of the bare proxy, and {nomos} of the one with Nomos.")
}

/// Returns the cost at a realistic rate. Reading metrics costs less per request if there are many, and the load here
/// has very many.
#[allow(clippy::cast_precision_loss)]
fn at_rate(found: &[Found], scrape: f64) -> String {
    let unwatched = &found[UNWATCHED];
    let seconds = SLICE.as_secs_f64() * (TURNS * unwatched.rounds.len()) as f64;
    let per_second = unwatched.sink.requests as f64 / seconds;
    let traces = Spread::of_differences(&found[TRACES].rounds, &unwatched.rounds).median;
    let both = (traces + scrape * 1e3 / RATE) / median(unwatched.rounds.clone()) * 100.0;
    format!(
        "One reading of the metrics takes {scrape:.1} ms of processor time, one in {per_second:.0} requests here; with one in \
         {RATE:.0} instead, metrics and traces of 1 % were {both:+.1} %."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_where_their_targets_are() {
        for (at, place) in Place::ALL.iter().enumerate() {
            assert_eq!(*place as usize, at, "{place:?}");
        }
        let names = [BARE_TRACES, UNWATCHED, TRACES, BOTH].map(|at| WATCHES[at].name);
        assert_eq!(names, ["bare proxy, traces of 1 %", "nothing", "traces of 1 %", "metrics and traces of 1 %"]);
    }

    #[test]
    fn a_verdict_is_as_sure_as_the_rounds() {
        let said = |low, high| {
            let both = Spread { median: 4.0, quartiles: None, interval: Some([low, high]) };
            let text = verdict(&both);
            text.rsplit_once(", ").map(|(_, verdict)| verdict.to_owned()).expect("a verdict")
        };
        assert_eq!(said(3.0, 4.5), "met).");
        assert_eq!(said(3.0, 5.5), "within what is not told).");
        assert_eq!(said(5.1, 5.5), "missed).");
        let text = verdict(&Spread { median: 4.0, quartiles: None, interval: None });
        assert!(text.ends_with("so few rounds do not tell)."), "{text}");
    }

    #[test]
    fn a_wrong_share_of_traces_is_noticed() {
        let [none, few, all] = [0, 1, 100].map(|traces| watch("", Place::Traced, false, traces));
        for (watch, spans, holds) in [
            (none, 0.0, true),
            (none, 30.0, false),
            (few, 30.0, true),
            (few, 0.0, false),
            (few, 3_000.0, false),
            (all, 3_600.0, true),
            (all, 30.0, false),
        ] {
            assert_eq!(is_sampled(&watch, spans, 3_000).is_ok(), holds, "{spans} of {} %", watch.traces);
        }
    }

    #[test]
    fn the_main_thread_is_spread_over_the_rounds() {
        let spent = |cpu_ns| Spent { cpu_ns, requests: 1_000 };
        let mut found = Found { rounds: vec![40.0, 50.0], ..Found::default() };
        for main in [0, 4_000_000] {
            let [workers, sink, scraper] = [spent(0); 3];
            found.take(&Slice { workers, main: spent(main), sink, scraper });
        }
        found.spread_main_thread();
        assert_eq!(found.rounds.iter().map(|us| format!("{us:.1}")).collect::<Vec<_>>(), ["42.0", "52.0"]);
    }
}
