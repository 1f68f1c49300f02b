/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Counts packets and lets every one of them pass.
 *
 * All counters are per CPU, and the kernel runs no two XDP programs on one CPU at the same time: so plain additions are
 * enough, where atomic ones would take longer than all the rest.
 */
#include "kernel.h"
#include "nomos_xdp.h"

/* Licences by which the kernel lets a program call all helpers; the same as above. */
char _license[] SEC("license") = "Dual MIT/GPL";

/* More tags than this are not looked behind: 802.1ad puts one customer tag into one provider tag. */
#define VLAN_TAGS 2

/* RFC 8200 gives each of its kinds one place in a packet, and destination options two: with those of later RFCs 8. */
#define IPV6_EXTENSIONS 8

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nomos_stats);
} nomos_stats SEC(".maps");

/*
 * Where a port is counted: its slot in nomos_ports, or 0 where nobody watches it. The loader fills it and the program
 * only reads it. A hash map would be the usual way, but its look-up is two calls: 22 ns against 1 ns.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, __u32);
	__type(value, struct nomos_slots);
} nomos_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NOMOS_SLOTS);
	__type(key, __u32);
	__type(value, struct nomos_port);
} nomos_ports SEC(".maps");

/* EtherTypes */
#define ETH_IPV4 0x0800
#define ETH_ARP 0x0806
#define ETH_IPV6 0x86dd
#define ETH_8021Q 0x8100
#define ETH_8021AD 0x88a8

/* Protocol numbers of IP */
#define IP_HOP_BY_HOP 0
#define IP_ICMP 1
#define IP_TCP 6
#define IP_UDP 17
#define IP_ROUTING 43
#define IP_FRAGMENT 44
#define IP_AUTHENTICATION 51
#define IP_ICMPV6 58
#define IP_DESTINATION 60
#define IP_MOBILITY 135
#define IP_HIP 139
#define IP_SHIM6 140

/* Headers as they stand in a packet; fields of two bytes are big-endian. */
struct ethernet {
	__u8 addresses[12];
	__u16 type;
};

struct vlan {
	__u16 tag;
	__u16 type;
};

struct ipv4 {
	__u8 version_words;
	__u8 skipped[5];
	__u16 fragment;
	__u8 ttl;
	__u8 protocol;
	__u8 rest[10];
};

struct ipv6 {
	__u8 version;
	__u8 skipped[5];
	__u8 next;
	__u8 rest[33];
};

struct extension {
	__u8 next;
	__u8 length;
	__u16 fragment;
	__u8 rest[4];
};

struct tcp {
	__u16 source;
	__u16 destination;
	__u8 skipped[8];
	__u8 words;
	__u8 flags;
	__u8 rest[6];
};

#define IPV4_MORE_FRAGMENTS 0x2000
#define IPV4_OFFSET 0x1fff
#define IPV6_MORE_FRAGMENTS 0x0001
#define IPV6_OFFSET 0xfff8
#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04

/* What is left of a packet. */
struct cursor {
	void *at;
	void *end;
};

/* One packet being counted. */
struct packet {
	struct cursor cursor;
	struct nomos_stats *stats;
	__u64 length;
};

static __always_inline void add(struct nomos_traffic *traffic, __u64 length)
{
	traffic->packets += 1;
	traffic->bytes += length;
}

/* The next header, or nothing where the packet ends before it does. */
static __always_inline void *take(struct cursor *cursor, __u32 size)
{
	void *header = cursor->at;

	if (header + size > cursor->end)
		return 0;
	cursor->at = header + size;
	return header;
}

static __always_inline void count_port(__u16 port, __u8 flags, __u64 length)
{
	__u32 only = 0, slot;
	struct nomos_slots *slots = bpf_map_lookup_elem(&nomos_slots, &only);
	struct nomos_port *watched;

	slot = slots ? slots->of[port] : 0;
	if (!slot)
		return;
	watched = bpf_map_lookup_elem(&nomos_ports, &slot);
	if (!watched)
		return;
	add(&watched->traffic, length);
	if (flags & TCP_SYN)
		watched->syn += 1;
}

static __always_inline void count_tcp(struct packet *packet)
{
	struct nomos_stats *stats = packet->stats;
	struct tcp *tcp = take(&packet->cursor, sizeof(*tcp));
	__u8 flags;

	if (!tcp || tcp->words >> 4 < 5) {
		stats->parse_failures += 1;
		return;
	}
	flags = tcp->flags;
	if (flags & (TCP_SYN | TCP_FIN | TCP_RST)) {
		if (flags & TCP_SYN)
			stats->tcp_syn += 1;
		if (flags & TCP_FIN)
			stats->tcp_fin += 1;
		if (flags & TCP_RST)
			stats->tcp_rst += 1;
	}
	count_port(be16(tcp->destination), flags, packet->length);
}

/* Only the first piece of a packet has the header of its transport. */
static __always_inline void count_transport(struct packet *packet, __u32 protocol, __u32 icmp, int first)
{
	struct nomos_stats *stats = packet->stats;

	if (protocol == IP_TCP) {
		add(&stats->tcp, packet->length);
		if (first)
			count_tcp(packet);
	} else if (protocol == IP_UDP) {
		add(&stats->udp, packet->length);
	} else if (protocol == icmp) {
		add(&stats->icmp, packet->length);
	} else {
		add(&stats->other_transport, packet->length);
	}
}

static __always_inline void count_unparsed(struct packet *packet)
{
	packet->stats->parse_failures += 1;
	add(&packet->stats->other_transport, packet->length);
}

static __always_inline void count_ipv4(struct packet *packet)
{
	struct ipv4 *ip = take(&packet->cursor, sizeof(*ip));
	__u32 fragment;

	add(&packet->stats->ipv4, packet->length);
	if (!ip || ip->version_words < 0x45 || ip->version_words > 0x4f) {
		count_unparsed(packet);
		return;
	}
	/* Again from the start, with options: a difference of two lengths is too much for the verifier. */
	packet->cursor.at = ip;
	if (!take(&packet->cursor, (ip->version_words & 0xf) * 4)) {
		count_unparsed(packet);
		return;
	}
	fragment = be16(ip->fragment);
	if (fragment & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET))
		packet->stats->fragments += 1;
	count_transport(packet, ip->protocol, IP_ICMP, !(fragment & IPV4_OFFSET));
}

/* What an extension header has after its first 8 bytes. A fragment header has nothing there. */
static __always_inline __u32 extension_rest(__u32 protocol, struct extension *header)
{
	return header->length * (protocol == IP_AUTHENTICATION ? 4 : 8);
}

static __always_inline int is_extension(__u32 protocol)
{
	switch (protocol) {
	case IP_HOP_BY_HOP:
	case IP_ROUTING:
	case IP_FRAGMENT:
	case IP_AUTHENTICATION:
	case IP_DESTINATION:
	case IP_MOBILITY:
	case IP_HIP:
	case IP_SHIM6:
		return 1;
	default:
		return 0;
	}
}

static __always_inline void count_ipv6(struct packet *packet)
{
	struct ipv6 *ip = take(&packet->cursor, sizeof(*ip));
	__u32 protocol;
	int is_fragment = 0;

	add(&packet->stats->ipv6, packet->length);
	if (!ip || ip->version >> 4 != 6) {
		count_unparsed(packet);
		return;
	}
	protocol = ip->next;
	for (int n = 0; n < IPV6_EXTENSIONS && is_extension(protocol); n++) {
		/* Every one has at least 8 bytes, and what is read stands in them. */
		struct extension *header = take(&packet->cursor, sizeof(*header));
		__u32 fragment = 0;

		if (!header)
			break;
		if (protocol == IP_FRAGMENT)
			fragment = be16(header->fragment);
		else if (!take(&packet->cursor, extension_rest(protocol, header)))
			break;
		protocol = header->next;
		if (fragment & (IPV6_MORE_FRAGMENTS | IPV6_OFFSET) && !is_fragment) {
			packet->stats->fragments += 1;
			is_fragment = 1;
		}
		if (fragment & IPV6_OFFSET) {
			/* What follows is the middle of something, whatever it is called. */
			count_transport(packet, protocol, IP_ICMPV6, 0);
			return;
		}
	}
	if (is_extension(protocol))
		count_unparsed(packet);
	else
		count_transport(packet, protocol, IP_ICMPV6, 1);
}

/* The EtherType behind the tags, or 0 (which is a length, not a type) where the frame ends before it. */
static __always_inline __u32 ethertype(struct cursor *cursor)
{
	struct ethernet *ethernet = take(cursor, sizeof(*ethernet));
	__u32 type;

	if (!ethernet)
		return 0;
	type = be16(ethernet->type);
#pragma unroll
	for (int n = 0; n < VLAN_TAGS; n++) {
		struct vlan *vlan;

		if (type != ETH_8021Q && type != ETH_8021AD)
			break;
		vlan = take(cursor, sizeof(*vlan));
		if (!vlan)
			return 0;
		type = be16(vlan->type);
	}
	return type;
}

static __always_inline __u32 log2_floor(__u32 value)
{
	__u32 log = 0;

	if (value >= 1 << 16)
		return 16;
	if (value >= 1 << 8) {
		value >>= 8;
		log += 8;
	}
	if (value >= 1 << 4) {
		value >>= 4;
		log += 4;
	}
	if (value >= 1 << 2) {
		value >>= 2;
		log += 2;
	}
	if (value >= 1 << 1)
		log += 1;
	return log;
}

static __always_inline int count(struct xdp_md *ctx, __u64 length)
{
	__u32 only = 0, size = log2_floor(length);
	struct nomos_stats *stats = bpf_map_lookup_elem(&nomos_stats, &only);
	struct packet packet = {
		.cursor = { .at = (void *)(long)ctx->data, .end = (void *)(long)ctx->data_end },
		.stats = stats,
		.length = length,
	};

	if (!stats)
		return XDP_PASS;
	if (size < NOMOS_SIZES)
		stats->sizes[size] += 1;
	switch (ethertype(&packet.cursor)) {
	case ETH_IPV4:
		count_ipv4(&packet);
		break;
	case ETH_IPV6:
		count_ipv6(&packet);
		break;
	case ETH_ARP:
		add(&stats->arp, length);
		break;
	case 0:
		stats->parse_failures += 1;
		/* fallthrough */
	default:
		add(&stats->other_family, length);
	}
	return XDP_PASS;
}

SEC("xdp") int nomos_xdp(struct xdp_md *ctx)
{
	return count(ctx, ctx->data_end - ctx->data);
}

/*
 * The same for packets in several buffers (Linux 5.18): jumbo frames, and what is merged or not yet cut into segments.
 * The headers are in the first one. With a program that cannot do so, veth cuts on the sender's processor.
 */
SEC("xdp.frags") int nomos_xdp_frags(struct xdp_md *ctx)
{
	return count(ctx, bpf_xdp_get_buff_len(ctx));
}
