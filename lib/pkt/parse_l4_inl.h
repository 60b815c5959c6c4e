/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP, TCP and the BTH: the end of the parser's road for both IP versions (parse_inl.h). */
#ifndef PKT_PARSE_L4_INL_H
#define PKT_PARSE_L4_INL_H

#include <rte_branch_prediction.h>

#include "pkt/burst.h"
#include "wire/bytes.h"
#include "wire/ip.h"
#include "wire/roce.h"

#define BAD(reason) verdict_drop(DROP_##reason)

/* UDP or TCP ports and the BTH. `l4_len` bytes of the packet are left at `l4`. */
static inline uint8_t
parse_l4(const uint8_t *l4, uint32_t l4_len, struct pkt_meta *meta)
{
	const uint8_t *bth = l4 + UDP_HDR_LEN;

	if (likely(meta->proto == IP_PROTO_UDP)) {
		if (unlikely(l4_len < UDP_HDR_LEN))
			return BAD(l4_truncated);
		/* both bounds in one: what is below wraps around */
		uint32_t udp_len = wire_get16(l4 + UDP_OFF_LEN);

		if (unlikely(udp_len - UDP_HDR_LEN > l4_len - UDP_HDR_LEN))
			return BAD(udp_len);
		uint32_t ports = wire_get32(l4);

		meta->l4_ports = ports;
		if (likely((uint16_t)ports == ROCE_UDP_PORT && udp_len >= UDP_HDR_LEN + ROCE_MIN)) {
			meta->flags |= PKT_ROCE;
			meta->opcode = bth[ROCE_OFF_OPCODE];
			meta->dest_qp = wire_get32(bth + ROCE_OFF_DEST_QP - 1) & 0xffffff;
		}
		return 0;
	}
	if (meta->proto == IP_PROTO_TCP) {
		if (unlikely(l4_len < TCP_HDR_MIN))
			return BAD(l4_truncated);
		meta->l4_ports = wire_get32(l4);
	}
	return 0;
}

#undef BAD

#endif
