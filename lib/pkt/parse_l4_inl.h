/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP, TCP and the BTH: the end of the parser's road for both IP versions (parse_inl.h). */
#ifndef PKT_PARSE_L4_INL_H
#define PKT_PARSE_L4_INL_H

#include <rte_branch_prediction.h>

#include "pkt/burst.h"
#include "pkt/flow_inl.h"
#include "wire/bytes.h"
#include "wire/ip.h"
#include "wire/roce.h"

#define BAD(reason) verdict_drop(DROP_##reason)

_Static_assert((int)PKT_AR == (int)ROCE_ACK_AR, "the parser copies the bit as it stands");

/* Books the flow of a packet; `qp_crc` is `crc` where there is no QP. */
static inline void
parse_flow(struct pkt_meta *meta, uint32_t crc, uint32_t qp_crc)
{
	uint64_t both = (uint64_t)qp_crc << 32 | crc;

	__builtin_memcpy(meta->flow, &both, sizeof(both));
}

static inline uint8_t
parse_udp(const uint8_t *udp, uint32_t len, uint32_t crc, struct pkt_meta *meta)
{
	if (unlikely(len < UDP_HDR_LEN))
		return BAD(l4_truncated);
	/* both bounds in one: what is below wraps around */
	uint32_t udp_len = wire_get16(udp + UDP_OFF_LEN);

	if (unlikely(udp_len - UDP_HDR_LEN > len - UDP_HDR_LEN))
		return BAD(udp_len);
	uint32_t ports = wire_get32(udp);

	crc = flow_crc_l4(crc, ports, IP_PROTO_UDP);
	meta->l4_ports = ports;
	if (likely((uint16_t)ports == ROCE_UDP_PORT && udp_len >= UDP_HDR_LEN + ROCE_MIN)) {
		const uint8_t *bth = udp + UDP_HDR_LEN;
		/* one load for QP, AR bit and PSN: bytes 4 to 11 */
		uint64_t tail = wire_get64(bth + ROCE_OFF_RESV8A);
		uint32_t qp = (uint32_t)(tail >> 32) & 0xffffff;

		meta->flags |= (uint8_t)(PKT_ROCE | (tail >> 24 & ROCE_ACK_AR));
		meta->opcode = bth[ROCE_OFF_OPCODE];
		meta->dest_qp = qp;
		parse_flow(meta, crc, flow_crc_qp(crc, qp));
	} else {
		parse_flow(meta, crc, crc);
	}
	return 0;
}

/*
 * Ports, the BTH and the flow. `l4_len` bytes of the packet are left at `l4`; `crc` is that of the
 * addresses.
 */
static inline uint8_t
parse_l4(const uint8_t *l4, uint32_t l4_len, uint8_t proto, uint32_t crc, struct pkt_meta *meta)
{
	if (likely(proto == IP_PROTO_UDP))
		return parse_udp(l4, l4_len, crc, meta);
	uint32_t ports = 0;

	if (proto == IP_PROTO_TCP) {
		if (unlikely(l4_len < TCP_HDR_MIN))
			return BAD(l4_truncated);
		ports = wire_get32(l4);
	}
	crc = flow_crc_l4(crc, ports, proto);
	meta->l4_ports = ports;
	parse_flow(meta, crc, crc);
	return 0;
}

/* A piece of a datagram: all of them have the flow of addresses and protocol. */
static inline uint8_t
parse_fragment(uint8_t proto, uint32_t crc, struct pkt_meta *meta)
{
	meta->flags |= PKT_FRAGMENT;
	meta->l4_ports = 0;
	crc = flow_crc_l4(crc, 0, proto);
	parse_flow(meta, crc, crc);
	return 0;
}

#undef BAD

#endif
