//! The names of the counters in every kind of report.

use crate::layout::{Stats, Traffic};

/// Returns the counters by family. Each packet is in exactly one.
pub fn families(stats: &Stats) -> [(&'static str, Traffic); 4] {
    [("ipv4", stats.ipv4), ("ipv6", stats.ipv6), ("arp", stats.arp), ("other", stats.other_family)]
}

/// Returns the counters by transport. Each IP packet is in exactly one.
pub fn transports(stats: &Stats) -> [(&'static str, Traffic); 4] {
    [("tcp", stats.tcp), ("udp", stats.udp), ("icmp", stats.icmp), ("other", stats.other_transport)]
}

/// Returns the TCP segments by flag.
pub fn flags(stats: &Stats) -> [(&'static str, u64); 3] {
    [("syn", stats.tcp_syn), ("fin", stats.tcp_fin), ("rst", stats.tcp_rst)]
}

/// Returns the sum over all packets.
pub fn total(stats: &Stats) -> Traffic {
    let mut total = Traffic::ZERO;
    for (_, traffic) in families(stats) {
        total += &traffic;
    }
    total
}

/// The last class of sizes that is reported separately. A frame on a wire is shorter; only packets that the kernel has
/// merged are longer.
const LAST_CLASS: usize = 16;

/// Returns the classes of packet sizes: the smallest size, the largest one if there is one, and the number of packets.
pub fn sizes(stats: &Stats) -> impl Iterator<Item = (u64, Option<u64>, u64)> {
    let (told, rest) = stats.sizes.split_at(LAST_CLASS);
    let told: Vec<u64> = told.iter().copied().chain([rest.iter().sum()]).collect();
    told.into_iter().enumerate().map(|(at, packets)| {
        // The first class also has the empty packets.
        let from = if at == 0 { 0 } else { 1 << at };
        (from, (at < LAST_CLASS).then(|| (2 << at) - 1), packets)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_sizes_leave_no_gap() {
        let classes: Vec<_> = sizes(&Stats::ZERO).collect();
        assert_eq!(classes.first(), Some(&(0, Some(1), 0)));
        assert_eq!(classes.last(), Some(&(65_536, None, 0)));
        for pair in classes.windows(2) {
            assert_eq!(pair[0].1, Some(pair[1].0 - 1));
        }
    }
}
