/* SPDX-License-Identifier: BSD-3-Clause */
/* The priority pause frame (IEEE 802.3 annex 31D, 802.1Qbb): MAC control, opcode 0x0101. */
#ifndef WIRE_PFC_H
#define WIRE_PFC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/eth.h"

enum {
	PFC_OPCODE = 0x0101,
	PFC_CLASSES = 8,
	PFC_OFF_OPCODE = 14,
	PFC_OFF_VECTOR = 16, /* the high byte is reserved: sent as 0, not looked at */
	PFC_OFF_TIMES = 18,
	PFC_MIN = PFC_OFF_TIMES + 2 * PFC_CLASSES,
	PFC_FRAME_LEN = 60, /* the shortest Ethernet frame, without FCS */
};

/* 01:80:c2:00:00:01 as eth_addr48() reads it */
#define PFC_ADDR48 UINT64_C(0x010000c28001)

struct pfc {
	uint8_t vector;               /* a bit for each class whose time counts */
	uint16_t quanta[PFC_CLASSES]; /* of 512 bit times; 0: go on */
};

/*
 * True for a whole untagged frame to the MAC control address with the opcode; `ret` is untouched
 * otherwise. The source may be zero (some NICs send it so) but no group address (802.3 clause
 * 3.2.3 wants an individual one). `len` bytes are readable.
 */
static inline bool
pfc_parse(const uint8_t *frame, uint32_t len, struct pfc *ret)
{
	if (len < PFC_MIN || eth_addr48(frame) != PFC_ADDR48 || frame[ETH_ADDR_LEN] & 1 ||
		wire_get16(frame + ETH_OFF_TYPE) != ETH_TYPE_MAC_CONTROL ||
		wire_get16(frame + PFC_OFF_OPCODE) != PFC_OPCODE)
		return false;
	ret->vector = frame[PFC_OFF_VECTOR + 1];
	for (unsigned int c = 0; c < PFC_CLASSES; c++)
		ret->quanta[c] = wire_get16(frame + PFC_OFF_TIMES + 2 * c);
	return true;
}

/*
 * Writes PFC_FRAME_LEN bytes. The times of classes outside `vector` are sent as 0, as 31D wants it.
 */
static inline void
pfc_build(uint8_t *frame, const uint8_t src_mac[ETH_ADDR_LEN], uint8_t vector,
	const uint16_t quanta[PFC_CLASSES])
{
	static const uint8_t to[ETH_ADDR_LEN] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

	memset(frame, 0, PFC_FRAME_LEN);
	memcpy(frame, to, ETH_ADDR_LEN);
	memcpy(frame + ETH_ADDR_LEN, src_mac, ETH_ADDR_LEN);
	wire_put16(frame + ETH_OFF_TYPE, ETH_TYPE_MAC_CONTROL);
	wire_put16(frame + PFC_OFF_OPCODE, PFC_OPCODE);
	frame[PFC_OFF_VECTOR + 1] = vector;
	for (unsigned int c = 0; c < PFC_CLASSES; c++)
		if (vector >> c & 1)
			wire_put16(frame + PFC_OFF_TIMES + 2 * c, quanta[c]);
}

#endif
