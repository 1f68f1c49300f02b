/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the program counts. This is the only definition: the build script reads it back from the compiled object's BTF
 * and writes the Rust side, with its sizes and offsets asserted.
 *
 * All counters are 64 bits wide and only grow; at 100 million packets per second one wraps after 5800 years.
 */
#pragma once

/* Slots of watched TCP ports. They fit a byte, and 0 stands for none: so 255 ports at most. */
#define NOMOS_SLOTS 256

/* Classes of sizes. The length of a packet has 32 bits. */
#define NOMOS_SIZES 32

struct nomos_traffic {
	__u64 packets;
	__u64 bytes; /* of the frames, from the Ethernet header to the last byte, tags and padding included */
};

struct nomos_stats {
	/* By EtherType behind the tags. Each packet is in exactly one of the four. */
	struct nomos_traffic ipv4;
	struct nomos_traffic ipv6;
	struct nomos_traffic arp;
	struct nomos_traffic other_family;

	/* By protocol of the IP packet. Each IPv4 and IPv6 packet is in exactly one of the four. */
	struct nomos_traffic tcp;
	struct nomos_traffic udp;
	struct nomos_traffic icmp;
	struct nomos_traffic other_transport;

	/* TCP segments with that flag, whatever else is set. */
	__u64 tcp_syn;
	__u64 tcp_fin;
	__u64 tcp_rst;

	/* Pieces of an IP packet, the first one included. */
	__u64 fragments;

	/* Packets with a header that is cut short, or says something impossible, or stands behind too many others. */
	__u64 parse_failures;

	/* sizes[n]: packets of 2^n to 2^(n+1)-1 bytes; the first: empty ones too. */
	__u64 sizes[NOMOS_SIZES];
};

/* By destination port: what comes for a server on that port. */
struct nomos_port {
	struct nomos_traffic traffic;
	__u64 syn;
};

/* The slot of each port. */
struct nomos_slots {
	__u8 of[1 << 16];
};
