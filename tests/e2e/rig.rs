//! One Envoy per version, with all listeners of the suite, and helpers that keep cases short.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use nomos_tests::client::{Exchange, Reply};
use nomos_tests::envoy::Envoy;
use nomos_tests::http2;
use nomos_tests::topology::{self, Listener, Place};
use nomos_tests::upstream::{Script, Step, Upstream};
use serde_json::{Value, json};

/// The time limit for a response that should come immediately.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The timeout of routes whose upstream takes longer than that.
const HASTY: &str = "0.5s";

pub use nomos_tests::expect::Outcome;

/// One Envoy version under test.
pub struct Lane {
    version: &'static str,
    binary: PathBuf,
    module: PathBuf,
    upstream: Upstream,
    http2: http2::Upstream,
    running: Mutex<Running>,
}

enum Running {
    /// Not started. The next case starts it.
    No,
    Yes(Envoy),
    /// It did not start, so no other case tries again.
    Never,
}

/// A running Envoy that one case uses.
pub struct Rig<'a> {
    /// The Envoy.
    pub envoy: &'a mut Envoy,
    /// The upstream that speaks HTTP/1.1.
    pub upstream: &'a Upstream,
    /// The upstream of the listeners whose names begin with `up2-`, which speaks HTTP/2.
    pub http2: &'a http2::Upstream,
}

/// A request: the differences from a plain GET.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The listener to send it to.
    pub listener: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path, by which the filter chooses a route.
    pub path: &'a str,
    /// Further header lines.
    pub headers: &'a [(&'a str, &'a str)],
}

impl<'a> Ask<'a> {
    /// Returns `GET /r`, on the route with rules and no contract.
    pub fn get(listener: &'a str) -> Self {
        Self { listener, method: "GET", path: "/r", headers: &[] }
    }
}

impl Lane {
    /// Returns a lane with the Envoy from `scripts/envoy WHICH`. The first case starts that Envoy.
    pub fn new(which: &'static str) -> Result<Arc<Self>, String> {
        Ok(Arc::new(Self {
            version: which,
            binary: nomos_tests::paths::envoy(which)?,
            module: nomos_tests::paths::module()?,
            upstream: Upstream::start().map_err(|e| format!("upstream: {e}"))?,
            http2: http2::Upstream::start().map_err(|e| format!("HTTP/2 upstream: {e}"))?,
            running: Mutex::new(Running::No),
        }))
    }

    /// Returns the Envoy binary.
    pub fn binary(&self) -> &std::path::Path {
        &self.binary
    }

    /// Returns the filter module.
    pub fn module(&self) -> &std::path::Path {
        &self.module
    }

    /// Returns a test that has the lane's Envoy to itself. It also fails if Envoy dies or the module traps.
    pub fn case(self: &Arc<Self>, name: &str, body: impl FnOnce(&mut Rig<'_>) -> Outcome + Send + 'static) -> Trial {
        let lane = Arc::clone(self);
        Trial::test(format!("{} {name}", self.version), move || lane.run(body))
    }

    /// Returns a test that starts its own Envoy, or none.
    pub fn alone(self: &Arc<Self>, name: &str, body: impl FnOnce(&Self) -> Outcome + Send + 'static) -> Trial {
        let lane = Arc::clone(self);
        Trial::test(format!("{} {name}", self.version), move || body(&lane).map_err(Failed::from))
    }

    fn run(&self, body: impl FnOnce(&mut Rig<'_>) -> Outcome) -> Result<(), Failed> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Running::No = *running {
            *running = Running::Never;
            *running = Running::Yes(self.start()?);
        }
        let Running::Yes(envoy) = &mut *running else { return Err("Envoy did not start; see the first case".into()) };
        let mut rig = Rig { envoy, upstream: &self.upstream, http2: &self.http2 };
        let outcome = catch_unwind(AssertUnwindSafe(|| body(&mut rig)))
            .unwrap_or_else(|panic| Err(format!("the case panicked: {:?}", panic.downcast_ref::<String>())));
        match envoy.check() {
            Ok(()) => outcome.map_err(Failed::from),
            Err(trap) => {
                // The VM is unusable, so the next case gets a new Envoy.
                *running = Running::No;
                Err(Failed::from(format!("{trap}\n{}", outcome.err().unwrap_or_default())))
            }
        }
    }

    fn start(&self) -> Result<Envoy, String> {
        let config = topology::bootstrap(self.upstream.address(), &listeners(&self.module, self.http2.address()));
        Envoy::start(&self.binary, &config)
            .map_err(|e| format!("{}; its log ends:\n{}", e.why, nomos_tests::envoy::tail(&e.log)))
    }
}

impl Rig<'_> {
    /// Sends a request that the upstream answers with these steps, and reads the whole response.
    pub fn ask(&mut self, ask: Ask<'_>, steps: Vec<Step>) -> Result<Reply, String> {
        let (exchange, _script) = self.open(ask, steps)?;
        Ok(exchange.finish(PATIENCE))
    }

    /// Does the same, and also returns the filter state from the access log.
    pub fn ask_verdict(&mut self, ask: Ask<'_>, steps: Vec<Step>) -> Result<(Reply, Value), String> {
        let (exchange, script) = self.open(ask, steps)?;
        let reply = exchange.finish(PATIENCE);
        let verdict = self.verdict(&script)?;
        Ok((reply, verdict))
    }

    /// Sends the request, and leaves the reading to the case.
    pub fn open(&mut self, ask: Ask<'_>, steps: Vec<Step>) -> Result<(Exchange, Script), String> {
        let script = self.upstream.script(steps);
        let id = script.id();
        let mut headers = ask.headers.to_vec();
        headers.push(("x-case", &id));
        let to = self.envoy.listener(ask.listener)?;
        let exchange = Exchange::start(to, ask.method, ask.path, &headers).map_err(|e| format!("request: {e}"))?;
        Ok((exchange, script))
    }

    /// Sends `GET /r` as an HTTP/1.0 client.
    pub fn open_http10(&mut self, listener: &str, steps: Vec<Step>) -> Result<(Exchange, Script), String> {
        let script = self.upstream.script(steps);
        let to = self.envoy.listener(listener)?;
        let exchange = Exchange::start_version(to, "1.0", "GET", "/r", &[("x-case", &script.id())]);
        Ok((exchange.map_err(|e| format!("request: {e}"))?, script))
    }

    /// Returns the filter state of a response that has ended, from the access log; null if the filter set none.
    pub fn verdict(&self, script: &Script) -> Result<Value, String> {
        let started = Instant::now();
        let prefix = format!("{} ", script.id());
        loop {
            let log = self.envoy.file("access.log");
            // Envoy writes blocks, not lines, so the last line may be incomplete.
            let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
            let mut states =
                whole.lines().filter_map(|line| line.strip_prefix(&prefix)?.split_once(' ')).map(|(_, s)| s);
            if let Some(state) = states.clone().find(|state| *state != "-") {
                return serde_json::from_str(state).map_err(|e| format!("filter state {state}: {e}"));
            }
            // If two listeners are joined, the one without the filter may log first.
            if states.next().is_some() && started.elapsed() > Duration::from_millis(300) {
                return Ok(Value::Null);
            }
            if started.elapsed() > Duration::from_secs(5) {
                return Err("the access log has no line for this request".into());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns the rules of the route `/r`, which most cases use.
pub fn rules() -> Value {
    json!({
        "rename": {"mail": "email_address", "uid": "id"},
        "move": {"data.user.full": "name", "data.user.tel": "contact.phone"},
    })
}

/// Returns the filter's configuration: these settings, and a route `/r` with [`rules`].
pub fn settings(mut settings: Value) -> Value {
    let mut route = rules();
    route["name"] = json!("r");
    route["match"] = json!({"path": "/r"});
    settings["routes"] = json!([route]);
    settings
}

fn listeners(module: &std::path::Path, http2: SocketAddr) -> Vec<Listener> {
    let nomos = |extra: Value| topology::nomos(module, &settings(extra));
    let early = || nomos(json!({}));
    let held = || nomos(json!({"response_headers": "held"}));
    let large = json!({"max_held_bytes": 16 * 1024 * 1024, "max_keys": 1 << 18});
    let limit = Some(32 * 1024);
    let other = json!({"routes": [{"name": "o", "match": {"prefix": "/"}, "rename": {"mail": "other"}}]});
    let long = json!({"routes": [{"name": "l", "match": {"prefix": "/"}, "rename": {"a": "x".repeat(100)}}]});
    let up2 = |name, filters, buffer_limit| Listener {
        sends: Place::Http2(http2),
        buffer_limit,
        ..Listener::new(name, filters)
    };
    // With this route, requests without a body are not read.
    let mut all = settings(json!({}));
    all["routes"][0]["match"] = json!({"prefix": "/"});
    let mut long_held = long.clone();
    long_held["response_headers"] = json!("held");
    let mut long_buffered = long.clone();
    long_buffered["routes"][0]["name"] = json!("buffered");
    vec![
        Listener::new("plain", vec![]),
        Listener::new("early", vec![early()]),
        Listener::new("held", vec![held()]),
        Listener::new("all", vec![topology::nomos(module, &all)]),
        Listener { timeout: HASTY, ..Listener::new("hasty-plain", vec![]) },
        Listener { timeout: HASTY, ..Listener::new("hasty-early", vec![early()]) },
        Listener { timeout: HASTY, ..Listener::new("hasty-held", vec![held()]) },
        Listener::new("plain-gzip", vec![topology::decompressor()]),
        Listener::new("early-gzip", vec![early(), topology::decompressor()]),
        Listener::new("held-gzip", vec![held(), topology::decompressor()]),
        Listener::new("observe-gzip", vec![nomos(json!({"mode": "observe"})), topology::decompressor()]),
        Listener::new("recompress", vec![topology::compressor(), early(), topology::decompressor()]),
        Listener::new("small", vec![nomos(json!({"max_held_bytes": 4096}))]),
        Listener::new("small-gzip", vec![nomos(json!({"max_held_bytes": 4096})), topology::decompressor()]),
        Listener::new("large", vec![nomos(large)]),
        Listener::new("observe", vec![nomos(json!({"mode": "observe"}))]),
        Listener::new("observe-held", vec![nomos(json!({"mode": "observe", "response_headers": "held"}))]),
        Listener::new("off", vec![nomos(json!({"mode": "off"}))]),
        Listener::new("other", vec![topology::nomos(module, &other)]),
        Listener::new("narrow", vec![nomos(json!({"max_keys": 20, "max_depth": 20, "max_tokens": 200}))]),
        Listener::new("rollout", vec![topology::nomos(module, &crate::rollout::configuration())]),
        Listener::new("drift", vec![topology::nomos(module, &crate::drift::configuration())]),
        Listener::new("text", vec![topology::nomos_text(module, &settings(json!({})).to_string())]),
        Listener { buffer_limit: limit, ..Listener::new("tight-plain", vec![]) },
        Listener { buffer_limit: limit, ..Listener::new("tight-early", vec![early()]) },
        Listener { buffer_limit: limit, ..Listener::new("tight-held", vec![held()]) },
        Listener { buffer_limit: limit, ..Listener::new("long-early", vec![topology::nomos(module, &long)]) },
        Listener { buffer_limit: limit, ..Listener::new("long-held", vec![topology::nomos(module, &long_held)]) },
        Listener::new("held-rewritten", vec![held(), topology::rewriting_chunks()]),
        Listener::new("slow-early", vec![early(), topology::rate_limit(8)]),
        Listener::new("slow-held", vec![held(), topology::rate_limit(8)]),
        Listener::new(
            "slow-observe-held",
            vec![nomos(json!({"mode": "observe", "response_headers": "held"})), topology::rate_limit(8)],
        ),
        Listener::new("early-slow", vec![topology::rate_limit(8), early()]),
        Listener {
            buffer_limit: Some(4096),
            ..Listener::new("low-observe-held", vec![nomos(json!({"mode": "observe", "response_headers": "held"}))])
        },
        Listener {
            buffer_limit: limit,
            ..Listener::new("long-early-buffered", vec![topology::nomos(module, &long_buffered), topology::buffering()])
        },
        // HTTP/2 towards the upstream. Towards the client the version is the client's choice.
        up2("up2-plain", vec![], None),
        up2("up2-early", vec![early()], None),
        up2("up2-held", vec![held()], None),
        up2("up2-rpc-plain", vec![topology::transcoder()], None),
        up2("up2-rpc-early", vec![early(), topology::transcoder()], None),
        up2("up2-rpc-held", vec![held(), topology::transcoder()], None),
        up2("up2-tight-plain", vec![], limit),
        up2("up2-tight-early", vec![early()], limit),
        up2("up2-tight-held", vec![held()], limit),
        // HTTP/2 below the filter: the filter's listener sends it to a listener that uses HTTP/1.1 towards the
        // upstream.
        Listener { sends: Place::Inside("up"), ..Listener::new("h2-up", vec![early()]) },
        Listener { sends: Place::Inside("up"), ..Listener::new("h2-up-held", vec![held()]) },
        Listener { accepts: Place::Inside("up"), ..Listener::new("up", vec![]) },
        // HTTP/2 above the filter.
        Listener { sends: Place::Inside("down"), ..Listener::new("h2-down", vec![]) },
        Listener { accepts: Place::Inside("down"), ..Listener::new("down", vec![early()]) },
        Listener { sends: Place::Inside("down-held"), ..Listener::new("h2-down-held", vec![]) },
        Listener { accepts: Place::Inside("down-held"), ..Listener::new("down-held", vec![held()]) },
    ]
}
