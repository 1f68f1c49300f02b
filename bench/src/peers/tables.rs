//! The results as Markdown, which docs/peers.md contains between two marks.

use std::fmt::Write as _;
use std::fs;

use nomos_tests::paths;

use super::fidelity::{self, CASES};
use super::large::Cell;
use super::side::{SIDES, Side};
use super::stand::Absent;
use super::timing::Timed;
use super::{ENVOY_BUFFERS, Peers};
use crate::engine::median;
use crate::machine::Machine;
use crate::spread::{from_to, quantile};
use crate::table::Table;

/// The path of the document in the repository.
const DOCUMENT: &str = "docs/peers.md";
/// Our side with the same knowledge as the peers.
const OURS: &str = "nomos-rules";
const BEGIN: &str = "<!-- Written by `nomos-bench peers`, do not edit -->\n";
const END: &str = "<!-- End of what `nomos-bench peers` writes -->\n";

/// Returns all tables.
pub fn all(peers: &Peers) -> String {
    let mut text = String::new();
    for (title, table) in [
        ("Processor time per response, and throughput", processor_time(peers)),
        ("Latency at the same rate", latency(peers)),
        ("Bodies over 1 MB", large(&peers.large)),
        ("Fidelity", fidelity(&peers.fidelity)),
    ] {
        let _ = write!(text, "## {title}\n\n{table}\n\n");
    }
    if !peers.absent.is_empty() {
        let _ = write!(text, "## Not measured\n\n{}\n\n", absent(&peers.absent));
    }
    text
}

/// Writes the tables, the machine and the name of the result file into the document.
pub fn publish(peers: &Peers, machine: &Machine, file: &str) -> Result<(), String> {
    let path = paths::root().join(DOCUMENT);
    let text = fs::read_to_string(&path).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let Machine { date, commit, cpu, cores, kernel, envoy, rustc, load } = machine;
    let written = format!(
        "Measured on {date} at commit {commit}, `{file}`: {cores} cores {cpu}, Linux {kernel}, Envoy {envoy}, {rustc}, load\n\
         average {load} at the start. Beside Envoy: {}.\n\n{}",
        peers.versions.join(", "),
        all(peers)
    );
    let new = between_marks(&text, &written).ok_or_else(|| format!("{DOCUMENT}: the marks for tables are missing"))?;
    fs::write(&path, new).map_err(|error| format!("{DOCUMENT}: {error}"))
}

fn between_marks(text: &str, written: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{written}{END}{after}"))
}

fn processor_time(peers: &Peers) -> String {
    let mut table = Table::new(&[
        "peer",
        "plain us",
        "healing us",
        "added us",
        "quartiles",
        "95 % sure",
        "plain responses/s",
        "healing responses/s",
        "spread",
    ]);
    let pair = |pair: Option<[f64; 2]>| pair.map_or(String::new(), |pair| from_to(pair, 1));
    for (side, own, plain) in healing(peers) {
        let mut rates = own.per_second.clone();
        rates.sort_by(f64::total_cmp);
        let rate = median(rates.clone());
        let spread = (quantile(&rates, 75) - quantile(&rates, 25)) / rate * 100.0;
        table.row(&[
            side.title.to_owned(),
            format!("{:.1}", median(plain.cpu_us.clone())),
            format!("{:.1}", median(own.cpu_us.clone())),
            format!("{:.1}", own.added_us),
            pair(own.added_quartiles),
            pair(own.added_interval),
            format!("{:.0}", median(plain.per_second.clone())),
            format!("{rate:.0}"),
            format!("{spread:.0} %"),
        ]);
    }
    format!(
        "{}\n\n{}\n\n{} rounds of {} requests in {} slices, {} bytes, {}.",
        table.text(),
        standing(peers),
        peers.effort.rounds,
        peers.effort.turns * peers.effort.requests,
        peers.effort.turns,
        peers.bytes,
        if peers.cores_apart { "one core for the proxy, another for load and upstream" } else { "all on one core" },
    )
}

/// Says which peers add less time than Nomos, and which filters in Envoy take less in total, in either case.
fn standing(peers: &Peers) -> String {
    let Some((own_side, own, _)) = healing(peers).find(|(side, ..)| side.name == OURS) else { return String::new() };
    let others = || healing(peers).filter(|(side, ..)| !side.name.starts_with("nomos-"));
    let adds_less = others().filter(|(_, timed, _)| timed.added_us < own.added_us);
    let adds_less: Vec<String> =
        adds_less.map(|(side, timed, _)| format!("{} ({:.1})", side.title, timed.added_us)).collect();
    let in_all = median(own.cpu_us.clone());
    let takes_less =
        others().filter(|(side, timed, _)| side.host == own_side.host && median(timed.cpu_us.clone()) < in_all);
    let takes_less: Vec<String> =
        takes_less.map(|(side, timed, _)| format!("{} ({:.1})", side.title, median(timed.cpu_us.clone()))).collect();
    let list = |names: Vec<String>| if names.is_empty() { "no peer".to_owned() } else { names.join(", ") };
    format!(
        "{} adds {:.1} us; less is added by: {}. It takes {in_all:.1} us in all; of what is hosted in Envoy, less is taken by: {}.",
        own_side.title,
        own.added_us,
        list(adds_less),
        list(takes_less),
    )
}

fn latency(peers: &Peers) -> String {
    let mut table =
        Table::new(&["peer", "plain p50 us", "healing p50 us", "plain p99 us", "healing p99 us", "p99 from", "to"]);
    for (side, own, plain) in healing(peers) {
        table.row(&[
            side.title.to_owned(),
            format!("{:.0}", median(plain.p50_us.clone())),
            format!("{:.0}", median(own.p50_us.clone())),
            format!("{:.0}", median(plain.p99_us.clone())),
            format!("{:.0}", median(own.p99_us.clone())),
            format!("{:.0}", own.p99_us.iter().copied().fold(f64::INFINITY, f64::min)),
            format!("{:.0}", own.p99_us.iter().copied().fold(0.0, f64::max)),
        ]);
    }
    format!(
        "{}\n\n{} requests per second, sent at their time whether or not earlier ones were answered, {} rounds of {}.",
        table.text(),
        peers.effort.rate,
        peers.effort.open_rounds,
        peers.effort.open_requests,
    )
}

/// Returns the table of long bodies.
pub fn large(cells: &[Cell]) -> String {
    let mut bodies: Vec<&str> = Vec::new();
    for cell in cells {
        if !bodies.contains(&cell.body) {
            bodies.push(cell.body);
        }
    }
    let columns: Vec<&str> = ["peer"].into_iter().chain(bodies.iter().copied()).collect();
    let mut table = Table::new(&columns);
    for buffers in [None, Some(ENVOY_BUFFERS)] {
        for side in SIDES.iter().filter(|side| side.heals()) {
            let cells: Vec<&Cell> =
                cells.iter().filter(|cell| cell.name == side.name && cell.buffers == buffers).collect();
            if cells.is_empty() {
                continue;
            }
            let buffered = buffers.map_or(String::new(), |bytes| format!(", room for {} MiB", bytes >> 20));
            let mut row = vec![format!("{}{buffered}", side.title)];
            row.extend(cells.iter().map(|cell| large_cell(cell)));
            table.row(&row);
        }
    }
    table.text()
}

fn large_cell(cell: &Cell) -> String {
    match cell.status {
        0 => cell.verdict.clone(),
        200 => format!("{}, {} bytes, {} ms", cell.verdict, cell.bytes, cell.ms),
        status => format!("{}: {status}, {} bytes", cell.verdict, cell.bytes),
    }
}

/// Returns the table of changes apart from the renames.
pub fn fidelity(rows: &[fidelity::Row]) -> String {
    let columns: Vec<&str> = ["peer"].into_iter().chain(CASES.iter().map(|case| case.title)).collect();
    let mut table = Table::new(&columns);
    for fidelity::Row { name, cells } in rows {
        let title = SIDES.iter().find(|side| side.name == *name).map_or(*name, |side| side.title);
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        table.row(&[title.to_owned()].into_iter().chain(cells).collect::<Vec<_>>());
    }
    table.text()
}

/// Returns the table of sides that could not be measured.
pub fn absent(absents: &[Absent]) -> String {
    let mut table = Table::new(&["peer", "why"]);
    for absent in absents {
        let title = SIDES.iter().find(|side| side.name == absent.name).map_or(absent.name, |side| side.title);
        table.row(&[title.to_owned(), absent.why.replace('|', "\\|")]);
    }
    table.text()
}

/// Returns every side that heals, with its plain side.
fn healing(peers: &Peers) -> impl Iterator<Item = (&'static Side, &Timed, &Timed)> {
    let timed = |name: &str| peers.timed.iter().find(|own| own.name == name);
    SIDES.iter().filter(|side| side.heals()).filter_map(move |side| Some((side, timed(side.name)?, timed(side.plain)?)))
}

#[cfg(test)]
mod tests {
    use super::super::Effort;
    use super::*;

    #[test]
    fn who_is_ahead_is_said() {
        let timed = |name, plain, cpu_us: f64, added_us: f64| Timed::of(name, plain, cpu_us, added_us);
        let peers = Peers {
            effort: Effort::QUICK,
            versions: Vec::new(),
            bytes: 1_000,
            cores_apart: true,
            timed: vec![
                timed("envoy", "envoy", 30.0, 0.0),
                timed("nomos-rules", "envoy", 40.0, 10.0),
                timed("envoy-lua", "envoy", 45.0, 15.0),
                timed("rust-plain", "rust-plain", 20.0, 0.0),
                timed("rust-members", "rust-plain", 23.0, 3.0),
            ],
            large: Vec::new(),
            fidelity: Vec::new(),
            absent: Vec::new(),
        };
        let text = standing(&peers);
        assert!(text.contains("less is added by: Rust proxy, serde_json::RawValue (3.0)."), "{text}");
        assert!(text.ends_with("less is taken by: no peer."), "{text}");
    }

    #[test]
    fn what_is_between_the_marks_is_replaced() {
        let text = format!("before\n{BEGIN}old\n{END}after\n");
        let new = between_marks(&text, "new\n").expect("marks");
        assert_eq!(new, format!("before\n{BEGIN}\nnew\n{END}after\n"));
        assert_eq!(between_marks("no marks", "new"), None);
    }
}
