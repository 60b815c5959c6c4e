/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pause frames that we send: when, to whom, byte by byte, and that none is forgotten. Packets wait
 * here because the test pauses the way out, and go when it resumes it.
 */
#include <stdlib.h>

#include "ctl/egress.h"
#include "pfc.h"

enum { A, B, OUT };

#define LEN  1002u /* of the packets */
#define XOFF 20000u
#define XON  10000u

/* 65,535 quanta at 10 Gbit/s: 3.36 ms. */
#define PAUSE_NS (UINT64_C(65535) * 512 / 10)

#define OUT_YAML                                                                                   \
	"version: 1\nnode: {name: n, id: 7}\nruntime:\n  mbufs: 16384\n  memory: 64MB\n%s"         \
	"ports:\n"                                                                                 \
	"  - {name: a, device: a, role: nsf, mac: \"02:00:00:00:00:0a\", promiscuous: true, "      \
	"mtu: 1500, rate: 10Gbit, pfc: {classes: [3, 4], xoff: 20000B, xon: 10000B, "              \
	"headroom: 300KB}}\n"                                                                      \
	"  - {name: b, device: b, role: nsf, mac: \"02:00:00:00:00:0b\", promiscuous: true, "      \
	"mtu: 1500, rate: 10Gbit, pfc: {classes: [3, 4], xoff: 20000B, xon: 10000B, "              \
	"headroom: 300KB}}\n"                                                                      \
	"  - {name: out, device: out, role: nsf, mac: \"02:00:00:00:00:0c\", mtu: 1500, rate: "    \
	"10Gbit, pfc: {classes: [3, 4], headroom: 300KB, watchdog: \"off\"}}\n"                    \
	"classes:\n" PFC_CLASS(3, 24, "lossless: true") PFC_CLASS(4, 32, "lossless: true")         \
		PFC_CLASS(5, 40,                                                                   \
			"limit: 1MB") "groups:\n  - {name: g, members: [{port: out, mac: "         \
				      "\"02:aa:00:00:00:01\"}]}\n"                                 \
				      "routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n"

/* What a port sent in pauses: quanta by class of the last frame, or -1; nothing else may come. */
struct heard {
	unsigned int n;
	int quanta[8];
};

static struct heard
hear(struct node_test *t, uint16_t port_idx)
{
	struct heard h = {.quanta = {-1, -1, -1, -1, -1, -1, -1, -1}};
	uint8_t frame[2048];
	size_t len;

	while ((len = node_test_take(t, port_idx, frame, sizeof(frame))) != 0) {
		cr_assert(pfc_is(frame, len));
		h.n++;
		for (unsigned int c = 0; c < 8; c++)
			h.quanta[c] = pfc_quanta(frame, c);
	}
	return h;
}

static void
expect_silent(struct node_test *t, uint16_t port_idx)
{
	cr_assert_eq(hear(t, port_idx).n, 0, "port %u", port_idx);
}

static void
put(struct node_test *t, uint16_t port_idx, unsigned int class, unsigned int n)
{
	while (n-- != 0)
		pfc_put_data(t, port_idx, class, LEN);
	node_test_run(t);
}

static int64_t
held(const struct node_test *t, uint16_t port_idx, unsigned int class)
{
	return t->node->shared.commons[port_idx].xoff[class].held;
}

static void
stop_out(struct node_test *t)
{
	pfc_put(t, OUT, 0xff, 65535);
}

static void
open_stopped(struct node_test *t)
{
	node_test_open(t, 128, OUT_YAML, "");
	stop_out(t);
}

static void
close_resumed(struct node_test *t)
{
	for (unsigned int i = 0; i < 20; i++) {
		pfc_put(t, OUT, 0xff, 0);
		t->ticks += MS;
		node_test_discard(t, OUT);
	}
	pfc_nothing_held(t);
	node_test_close(t);
}

Test(pfc_out, one_byte_too_many_sends_a_frame_and_this_is_it)
{
	static const uint8_t want[PFC_TEST_LEN] = {0x01, 0x80, 0xc2, 0, 0, 0x01, 0x02, 0, 0, 0, 0,
		0x0a, 0x88, 0x08, 0x01, 0x01, 0, 1 << 3, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	struct counters sum;
	struct node_test t;
	uint8_t frame[2048];
	size_t len;

	open_stopped(&t);
	put(&t, A, 3, XOFF / LEN);
	cr_assert_leq(held(&t, A, 3), XOFF);
	expect_silent(&t, A);
	put(&t, A, 3, 1);
	cr_assert_gt(held(&t, A, 3), XOFF);
	len = node_test_take(&t, A, frame, sizeof(frame));
	expect_same(frame, len, want, sizeof(want));
	expect_silent(&t, A);
	expect_silent(&t, B);
	expect_silent(&t, OUT);
	/* ours, and no packet that was sent on */
	node_counters(t.node, &sum, NULL);
	cr_assert_eq(sum.port_out[A].packets, 0);
	cr_assert_eq(t.node->shared.commons[A].pfc_out, 1);
	cr_assert_eq(t.node->shared.commons[B].pfc_out, 0);
	pfc_balance(&t);
	/* told once: not again with each packet */
	put(&t, A, 3, 10);
	expect_silent(&t, A);
	close_resumed(&t);
}

Test(pfc_out, exactly_xoff_is_not_too_many_and_exactly_xon_is_enough)
{
	struct node_test t;
	struct heard h;

	open_stopped(&t);
	t.node->shared.commons[A].xoff[3].xoff_bytes = 20 * LEN;
	t.node->shared.commons[A].xoff[3].xon_bytes = 10 * LEN;
	put(&t, A, 3, 20);
	cr_assert_eq(held(&t, A, 3), 20 * LEN);
	expect_silent(&t, A);
	put(&t, A, 3, 1);
	cr_assert_eq(hear(&t, A).quanta[3], 65535);
	/* the shaper lets the first 100 us go at once; empty it by the packet */
	t.node->policy[OUT].rate.tolerance_ps = 0;
	pfc_put(&t, OUT, 0xff, 0);
	while (held(&t, A, 3) > 10 * LEN) {
		expect_silent(&t, A);
		t.ticks += 100;
		node_turn(t.node, t.ticks);
	}
	cr_assert_eq(held(&t, A, 3), 10 * LEN);
	h = hear(&t, A);
	cr_assert_eq(h.n, 1);
	cr_assert_eq(h.quanta[3], 0);
	cr_assert_eq(h.quanta[4], -1);
	/* nothing more to say until it is above xoff again */
	put(&t, A, 3, 5);
	expect_silent(&t, A);
	node_test_discard(&t, OUT);
	close_resumed(&t);
}

/* Bytes of each (way in, class) are its own. */
Test(pfc_out, goes_to_whom_the_bytes_came_from)
{
	struct node_test t;
	struct heard h;

	open_stopped(&t);
	put(&t, A, 3, 15);
	put(&t, B, 3, 15);
	put(&t, A, 4, 15);
	put(&t, B, 4, 15);
	put(&t, A, 5, 60); /* a class that nobody is paused for */
	expect_silent(&t, A);
	expect_silent(&t, B);
	node_test_discard(&t, OUT); /* class 5 is not stopped */
	put(&t, B, 4, 10);
	expect_silent(&t, A);
	h = hear(&t, B);
	cr_assert_eq(h.n, 1);
	cr_assert_eq(h.quanta[3], -1);
	cr_assert_eq(h.quanta[4], 65535);
	close_resumed(&t);
}

/* What one turn has to say of several classes is one frame. */
Test(pfc_out, classes_share_a_frame)
{
	struct node_test t;
	struct heard h;

	open_stopped(&t);
	for (unsigned int i = 0; i < 25; i++) {
		pfc_put_data(&t, A, 3, LEN);
		pfc_put_data(&t, A, 4, LEN);
	}
	node_turn(t.node, t.ticks);
	h = hear(&t, A);
	cr_assert_eq(h.n, 1);
	cr_assert_eq(h.quanta[3], 65535);
	cr_assert_eq(h.quanta[4], 65535);
	close_resumed(&t);
}

/* The neighbour never gets to the second half of a pause, whatever turns come to. */
Test(pfc_out, is_repeated_before_half_the_pause_has_run)
{
	static const uint64_t step[] = {US, 7 * US, 50 * US, 333 * US, PAUSE_NS / 8, PAUSE_NS / 4};

	for (unsigned int i = 0; i < RTE_DIM(step); i++) {
		uint64_t last, n = 0;
		struct node_test t;

		open_stopped(&t);
		put(&t, A, 3, 30);
		cr_assert_eq(hear(&t, A).quanta[3], 65535);
		last = t.ticks;
		while (t.ticks < 40 * PAUSE_NS) {
			struct heard h;

			t.ticks += step[i];
			pfc_put(&t, OUT, 0xff, 65535);
			h = hear(&t, A);
			cr_assert_leq(h.n, 1);
			if (h.n != 0) {
				cr_assert_eq(h.quanta[3], 65535);
				cr_assert_leq(
					t.ticks - last, PAUSE_NS / 2, "turns of %lu ns", step[i]);
				last = t.ticks;
				n++;
			}
			expect_silent(&t, B);
		}
		cr_assert_leq(t.ticks - last, PAUSE_NS / 2);
		/* and is no flood */
		cr_assert_leq(n, 40 * 4);
		cr_assert_eq(t.node->shared.commons[A].pfc_out, n + 1);
		close_resumed(&t);
	}
}

/* A link so fast that its pauses are shorter than the time between two: no more than 100,000/s. */
Test(pfc_out, is_no_flood_however_short_its_pauses_are)
{
	struct node_test t;
	unsigned int n = 0;

	open_stopped(&t);
	egress_set_speed(t.node, A, UINT64_C(10000000000000)); /* a pause is 3.4 us */
	put(&t, A, 3, 30);
	cr_assert_eq(hear(&t, A).n, 1);
	for (unsigned int turn = 0; turn < 10000; turn++) {
		t.ticks += 100;
		node_turn(t.node, t.ticks);
		n += hear(&t, A).n;
	}
	cr_assert_eq(n, 100, "%u in a millisecond", n);
	close_resumed(&t);
}

/* 4096 frames fill the device; what could not be said is said when there is room. */
Test(pfc_out, is_tried_again_when_the_device_or_the_pool_has_no_room)
{
	struct node_test t;
	struct rte_mbuf **m = calloc(16384, sizeof(*m));
	unsigned int n = 0;

	cr_assert_not_null(m);
	open_stopped(&t);
	put(&t, A, 3, 30);
	while (t.node->shared.commons[A].pfc_out < NODE_TEST_DEPTH) {
		t.ticks += PAUSE_NS / 4;
		stop_out(&t);
	}
	/* full: neither a refresh nor an XON gets out, and no buffer is lost on it */
	for (unsigned int i = 0; i < 20; i++) {
		t.ticks += PAUSE_NS / 4;
		stop_out(&t);
	}
	pfc_put(&t, OUT, 0xff, 0);
	for (unsigned int i = 0; i < 20; i++) {
		t.ticks += 100 * US;
		node_turn(t.node, t.ticks);
	}
	cr_assert_eq(held(&t, A, 3), 0);
	cr_assert_eq(t.node->shared.commons[A].pfc_out, NODE_TEST_DEPTH);
	cr_assert_eq(hear(&t, A).quanta[3], 65535, "the last of them");
	node_turn(t.node, t.ticks);
	cr_assert_eq(hear(&t, A).quanta[3], 0, "the XON that waited");
	cr_assert_eq(t.node->shared.commons[A].pfc_out, NODE_TEST_DEPTH + 1);
	/* no buffer for the frame: the same */
	stop_out(&t);
	for (unsigned int i = 0; i < 25; i++)
		pfc_put_data(&t, A, 3, LEN);
	while ((m[n] = rte_pktmbuf_alloc(t.node->pool)) != NULL)
		n++;
	node_test_run(&t);
	expect_silent(&t, A);
	rte_pktmbuf_free_bulk(m, n);
	node_turn(t.node, t.ticks);
	cr_assert_eq(hear(&t, A).quanta[3], 65535);
	free(m);
	close_resumed(&t);
}

/* A link that comes back has a peer that knows of no pause. */
Test(pfc_out, is_repeated_at_once_when_the_link_comes_back)
{
	struct node_test t;

	open_stopped(&t);
	put(&t, A, 3, 30);
	put(&t, B, 3, 30);
	cr_assert_eq(hear(&t, A).n, 1);
	cr_assert_eq(hear(&t, B).n, 1);
	node_set_link(t.node, A, false);
	t.ticks += 10 * US;
	node_turn(t.node, t.ticks);
	expect_silent(&t, A);
	node_set_link(t.node, A, true);
	t.ticks += 10 * US;
	node_turn(t.node, t.ticks);
	cr_assert_eq(hear(&t, A).quanta[3], 65535);
	expect_silent(&t, B);
	t.ticks += 10 * US;
	node_turn(t.node, t.ticks);
	expect_silent(&t, A);
	/* one that is not stopped hears nothing */
	node_set_link(t.node, OUT, false);
	node_turn(t.node, t.ticks);
	node_set_link(t.node, OUT, true);
	node_turn(t.node, t.ticks);
	cr_assert_eq(t.node->shared.commons[OUT].pfc_out, 0);
	node_test_discard(&t, OUT);
	close_resumed(&t);
}

/* One (way in, class) of a dull reference: what must be said when so much is held. */
struct reference {
	bool off;
	uint64_t said_at;
};

static void
expect_said(
	struct node_test *t, struct reference *r, uint16_t port_idx, unsigned int class, int quanta)
{
	int64_t bytes = held(t, port_idx, class);

	if (!r->off && bytes > XOFF) {
		cr_assert_eq(quanta, 65535, "%ld held", bytes);
		r->off = true;
	} else if (r->off && bytes <= XON) {
		cr_assert_eq(quanta, 0, "%ld held", bytes);
		r->off = false;
	} else if (!r->off) {
		cr_assert_eq(quanta, -1, "%ld held", bytes);
	} else {
		cr_assert(quanta == 65535 || quanta == -1);
	}
	if (quanta == 65535)
		r->said_at = t->ticks;
	if (r->off)
		cr_assert_leq(t->ticks - r->said_at, PAUSE_NS / 2);
}

static void
random_turn(struct node_test *t, struct rng *r)
{
	for (unsigned int n = (unsigned int)rng_below(r, 12); n != 0; n--) {
		static uint8_t frame[PACKET_MAX];
		uint16_t port = (uint16_t)rng_below(r, 2);
		size_t len = pfc_data(frame, 3 + (unsigned int)rng_below(r, 3), port, LEN);
		uint16_t queue = (uint16_t)rng_below(r, t->node->n_workers);
		struct rte_mbuf *m = packet_mbuf(t->node->pool, frame, len);

		if (!node_test_put_mbuf(t, port, queue, m))
			rte_pktmbuf_free(m);
	}
	if (rng_below(r, 20) == 0) {
		uint8_t pause[PFC_TEST_LEN];

		pfc_write(pause, (uint8_t)rng_next(r), rng_below(r, 3) == 0 ? 60000 : 0);
		cr_assert(node_test_put(t, OUT, pause, sizeof(pause)));
	}
	t->ticks += 1 + rng_below(r, 20 * US);
	/* worker 0 last: it speaks for all, of what the others hold by then */
	for (unsigned int i = t->node->n_workers; i-- > 0;)
		worker_turn(t->node->worker[i], t->ticks);
	node_test_discard(t, OUT);
	pfc_balance(t);
}

static void
expect_as_reference(const char *workers)
{
	struct reference ref[2][2] = {{{0}}};
	struct node_test t;
	struct rng r;

	node_test_open(&t, 128, OUT_YAML, workers);
	rng_init(&r, 3);
	for (unsigned int i = 0; i < 20000; i++) {
		random_turn(&t, &r);
		for (uint16_t p = A; p <= B; p++) {
			struct heard h = hear(&t, p);

			cr_assert_leq(h.n, 1);
			for (unsigned int c = 3; c <= 4; c++)
				expect_said(&t, &ref[p][c - 3], p, c, h.quanta[c]);
		}
	}
	cr_assert_gt(t.node->shared.commons[A].pfc_out, 100);
	cr_assert_gt(t.node->shared.commons[B].pfc_out, 100);
	close_resumed(&t);
}

Test(pfc_out, says_what_a_dull_reference_says)
{
	expect_as_reference("");
}

Test(pfc_out, says_it_with_two_workers_too)
{
	expect_as_reference("  workers: [{lcore: 1, rx: [a, b, out]}, {lcore: 2, rx: [a, b]}]\n");
}
