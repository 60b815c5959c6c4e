/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of a queue pair: one direction, the packets to (source, destination, destination
 * QP). The record stands beside an entry of the flow table. Both requests of the one side and
 * responses to the other side's requests go by it, each with numbers of its own.
 *
 * Owner and only writer: the worker. Readers: control, by flow_table_read() and qp_read().
 */
#ifndef FLOW_QP_H
#define FLOW_QP_H

#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

#include "flow/psn.h"
#include "pkt/burst.h"
#include "wire/ip.h"

/* In the order in which packets touch it. All zero is the beginning. */
struct flow_qp {
	uint64_t packets, bytes; /* frames without FCS */
	uint64_t ce_in;          /* came with CE */
	uint8_t last_opcode;
	struct psn request; /* its first fields are in this cache line */
	uint64_t ce_set;    /* CE set here */
	uint64_t cnps, acks;
	uint64_t nak_sequence, nak_rnr, nak_other; /* AETH: out of sequence; not ready; the rest */
	uint64_t messages, message_bytes; /* that a RETH told of: WRITE and READ requests */
	uint32_t message_min, message_max;
	struct psn response __rte_cache_aligned;
} __rte_cache_aligned;

_Static_assert(offsetof(struct flow_qp, request) + offsetof(struct psn, late_end) <= 64,
	"a request in order touches one line");

/* The same for people: numbers settled, both kinds together where they are the same thing. */
struct qp_stats {
	uint64_t packets, bytes, ce_in, ce_set, cnps, acks;
	uint64_t nak_sequence, nak_rnr, nak_other;
	uint64_t messages, message_bytes;
	uint32_t message_min, message_max; /* 0 without messages */
	struct psn_stats request, response;
	uint8_t last_opcode;
};

/*
 * A packet of the QP: `frame_len` bytes in all, its BTH at `bth` with `len` bytes in a row from
 * there to the end of the packet, ROCE_MIN at least. Worker.
 */
void qp_take(struct flow_qp *q, const struct pkt_meta *meta, uint32_t frame_len, const uint8_t *bth,
	uint32_t len);

/* Behind IPv6 extension headers, which the parser has walked and found whole. Worker. */
const uint8_t *qp_bth_behind_ext(const struct pkt_meta *meta);

/* Where the BTH of a RoCE packet is. Worker. */
static inline const uint8_t *
qp_bth(const struct pkt_meta *meta)
{
	if (likely(!(meta->flags & PKT_IP6)))
		return meta->l3 + (meta->l3[0] & 0xf) * 4u + UDP_HDR_LEN;
	if (likely(meta->l3[IP6_OFF_NEXT] == IP_PROTO_UDP))
		return meta->l3 + IP6_HDR_LEN + UDP_HDR_LEN;
	return qp_bth_behind_ext(meta);
}

/* Of a copy, or by the worker. */
void qp_read(const struct flow_qp *q, struct qp_stats *ret_stats);
/* flow_table_config.end: adds what is known to the struct qp_stats `sum`. Worker. */
void qp_end(void *sum, const void *qp);
/* Sums; last_opcode is the one of `s` unless that has no packets. */
void qp_stats_add(struct qp_stats *sum, const struct qp_stats *s);

#endif
