//! The scenarios, in the order in which they run. The last of the first ten runs at the end.

mod capacity;
mod change;
mod load;
mod memory;
mod trouble;
mod wire;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use nomos_tests::bodies;
use nomos_tests::framing::{self, Framing};

use crate::expect::{Bytes, Expect};
use crate::report::Tally;
use crate::stand::{Ask, Stand};
use crate::upstream::Steps;

/// How much a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// All of it: some minutes.
    Full,
    /// Enough to see that everything still works: within a minute.
    Quick,
}

impl Size {
    /// One of two numbers.
    fn of(self, full: usize, quick: usize) -> usize {
        if self == Self::Full { full } else { quick }
    }
}

type Outcome = Pin<Box<dyn Future<Output = Result<Tally, String>> + Send>>;

/// One kind of trouble.
pub struct Scenario {
    /// What it is called.
    pub name: &'static str,
    run: fn(Arc<Stand>, Size) -> Outcome,
}

impl Scenario {
    /// Does it.
    pub async fn run(&self, stand: &Arc<Stand>, size: Size) -> Tally {
        (self.run)(Arc::clone(stand), size)
            .await
            .unwrap_or_else(|why| Tally { failures: vec![why], ..Tally::default() })
    }
}

macro_rules! scenarios {
    ($($name:literal: $run:path,)*) => {
        [$(Scenario { name: $name, run: |stand, size| Box::pin($run(stand, size)) },)*]
    };
}

/// All of them.
pub const SCENARIOS: [Scenario; 20] = scenarios! {
    "upstream timeout": trouble::timeout,
    "malformed JSON": trouble::malformed,
    "high concurrency": load::concurrency,
    "rapid mode switching": change::modes,
    "burst traffic": load::burst,
    "upstream flapping": trouble::flapping,
    "healing consistency": load::consistency,
    "deep nested": load::deep,
    "latency under load": load::latency,
    "slow-drip bodies": wire::slow_drip,
    "resets mid-body": wire::resets,
    "truncated content-length": wire::truncated,
    "lying content-length": wire::lying,
    "gzip garbage": wire::garbage,
    "2,500 connections": capacity::connections,
    "100 MB bodies beside small ones": capacity::large_bodies,
    "configuration reload every 100 ms": change::reload,
    "hostile keys": memory::hostile_keys,
    "a million distinct shapes": memory::shapes,
    "recovery after chaos": load::recovery,
};

const JSON: &[(&str, &[u8])] = &[("content-type", b"application/json")];

/// A drifted list of about so many bytes, and what must come of it.
fn list(size: usize) -> (Bytes, Bytes) {
    let (sent, healed, _) = bodies::list(size);
    (sent.into(), healed.into())
}

/// A body in a framing, as JSON.
fn json(framing: Framing, body: &[u8]) -> Steps {
    framing::response(framing, "200 OK", JSON, body).into()
}

/// A request for a list of about so many bytes.
fn ask_list(listener: &'static str, framing: Framing, size: usize) -> Ask {
    let (sent, healed) = list(size);
    Ask { listener, steps: json(framing, &sent), expect: Expect::Healed(healed) }
}
