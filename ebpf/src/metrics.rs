//! Reports for Prometheus.

use prometheus::proto::{Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{Encoder, TextEncoder};

use crate::layout::{Port, Traffic};
use crate::names;
use crate::report::Report;

/// The content type of the text.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// Returns the reports of all interfaces in Prometheus' text format.
pub fn text(reports: &[Report]) -> String {
    let mut text = Vec::new();
    // The encoder refuses families without a metric.
    let families: Vec<MetricFamily> = families(reports).into_iter().filter(|f| !f.get_metric().is_empty()).collect();
    // Writing to memory cannot fail, and the families are well-formed.
    let _ = TextEncoder::new().encode(&families, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn families(reports: &[Report]) -> Vec<MetricFamily> {
    let by_family = |of: fn(Traffic) -> u64| {
        counters(reports, move |r| {
            names::families(&r.counts.stats).map(|(n, t)| (vec![("family", n.to_owned())], of(t))).into()
        })
    };
    let by_transport = |of: fn(Traffic) -> u64| {
        counters(reports, move |r| {
            names::transports(&r.counts.stats).map(|(n, t)| (vec![("transport", n.to_owned())], of(t))).into()
        })
    };
    let by_port = |of: fn(&Port) -> u64| {
        counters(reports, move |r| {
            r.counts.ports.iter().map(|(port, counted)| (vec![("port", port.to_string())], of(counted))).collect()
        })
    };
    let counter = MetricType::COUNTER;
    vec![
        family(
            "nomos_xdp_attached",
            "Whether the XDP program is attached to the interface, by mode.",
            MetricType::GAUGE,
            reports.iter().map(attached).collect(),
        ),
        family(
            "nomos_xdp_packets_total",
            "Packets received, by address family.",
            counter,
            by_family(|traffic| traffic.packets),
        ),
        family(
            "nomos_xdp_bytes_total",
            "Bytes of the frames received, by address family.",
            counter,
            by_family(|traffic| traffic.bytes),
        ),
        family(
            "nomos_xdp_transport_packets_total",
            "IP packets received, by transport protocol.",
            counter,
            by_transport(|traffic| traffic.packets),
        ),
        family(
            "nomos_xdp_transport_bytes_total",
            "Bytes of the frames of IP packets received, by transport protocol.",
            counter,
            by_transport(|traffic| traffic.bytes),
        ),
        family(
            "nomos_xdp_tcp_segments_total",
            "TCP segments received with this flag set.",
            counter,
            counters(reports, |r| {
                names::flags(&r.counts.stats).map(|(n, count)| (vec![("flag", n.to_owned())], count)).into()
            }),
        ),
        family(
            "nomos_xdp_fragments_total",
            "IP fragments received.",
            counter,
            counters(reports, |r| vec![(vec![], r.counts.stats.fragments)]),
        ),
        family(
            "nomos_xdp_parse_failures_total",
            "Packets received with a header that is cut short or impossible.",
            counter,
            counters(reports, |r| vec![(vec![], r.counts.stats.parse_failures)]),
        ),
        family(
            "nomos_xdp_port_packets_total",
            "TCP segments received for a watched port.",
            counter,
            by_port(|counted| counted.traffic.packets),
        ),
        family(
            "nomos_xdp_port_bytes_total",
            "Bytes of the frames of TCP segments received for a watched port.",
            counter,
            by_port(|counted| counted.traffic.bytes),
        ),
        family(
            "nomos_xdp_port_syn_total",
            "TCP segments with SYN received for a watched port: connection attempts.",
            counter,
            by_port(|counted| counted.syn),
        ),
        family(
            "nomos_xdp_packet_size_bytes",
            "Sizes of the frames received.",
            MetricType::HISTOGRAM,
            reports.iter().map(sizes).collect(),
        ),
    ]
}

fn family(name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) -> MetricFamily {
    let mut family = MetricFamily::default();
    family.set_name(name.to_owned());
    family.set_help(help.to_owned());
    family.set_field_type(kind);
    family.set_metric(metrics);
    family
}

/// Returns the counters of a family. `of` gives labels and values for each interface.
fn counters(reports: &[Report], of: impl Fn(&Report) -> Vec<(Vec<(&'static str, String)>, u64)>) -> Vec<Metric> {
    let of_report =
        |report| of(report).into_iter().map(|(more, value)| counter(report, more, value)).collect::<Vec<_>>();
    reports.iter().flat_map(of_report).collect()
}

fn counter(report: &Report, more: Vec<(&'static str, String)>, value: u64) -> Metric {
    let mut counter = Counter::default();
    counter.set_value(value as f64);
    let mut metric = Metric::from_label(labels(report, more));
    metric.set_counter(counter);
    metric
}

fn attached(report: &Report) -> Metric {
    let mode = report.mode.map_or("none", crate::link::Mode::name);
    let mut gauge = Gauge::default();
    gauge.set_value(f64::from(u8::from(report.mode.is_some())));
    let mut metric = Metric::from_label(labels(report, vec![("mode", mode.to_owned())]));
    metric.set_gauge(gauge);
    metric
}

fn sizes(report: &Report) -> Metric {
    let total = names::total(&report.counts.stats);
    let (mut buckets, mut packets) = (Vec::new(), 0);
    for (_, to, here) in names::sizes(&report.counts.stats) {
        packets += here;
        // The encoder adds the last bucket, which has no bound.
        let Some(to) = to else { continue };
        let mut bucket = Bucket::default();
        bucket.set_cumulative_count(packets);
        bucket.set_upper_bound(to as f64);
        buckets.push(bucket);
    }
    let mut histogram = Histogram::default();
    // From the same reading as the buckets. Otherwise a bucket could exceed the total.
    histogram.set_sample_count(packets);
    histogram.set_sample_sum(total.bytes as f64);
    histogram.set_bucket(buckets);
    let mut metric = Metric::from_label(labels(report, Vec::new()));
    metric.set_histogram(histogram);
    metric
}

fn labels(report: &Report, more: Vec<(&'static str, String)>) -> Vec<LabelPair> {
    let all = [("interface", report.interface.clone())].into_iter().chain(more);
    all.map(|(name, value)| {
        let mut label = LabelPair::default();
        label.set_name(name.to_owned());
        label.set_value(value);
        label
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Stats;
    use crate::link::Mode;
    use crate::program::Counts;
    use crate::report::Rate;

    #[test]
    fn names_types_and_values_are_as_prometheus_wants_them() {
        let traffic = Traffic { packets: 5, bytes: 1_000_000 };
        let mut stats = Stats { ipv4: traffic, tcp: traffic, tcp_syn: 1, ..Stats::ZERO };
        (stats.sizes[6], stats.sizes[16]) = (3, 2);
        let counts = Counts { stats, ports: vec![(8080, Port { traffic, syn: 1 })] };
        let report = Report { interface: "eth0".to_owned(), mode: Some(Mode::Skb), counts, rate: Rate::default() };
        let text = text(&[report]);
        for expected in [
            "# HELP nomos_xdp_packets_total Packets received, by address family.",
            "# TYPE nomos_xdp_packets_total counter",
            "nomos_xdp_packets_total{interface=\"eth0\",family=\"ipv4\"} 5",
            "nomos_xdp_bytes_total{interface=\"eth0\",family=\"ipv4\"} 1000000",
            "nomos_xdp_transport_packets_total{interface=\"eth0\",transport=\"tcp\"} 5",
            "nomos_xdp_tcp_segments_total{interface=\"eth0\",flag=\"syn\"} 1",
            "nomos_xdp_port_syn_total{interface=\"eth0\",port=\"8080\"} 1",
            "nomos_xdp_attached{interface=\"eth0\",mode=\"skb\"} 1",
            "# TYPE nomos_xdp_packet_size_bytes histogram",
            "nomos_xdp_packet_size_bytes_bucket{interface=\"eth0\",le=\"63\"} 0",
            "nomos_xdp_packet_size_bytes_bucket{interface=\"eth0\",le=\"127\"} 3",
            "nomos_xdp_packet_size_bytes_bucket{interface=\"eth0\",le=\"+Inf\"} 5",
            "nomos_xdp_packet_size_bytes_count{interface=\"eth0\"} 5",
        ] {
            assert!(text.lines().any(|line| line == expected), "found\n{text}\nexpected the line\n{expected}");
        }
    }
}
