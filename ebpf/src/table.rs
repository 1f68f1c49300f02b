//! Reports as a table for people.

use std::fmt::Write;

use crate::layout::Traffic;
use crate::link::Mode;
use crate::names;
use crate::report::Report;

/// The length of the longest bar in the histogram.
const BAR: u64 = 40;

/// Returns the table of one interface.
pub fn render(report: &Report) -> String {
    let stats = &report.counts.stats;
    let total = names::total(stats);
    let mut text = String::new();
    let how = report.mode.map_or("not attached", Mode::name);
    let rate = report.rate;
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} ({how})  {} packets/s  {} bit/s  {} SYN/s",
        report.interface,
        short(rate.packets),
        short(rate.bytes * 8.0),
        short(rate.syn)
    );
    let _ = writeln!(text, "  {:<16} {:>15} {:>18}", "", "packets", "bytes");
    row(&mut text, "all", total);
    for (name, traffic) in names::families(stats) {
        row(&mut text, if name == "other" { "no IP, no ARP" } else { name }, traffic);
    }
    for (name, traffic) in names::transports(stats) {
        row(&mut text, &format!("ip {name}"), traffic);
    }
    for (port, counted) in &report.counts.ports {
        row(&mut text, &format!("tcp port {port}"), counted.traffic);
    }
    let flags = names::flags(stats).map(|(name, segments)| format!("{name} {segments}")).join("  ");
    let _ = writeln!(text, "  tcp flags: {flags}");
    for (port, counted) in &report.counts.ports {
        let _ = writeln!(text, "  tcp port {port}: syn {}", counted.syn);
    }
    let _ = writeln!(text, "  fragments {}  parse failures {}", stats.fragments, stats.parse_failures);
    histogram(&mut text, report);
    text
}

/// Formats a number with at most four digits, because values that change every second need not be exact.
fn short(value: f64) -> String {
    let mut value = value;
    for prefix in ["", "k", "M", "G"] {
        if value < 999.5 {
            let digits = usize::from(!prefix.is_empty() && value < 99.95);
            return format!("{value:.digits$}{prefix}");
        }
        value /= 1000.0;
    }
    format!("{value:.1}T")
}

fn row(text: &mut String, name: &str, traffic: Traffic) {
    let _ = writeln!(text, "  {name:<16} {:>15} {:>18}", traffic.packets, traffic.bytes);
}

fn histogram(text: &mut String, report: &Report) {
    let most = report.counts.stats.sizes.iter().copied().max().unwrap_or_default();
    for (from, to, packets) in names::sizes(&report.counts.stats).filter(|(_, _, packets)| *packets > 0) {
        let name = to.map_or_else(|| format!("{from} and more"), |to| format!("{from} to {to}"));
        // At least one, so that every non-empty class is visible.
        let bar = "#".repeat(usize::try_from((packets * BAR / most).max(1)).unwrap_or_default());
        let _ = writeln!(text, "  {:<16} {packets:>15} {bar}", format!("{name} B"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Port, Stats};
    use crate::program::Counts;
    use crate::report::Rate;

    #[test]
    fn numbers_are_shortened() {
        let rows =
            [(0.0, "0"), (999.0, "999"), (1000.0, "1.0k"), (99_940.0, "99.9k"), (123_456.0, "123k"), (8.5e9, "8.5G")];
        for (value, expected) in rows {
            assert_eq!(short(value), expected, "{value}");
        }
    }

    #[test]
    fn a_table_has_all_that_was_counted() {
        let traffic = Traffic { packets: 3, bytes: 300 };
        let mut stats =
            Stats { ipv4: traffic, tcp: traffic, tcp_syn: 1, fragments: 2, parse_failures: 4, ..Stats::ZERO };
        stats.sizes[6] = 3;
        let counts = Counts { stats, ports: vec![(8080, Port { traffic, syn: 1 })] };
        let rate = Rate { packets: 3.0, bytes: 300.0, syn: 1.0 };
        let text = render(&Report { interface: "eth0".to_owned(), mode: Some(Mode::Native), counts, rate });
        for expected in [
            "eth0 (native)  3 packets/s  2.4k bit/s  1 SYN/s",
            "  ipv4                           3                300",
            "  tcp port 8080                  3                300",
            "  tcp flags: syn 1  fin 0  rst 0",
            "  tcp port 8080: syn 1",
            "  fragments 2  parse failures 4",
            "  64 to 127 B                    3 ########################################",
        ] {
            assert!(text.lines().any(|line| line == expected), "found\n{text}\nexpected the line\n{expected}");
        }
    }
}
