//! A report as one line of JSON.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::layout::Traffic;
use crate::link::Mode;
use crate::names;
use crate::report::Report;

#[derive(Serialize)]
struct Line<'a> {
    time: f64,
    interface: &'a str,
    /// The mode of attachment, or null.
    mode: Option<&'static str>,
    packets: u64,
    bytes: u64,
    per_second: PerSecond,
    family: BTreeMap<&'static str, Amount>,
    transport: BTreeMap<&'static str, Amount>,
    tcp: BTreeMap<&'static str, u64>,
    fragments: u64,
    parse_failures: u64,
    /// The classes of sizes that are not empty.
    sizes: Vec<Size>,
    ports: Vec<Port>,
}

#[derive(Serialize)]
struct PerSecond {
    packets: f64,
    bytes: f64,
    syn: f64,
}

#[derive(Serialize)]
struct Amount {
    packets: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct Size {
    from: u64,
    to: Option<u64>,
    packets: u64,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "they are the names in JSON")]
struct Port {
    port: u16,
    packets: u64,
    bytes: u64,
    syn: u64,
}

/// Returns the line with its line end.
pub fn line(report: &Report) -> String {
    let stats = &report.counts.stats;
    let total = names::total(stats);
    let amounts = |named: [(&'static str, Traffic); 4]| named.map(|(name, traffic)| (name, amount(traffic))).into();
    let line = Line {
        time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| (time.as_secs_f64() * 1e3).round() / 1e3),
        interface: &report.interface,
        mode: report.mode.map(Mode::name),
        packets: total.packets,
        bytes: total.bytes,
        per_second: PerSecond {
            packets: rounded(report.rate.packets),
            bytes: rounded(report.rate.bytes),
            syn: rounded(report.rate.syn),
        },
        family: amounts(names::families(stats)),
        transport: amounts(names::transports(stats)),
        tcp: names::flags(stats).into(),
        fragments: stats.fragments,
        parse_failures: stats.parse_failures,
        sizes: names::sizes(stats)
            .filter(|(_, _, packets)| *packets > 0)
            .map(|(from, to, packets)| Size { from, to, packets })
            .collect(),
        ports: report
            .counts
            .ports
            .iter()
            .map(|(port, counted)| Port {
                port: *port,
                packets: counted.traffic.packets,
                bytes: counted.traffic.bytes,
                syn: counted.syn,
            })
            .collect(),
    };
    // Cannot fail: the maps have text as keys, and the numbers are finite.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

fn amount(traffic: Traffic) -> Amount {
    Amount { packets: traffic.packets, bytes: traffic.bytes }
}

fn rounded(rate: f64) -> f64 {
    (rate * 10.0).round() / 10.0
}
