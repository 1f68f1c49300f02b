//! Nomos beside the alternatives: each heals the same drift, on the same machine, in the same run.
//!
//! The configurations and sources of the peers are in `bench/peers`.

mod bodies;
mod envoy;
mod fidelity;
mod installed;
mod large;
mod load;
mod server;
mod side;
mod stand;
mod store;
mod tables;
mod timing;
mod untimed;
mod upstream;
mod versions;

use serde::Serialize;

use crate::cores::Cores;
use crate::machine::Machine;
use crate::results;
use bodies::Pair;
use installed::Installed;
use side::Host;
use stand::{Absent, Stand};

/// The raised limit of Envoy's buffers in bytes, at which filters in Envoy are also tested, with room for the largest
/// body.
pub const ENVOY_BUFFERS: u32 = 32 << 20;

/// The path of the timed record at the upstream.
const RECORD: &str = "record";

/// How long to measure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Effort {
    /// Rounds over all sides for processor time and throughput.
    pub rounds: usize,
    /// Turns of each side in such a round.
    pub turns: usize,
    /// Requests in a turn, which takes about 10 ms.
    pub requests: usize,
    /// Rounds over all sides for latency.
    pub open_rounds: usize,
    /// Requests to one side in such a round.
    pub open_requests: usize,
    /// How many of these are sent per second: well below the maximum of the slowest peer.
    pub rate: u32,
}

impl Effort {
    /// The effort of a full run, about six minutes.
    pub const FULL: Effort =
        Effort { rounds: 41, turns: 8, requests: 256, open_rounds: 5, open_requests: 1_500, rate: 1_000 };
    /// The effort of a quick run, about a minute.
    pub const QUICK: Effort =
        Effort { rounds: 7, turns: 4, requests: 200, open_rounds: 1, open_requests: 1_000, rate: 1_000 };
}

/// Everything that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Peers {
    /// The effort of the run.
    pub effort: Effort,
    /// The versions of the peers other than Envoy.
    pub versions: Vec<String>,
    /// The length of the timed body in bytes.
    pub bytes: usize,
    /// Whether the proxies had a core of their own.
    pub cores_apart: bool,
    /// The results of timing: processor time, throughput, latency.
    pub timed: Vec<timing::Timed>,
    /// The results for bodies over 1 MB.
    pub large: Vec<large::Cell>,
    /// How bodies change apart from the renames.
    pub fidelity: Vec<fidelity::Row>,
    /// The sides that could not be measured.
    pub absent: Vec<Absent>,
}

/// A run and the machine it ran on.
#[derive(Serialize)]
struct Written<'a> {
    run: &'static str,
    machine: &'a Machine,
    peers: &'a Peers,
}

/// Installs the peers that are available, measures, prints the results, and writes a result file. A full run also
/// writes docs/peers.md.
pub fn run(quick: bool, machine: &Machine) -> Result<(), String> {
    let installed = Installed::all()?;
    eprintln!("peers: about {} minutes", if quick { "1 or 2" } else { "5 or 6" });
    let effort = if quick { Effort::QUICK } else { Effort::FULL };
    let peers = measure(&installed, effort)?;
    println!("{}", tables::all(&peers));
    let name = if quick { "peers-quick" } else { "peers" };
    let file = results::write(machine, name, &Written { run: name, machine, peers: &peers })?;
    println!("written to {file}");
    if !quick {
        tables::publish(&peers, machine, &file)?;
        println!("tables written to docs/peers.md");
    }
    Ok(())
}

/// Checks only the responses, which needs no quiet machine. Writes nothing.
pub fn run_untimed() -> Result<(), String> {
    let looked_at = look(&Installed::all()?, &bodies::records()[0])?;
    println!("{}\n\n{}", tables::large(&looked_at.large), tables::fidelity(&looked_at.fidelity));
    if !looked_at.unfit.is_empty() {
        println!("\n{}", tables::absent(&looked_at.unfit));
    }
    Ok(())
}

fn measure(installed: &Installed, effort: Effort) -> Result<Peers, String> {
    let records = bodies::records();
    let bodies: Vec<String> = records.iter().map(|pair| pair.drifted.clone()).collect();
    let looked_at = look(installed, &records[0])?;
    let cores = Cores::of_this_process()?;
    cores.with_the_load()?;
    let mut upstream = upstream::Upstream::start(&bodies).map_err(|error| format!("upstream: {error}"))?;
    cores.with_the_proxies()?;
    let mut stand = Stand::start(installed, upstream.address, &Host::ALL, None);
    for side in looked_at.unfit {
        stand.give_up(side.name, side.why);
    }
    let timed = timing::run(&mut stand, &mut upstream, &cores, effort)?;
    Ok(Peers {
        effort,
        versions: versions::all(installed),
        bytes: bodies.iter().map(String::len).sum::<usize>() / bodies.len(),
        cores_apart: cores.are_apart(),
        timed,
        large: looked_at.large,
        fidelity: looked_at.fidelity,
        absent: stand.absent.clone(),
    })
}

/// The results of checking responses, without timing.
struct LookedAt {
    large: Vec<large::Cell>,
    fidelity: Vec<fidelity::Row>,
    /// Sides that do not heal, or do not pass bodies on.
    unfit: Vec<Absent>,
}

fn look(installed: &Installed, record: &Pair) -> Result<LookedAt, String> {
    let lengths = large::all();
    let small = fidelity::CASES.iter().map(|case| (format!("/{}", case.path), case.body.to_owned()));
    let long = lengths.iter().map(|length| (format!("/{}", length.path), length.body().to_owned()));
    let bodies: Vec<_> = small.chain(long).chain([(format!("/{RECORD}"), record.drifted.clone())]).collect();
    let store = store::start(&bodies).map_err(|error| format!("upstream: {error}"))?;
    eprintln!("peers: fidelity and large bodies");
    let mut stand = Stand::start(installed, store, &Host::ALL, None);
    let unfit = unfit(&stand, record);
    for side in &unfit {
        stand.give_up(side.name, side.why.clone());
    }
    let fidelity = fidelity::run(&stand);
    let mut large = large::run(&stand, &lengths, None);
    drop(stand);
    let roomy = Stand::start(installed, store, &[Host::Envoy], Some(ENVOY_BUFFERS));
    large.extend(large::run(&roomy, &lengths, Some(ENVOY_BUFFERS)));
    Ok(LookedAt { large, fidelity, unfit })
}

/// Returns the sides that do not respond to the record as they should.
fn unfit(stand: &Stand, record: &Pair) -> Vec<Absent> {
    let check = |running: &stand::Running| {
        let reply = untimed::fetch(&running.place, RECORD).map_err(|error| error.to_string())?;
        let expected = if running.side.heals() { &record.healed } else { &record.drifted };
        if reply.status == 200 && bodies::is_healed(&reply.body, expected) {
            return Ok(());
        }
        let found: String = String::from_utf8_lossy(&reply.body).chars().take(200).collect();
        Err(format!("it answers {} with {found}", reply.status))
    };
    let failed = stand.running.iter().filter_map(|running| Some((running.side.name, check(running).err()?)));
    failed.map(|(name, why)| Absent { name, why }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Installed peers start and heal, and missing ones say why. `scripts/peers` installs them.
    #[test]
    fn peers_heal_the_record() {
        let record = bodies::records().swap_remove(0);
        let store = store::start(&[(format!("/{RECORD}"), record.drifted.clone())]).expect("an upstream");
        let installed = Installed::already().expect("scripts/peers");
        // Envoy needs the module, which unit tests do not have. The end-to-end suite tests Envoy.
        let hosts = [Host::NginxNjs, Host::NginxLua, Host::Krakend, Host::Rust];
        let stand = Stand::start(&installed, store, &hosts, None);
        for absent in &stand.absent {
            assert!(absent.why.contains("scripts/peers"), "{}: {}", absent.name, absent.why);
            println!("skipped: {}: {}", absent.name, absent.why);
        }
        assert_eq!(stand.running.len() + stand.absent.len(), 10);
        let unfit = unfit(&stand, &record);
        assert!(unfit.is_empty(), "{unfit:?}");
    }
}
