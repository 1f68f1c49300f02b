//! The end-to-end suite: the module in a real Envoy, in the oldest supported and in the pinned version.
//!
//! Everything is on loopback. `cargo test -p nomos-tests --test e2e -- NAME` runs the cases whose name contains NAME.

mod configuration;
mod demo;
mod documents;
mod drift;
mod exactness;
mod expect;
mod failure;
mod framing;
mod headers;
mod hostile;
mod http2;
mod limits;
mod measured;
mod modes;
mod observability;
mod passthrough;
mod reload;
mod rig;
mod rollout;
mod streaming;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::rig::Lane;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let lanes: Result<Vec<Arc<Lane>>, String> = ["floor", "pinned"].into_iter().map(Lane::new).collect();
    let lanes = match lanes {
        Ok(lanes) => lanes,
        Err(why) => {
            eprintln!("the suite cannot run: {why}");
            return ExitCode::FAILURE;
        }
    };
    let conclusion = libtest_mimic::run(&arguments, interleaved(&lanes));
    // Stops the Envoys here: `exit` would leave that to their keepers.
    drop(lanes);
    conclusion.exit_code()
}

/// Orders the cases so that neighbours are from different lanes: a lane runs one case at a time, and otherwise one of
/// two threads would wait.
fn interleaved(lanes: &[Arc<Lane>]) -> Vec<Trial> {
    let mut queues: Vec<_> = lanes.iter().map(|lane| cases(lane).into_iter()).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(queues.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    [
        framing::cases(lane),
        passthrough::cases(lane),
        headers::cases(lane),
        exactness::cases(lane),
        http2::cases(lane),
        documents::cases(lane),
        limits::cases(lane),
        streaming::cases(lane),
        hostile::cases(lane),
        observability::cases(lane),
        modes::cases(lane),
        demo::cases(lane),
        rollout::cases(lane),
        drift::cases(lane),
        configuration::cases(lane),
        failure::cases(lane),
        reload::cases(lane),
    ]
    .into_iter()
    .flatten()
    .collect()
}
