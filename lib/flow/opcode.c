/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of opcodes; qp.c reads it. */
#include "flow/opcode.h"

/* What both connected transports without responses, and those with, may send. */
#define SENDS_AND_WRITES(t)                                                                        \
	[(t) | ROCE_OP_SEND_FIRST] = OPCODE_REQUEST, [(t) | ROCE_OP_SEND_MIDDLE] = OPCODE_REQUEST, \
	       [(t) | ROCE_OP_SEND_LAST] = OPCODE_REQUEST,                                         \
	       [(t) | ROCE_OP_SEND_LAST_IMM] = OPCODE_REQUEST,                                     \
	       [(t) | ROCE_OP_SEND_ONLY] = OPCODE_REQUEST,                                         \
	       [(t) | ROCE_OP_SEND_ONLY_IMM] = OPCODE_REQUEST,                                     \
	       [(t) | ROCE_OP_WRITE_FIRST] = OPCODE_REQUEST | OPCODE_RETH,                         \
	       [(t) | ROCE_OP_WRITE_MIDDLE] = OPCODE_REQUEST,                                      \
	       [(t) | ROCE_OP_WRITE_LAST] = OPCODE_REQUEST,                                        \
	       [(t) | ROCE_OP_WRITE_LAST_IMM] = OPCODE_REQUEST,                                    \
	       [(t) | ROCE_OP_WRITE_ONLY] = OPCODE_REQUEST | OPCODE_RETH,                          \
	       [(t) | ROCE_OP_WRITE_ONLY_IMM] = OPCODE_REQUEST | OPCODE_RETH

#define READS_AND_ATOMICS(t)                                                                       \
	[(t) | ROCE_OP_READ_REQUEST] = OPCODE_REQUEST | OPCODE_RETH | PSN_READ,                    \
	       [(t) | ROCE_OP_READ_FIRST] = OPCODE_RESPONSE | OPCODE_AETH | PSN_ANEW | PSN_MORE,   \
	       [(t) | ROCE_OP_READ_MIDDLE] = OPCODE_RESPONSE | PSN_INNER | PSN_MORE,               \
	       [(t) | ROCE_OP_READ_LAST] = OPCODE_RESPONSE | OPCODE_AETH | PSN_INNER,              \
	       [(t) | ROCE_OP_READ_ONLY] = OPCODE_RESPONSE | OPCODE_AETH | PSN_ANEW,               \
	       [(t) | ROCE_OP_ACK] = OPCODE_AETH,                                                  \
	       [(t) | ROCE_OP_ATOMIC_ACK] = OPCODE_RESPONSE | OPCODE_AETH | PSN_ANEW,              \
	       [(t) | ROCE_OP_CMP_SWAP] = OPCODE_REQUEST,                                          \
	       [(t) | ROCE_OP_FETCH_ADD] = OPCODE_REQUEST,                                         \
	       [(t) | ROCE_OP_SEND_LAST_INV] = OPCODE_REQUEST,                                     \
	       [(t) | ROCE_OP_SEND_ONLY_INV] = OPCODE_REQUEST,                                     \
	       [(t) | ROCE_OP_FLUSH] = OPCODE_REQUEST,                                             \
	       [(t) | ROCE_OP_ATOMIC_WRITE] = OPCODE_REQUEST

const uint8_t opcode_of[256] = {
	SENDS_AND_WRITES(ROCE_RC),
	READS_AND_ATOMICS(ROCE_RC),
	SENDS_AND_WRITES(ROCE_UC),
	SENDS_AND_WRITES(ROCE_XRC),
	READS_AND_ATOMICS(ROCE_XRC),
};
