//! Frames, composed byte by byte.

/// Types of Ethernet frames.
pub const IPV4: u16 = 0x0800;
pub const IPV6: u16 = 0x86dd;
pub const ARP: u16 = 0x0806;
pub const C_TAG: u16 = 0x8100;
pub const S_TAG: u16 = 0x88a8;

/// Protocol numbers.
pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ICMPV6: u8 = 58;

/// TCP flags.
pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;

/// Returns an Ethernet frame.
pub fn ethernet(kind: u16, payload: &[u8]) -> Vec<u8> {
    // Addresses that nobody has, so that a stack drops the frame and does not answer.
    let addresses = [2, 0, 0, 0, 0, 0xaa, 2, 0, 0, 0, 0, 0xbb];
    [&addresses, kind.to_be_bytes().as_slice(), payload].concat()
}

/// Returns the part of a frame after the type of a tag.
pub fn tagged(tag: u16, kind: u16, payload: &[u8]) -> Vec<u8> {
    [&tag.to_be_bytes(), &kind.to_be_bytes(), payload].concat()
}

/// Returns an IPv4 packet. `fragment` is the field of flags and offset.
pub fn ipv4(protocol: u8, fragment: u16, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let words = u8::try_from(5 + options.len() / 4).expect("at most 40 bytes of options");
    let length = u16::try_from(20 + options.len() + payload.len()).expect("a short packet");
    let head = [&[0x40 | words, 0], &length.to_be_bytes()[..], &[0, 1], &fragment.to_be_bytes(), &[64, protocol, 0, 0]];
    [&head.concat(), [192, 0, 2, 1, 192, 0, 2, 2].as_slice(), options, payload].concat()
}

/// Returns an IPv6 packet.
pub fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).expect("a short packet");
    let addresses = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1].repeat(2);
    [&[0x60, 0, 0, 0], &length.to_be_bytes()[..], &[next, 64], &addresses, payload].concat()
}

/// Returns an extension header with this many words of 8 bytes after its first one.
pub fn extension(next: u8, words: u8, payload: &[u8]) -> Vec<u8> {
    [&[next, words], vec![0; 6 + usize::from(words) * 8].as_slice(), payload].concat()
}

/// Returns an authentication header with this many words of 4 bytes after its first 8 bytes.
pub fn authentication(next: u8, words: u8, payload: &[u8]) -> Vec<u8> {
    [&[next, words], vec![0; 6 + usize::from(words) * 4].as_slice(), payload].concat()
}

/// Returns a fragment header. `fragment` is the field of offset and flag.
pub fn fragment(next: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    [&[next, 0], fragment.to_be_bytes().as_slice(), &[0, 0, 0, 7], payload].concat()
}

/// Returns a TCP segment.
pub fn tcp(port: u16, flags: u8, data: &[u8]) -> Vec<u8> {
    let ports = [40_000_u16.to_be_bytes(), port.to_be_bytes()].concat();
    [&ports, [0; 8].as_slice(), &[0x50, flags, 1, 0, 0, 0, 0, 0], data].concat()
}

/// Returns a UDP datagram.
pub fn udp(port: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(8 + data.len()).expect("a short packet");
    [&40_000_u16.to_be_bytes(), &port.to_be_bytes(), &length.to_be_bytes(), [0, 0].as_slice(), data].concat()
}
