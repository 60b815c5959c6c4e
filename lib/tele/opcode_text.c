/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes for people (IBTA table 38). */
#include <stdio.h>

#include "tele/qp_view.h"
#include "wire/roce.h"

const char *
opcode_text(uint8_t opcode, char *buf)
{
	static const char *const transport[8] = {"RC", "UC", "RD", "UD", NULL, "XRC"};
	static const char *const operation[32] = {
		[ROCE_OP_SEND_FIRST] = "SEND first",
		[ROCE_OP_SEND_MIDDLE] = "SEND middle",
		[ROCE_OP_SEND_LAST] = "SEND last",
		[ROCE_OP_SEND_LAST_IMM] = "SEND last, immediate",
		[ROCE_OP_SEND_ONLY] = "SEND only",
		[ROCE_OP_SEND_ONLY_IMM] = "SEND only, immediate",
		[ROCE_OP_WRITE_FIRST] = "WRITE first",
		[ROCE_OP_WRITE_MIDDLE] = "WRITE middle",
		[ROCE_OP_WRITE_LAST] = "WRITE last",
		[ROCE_OP_WRITE_LAST_IMM] = "WRITE last, immediate",
		[ROCE_OP_WRITE_ONLY] = "WRITE only",
		[ROCE_OP_WRITE_ONLY_IMM] = "WRITE only, immediate",
		[ROCE_OP_READ_REQUEST] = "READ request",
		[ROCE_OP_READ_FIRST] = "READ response first",
		[ROCE_OP_READ_MIDDLE] = "READ response middle",
		[ROCE_OP_READ_LAST] = "READ response last",
		[ROCE_OP_READ_ONLY] = "READ response only",
		[ROCE_OP_ACK] = "ACK",
		[ROCE_OP_ATOMIC_ACK] = "atomic ACK",
		[ROCE_OP_CMP_SWAP] = "compare and swap",
		[ROCE_OP_FETCH_ADD] = "fetch and add",
		[ROCE_OP_SEND_LAST_INV] = "SEND last, invalidate",
		[ROCE_OP_SEND_ONLY_INV] = "SEND only, invalidate",
		[ROCE_OP_FLUSH] = "FLUSH",
		[ROCE_OP_ATOMIC_WRITE] = "atomic WRITE",
	};
	const char *t = transport[opcode >> 5], *op = operation[opcode & 0x1f];

	if (opcode == ROCE_OP_CNP)
		snprintf(buf, OPCODE_TEXT_LEN, "CNP");
	else if (t == NULL || op == NULL)
		snprintf(buf, OPCODE_TEXT_LEN, "0x%02x", opcode);
	else
		snprintf(buf, OPCODE_TEXT_LEN, "%s %s", t, op);
	return buf;
}
