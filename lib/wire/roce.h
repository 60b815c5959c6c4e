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
	/* behind the BTH (9.3); XRC requests have their XRCETH before it */
	ROCE_RETH_LEN = 16,
	ROCE_RETH_OFF_DMA_LEN = 12,
	ROCE_AETH_LEN = 4,
	ROCE_XRCETH_LEN = 4,
	ROCE_ACK_AR = 0x40, /* of the byte at ROCE_OFF_ACK; reserved in the base specification */
};

enum {
	ROCE_OP_CNP = 0x81, /* A17.9.3 */
	/* the low 5 bits of an opcode, of the transports that know them (table 38) */
	ROCE_OP_SEND_FIRST = 0x00,
	ROCE_OP_SEND_MIDDLE = 0x01,
	ROCE_OP_SEND_LAST = 0x02,
	ROCE_OP_SEND_LAST_IMM = 0x03,
	ROCE_OP_SEND_ONLY = 0x04,
	ROCE_OP_SEND_ONLY_IMM = 0x05,
	ROCE_OP_WRITE_FIRST = 0x06,
	ROCE_OP_WRITE_MIDDLE = 0x07,
	ROCE_OP_WRITE_LAST = 0x08,
	ROCE_OP_WRITE_LAST_IMM = 0x09,
	ROCE_OP_WRITE_ONLY = 0x0a,
	ROCE_OP_WRITE_ONLY_IMM = 0x0b,
	ROCE_OP_READ_REQUEST = 0x0c,
	ROCE_OP_READ_FIRST = 0x0d, /* of the response, as the next three */
	ROCE_OP_READ_MIDDLE = 0x0e,
	ROCE_OP_READ_LAST = 0x0f,
	ROCE_OP_READ_ONLY = 0x10,
	ROCE_OP_ACK = 0x11,
	ROCE_OP_ATOMIC_ACK = 0x12,
	ROCE_OP_CMP_SWAP = 0x13,
	ROCE_OP_FETCH_ADD = 0x14,
	ROCE_OP_RESYNC = 0x15, /* RD only; XRC and RC reserve it */
	ROCE_OP_SEND_LAST_INV = 0x16,
	ROCE_OP_SEND_ONLY_INV = 0x17,
	ROCE_OP_FLUSH = 0x1c,
	ROCE_OP_ATOMIC_WRITE = 0x1d,
	/* the high 3 bits */
	ROCE_RC = 0x00,
	ROCE_UC = 0x20,
	ROCE_RD = 0x40,
	ROCE_UD = 0x60,
	ROCE_CNP = 0x80,
	ROCE_XRC = 0xa0,
};

/* The syndrome of an AETH (9.7.5.1): two bits of kind, five of credit, timer or code. */
enum {
	ROCE_SYNDROME_KIND = 0x60,
	ROCE_SYNDROME_RNR = 0x20,
	ROCE_SYNDROME_NAK = 0x60,
	ROCE_SYNDROME_CODE = 0x1f,
	ROCE_NAK_SEQUENCE = 0, /* the code of a NAK for a PSN that was not expected */
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

/* Whether packets of a queue pair may overtake each other, as far as the opcode tells. */
enum roce_order {
	/*
	 * Never: SEND with all that goes with it, WRITE with immediate data (both take the next
	 * receive buffer), READ response, atomics, ACK and RESYNC, CNP.
	 */
	ROCE_IN_ORDER,
	ROCE_WRITE, /* RDMA WRITE first, middle, last, only; without immediate data */
	ROCE_OTHER, /* READ request, FLUSH, and opcodes that nobody has assigned */
};

/*
 * The low 5 bits decide (IBTA table 38), in every transport: what is in order in one and reserved
 * in another stays in order there too. All of the CNP's transport is in order.
 */
static inline enum roce_order
roce_order(uint8_t opcode)
{
	/* SEND 00-05, 16, 17; immediate 09, 0b; READ response 0d-10; ACK to RESYNC 11-15; 1d */
	const uint32_t in_order = 0x20ffea3f;
	/* WRITE 06, 07, 08, 0a, where there is one: RC, UC, RD, XRC */
	const uint32_t write = 0x000005c0, transports = 0x27;

	if (opcode >> 5 == ROCE_CNP >> 5 || (in_order >> (opcode & 31) & 1))
		return ROCE_IN_ORDER;
	return (transports >> (opcode >> 5) & 1) && (write >> (opcode & 31) & 1) ? ROCE_WRITE
										 : ROCE_OTHER;
}

#endif
