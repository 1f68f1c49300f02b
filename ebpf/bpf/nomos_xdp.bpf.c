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

/* Where a header can begin: with all tags and the longest extension headers at 14 + 2 * 4 + 40 + 8 * 2048. */
#define MAX_OFFSET 0x7fff

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

/*
 * Where the walk along extension headers has got to. In a map rather than in registers, because what the verifier reads
 * back from a map is any number: so it proves one step for all, where it would follow each combination of headers.
 */
struct walk {
	__u32 protocol;
	__u32 offset;
	__u64 is_fragment;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} nomos_walk SEC(".maps");

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

/* What is left of a packet, and how many bytes were before it. */
struct cursor {
	void *at;
	void *end;
	__u32 offset;
};

/* One packet being counted. */
struct packet {
	struct cursor cursor;
	struct xdp_md *ctx;
	struct nomos_stats *stats;
	__u64 length;
	/* Whether the verifier trusts us with pointers that depend on the packet: only root and CAP_PERFMON. */
	int trusted;
};

static __always_inline void add(struct nomos_traffic *traffic, __u64 length)
{
	traffic->packets += 1;
	traffic->bytes += length;
	/* Keeps clang from making one addition out of several to counters that differ: who is not trusted may not. */
	asm volatile("");
}

/*
 * Goes behind the next header. False where the packet ends before it does. The header is not given back: who may not see
 * where packets are may not compare a pointer into one with NULL either.
 */
static __always_inline int take(struct cursor *cursor, __u32 size)
{
	void *behind = cursor->at + size;

	if (behind > cursor->end)
		return 0;
	cursor->at = behind;
	cursor->offset += size;
	return 1;
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

static __always_inline void count_tcp(struct packet *packet, struct tcp *tcp)
{
	struct nomos_stats *stats = packet->stats;
	__u8 flags = tcp->flags;

	if (tcp->words >> 4 < 5) {
		stats->parse_failures += 1;
		return;
	}
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

/* True where there is a TCP header to look at: only the first piece of a packet has one. */
static __always_inline int count_transport(struct packet *packet, __u32 protocol, __u32 icmp, int first)
{
	struct nomos_stats *stats = packet->stats;

	if (protocol == IP_TCP) {
		add(&stats->tcp, packet->length);
		return first;
	}
	if (protocol == IP_UDP)
		add(&stats->udp, packet->length);
	else if (protocol == icmp)
		add(&stats->icmp, packet->length);
	else
		add(&stats->other_transport, packet->length);
	return 0;
}

static __always_inline void count_next_tcp(struct packet *packet)
{
	struct tcp *tcp = packet->cursor.at;

	if (take(&packet->cursor, sizeof(*tcp)))
		count_tcp(packet, tcp);
	else
		packet->stats->parse_failures += 1;
}

static __always_inline void count_unparsed(struct packet *packet)
{
	packet->stats->parse_failures += 1;
	add(&packet->stats->other_transport, packet->length);
}

/* Copies a part of the packet. False where the packet ends before it does. */
static __always_inline int copy(struct packet *packet, __u32 offset, void *to, __u32 size)
{
	void *from;

	if (!packet->trusted)
		return !bpf_xdp_load_bytes(packet->ctx, offset, to, size);
	/* The longest headers end before that, and the verifier wants to know how far a pointer may go. */
	if (offset > MAX_OFFSET)
		return 0;
	from = (void *)(long)packet->ctx->data + (offset & MAX_OFFSET);
	if (from + size > packet->cursor.end)
		return 0;
	__builtin_memcpy(to, from, size);
	return 1;
}

/* For what stands behind a header whose length depends on the packet. */
static __always_inline void count_tcp_at(struct packet *packet, __u32 offset)
{
	struct tcp tcp;

	if (copy(packet, offset, &tcp, sizeof(tcp)))
		count_tcp(packet, &tcp);
	else
		packet->stats->parse_failures += 1;
}

static __always_inline void count_ipv4(struct packet *packet)
{
	struct ipv4 *ip = packet->cursor.at;
	__u32 offset = packet->cursor.offset, fragment;

	add(&packet->stats->ipv4, packet->length);
	if (!take(&packet->cursor, sizeof(*ip)) || ip->version_words < 0x45 || ip->version_words > 0x4f) {
		count_unparsed(packet);
		return;
	}
	offset += (ip->version_words & 0xf) * 4;
	if (offset > packet->length) {
		count_unparsed(packet);
		return;
	}
	fragment = be16(ip->fragment);
	if (fragment & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET))
		packet->stats->fragments += 1;
	if (!count_transport(packet, ip->protocol, IP_ICMP, !(fragment & IPV4_OFFSET)))
		return;
	if (ip->version_words == 0x45)
		count_next_tcp(packet);
	else
		count_tcp_at(packet, offset);
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

/* An extension header's length in bytes. */
static __always_inline __u32 extension_length(__u32 protocol, struct extension *header)
{
	switch (protocol) {
	case IP_FRAGMENT:
		return sizeof(*header);
	case IP_AUTHENTICATION:
		return sizeof(*header) + header->length * 4;
	default:
		return sizeof(*header) + header->length * 8;
	}
}

/* What became of a step. */
enum step { MORE, END, LATER_FRAGMENT, CUT };

static __always_inline enum step take_extension(struct packet *packet, struct walk *walk)
{
	__u32 protocol = walk->protocol, offset = walk->offset, fragment = 0;
	struct extension header;

	if (!is_extension(protocol))
		return END;
	if (!copy(packet, offset, &header, sizeof(header)))
		return CUT;
	offset += extension_length(protocol, &header);
	if (offset > packet->length)
		return CUT;
	walk->protocol = header.next;
	walk->offset = offset;
	if (protocol == IP_FRAGMENT)
		fragment = be16(header.fragment);
	if (fragment & (IPV6_MORE_FRAGMENTS | IPV6_OFFSET) && !walk->is_fragment) {
		packet->stats->fragments += 1;
		walk->is_fragment = 1;
	}
	return fragment & IPV6_OFFSET ? LATER_FRAGMENT : MORE;
}

/* Rare enough to copy each header, which everybody may. */
static __always_inline void count_extensions(struct packet *packet, __u32 protocol)
{
	__u32 only = 0;
	struct walk *walk = bpf_map_lookup_elem(&nomos_walk, &only);
	enum step step = MORE;

	if (!walk)
		return;
	walk->protocol = protocol;
	walk->offset = packet->cursor.offset;
	walk->is_fragment = 0;
	/* Unrolled: the verifier also follows processors that guess the end of a loop wrongly. */
#pragma unroll
	for (int n = 0; n < IPV6_EXTENSIONS; n++)
		if (step == MORE)
			step = take_extension(packet, walk);
	if (step == LATER_FRAGMENT)
		/* What follows is the middle of something, whatever it is called. */
		count_transport(packet, walk->protocol, IP_ICMPV6, 0);
	else if (step == CUT || is_extension(walk->protocol))
		count_unparsed(packet);
	else if (count_transport(packet, walk->protocol, IP_ICMPV6, 1))
		count_tcp_at(packet, walk->offset);
}

static __always_inline void count_ipv6(struct packet *packet)
{
	struct ipv6 *ip = packet->cursor.at;

	add(&packet->stats->ipv6, packet->length);
	if (!take(&packet->cursor, sizeof(*ip)) || ip->version >> 4 != 6) {
		count_unparsed(packet);
		return;
	}
	if (is_extension(ip->next))
		count_extensions(packet, ip->next);
	else if (count_transport(packet, ip->next, IP_ICMPV6, 1))
		count_next_tcp(packet);
}

/* The EtherType behind the tags, or 0 (which is a length, not a type) where the frame ends before it. */
static __always_inline __u32 ethertype(struct cursor *cursor)
{
	struct ethernet *ethernet = cursor->at;
	__u32 type;

	if (!take(cursor, sizeof(*ethernet)))
		return 0;
	type = be16(ethernet->type);
#pragma unroll
	for (int n = 0; n < VLAN_TAGS; n++) {
		struct vlan *vlan = cursor->at;

		if (type != ETH_8021Q && type != ETH_8021AD)
			break;
		if (!take(cursor, sizeof(*vlan)))
			return 0;
		type = be16(vlan->type);
	}
	return type;
}

/* For a 32-bit value; 0 counts as 1. */
static __always_inline __u32 log2_floor(__u32 value)
{
	__u32 log = 0;

	if (value >= 1 << 16) {
		value >>= 16;
		log += 16;
	}
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

/*
 * The same without branches, which takes longer: for who is not trusted, an index must not be a constant that depends on
 * the way that led to it. All bits below the highest one are set, and then counted.
 */
static __always_inline __u32 log2_floor_straight(__u32 value)
{
	value |= value >> 1;
	value |= value >> 2;
	value |= value >> 4;
	value |= value >> 8;
	value |= value >> 16;
	value >>= 1;
	value -= value >> 1 & 0x55555555;
	value = (value & 0x33333333) + (value >> 2 & 0x33333333);
	value = (value + (value >> 4)) & 0x0f0f0f0f;
	return value * 0x01010101 >> 24;
}

static __always_inline int count(struct xdp_md *ctx, __u64 length, int trusted)
{
	__u32 only = 0, size = trusted ? log2_floor(length) : log2_floor_straight(length);
	struct nomos_stats *stats = bpf_map_lookup_elem(&nomos_stats, &only);
	struct packet packet = {
		.cursor = { .at = (void *)(long)ctx->data, .end = (void *)(long)ctx->data_end },
		.ctx = ctx,
		.stats = stats,
		.length = length,
		.trusted = trusted,
	};

	if (!stats)
		return XDP_PASS;
	stats->sizes[size % NOMOS_SIZES] += 1;
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

/* The fastest. A difference of pointers would tell where packets are, so it takes root or CAP_PERFMON to load this. */
SEC("xdp") int nomos_xdp(struct xdp_md *ctx)
{
	return count(ctx, ctx->data_end - ctx->data, 1);
}

/* The same for CAP_BPF and CAP_NET_ADMIN alone (Linux 5.18): asks the kernel for the length, which is a call. */
SEC("xdp") int nomos_xdp_call(struct xdp_md *ctx)
{
	return count(ctx, bpf_xdp_get_buff_len(ctx), 0);
}

/*
 * The same for packets in several buffers (Linux 5.18), as jumbo frames are. The headers have to be in the first one. Takes
 * root or CAP_PERFMON.
 */
SEC("xdp.frags") int nomos_xdp_frags(struct xdp_md *ctx)
{
	return count(ctx, bpf_xdp_get_buff_len(ctx), 1);
}

/*
 * The same for the stack (skb mode). It fills the first buffer, of about 3500 bytes, before it begins another one: so where
 * less is in it that is all, and the call can be saved.
 */
#define FIRST_BUFFER 1024

SEC("xdp.frags") int nomos_xdp_skb(struct xdp_md *ctx)
{
	__u64 first = ctx->data_end - ctx->data;

	return count(ctx, first < FIRST_BUFFER ? first : bpf_xdp_get_buff_len(ctx), 1);
}
