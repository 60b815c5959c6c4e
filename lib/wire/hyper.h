/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a frame on a member of a hyper port: the open format that docs/hyperport.md is the
 * reference of. Four bytes between the MAC addresses and the EtherType, as a VLAN tag has them: an
 * EtherType that says so, and the number of the frame, modulo 2^16, in network order.
 */
#ifndef WIRE_HYPER_H
#define WIRE_HYPER_H

#include <stdint.h>

#include "wire/bytes.h"
#include "wire/eth.h"

enum {
	HYPER_ETHERTYPE = 0x88b6, /* IEEE 802 local experimental 2; hyperports[] may say another */
	HYPER_HDR_LEN = 4,
	HYPER_OFF_TYPE = ETH_OFF_TYPE,
	HYPER_OFF_SEQ = ETH_OFF_TYPE + 2,
	HYPER_PREFIX_LEN = ETH_HDR_LEN + HYPER_HDR_LEN, /* the inner EtherType included */
};

/* The number of a frame that has HYPER_PREFIX_LEN bytes at least. */
static inline uint16_t
hyper_seq(const uint8_t *frame)
{
	return wire_get16(frame + HYPER_OFF_SEQ);
}

/* Both MAC addresses, over each other by HYPER_HDR_LEN bytes: what is between is read first. */
static inline void
hyper_move_macs(uint8_t *to, const uint8_t *from)
{
	uint64_t a;
	uint32_t b;

	__builtin_memcpy(&a, from, sizeof(a));
	__builtin_memcpy(&b, from + 8, sizeof(b));
	__builtin_memcpy(to, &a, sizeof(a));
	__builtin_memcpy(to + 8, &b, sizeof(b));
}

/*
 * Makes a frame of one: `frame` begins HYPER_HDR_LEN bytes before the MAC addresses, which move
 * there.
 */
static inline void
hyper_write(uint8_t *frame, uint16_t ethertype, uint16_t seq)
{
	hyper_move_macs(frame, frame + HYPER_HDR_LEN);
	wire_put16(frame + HYPER_OFF_TYPE, ethertype);
	wire_put16(frame + HYPER_OFF_SEQ, seq);
}

/* Takes the header out again: the frame that was sent begins HYPER_HDR_LEN bytes behind `frame`. */
static inline void
hyper_unwrite(uint8_t *frame)
{
	hyper_move_macs(frame + HYPER_HDR_LEN, frame);
}

#endif
