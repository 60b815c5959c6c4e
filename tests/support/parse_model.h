/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dull parser as the reference for lib/pkt: it reads a byte at a time through a checked cursor,
 * takes the verdicts in the order of the wire, and shares nothing with the real one but the names
 * of the verdicts.
 */
#ifndef TEST_PARSE_MODEL_H
#define TEST_PARSE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a packet that goes on is; fields as in struct pkt_meta, offsets in the frame. */
struct parse_model {
	size_t l3, l3_len;
	unsigned int tags, version, tos, ttl, proto;
	uint32_t src4, dst4;
	uint32_t l4_ports;
	bool fragment, link_scope, roce;
	unsigned int opcode;
	uint32_t dest_qp;
};

/* The verdict for a frame in one piece, at a port whose MAC is `mac`. */
uint8_t parse_model(const uint8_t *frame, size_t len, const uint8_t mac[6], bool promiscuous,
	struct parse_model *ret_model);

#endif
