/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The program that does nothing: what the benchmark measures ours against. */
#include "kernel.h"

char _license[] SEC("license") = "Dual MIT/GPL";

SEC("xdp.frags") int nomos_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}
