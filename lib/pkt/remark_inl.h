/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two fields of an IP header that a queue may change: ECN and DSCP. `l3` is the outer header of
 * a packet that the parser let through. Neither is covered by the ICRC (IBTA A17.3) or by an upper
 * checksum. Any thread that owns the packet.
 */
#ifndef PKT_REMARK_INL_H
#define PKT_REMARK_INL_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/ip.h"

/* Changes the bits `mask` of TOS or traffic class to those of `tos`; the IPv4 checksum with them.
 */
static inline void
remark_tos(uint8_t *l3, bool ip6, uint8_t mask, uint8_t tos)
{
	uint16_t old, now, checksum;

	if (ip6) {
		/* version, traffic class and the top of the flow label: 4, 8 and 4 bits */
		uint16_t word = wire_get16(l3), bits = (uint16_t)(mask << 4);

		wire_put16(l3, (uint16_t)((word & ~bits) | ((tos << 4) & bits)));
		return;
	}
	__builtin_memcpy(&old, l3, sizeof(old));
	l3[IP4_OFF_TOS] = (uint8_t)((l3[IP4_OFF_TOS] & ~mask) | (tos & mask));
	__builtin_memcpy(&now, l3, sizeof(now));
	__builtin_memcpy(&checksum, l3 + IP4_OFF_CHECKSUM, sizeof(checksum));
	checksum = checksum_update16(checksum, old, now);
	__builtin_memcpy(l3 + IP4_OFF_CHECKSUM, &checksum, sizeof(checksum));
}

/*
 * ECT(0) or ECT(1) become CE, CE stays (RFC 3168 section 5). A Not-ECT packet is left as it is: it
 * must never be marked. Returns whether the packet carries CE now.
 */
static inline bool
remark_ce(uint8_t *l3, bool ip6)
{
	uint8_t ecn = (ip6 ? l3[1] >> 4 : l3[IP4_OFF_TOS]) & 3;

	if (ecn == IP_ECN_NOT_ECT)
		return false;
	if (ecn != IP_ECN_CE)
		remark_tos(l3, ip6, 3, IP_ECN_CE);
	return true;
}

/* `dscp` 0-63. ECN stays. */
static inline void
remark_dscp(uint8_t *l3, bool ip6, uint8_t dscp)
{
	remark_tos(l3, ip6, 0xfc, (uint8_t)(dscp << 2));
}

/*
 * Flips one bit of `len` bytes, as noise on a line would; `draw` is uniform in 32 bits. Nothing is
 * put right behind it. len > 0.
 */
static inline void
remark_flip_bit(uint8_t *bytes, uint32_t len, uint32_t draw)
{
	uint64_t bit = (uint64_t)draw * len >> 29; /* draw * (8 * len) / 2^32 */

	bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
}

#endif
