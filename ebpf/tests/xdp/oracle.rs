//! The same counting in plain Rust, written from the description of the counters. The program is compared with it on
//! random packets.

use nomos_xdp::layout::{Port, Traffic};
use nomos_xdp::program::Counts;

/// Counts one packet.
pub fn count(counts: &mut Counts, packet: &[u8]) {
    let traffic = Traffic { packets: 1, bytes: packet.len() as u64 };
    counts.stats.sizes[packet.len().max(1).ilog2() as usize] += 1;
    match unwrap_ethernet(packet) {
        Some((0x0800, rest)) => {
            counts.stats.ipv4 += &traffic;
            transport(counts, traffic, ipv4(rest), 1);
        }
        Some((0x86dd, rest)) => {
            counts.stats.ipv6 += &traffic;
            transport(counts, traffic, ipv6(rest), 58);
        }
        Some((0x0806, _)) => counts.stats.arp += &traffic,
        Some((kind, _)) => {
            counts.stats.other_family += &traffic;
            // The program uses kind 0 for a frame that ends too early.
            counts.stats.parse_failures += u64::from(kind == 0);
        }
        None => {
            counts.stats.other_family += &traffic;
            counts.stats.parse_failures += 1;
        }
    }
}

/// A parsed IP packet: its protocol, the bytes after its headers unless it is a later fragment, and whether it is a
/// fragment.
struct Ip<'a> {
    protocol: u8,
    rest: Option<&'a [u8]>,
    fragment: bool,
}

fn unwrap_ethernet(packet: &[u8]) -> Option<(u16, &[u8])> {
    let (mut kind, mut rest) = (be16(packet, 12)?, packet.get(14..)?);
    for _ in 0..2 {
        if matches!(kind, 0x8100 | 0x88a8) {
            (kind, rest) = (be16(rest, 2)?, rest.get(4..)?);
        }
    }
    Some((kind, rest))
}

fn ipv4(packet: &[u8]) -> Result<Ip<'_>, bool> {
    let parse = || {
        let head = packet.get(..20)?;
        let length = usize::from(head[0] & 15) * 4;
        let rest = packet.get(length..)?;
        (head[0] >> 4 == 4 && length >= 20).then_some((head, rest))
    };
    let (head, rest) = parse().ok_or(false)?;
    let field = be16(head, 6).ok_or(false)?;
    let offset = field & 0x1fff;
    let rest = (offset == 0).then_some(rest);
    Ok(Ip { protocol: head[9], rest, fragment: field & 0x3fff != 0 })
}

/// Parses an IPv6 packet. The error says whether there was a fragment header before the part that is invalid.
fn ipv6(packet: &[u8]) -> Result<Ip<'_>, bool> {
    let head = packet.get(..40).filter(|head| head[0] >> 4 == 6).ok_or(false)?;
    let (mut protocol, mut rest, mut fragment) = (head[6], &packet[40..], false);
    for _ in 0..8 {
        if !is_extension(protocol) {
            break;
        }
        let first = rest.get(..8).ok_or(fragment)?;
        let more = match protocol {
            44 => 0,
            51 => usize::from(first[1]) * 4,
            _ => usize::from(first[1]) * 8,
        };
        let field = if protocol == 44 { be16(first, 2).unwrap_or(0) } else { 0 };
        rest = rest.get(8 + more..).ok_or(fragment)?;
        protocol = first[0];
        fragment |= field & 0xfff9 != 0;
        if field & 0xfff8 != 0 {
            return Ok(Ip { protocol, rest: None, fragment });
        }
    }
    if is_extension(protocol) { Err(fragment) } else { Ok(Ip { protocol, rest: Some(rest), fragment }) }
}

fn is_extension(protocol: u8) -> bool {
    [0, 43, 44, 51, 60, 135, 139, 140].contains(&protocol)
}

fn transport(counts: &mut Counts, traffic: Traffic, ip: Result<Ip<'_>, bool>, icmp: u8) {
    let ip = match ip {
        Ok(ip) => ip,
        Err(fragment) => {
            counts.stats.other_transport += &traffic;
            counts.stats.parse_failures += 1;
            counts.stats.fragments += u64::from(fragment);
            return;
        }
    };
    counts.stats.fragments += u64::from(ip.fragment);
    match ip.protocol {
        6 => {
            counts.stats.tcp += &traffic;
            if let Some(rest) = ip.rest {
                tcp(counts, traffic, rest);
            }
        }
        17 => counts.stats.udp += &traffic,
        protocol if protocol == icmp => counts.stats.icmp += &traffic,
        _ => counts.stats.other_transport += &traffic,
    }
}

fn tcp(counts: &mut Counts, traffic: Traffic, segment: &[u8]) {
    let Some(head) = segment.get(..20).filter(|head| head[12] >> 4 >= 5) else {
        counts.stats.parse_failures += 1;
        return;
    };
    let flag = |bit: u8| u64::from(head[13] & bit != 0);
    counts.stats.tcp_fin += flag(1);
    counts.stats.tcp_syn += flag(2);
    counts.stats.tcp_rst += flag(4);
    let watched = counts.ports.iter_mut().find(|(port, _)| Some(*port) == be16(head, 2));
    if let Some((_, counted)) = watched {
        *counted += &Port { traffic, syn: flag(2) };
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
