/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of priority pause share: pause frames, made and read byte by byte without the code
 * of lib/wire, and RoCE packets of any class and length.
 */
#ifndef TESTS_PIPE_PFC_H
#define TESTS_PIPE_PFC_H

#include <inttypes.h>

#include "expect.h"

#define PFC_TEST_LEN 60u            /* of a frame, without FCS */
#define US           UINT64_C(1000) /* in ticks of the test's clock */
#define MS           UINT64_C(1000000)

/* An entry of `classes`; RoCE data of class c carry DSCP 8 x c in these tests. */
#define PFC_CLASS(c, dscp, keys)                                                                   \
	"  - {class: " #c ", name: class" #c ", dscp: [" #dscp "], " keys "}\n"

static const uint8_t pfc_group[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

/* A pause frame of `quanta` for each class of `vector`. */
static inline void
pfc_write(uint8_t *frame, uint8_t vector, uint16_t quanta)
{
	static const uint8_t src[6] = {0x02, 0xaa, 0, 0, 0, 0x11};

	memset(frame, 0, PFC_TEST_LEN);
	memcpy(frame, pfc_group, 6);
	memcpy(frame + 6, src, 6);
	frame[12] = 0x88;
	frame[13] = 0x08;
	frame[14] = 0x01;
	frame[15] = 0x01;
	frame[17] = vector;
	for (unsigned int c = 0; c < 8; c++) {
		if (!(vector >> c & 1))
			continue;
		frame[18 + 2 * c] = (uint8_t)(quanta >> 8);
		frame[19 + 2 * c] = (uint8_t)quanta;
	}
}

/* In by `port_idx`; a turn. */
static inline void
pfc_put(struct node_test *t, uint16_t port_idx, uint8_t vector, uint16_t quanta)
{
	uint8_t frame[PFC_TEST_LEN];

	pfc_write(frame, vector, quanta);
	cr_assert(node_test_put(t, port_idx, frame, sizeof(frame)));
	node_turn(t->node, t->ticks);
}

static inline bool
pfc_is(const uint8_t *frame, size_t len)
{
	return len == PFC_TEST_LEN && frame[12] == 0x88 && frame[13] == 0x08;
}

/* A class's time in a frame; -1: it says nothing of the class. */
static inline int
pfc_quanta(const uint8_t *frame, unsigned int class)
{
	if (!(frame[17] >> class & 1))
		return -1;
	return frame[18 + 2 * class] << 8 | frame[19 + 2 * class];
}

/* RoCE data of a class, `len` bytes of frame (58 and a multiple of 4); `from` is in its source. */
static inline size_t
pfc_data(uint8_t *frame, unsigned int class, unsigned int from, uint32_t len)
{
	struct packet p = packet_roce(4);

	p.tos = (uint8_t)(class * 8 << 2 | 2);
	p.src4 = 0x0a010000 | (from + 1);
	p.payload_len = len - 14 - 20 - 8 - 12 - 4;
	return packet_write(&p, frame, PACKET_MAX, NULL);
}

static inline void
pfc_put_data(struct node_test *t, uint16_t port_idx, unsigned int class, uint32_t len)
{
	static uint8_t frame[PACKET_MAX];
	size_t n = pfc_data(frame, class, port_idx, len);

	cr_assert_eq(n, len);
	cr_assert(node_test_put(t, port_idx, frame, n));
}

/* What the node has taken in is out, dropped, or waits: at any moment between two turns. */
static inline void
pfc_balance(const struct node_test *t)
{
	struct node_test_sums s = node_test_sums(t);
	uint64_t waiting = node_waiting(t->node);

	cr_assert_eq(s.in, s.out + s.punted + s.dropped + waiting,
		"in %" PRIu64 ", out %" PRIu64 ", punted %" PRIu64 ", dropped %" PRIu64
		", waiting %" PRIu64,
		s.in, s.out, s.punted, s.dropped, waiting);
}

/* Nobody is charged for a packet that has left. */
static inline void
pfc_nothing_held(const struct node_test *t)
{
	for (size_t p = 0; p < t->node->n_ports; p++) {
		const struct egress_commons *m = &t->node->shared.commons[p];

		cr_assert_eq(m->packets, 0);
		for (unsigned int c = 0; c < DP_CLASSES; c++) {
			cr_assert_eq(m->xoff[c].held, 0, "port %zu class %u", p, c);
			cr_assert_eq(m->class_[c].bytes, 0, "port %zu class %u", p, c);
		}
	}
}

#endif
