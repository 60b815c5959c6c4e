/* SPDX-License-Identifier: BSD-3-Clause */
/* RoCEv2: the InfiniBand transport over UDP (IBTA volume 1, annex A17). */
#ifndef WIRE_ROCE_H
#define WIRE_ROCE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ROCE_UDP_PORT = 4791,
	ROCE_BTH_LEN = 12,
	ROCE_ICRC_LEN = 4,
	ROCE_MIN = ROCE_BTH_LEN + ROCE_ICRC_LEN,
	/* offsets in the BTH */
	ROCE_OFF_OPCODE = 0,
	ROCE_OFF_RESV8A = 4, /* FECN 0x80, BECN 0x40; outside the ICRC */
	ROCE_OFF_DEST_QP = 5,
	ROCE_OFF_ACK = 8, /* 0x80 ack request, 0x40 may be reordered (adaptive routing) */
	ROCE_OFF_PSN = 9,
};

enum {
	ROCE_OP_CNP = 0x81, /* A17.9.3 */
	/* the low 5 bits of an opcode, of the transports that know them (table 38) */
	ROCE_OP_ACK = 0x11,
	ROCE_OP_ATOMIC_ACK = 0x12,
	ROCE_OP_RESYNC = 0x15, /* RD only; XRC and RC reserve it */
	/* the high 3 bits */
	ROCE_RC = 0x00,
	ROCE_RD = 0x40,
	ROCE_XRC = 0xa0,
};

/*
 * Pure control: ACK and NAK (one opcode, the AETH tells them apart), atomic acknowledge, RESYNC,
 * CNP. They carry no payload and answer what others sent: marking one would slow a sender down that
 * does not load this queue. READ and atomic requests are not among them: they start the data of the
 * other direction, and who sends fewer gets less back.
 */
static inline bool
roce_is_control(uint8_t opcode)
{
	switch (opcode) {
	case ROCE_RC | ROCE_OP_ACK:
	case ROCE_RC | ROCE_OP_ATOMIC_ACK:
	case ROCE_RD | ROCE_OP_ACK:
	case ROCE_RD | ROCE_OP_ATOMIC_ACK:
	case ROCE_RD | ROCE_OP_RESYNC:
	case ROCE_XRC | ROCE_OP_ACK:
	case ROCE_XRC | ROCE_OP_ATOMIC_ACK:
	case ROCE_OP_CNP:
		return true;
	default:
		return false;
	}
}

#endif
