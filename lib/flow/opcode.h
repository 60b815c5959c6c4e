/* SPDX-License-Identifier: BSD-3-Clause */
/* What an opcode says of a packet's number and of the headers behind its BTH (IBTA table 38). */
#ifndef FLOW_OPCODE_H
#define FLOW_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/psn.h"
#include "wire/roce.h"

/* Beside the PSN_* bits of psn.h. */
enum {
	OPCODE_REQUEST = 1u << 4,  /* its number is one of the requester's */
	OPCODE_RESPONSE = 1u << 5, /* its number is one of the response's packets */
	OPCODE_RETH = 1u << 6,
	OPCODE_AETH = 1u << 7,
};

/*
 * 0 for what has no numbers that follow each other here: an ACK, whose number says how far it
 * acknowledges (it has an AETH); UD, whose numbers are those of the sender's QP, for all whom it
 * sends to; RD, whose are those of an end-to-end context; a CNP; and what is reserved.
 */
extern const uint8_t opcode_of[256];

static inline bool
opcode_is_xrc_request(uint8_t opcode)
{
	return (opcode & 0xe0) == ROCE_XRC && (opcode_of[opcode] & OPCODE_REQUEST);
}

#endif
