/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the pipeline tests share: the head of their YAML, and what a router may make of a frame. It
 * shares no code with the pipeline: headers are found and checksums summed in the dull way.
 */
#ifndef TESTS_PIPE_EXPECT_H
#define TESTS_PIPE_EXPECT_H

#include <string.h>

#include <criterion/criterion.h>

#include "node.h"
#include "packet.h"

#define PIPE_HEAD "version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 16384, memory: 64MB}\n"

/* Port `name` with MAC 02:00:00:00:00:<mac>. */
#define PIPE_PORT(name, mac)                                                                       \
	"  - {name: " name ", device: " name ", role: nsf, mac: \"02:00:00:00:00:" mac             \
	"\", mtu: 1500}\n"

/* in (MAC ...01) and out (MAC ...02, next hop 02:aa:00:00:00:01), all routes to the one group. */
#define PIPE_TWO_PORTS                                                                             \
	PIPE_HEAD "ports:\n" PIPE_PORT("in", "01")                                                 \
		PIPE_PORT("out", "02") "groups:\n  - {name: g, members: [{port: out, mac: "        \
				       "\"02:aa:00:00:00:01\"}]}\n"                                \
				       "routes:\n  static:\n    - {prefix: 0.0.0.0/0, group: "     \
				       "g}\n    - {prefix: \"::/0\", group: g}\n"

/* Offset of the IP header behind 0-2 tags. */
static inline size_t
expect_l3(const uint8_t *frame)
{
	size_t at = 12;

	while ((frame[at] == 0x81 && frame[at + 1] == 0x00) ||
		(frame[at] == 0x88 && frame[at + 1] == 0xa8) ||
		(frame[at] == 0x91 && frame[at + 1] == 0x00))
		at += 4;
	return at + 2;
}

/* The frame as a router sends it on to `dst_mac` from `src_mac`, in place. */
static inline void
expect_forwarded(uint8_t *frame, const uint8_t *dst_mac, const uint8_t *src_mac)
{
	uint8_t *ip = frame + expect_l3(frame);

	memcpy(frame, dst_mac, 6);
	memcpy(frame + 6, src_mac, 6);
	if (ip[0] >> 4 == 4) {
		ip[8]--;
		packet_fix_ip4(ip);
	} else {
		ip[7]--;
	}
}

static inline void
expect_same(const uint8_t *got, size_t got_len, const uint8_t *want, size_t want_len)
{
	cr_assert_eq(got_len, want_len, "%zu bytes, want %zu", got_len, want_len);
	for (size_t i = 0; i < want_len; i++)
		cr_assert_eq(got[i], want[i], "byte %zu is %02x, want %02x", i, got[i], want[i]);
}

#endif
