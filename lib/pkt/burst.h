/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A burst: the packets of one poll on their way through the pipeline, and what is known of each.
 *
 * Owner: the worker that polled it; nobody else sees it. The packets that go on stay packed in
 * [0, n). A stage that has no more use for a packet sets its verdict; burst_split() then moves it
 * to the exits, so that the next stage meets only packets that go on.
 */
#ifndef PKT_BURST_H
#define PKT_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "pkt/drop.h"

#define BURST_MAX 64u /* 32 costs 10 % more per packet with net_null, 128 half again more */

enum {
	PKT_IP6 = 1u << 0,
	PKT_ROCE = 1u << 1,     /* UDP 4791 with a whole BTH and room for the ICRC */
	PKT_FRAGMENT = 1u << 2, /* a piece of a datagram, the first one included */
	PKT_NO_IP = 1u << 4,    /* a frame of another protocol, for a system port */
	PKT_LINK_SCOPE =
		1u << 3,  /* link-local or unspecified address: never forwarded (RFC 3927, 4291) */
	PKT_AR = 1u << 6, /* with PKT_ROCE: its sender lets it be reordered, BTH byte 8 & 0x40 */
	PKT_NEVER = 1u << 7, /* no packet has it */
};

/* What the pipeline knows of one packet: one cache line. */
struct pkt_meta {
	uint8_t *l3;        /* the IP header; at least its fixed part is contiguous */
	uint32_t dst, src;  /* IPv4 only; host order; as one word they are src << 32 | dst */
	uint32_t l4_ports;  /* source << 16 | destination; 0 for fragments and what has none */
	uint32_t dest_qp;   /* PKT_ROCE */
	uint16_t l3_len;    /* IP header and payload, without Ethernet padding */
	uint16_t group;     /* stage_route */
	uint8_t ttl;        /* TTL or hop limit; with proto as the two stand in an IPv4 header */
	uint8_t proto;      /* IPv4 protocol; IPv6 next header after the extension headers */
	uint8_t tos;        /* IPv4 TOS, IPv6 traffic class: DSCP 6 bits, ECN 2 bits */
	uint8_t opcode;     /* PKT_ROCE */
	uint8_t flags;      /* PKT_* */
	uint8_t tags;       /* VLAN tags, 0-2 */
	uint8_t l2_len;     /* bytes before the IP header: 14, 18 or 22 */
	uint8_t verdict;    /* 0: goes on; a drop reason; or VERDICT_PUNT + kind */
	uint32_t class : 8; /* 0-7 */
	uint32_t flow_idx : 24; /* stage_flow, where it runs: an entry of the worker's flow table */
	/* stage_select, copied from the member in one word */
	uint16_t port_idx; /* the way out */
	uint16_t mtu;
	uint32_t counter; /* member counter */
	/* CRC32C of the flow (flow_inl.h): [0] addresses, protocol, ports; [1] and the RoCE QP */
	uint32_t flow[2];
} __rte_cache_aligned;

_Static_assert(sizeof(struct pkt_meta) == 64, "a packet's metadata is one cache line");

#define VERDICT_PUNT 128u
_Static_assert(DROP_N <= VERDICT_PUNT && VERDICT_PUNT + PUNT_N <= 256, "a verdict is a byte");

struct burst {
	uint16_t n;
	uint16_t n_out; /* packets that left by an exit */
	uint16_t in_port_idx;
	struct rte_mbuf *mbuf[BURST_MAX];
	struct pkt_meta meta[BURST_MAX];
	struct rte_mbuf *out_mbuf[BURST_MAX]; /* the exits: dropped and punted */
	uint8_t out_verdict[BURST_MAX];
};

static inline uint8_t
verdict_drop(enum drop_reason reason)
{
	return (uint8_t)reason;
}

static inline uint8_t
verdict_punt(enum punt_kind kind)
{
	return (uint8_t)(VERDICT_PUNT + kind);
}

/* Moves every packet with a verdict to the exits and packs the rest in order. */
void burst_split(struct burst *b);

#endif
