/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pause watchdog through the whole pipeline: a storm is one detection and one restoration,
 * whatever classes it takes; what is none is not taken for one; and what happens to the packets.
 */
#include <stdlib.h>

#include "pfc.h"

enum { IN, OUT };

#define LEN     402u
#define TURN_NS (100 * US)
#define DETECT  (20 * MS) /* and as long without a pause to restore */

#define STORM_YAML                                                                                 \
	"version: 1\nnode: {name: n, id: 7}\nruntime:\n  mbufs: 16384\n  memory: 64MB\n%s"         \
	"ports:\n" PIPE_PORT("in",                                                                 \
		"01") "  - {name: out, device: out, role: longhaul, mac: \"02:00:00:00:00:02\", "  \
		      "mtu: "                                                                      \
		      "1500, rate: 1Gbit, distance: 1km, pfc: {classes: [0, 1, 2, 3, 4, 5, 6, "    \
		      "7], "                                                                       \
		      "watchdog: %s}}\n"                                                           \
		      "classes:\n" PFC_CLASS(0, 0, "lossless: true") PFC_CLASS(1, 8,               \
			      "lossless: true") PFC_CLASS(2, 16, "lossless: true") PFC_CLASS(3,    \
			      24, "lossless: true") PFC_CLASS(4, 32, "lossless: true")             \
			      PFC_CLASS(5, 40, "lossless: true") PFC_CLASS(                        \
				      6, 48, "lossless: true") PFC_CLASS(7, 56,                    \
				      "lossless: true") "groups:\n  - {name: g, members: [{port: " \
							"out, mac: \"02:aa:00:00:00:01\"}]}\n"     \
							"routes:\n  static: [{prefix: 0.0.0.0/0, " \
							"group: g}]\n"

#define TWO_WORKERS "  workers: [{lcore: 1, rx: [in, out]}, {lcore: 2, rx: [in]}]\n"

struct bench {
	struct node_test t;
	uint64_t in[8], out[8]; /* packets by class */
	uint64_t turns;
};

static void
bench_open(struct bench *b, const char *workers, const char *action)
{
	char watchdog[96] = "\"off\"";

	memset(b, 0, sizeof(*b));
	if (strcmp(action, "off") != 0)
		snprintf(watchdog, sizeof(watchdog), "{action: %s, detect: 20ms, restore: 20ms}",
			action);
	node_test_open(&b->t, 128, STORM_YAML, workers, watchdog);
}

static const struct qos_storm *
storm(const struct bench *b)
{
	return &b->t.node->shared.commons[OUT].storm;
}

static void
collect(struct bench *b)
{
	struct rte_mbuf *m;

	while ((m = node_test_take_mbuf(&b->t, OUT)) != NULL) {
		b->out[rte_pktmbuf_mtod(m, const uint8_t *)[15] >> 5]++;
		rte_pktmbuf_free(m);
	}
}

/* A packet of each class in `load`, by the workers in turns; then a turn of all. */
static void
turn(struct bench *b, uint8_t load, uint64_t ns)
{
	static uint8_t frame[PACKET_MAX];

	for (unsigned int c = 0; c < 8; c++) {
		size_t len = pfc_data(frame, c, 0, LEN);
		uint16_t queue = (uint16_t)(b->turns % b->t.node->n_workers);

		if (!(load >> c & 1))
			continue;
		cr_assert(node_test_put_mbuf(
			&b->t, IN, queue, packet_mbuf(b->t.node->pool, frame, len)));
		b->in[c]++;
	}
	b->turns++;
	b->t.ticks += ns;
	node_turn(b->t.node, b->t.ticks);
	collect(b);
	pfc_balance(&b->t);
}

/* Turns for `ns`, with a pause for `mask` each millisecond; 0: none. */
static void
turns(struct bench *b, uint8_t load, uint8_t mask, uint64_t ns)
{
	for (uint64_t end = b->t.ticks + ns; b->t.ticks < end;) {
		uint8_t frame[PFC_TEST_LEN];

		pfc_write(frame, mask, 20000); /* 10 ms */
		if (mask != 0 && b->turns % 10 == 0)
			cr_assert(node_test_put(&b->t, OUT, frame, sizeof(frame)));
		turn(b, load, TURN_NS);
	}
}

static void
bench_close(struct bench *b)
{
	pfc_put(&b->t, OUT, 0xff, 0);
	for (unsigned int i = 0; i < 1000 && node_waiting(b->t.node) != 0; i++)
		turn(b, 0, TURN_NS);
	pfc_nothing_held(&b->t);
	node_test_close(&b->t);
}

static void
expect_counts(const struct bench *b, uint8_t mask, uint64_t detected, uint64_t restored)
{
	cr_assert_eq(storm(b)->mask, mask, "mask %02x, want %02x", storm(b)->mask, mask);
	cr_assert_eq(storm(b)->n_detected, detected);
	cr_assert_eq(storm(b)->n_restored, restored);
}

/* Packets of the classes of `mask`; of the others. */
static uint64_t
sum(const uint64_t *by_class, uint8_t mask)
{
	uint64_t n = 0;

	for (unsigned int c = 0; c < 8; c++)
		n += mask >> c & 1 ? by_class[c] : 0;
	return n;
}

static void
one_storm(const char *workers, const char *action, uint8_t mask)
{
	uint8_t others = (uint8_t)~mask;
	bool drop = strcmp(action, "drop") == 0, off = strcmp(action, "off") == 0;
	uint64_t before, out;
	struct bench b;

	bench_open(&b, workers, action);
	turns(&b, 0xff, 0, 5 * MS);
	turns(&b, 0xff, mask, DETECT - 2 * MS);
	expect_counts(&b, 0, 0, 0);
	cr_assert_eq(node_test_drops(&b.t, DROP_pfc_storm), 0);
	turns(&b, 0xff, mask, 4 * MS);
	expect_counts(&b, off ? 0 : mask, !off, 0);
	/* it goes on: not detected again; the classes are emptied, or sent, or wait */
	before = sum(b.in, mask) - sum(b.out, mask);
	out = sum(b.out, mask);
	turns(&b, 0xff, mask, 100 * MS);
	expect_counts(&b, off ? 0 : mask, !off, 0);
	cr_assert_eq(node_test_drops(&b.t, DROP_pfc_storm),
		drop ? sum(b.in, mask) - sum(b.out, mask) : 0);
	cr_assert_leq(sum(b.in, others) - sum(b.out, others), 8, "the others go on");
	if (off)
		cr_assert_eq(
			node_waiting(b.t.node), before + 1000 * (uint64_t)__builtin_popcount(mask) +
							sum(b.in, others) - sum(b.out, others));
	if (strcmp(action, "forward") == 0)
		cr_assert_leq(sum(b.in, mask) - sum(b.out, mask), 8, "sent all the same");
	else
		cr_assert_eq(sum(b.out, mask), out, "nothing leaves");
	/* the last pause runs out in 10 ms, and 20 later it is over */
	turns(&b, 0xff, 0, 28 * MS);
	expect_counts(&b, off ? 0 : mask, !off, 0);
	turns(&b, 0xff, 0, 4 * MS);
	expect_counts(&b, 0, !off, !off);
	out = node_test_drops(&b.t, DROP_pfc_storm);
	turns(&b, 0xff, 0, 300 * MS);
	expect_counts(&b, 0, !off, !off);
	cr_assert_eq(node_test_drops(&b.t, DROP_pfc_storm), out);
	cr_assert_leq(sum(b.in, 0xff) - sum(b.out, 0xff) - out, 16, "all go on");
	bench_close(&b);
}

static void
storms(const char *action)
{
	static const uint8_t mask[] = {1 << 3, 1 << 4, 1 << 3 | 1 << 4, 0xff};

	for (unsigned int i = 0; i < RTE_DIM(mask); i++) {
		one_storm("", action, mask[i]);
		one_storm(TWO_WORKERS, action, mask[i]);
	}
}

Test(pfc_storm, of_any_classes_is_one_detection_and_one_restoration_and_drops)
{
	storms("drop");
}

Test(pfc_storm, is_sent_against_when_told_to_forward)
{
	storms("forward");
}

Test(pfc_storm, nobody_looks_for_one_when_the_watchdog_is_off)
{
	storms("off");
}

/* The second class comes 5 ms later: the same storm. */
Test(pfc_storm, that_spreads_is_still_one)
{
	struct bench b;

	bench_open(&b, "", "drop");
	turns(&b, 0xff, 1 << 3, 5 * MS);
	turns(&b, 0xff, 1 << 3 | 1 << 4, 17 * MS);
	expect_counts(&b, 1 << 3, 1, 0);
	turns(&b, 0xff, 1 << 3 | 1 << 4, 10 * MS);
	expect_counts(&b, 1 << 3 | 1 << 4, 1, 0);
	/* and the first ends before the other */
	turns(&b, 0xff, 1 << 4, 40 * MS);
	expect_counts(&b, 1 << 4, 1, 0);
	turns(&b, 0xff, 0, 40 * MS);
	expect_counts(&b, 0, 1, 1);
	/* the next is another one */
	turns(&b, 0xff, 0xff, 30 * MS);
	expect_counts(&b, 0xff, 2, 1);
	turns(&b, 0xff, 0, 40 * MS);
	expect_counts(&b, 0, 2, 2);
	bench_close(&b);
}

Test(pfc_storm, an_idle_queue_that_is_paused_is_none)
{
	struct bench b;

	bench_open(&b, "", "drop");
	turns(&b, 0, 0xff, 500 * MS);
	expect_counts(&b, 0, 0, 0);
	/* others have packets, the paused class has none */
	turns(&b, (uint8_t) ~(1 << 3), 1 << 3, 500 * MS);
	expect_counts(&b, 0, 0, 0);
	bench_close(&b);
}

/* Refreshed 100 us after it ran out: the class sends in between, slow as it is. */
Test(pfc_storm, pauses_that_are_renewed_late_are_none)
{
	struct bench b;

	bench_open(&b, "", "drop");
	for (unsigned int i = 0; i < 100; i++) {
		uint8_t frame[PFC_TEST_LEN];

		pfc_write(frame, 0xff, 20000);
		cr_assert(node_test_put(&b.t, OUT, frame, sizeof(frame)));
		for (unsigned int k = 0; k < 104; k++)
			turn(&b, k % 8 == 0 ? 0xff : 0, TURN_NS);
	}
	expect_counts(&b, 0, 0, 0);
	cr_assert_eq(node_test_drops(&b.t, DROP_pfc_storm), 0);
	bench_close(&b);
}

/* Short pauses, all of them heeded and over, seen by a loop that is away for up to 60 ms. */
Test(pfc_storm, a_loop_that_comes_round_when_it_likes_sees_none)
{
	static const char *const workers[] = {"", TWO_WORKERS};

	for (unsigned int i = 0; i < 2; i++) {
		struct bench b;
		struct rng r;

		bench_open(&b, workers[i], "drop");
		rng_init(&r, 11);
		for (unsigned int n = 0; n < 3000; n++) {
			uint8_t frame[PFC_TEST_LEN];
			/* a pause that ends before the next turn, a resume, or nothing */
			uint64_t away = 1 + rng_below(&r, n % 50 == 0 ? 60 * MS : 200 * US);
			uint16_t quanta = (uint16_t)rng_below(
				&r, away / 512 < 60000 ? away / 512 + 1 : 60000);

			pfc_write(frame, (uint8_t)rng_next(&r), rng_below(&r, 2) ? quanta : 0);
			cr_assert(node_test_put(&b.t, OUT, frame, sizeof(frame)));
			turn(&b, (uint8_t)(rng_next(&r) & rng_next(&r)), 10 * US);
			turn(&b, 0, away);
		}
		expect_counts(&b, 0, 0, 0);
		cr_assert_eq(node_test_drops(&b.t, DROP_pfc_storm), 0);
		bench_close(&b);
	}
}

static uint64_t
paused(const struct bench *b)
{
	return qos_pause_mask(&b->t.node->shared.commons[OUT].pause, b->t.node->worker[0]->now_ps);
}

Test(pfc_storm, a_link_that_flaps_ends_pauses_and_leaves_counters_sane)
{
	static const char *const workers[] = {"", TWO_WORKERS};

	for (unsigned int i = 0; i < 2; i++) {
		struct bench b;
		uint64_t n_in, pfc;

		bench_open(&b, workers[i], "drop");
		turns(&b, 0xff, 0xff, 30 * MS);
		expect_counts(&b, 0xff, 1, 0);
		/* the storm goes on between the flaps: it is the same one */
		for (unsigned int n = 0; n < 20; n++) {
			node_set_link(b.t.node, OUT, false);
			b.t.ticks += 10 * US;
			node_turn(b.t.node, b.t.ticks);
			cr_assert_eq(paused(&b), 0, "what was asked for went with the link");
			turns(&b, 0xff, 0, 5 * MS);
			node_set_link(b.t.node, OUT, true);
			turns(&b, 0xff, 0xff, 5 * MS);
		}
		expect_counts(&b, 0xff, 1, 0);
		/* down for long enough, it is over */
		node_set_link(b.t.node, OUT, false);
		turns(&b, 0xff, 0, 25 * MS);
		expect_counts(&b, 0, 1, 1);
		cr_assert_gt(node_test_drops(&b.t, DROP_no_member), 0);
		node_set_link(b.t.node, OUT, true);
		turns(&b, 0xff, 0, 20 * MS);
		/* more than 1 % of the time without a pause starts the detection anew */
		for (unsigned int n = 0; n < 20; n++) {
			turns(&b, 1 << 3 | 1 << 4, 0xff, 15 * MS);
			node_set_link(b.t.node, OUT, false);
			turns(&b, 0, 0, MS);
			node_set_link(b.t.node, OUT, true);
		}
		expect_counts(&b, 0, 1, 1);
		n_in = sum(b.in, 0xff);
		pfc = b.t.node->shared.commons[OUT].pfc_in;
		cr_assert_eq(node_test_sums(&b.t).in, n_in + pfc);
		cr_assert_eq(node_test_drops(&b.t, DROP_pfc), pfc);
		bench_close(&b);
	}
}
