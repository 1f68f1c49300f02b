//! One Envoy with two workers, everything in it that the scenarios need, and the way to ask it many things at once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use drifting_upstream::contract;
use nomos_tests::envoy::{self, Envoy, Start};
use nomos_tests::paths;
use nomos_tests::topology::{self, Listener, Plugin};
use nomos_tests::wire::Reply;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::Client;
use crate::expect::{Expect, Kind};
use crate::report::Tally;
use crate::upstream::{Steps, Upstream};

/// A response that takes longer is lost.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often a scenario that takes long says how far it is.
const PROGRESS: Duration = Duration::from_secs(5);

/// The filter of the listener `reload`, and the file that it watches.
const RELOADED: &str = "reloaded";

/// How long the upstream may take for the listeners `hasty` and `hasty-plain`.
const HASTY: &str = "0.3s";

/// Envoy with everything around it.
pub struct Stand {
    envoy: Mutex<Envoy>,
    listeners: HashMap<String, SocketAddr>,
    upstream: Upstream,
    module: PathBuf,
    pid: String,
}

/// A request, the response that the upstream will give, and what the client must get.
#[derive(Clone)]
pub struct Ask {
    /// The listener to send it to.
    pub listener: &'static str,
    /// What the upstream does.
    pub steps: Steps,
    /// What the client must get.
    pub expect: Expect,
}

impl Stand {
    /// Starts everything.
    pub fn start(version: &str) -> Result<Arc<Self>, String> {
        let (binary, module) = (paths::envoy(version)?, paths::module()?);
        let upstream = Upstream::start().map_err(|e| format!("upstream: {e}"))?;
        let listeners = listeners(&module);
        let config = topology::bootstrap(upstream.address(), &listeners);
        let (name, file) = (format!("{RELOADED}.yaml"), reloaded(&module, &rules("email_address", "id")));
        let start = Start { workers: 2, files: &[(name.as_str(), file.as_str())] };
        let envoy = Envoy::start_with(&binary, &config, start)
            .map_err(|e| format!("{}; Envoy's log ends:\n{}", e.why, envoy::tail(&e.log)))?;
        let addresses = listeners.iter().map(|listener| Ok((listener.name.clone(), envoy.listener(&listener.name)?)));
        let listeners = addresses.collect::<Result<_, String>>()?;
        Ok(Arc::new(Self { pid: envoy.pid(), envoy: Mutex::new(envoy), listeners, upstream, module }))
    }

    /// Sends `count` requests with so many under way at a time, each made by its number.
    pub async fn run(
        self: &Arc<Self>,
        workers: usize,
        count: usize,
        make: impl Fn(usize) -> Ask + Send + Sync + 'static,
    ) -> Tally {
        let (next, make) = (Arc::new(AtomicUsize::new(0)), Arc::new(make));
        let mut tasks = JoinSet::new();
        for _ in 0..workers {
            let (stand, next, make) = (Arc::clone(self), Arc::clone(&next), Arc::clone(&make));
            tasks.spawn(async move { stand.work(&next, count, &*make).await });
        }
        let ticker = tokio::spawn(async move {
            loop {
                tokio::time::sleep(PROGRESS).await;
                println!("      {} of {count}", next.load(Ordering::Relaxed).min(count));
            }
        });
        let mut tally = Tally::default();
        while let Some(other) = tasks.join_next().await {
            match other {
                Ok(other) => tally.add(other),
                Err(why) => tally.failures.push(format!("a client panicked: {why}")),
            }
        }
        ticker.abort();
        tally
    }

    /// Sends one request on this connection, and judges the response.
    pub async fn ask(&self, client: &mut Client, ask: &Ask) -> (Result<Reply, String>, Result<Kind, String>) {
        let script = self.upstream.script(Arc::clone(&ask.steps));
        let reply = client.get("/r", script.id(), PATIENCE).await.map_err(|e| format!("{}: {e}", ask.listener));
        let judged = reply.as_ref().map_err(Clone::clone).and_then(|reply| ask.expect.judge(reply));
        (reply, judged.map_err(|why| format!("{}: {why}", ask.listener)))
    }

    /// A client of this listener.
    pub fn client(&self, listener: &str) -> Result<Client, String> {
        let to = self.listeners.get(listener).ok_or_else(|| format!("there is no listener {listener}"))?;
        Ok(Client::new(*to))
    }

    /// What Envoy makes of these steps at a listener without Nomos.
    pub async fn plain(&self, listener: &'static str, steps: &Steps) -> Result<Arc<Reply>, String> {
        let ask = Ask { listener, steps: Arc::clone(steps), expect: Expect::Status(0) };
        self.ask(&mut self.client(listener)?, &ask).await.0.map(Arc::new)
    }

    /// Replaces the configuration of the listener `reload`.
    pub fn reload(&self, mail: &str, uid: &str) -> Result<(), String> {
        let file = reloaded(&self.module, &rules(mail, uid));
        self.envoy().replace_file(&format!("{RELOADED}.yaml"), &file).map_err(|e| format!("reload: {e}"))
    }

    /// The value of one of Envoy's counters.
    pub fn stat(&self, name: &str) -> u64 {
        self.envoy().stat(name).unwrap_or(0)
    }

    /// Fails where Envoy is gone, or another one, or a module has trapped.
    pub fn check(&self) -> Result<(), String> {
        let mut envoy = self.envoy();
        envoy.check()?;
        if envoy.pid() == self.pid {
            Ok(())
        } else {
            Err(format!("Envoy is process {}, it was {}", envoy.pid(), self.pid))
        }
    }

    /// The number of Envoy's process.
    pub fn pid(&self) -> &str {
        &self.pid
    }

    /// Bytes that Envoy has in memory.
    pub fn memory(&self) -> u64 {
        self.envoy().resident_bytes().unwrap_or(0)
    }

    fn envoy(&self) -> MutexGuard<'_, Envoy> {
        self.envoy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn work(&self, next: &AtomicUsize, count: usize, make: &(impl Fn(usize) -> Ask + Sync)) -> Tally {
        let mut tally = Tally::default();
        let mut clients: HashMap<&'static str, Client> = HashMap::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return tally;
            }
            let ask = make(number);
            let client = match clients.entry(ask.listener) {
                Entry::Occupied(known) => Ok(known.into_mut()),
                Entry::Vacant(new) => self.client(ask.listener).map(|client| new.insert(client)),
            };
            let started = Instant::now();
            let judged = match client {
                Ok(client) => self.ask(client, &ask).await.1,
                Err(why) => Err(why),
            };
            tally.count(judged, started.elapsed());
        }
    }
}

/// All listeners. Those with `plain` in their names are what the others are compared with.
fn listeners(module: &Path) -> Vec<Listener> {
    let nomos = |settings: &Value| topology::nomos(module, settings);
    let early = || nomos(&rules("email_address", "id"));
    let mut held = rules("email_address", "id");
    held["response_headers"] = json!("held");
    let limit = Some(32 * 1024);
    let user = json!({"routes": [
        {"name": "user", "match": {"prefix": "/"}, "packs": ["all"], "contract": contract::user()},
    ]});
    vec![
        Listener::new("plain", vec![]),
        Listener::new("early", vec![early()]),
        Listener::new("held", vec![nomos(&held)]),
        Listener { buffer_limit: limit, ..Listener::new("tight", vec![early()]) },
        Listener { timeout: HASTY, ..Listener::new("hasty-plain", vec![]) },
        Listener { timeout: HASTY, ..Listener::new("hasty", vec![early()]) },
        Listener::new("gzip-plain", vec![topology::decompressor()]),
        Listener::new("gzip", vec![early(), topology::decompressor()]),
        Listener::new("user", vec![nomos(&user)]),
        Listener::new("long-name", vec![nomos(&long_name())]),
        Listener::new("shapes", vec![nomos(&similarity())]),
        Listener::new("reload", vec![topology::discovered(RELOADED)]),
    ]
}

/// A route with two renames.
fn rules(mail: &str, uid: &str) -> Value {
    json!({"routes": [{"name": "r", "match": {"prefix": "/"}, "rename": {"mail": mail, "uid": uid}}]})
}

/// A route whose name is as long as those that are made to collide with it.
fn long_name() -> Value {
    json!({"routes": [{"name": "l", "match": {"prefix": "/"}, "rename": {LONG_NAME: "short"}}]})
}

/// The name that the rule of the listener `long-name` knows.
pub const LONG_NAME: &str = "customer_0000000000000000_number";

/// A route that finds everything by similarity, and says what that took.
fn similarity() -> Value {
    json!({
        "response_headers": "held",
        "routes": [{
            "name": "s",
            "match": {"prefix": "/"},
            "similarity": {"profile": "default"},
            "contract": {"type": "array", "items": {"type": "object", "properties": {
                "user_id": {"type": "integer"},
                "email_address": {"type": "string", "format": "email"},
            }, "required": ["user_id", "email_address"]}},
        }],
    })
}

fn reloaded(module: &Path, settings: &Value) -> String {
    topology::discovered_file(RELOADED, &Plugin::shipped(module).typed_config(settings))
}
