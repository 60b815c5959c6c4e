/* SPDX-License-Identifier: BSD-3-Clause */
/* From headers to a class of traffic; inlined into stage_parse, whose metadata is still warm. */
#ifndef DP_CLASSIFY_INL_H
#define DP_CLASSIFY_INL_H

#include "dp/snapshot.h"
#include "pkt/burst.h"
#include "wire/ip.h"
#include "wire/roce.h"

/* The class of a packet that is not RoCEv2 and whose DSCP the configuration does not name. */
static __attribute__((noinline)) uint8_t
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

/* The class of a packet, 0-7. `dscp_class`: the snapshot's map. */
static inline uint8_t
classify(const uint8_t (*dscp_class)[64], const struct pkt_meta *meta)
{
	uint8_t dscp = meta->tos >> 2;

	if (likely(meta->flags & PKT_ROCE)) {
		/* A CNP overtakes whatever DSCP its NIC gave it. */
		if (unlikely(meta->opcode == ROCE_OP_CNP))
			return DP_CLASS_CNP;
		return dscp_class[1][dscp];
	}
	if (dscp_class[0][dscp] == DP_CLASS_BY_RULE)
		return class_by_rule(meta);
	return dscp_class[0][dscp];
}

#endif
