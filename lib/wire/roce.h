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
};

#endif
