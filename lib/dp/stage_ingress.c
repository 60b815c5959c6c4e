/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  metadata of the parser, the class map.
 * Sets:  class; counts CE on arrival.
 * Next:  stage_route.
 * Drops: nothing.
 */
#include "dp/stage.h"
#include "wire/ip.h"
#include "wire/roce.h"

/* The class of a packet that is not RoCEv2 and whose DSCP the configuration does not name. */
static uint8_t
class_by_rule(const struct pkt_meta *meta)
{
	uint32_t dport = meta->l4_ports & 0xffff, sport = meta->l4_ports >> 16;
	uint8_t dscp = meta->tos >> 2;

	/* protocols first: routing daemons send with DSCP 48 too */
	if (meta->proto == IP_PROTO_OSPF)
		return DP_CLASS_ROUTING;
	if (meta->proto == IP_PROTO_TCP && (dport == TCP_PORT_BGP || sport == TCP_PORT_BGP))
		return DP_CLASS_ROUTING;
	if (meta->proto == IP_PROTO_UDP &&
		(dport == UDP_PORT_BFD || dport == UDP_PORT_BFD_MULTIHOP))
		return DP_CLASS_ROUTING;
	if (dscp == 48)
		return DP_CLASS_CNP;
	if (dscp == 56)
		return DP_CLASS_ROUTING;
	return DP_CLASS_DEFAULT;
}

void
stage_ingress(struct worker *w, struct burst *b)
{
	const uint8_t *dscp_class = w->snapshot->dscp_class;
	unsigned int ce = 0, n = b->n;

	for (unsigned int i = 0; i < n; i++) {
		struct pkt_meta *meta = &b->meta[i];
		bool roce = meta->flags & PKT_ROCE;
		uint8_t tos = meta->tos, c = dscp_class[tos >> 2];

		if (likely(c == DP_CLASS_BY_RULE))
			c = roce ? DP_CLASS_RDMA : class_by_rule(meta);
		/* A CNP overtakes whatever DSCP its NIC gave it. */
		if (unlikely(roce && meta->opcode == ROCE_OP_CNP))
			c = DP_CLASS_CNP;
		meta->class = c;
		ce += (tos & 3) == IP_ECN_CE;
	}
	w->counters->ce_in += ce;
}
