/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the programs need of the kernel's interface. It is stable, and small enough to stand here: so clang is all
 * that it takes to build, without the headers of kernel and libbpf, which each distribution puts elsewhere.
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;

/* linux/bpf.h */
struct xdp_md {
	__u32 data;
	__u32 data_end;
	__u32 data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
	__u32 egress_ifindex;
};

#define XDP_PASS 2
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_F_RDONLY_PROG (1 << 7)

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static __u64 (*const bpf_xdp_get_buff_len)(struct xdp_md *ctx) = (void *)188;
static long (*const bpf_xdp_load_bytes)(struct xdp_md *ctx, __u32 offset, void *to, __u32 length) = (void *)189;

/* What loaders look for: sections, and maps described by BTF. */
#define SEC(name) __attribute__((section(name), used))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
#define __always_inline inline __attribute__((always_inline))

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define be16(value) __builtin_bswap16(value)
#else
#define be16(value) (value)
#endif
