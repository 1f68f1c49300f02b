//! The known mix: frames, and how each of them must be counted.

use nomos_xdp::layout::{Port, Stats, Traffic};
use nomos_xdp::program::Counts;

use crate::frame::{
    ACK, ARP, C_TAG, FIN, ICMP, ICMPV6, IPV4, IPV6, RST, S_TAG, SYN, TCP, UDP, authentication, ethernet, extension,
    fragment, ipv4, ipv6, tagged, tcp, udp,
};

/// The watched ports.
pub const PORTS: [u16; 2] = [8080, 8443];

/// How a frame must be counted, apart from its size.
#[derive(Clone, Copy)]
pub struct Expected {
    family: Family,
    transport: Transport,
    flags: u8,
    fragment: bool,
    failure: bool,
    port: Option<u16>,
}

#[derive(Clone, Copy)]
enum Family {
    Ipv4,
    Ipv6,
    Arp,
    Other,
}

#[derive(Clone, Copy)]
enum Transport {
    None,
    Tcp,
    Udp,
    Icmp,
    Other,
}

/// A row of the mix.
pub struct Row {
    /// A description for messages.
    pub name: &'static str,
    /// The frame.
    pub frame: Vec<u8>,
    /// How it must be counted.
    pub expected: Expected,
}

impl Expected {
    const fn new(family: Family, transport: Transport) -> Self {
        Self { family, transport, flags: 0, fragment: false, failure: false, port: None }
    }

    fn segment(self, flags: u8, port: u16) -> Self {
        Self { flags, port: PORTS.contains(&port).then_some(port), ..self }
    }

    fn fragment(self) -> Self {
        Self { fragment: true, ..self }
    }

    fn failure(self) -> Self {
        Self { failure: true, ..self }
    }
}

/// Returns the counts of no packets.
pub fn nothing() -> Counts {
    Counts { stats: Stats::ZERO, ports: PORTS.map(|port| (port, Port::ZERO)).to_vec() }
}

/// Adds the counts of a frame that is sent this often.
pub fn add(counts: &mut Counts, row: &Row, times: u64) {
    let expected = row.expected;
    let traffic = Traffic { packets: times, bytes: times * row.frame.len() as u64 };
    let stats = &mut counts.stats;
    *match expected.family {
        Family::Ipv4 => &mut stats.ipv4,
        Family::Ipv6 => &mut stats.ipv6,
        Family::Arp => &mut stats.arp,
        Family::Other => &mut stats.other_family,
    } += &traffic;
    match expected.transport {
        Transport::None => (),
        Transport::Tcp => stats.tcp += &traffic,
        Transport::Udp => stats.udp += &traffic,
        Transport::Icmp => stats.icmp += &traffic,
        Transport::Other => stats.other_transport += &traffic,
    }
    let with = |flag: u8| if expected.flags & flag == 0 { 0 } else { times };
    stats.tcp_syn += with(SYN);
    stats.tcp_fin += with(FIN);
    stats.tcp_rst += with(RST);
    stats.fragments += if expected.fragment { times } else { 0 };
    stats.parse_failures += if expected.failure { times } else { 0 };
    stats.sizes[row.frame.len().ilog2() as usize] += times;
    if let Some((_, port)) = counts.ports.iter_mut().find(|(port, _)| Some(*port) == expected.port) {
        port.traffic += &traffic;
        port.syn += with(SYN);
    }
}

/// Returns all rows. Each is a frame that an interface can send: an Ethernet header with at most 1500 bytes after it.
#[expect(clippy::too_many_lines, reason = "a table")]
pub fn rows() -> Vec<Row> {
    use Transport::{Icmp, Other, Tcp, Udp};
    let v4 = |transport| Expected::new(Family::Ipv4, transport);
    let v6 = |transport| Expected::new(Family::Ipv6, transport);
    let (arp, other) = (Expected::new(Family::Arp, Transport::None), Expected::new(Family::Other, Transport::None));
    let in4 = |protocol, payload: &[u8]| ethernet(IPV4, &ipv4(protocol, 0x4000, &[], payload));
    let piece4 = |protocol, fragment, payload: &[u8]| ethernet(IPV4, &ipv4(protocol, fragment, &[], payload));
    let in6 = |next, payload: &[u8]| ethernet(IPV6, &ipv6(next, payload));
    let syn = tcp(8080, SYN, &[]);
    let dns = udp(53, &[1; 30]);
    let row = |name, frame, expected| Row { name, frame, expected };
    let cut = |frame: Vec<u8>, to: usize| frame[..to].to_vec();
    let with = |mut frame: Vec<u8>, at: usize, byte: u8| {
        frame[at] = byte;
        frame
    };
    vec![
        row("a SYN to a watched port", in4(TCP, &syn), v4(Tcp).segment(SYN, 8080)),
        row("a SYN to the other watched port", in4(TCP, &tcp(8443, SYN, &[])), v4(Tcp).segment(SYN, 8443)),
        row("a SYN to a port nobody watches", in4(TCP, &tcp(80, SYN, &[])), v4(Tcp).segment(SYN, 80)),
        row("a SYN-ACK", in4(TCP, &tcp(40_001, SYN | ACK, &[])), v4(Tcp).segment(SYN, 40_001)),
        row("a FIN", in4(TCP, &tcp(8080, FIN | ACK, &[])), v4(Tcp).segment(FIN, 8080)),
        row("a RST", in4(TCP, &tcp(8080, RST, &[])), v4(Tcp).segment(RST, 8080)),
        row("all flags", in4(TCP, &tcp(8080, 0xff, &[])), v4(Tcp).segment(SYN | FIN | RST, 8080)),
        row("no flags", in4(TCP, &tcp(8080, 0, &[])), v4(Tcp).segment(0, 8080)),
        row("data", in4(TCP, &tcp(8080, ACK, &[7; 1000])), v4(Tcp).segment(0, 8080)),
        row("the longest frame", in4(TCP, &tcp(8080, ACK, &[7; 1460])), v4(Tcp).segment(0, 8080)),
        row("port 0", in4(TCP, &tcp(0, SYN, &[])), v4(Tcp).segment(SYN, 0)),
        row("port 65535", in4(TCP, &tcp(65_535, SYN, &[])), v4(Tcp).segment(SYN, 65_535)),
        row("UDP", in4(UDP, &dns), v4(Udp)),
        row("UDP to the number of a watched port", in4(UDP, &udp(8080, &[])), v4(Udp)),
        row("ICMP", in4(ICMP, &[8, 0, 0, 0, 0, 0, 0, 0]), v4(Icmp)),
        row("the ICMP of IPv6 in IPv4", in4(ICMPV6, &[128, 0, 0, 0]), v4(Other)),
        row("GRE", in4(47, &[0; 20]), v4(Other)),
        row("an IPv6 header's protocol in IPv4", in4(0, &[0; 20]), v4(Other)),
        row("IPv4 options", ethernet(IPV4, &ipv4(TCP, 0, &[1; 40], &syn)), v4(Tcp).segment(SYN, 8080)),
        row("IPv4 cut in its options", cut(ethernet(IPV4, &ipv4(TCP, 0, &[1; 40], &syn)), 70), v4(Other).failure()),
        row("the first fragment", piece4(TCP, 0x2000, &syn), v4(Tcp).segment(SYN, 8080).fragment()),
        row("a middle fragment", piece4(TCP, 0x2010, &syn), v4(Tcp).fragment()),
        row("the last fragment", piece4(TCP, 0x0010, &syn), v4(Tcp).fragment()),
        row("a short last fragment", piece4(TCP, 0x0010, &[1]), v4(Tcp).fragment()),
        row("the last fragment of UDP", piece4(UDP, 0x1fff, &[0; 9]), v4(Udp).fragment()),
        row("no IPv4 header", ethernet(IPV4, &[]), v4(Other).failure()),
        row("half an IPv4 header", cut(in4(TCP, &syn), 14 + 10), v4(Other).failure()),
        row("an IPv4 header that is too short", with(in4(TCP, &syn), 14, 0x44), v4(Other).failure()),
        row("another version in IPv4", with(in4(TCP, &syn), 14, 0x65), v4(Other).failure()),
        row("no TCP header", in4(TCP, &[]), v4(Tcp).failure()),
        row("half a TCP header", in4(TCP, &syn[..13]), v4(Tcp).failure()),
        row("a TCP header that is too short", with(in4(TCP, &syn), 14 + 20 + 12, 0x40), v4(Tcp).failure()),
        row("padding", [in4(TCP, &syn), vec![0; 6]].concat(), v4(Tcp).segment(SYN, 8080)),
        row("SYN in IPv6", in6(TCP, &syn), v6(Tcp).segment(SYN, 8080)),
        row("UDP in IPv6", in6(UDP, &dns), v6(Udp)),
        row("ICMPv6", in6(ICMPV6, &[128, 0, 0, 0, 0, 0, 0, 0]), v6(Icmp)),
        row("the ICMP of IPv4 in IPv6", in6(ICMP, &[8, 0, 0, 0]), v6(Other)),
        row("no next header", in6(59, &[]), v6(Other)),
        row("ESP", in6(50, &[9; 40]), v6(Other)),
        row("hop-by-hop", in6(0, &extension(TCP, 0, &syn)), v6(Tcp).segment(SYN, 8080)),
        row("a long hop-by-hop", in6(0, &extension(TCP, 50, &syn)), v6(Tcp).segment(SYN, 8080)),
        row(
            "hop-by-hop, destination, routing, mobility, HIP, Shim6, destination, authentication",
            in6(
                0,
                &extension(
                    60,
                    1,
                    &extension(
                        43,
                        2,
                        &extension(
                            135,
                            0,
                            &extension(
                                139,
                                0,
                                &extension(140, 0, &extension(60, 0, &extension(51, 0, &authentication(TCP, 4, &syn)))),
                            ),
                        ),
                    ),
                ),
            ),
            v6(Tcp).segment(SYN, 8080),
        ),
        row("nine extension headers", in6(60, &nested(9, &syn)), v6(Other).failure()),
        row("eight extension headers", in6(60, &nested(8, &syn)), v6(Tcp).segment(SYN, 8080)),
        row("an extension header that is cut", in6(0, &[TCP, 0, 0, 0]), v6(Other).failure()),
        row(
            "an extension header longer than the packet",
            in6(0, &with(extension(TCP, 0, &syn), 1, 200)),
            v6(Other).failure(),
        ),
        row("the first fragment in IPv6", in6(44, &fragment(TCP, 1, &syn)), v6(Tcp).segment(SYN, 8080).fragment()),
        row("a later fragment in IPv6", in6(44, &fragment(TCP, 0x0101, &syn)), v6(Tcp).fragment()),
        row("the last fragment in IPv6", in6(44, &fragment(UDP, 0x0100, &[1])), v6(Udp).fragment()),
        row("a later fragment of an extension header", in6(44, &fragment(60, 0x0100, &[1; 9])), v6(Other).fragment()),
        row("an atomic fragment", in6(44, &fragment(TCP, 0, &syn)), v6(Tcp).segment(SYN, 8080)),
        row(
            "two fragment headers",
            in6(44, &fragment(44, 1, &fragment(TCP, 1, &syn))),
            v6(Tcp).segment(SYN, 8080).fragment(),
        ),
        row(
            "hop-by-hop, then a fragment",
            in6(0, &extension(44, 0, &fragment(TCP, 1, &syn))),
            v6(Tcp).segment(SYN, 8080).fragment(),
        ),
        row("no IPv6 header", ethernet(IPV6, &[]), v6(Other).failure()),
        row("half an IPv6 header", cut(in6(TCP, &syn), 14 + 39), v6(Other).failure()),
        row("another version in IPv6", with(in6(TCP, &syn), 14, 0x45), v6(Other).failure()),
        row("half a TCP header in IPv6", in6(TCP, &syn[..19]), v6(Tcp).failure()),
        row("ARP", ethernet(ARP, &[0; 28]), arp),
        row("ARP without a body", ethernet(ARP, &[]), arp),
        row("LLDP", ethernet(0x88cc, &[0; 40]), other),
        row("a frame with a length", ethernet(38, &[0xaa; 38]), other),
        row("a tag", ethernet(C_TAG, &tagged(5, IPV4, &ipv4(TCP, 0, &[], &syn))), v4(Tcp).segment(SYN, 8080)),
        row("a provider's tag", ethernet(S_TAG, &tagged(5, IPV6, &ipv6(UDP, &dns))), v6(Udp)),
        row(
            "two tags",
            ethernet(S_TAG, &tagged(5, C_TAG, &tagged(6, IPV4, &ipv4(TCP, 0, &[], &syn)))),
            v4(Tcp).segment(SYN, 8080),
        ),
        row("two tags and ARP", ethernet(C_TAG, &tagged(5, C_TAG, &tagged(6, ARP, &[0; 28]))), arp),
        row(
            "three tags",
            ethernet(C_TAG, &tagged(5, C_TAG, &tagged(6, C_TAG, &tagged(7, IPV4, &ipv4(TCP, 0, &[], &syn))))),
            other,
        ),
        row("half a tag", ethernet(C_TAG, &[0, 5]), other.failure()),
        row("half a second tag", ethernet(S_TAG, &tagged(5, C_TAG, &[0, 6, 8])), other.failure()),
    ]
}

fn nested(extensions: usize, payload: &[u8]) -> Vec<u8> {
    (0..extensions).fold(payload.to_vec(), |inner, at| extension(if at == 0 { TCP } else { 60 }, 0, &inner))
}
