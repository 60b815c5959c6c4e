/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often packets are marked or dropped by a curve, at a backlog that is held: the port sends one
 * packet for each that comes in, and the clock stands while one comes. What a mark changes in a
 * packet is test_longhaul_remark.c's.
 */
#include "longhaul.h"

#define RATE_BPS 10000000u
#define LEN      1000u /* of frames: backlogs are multiples of it */
#define DRAWS    3000u

/* A packet of LEN bytes at the rate, in ticks. */
static const uint64_t frame_ns = (LEN + 24) * 8 * UINT64_C(1000000000) / RATE_BPS;

static void
open_port(struct node_test *t, const char *ecn, const char *classes)
{
	char out[512];

	snprintf(out, sizeof(out), "rate: 10Mbit, ecn: %s", ecn);
	longhaul_open(t, 128, &(struct longhaul_conf){.out = out, .classes = classes});
}

static uint64_t
backlog(const struct node_test *t, unsigned int class)
{
	return egress_backlog(longhaul_commons(t), class);
}

/* In at the same moment: the shaper's bucket is empty, so nothing leaves. */
static void
put(struct node_test *t, const struct packet *p)
{
	longhaul_put(t, p, 1);
	node_test_step(t, 0);
}

/* Fills class 0 up to `bytes` with packets that were marked elsewhere, which no curve marks. */
static void
fill(struct node_test *t, uint64_t bytes)
{
	struct packet p = longhaul_udp(LEN);

	p.tos = 3;
	for (unsigned int tries = 0; backlog(t, 0) < bytes; tries++) {
		put(t, &p);
		cr_assert_lt(tries, 100000);
	}
	cr_assert_eq(backlog(t, 0), bytes);
	node_test_discard(t, LONGHAUL_OUT); /* the first one, which found the port idle */
}

/* Packets out until class 0 holds `bytes` again; returns how many of them carry CE. */
static unsigned int
drain(struct node_test *t, uint64_t bytes)
{
	unsigned int n = 0;

	for (unsigned int tries = 0; backlog(t, 0) > bytes; tries++) {
		struct rte_mbuf *m;

		node_test_step(t, frame_ns);
		while ((m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL) {
			n += (*rte_pktmbuf_mtod_offset(m, const uint8_t *, 15) & 3) == 3;
			rte_pktmbuf_free(m);
		}
		cr_assert_lt(tries, 100000);
	}
	return n;
}

struct curve {
	double kmin, kmax, pmax;
};

static double
chance(const struct curve *c, double bytes)
{
	if (bytes <= c->kmin)
		return 0;
	if (bytes > c->kmax)
		return 1;
	return c->pmax * (bytes - c->kmin) / (c->kmax - c->kmin);
}

/* Backlogs below, at, on and above the curve, as multiples of LEN. */
#define POINTS 8u
static uint64_t
point(const struct curve *c, unsigned int i)
{
	double at[POINTS] = {0.5 * c->kmin, c->kmin, c->kmin + (c->kmax - c->kmin) * 0.1,
		c->kmin + (c->kmax - c->kmin) * 0.3, c->kmin + (c->kmax - c->kmin) * 0.7,
		c->kmin + (c->kmax - c->kmin) * 0.9, c->kmax, c->kmax + LEN};

	return (uint64_t)(at[i] / LEN) * LEN;
}

Test(longhaul_marking, follows_five_curves_at_held_backlogs)
{
	static const struct {
		const char *ecn;
		struct curve curve;
	} row[] = {
		{"{kmin: 100KB, kmax: 400KB, pmax: 20%}", {100000, 400000, 0.2}},
		{"{kmin: 20KB, kmax: 20KB, pmax: 100%}", {20000, 20000, 1}},
		{"{kmin: 10KB, kmax: 200KB, pmax: 1%}", {10000, 200000, 0.01}},
		{"{kmin: 0B, kmax: 100KB, pmax: 100%}", {0, 100000, 1}},
		{"{kmin: 500KB, kmax: 1MB, pmax: 5%}", {500000, 1000000, 0.05}},
	};

	for (unsigned int k = 0; k < 5; k++) {
		struct node_test t;

		open_port(&t, row[k].ecn, NULL);
		for (unsigned int i = 0; i < POINTS; i++) {
			uint64_t bytes = point(&row[k].curve, i), before, n, ce_out = 0;
			double want = chance(&row[k].curve, (double)bytes);
			char what[64];

			if (bytes == 0)
				continue; /* nothing waits: packets go straight */
			drain(&t, 0);
			fill(&t, bytes);
			before = longhaul_counters(&t).ce_marked;
			for (unsigned int d = 0; d < DRAWS; d++) {
				struct packet p = longhaul_udp(LEN);

				p.tos = (uint8_t)(1 + d % 2); /* ECT(1), ECT(0) */
				put(&t, &p);
				ce_out += drain(&t, bytes);
			}
			n = longhaul_counters(&t).ce_marked - before;
			snprintf(what, sizeof(what), "curve %u at %lu bytes", k, bytes);
			longhaul_expect_3_sigma(n, DRAWS, want, what);
			/* and the packets carry what the counter says, beside those that filled the
			 * queue */
			ce_out += drain(&t, 0);
			cr_assert_eq(
				ce_out, n + bytes / LEN, "%s: %lu CE, %lu marked", what, ce_out, n);
		}
		cr_assert_eq(longhaul_counters(&t).would_mark_not_ect, 0);
		node_test_close(&t);
	}
}

Test(longhaul_marking, the_curve_that_drops_is_followed_too)
{
	static const struct curve mark = {10000, 20000, 1}, drop = {50000, 150000, 0.3};
	struct node_test t;

	open_port(&t,
		"{kmin: 10KB, kmax: 20KB, pmax: 100%, drop: {kmin: 50KB, kmax: 150KB, pmax: "
		"30%}}",
		NULL);
	for (unsigned int i = 0; i < POINTS; i++) {
		uint64_t bytes = point(&drop, i), dropped = node_test_drops(&t, DROP_red), n;
		uint64_t marked, kept;
		struct packet p = longhaul_udp(LEN);

		drain(&t, 0);
		/* in steps: what is dropped is put in again */
		fill(&t, RTE_MIN(bytes, UINT64_C(151000)));
		dropped = node_test_drops(&t, DROP_red);
		marked = longhaul_counters(&t).ce_marked;
		p.tos = 2;
		for (unsigned int d = 0; d < DRAWS; d++) {
			put(&t, &p);
			drain(&t, bytes);
		}
		n = node_test_drops(&t, DROP_red) - dropped;
		kept = DRAWS - n;
		longhaul_expect_3_sigma(n, DRAWS, chance(&drop, (double)bytes), "dropped");
		/* what is dropped is not counted as marked */
		cr_assert_eq(chance(&mark, (double)bytes), 1);
		cr_assert_eq(longhaul_counters(&t).ce_marked - marked, kept);
	}
	node_test_close(&t);
}

Test(longhaul_marking, counters_tell_what_came_marked_what_was_and_what_would_have_been)
{
	struct node_test t;
	struct packet p = longhaul_udp(LEN);
	struct counters c;

	open_port(&t, "{kmin: 1KB, kmax: 5KB, pmax: 50%}", NULL);
	fill(&t, 6000);
	for (unsigned int i = 0; i < 100; i++) {
		p.tos = i < 40 ? 2 : i < 65 ? 1 : i < 85 ? 0 : 3;
		put(&t, &p);
	}
	c = longhaul_counters(&t);
	cr_assert_eq(c.ce_in, 6 + 1 + 15, "%lu", c.ce_in); /* the first one left straight */
	cr_assert_eq(c.ce_marked, 65);
	cr_assert_eq(c.would_mark_not_ect, 20);
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	cr_assert_eq(drain(&t, 0), 6 + 65 + 15);
	node_test_close(&t);
}

Test(longhaul_marking, not_ect_may_be_dropped_instead)
{
	struct node_test t;
	struct packet p = longhaul_udp(LEN);

	open_port(&t, "{kmin: 1KB, kmax: 5KB, pmax: 50%, not_ect: drop}", NULL);
	fill(&t, 6000);
	for (unsigned int i = 0; i < 100; i++) {
		p.tos = i < 40 ? 0 : 2;
		put(&t, &p);
	}
	cr_assert_eq(node_test_drops(&t, DROP_not_ect), 40);
	cr_assert_eq(longhaul_counters(&t).would_mark_not_ect, 40);
	cr_assert_eq(longhaul_counters(&t).ce_marked, 60);
	cr_assert_eq(backlog(&t, 0), 66000);
	node_test_close(&t);
}

/* A lossless class lets them pass whatever the port says. */
Test(longhaul_marking, not_ect_of_a_lossless_class_passes)
{
	struct node_test t;
	struct packet p = longhaul_roce(1002);

	open_port(&t, "{kmin: 1KB, kmax: 5KB, pmax: 50%, not_ect: drop}",
		"  - {class: 3, name: rdma, lossless: true}\n");
	p.tos = 26 << 2;
	for (unsigned int i = 0; i < 100; i++)
		put(&t, &p);
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	/* 93 saw more than 5 KB: the first left, the second saw nothing, four were on the curve */
	cr_assert_geq(longhaul_counters(&t).would_mark_not_ect, 94);
	cr_assert_leq(longhaul_counters(&t).would_mark_not_ect, 98);
	cr_assert_eq(longhaul_counters(&t).ce_marked, 0);
	node_test_close(&t);
}

static bool
is_marked_control(struct node_test *t, uint8_t opcode)
{
	uint64_t before = longhaul_counters(t).ce_marked;
	struct packet p = longhaul_roce(1002);

	p.opcode = opcode;
	put(t, &p);
	return longhaul_counters(t).ce_marked != before;
}

Test(longhaul_marking, control_is_marked_only_when_that_is_asked_for)
{
	static const uint8_t control[] = {0x11, 0x12, 0x51, 0x52, 0x55, 0xb1, 0xb2, 0x81};

	for (unsigned int asked = 0; asked < 2; asked++) {
		struct node_test t;
		bool is_control[256] = {false};

		open_port(&t,
			asked ? "{kmin: 0B, kmax: 1B, pmax: 100%, control: true}"
			      : "{kmin: 0B, kmax: 1B, pmax: 100%}",
			NULL);
		for (unsigned int i = 0; i < sizeof(control); i++)
			is_control[control[i]] = true;
		/* data in class 3, a CNP in class 6: two of each, and the rest finds a backlog */
		for (unsigned int i = 0; i < 2; i++) {
			is_marked_control(&t, 4);
			is_marked_control(&t, 0x81);
		}
		for (unsigned int op = 0; op < 256; op++)
			cr_assert_eq(is_marked_control(&t, (uint8_t)op), asked || !is_control[op],
				"opcode %02x, control: %u", op, asked);
		cr_assert_eq(longhaul_counters(&t).would_mark_not_ect, 0);
		node_test_close(&t);
	}
}

/*
 * 1 Gbit/s, offered evenly at `permille` of it: the port is never behind. The virtual queue is
 * summed in floating point; the marks that it asks for are a sum of chances.
 */
static void
expect_phantom(unsigned int permille)
{
	const struct curve c = {4000, 16000, 0.2};
	const double drain_bps = 950e6, bits = 8 * (LEN + 24);
	const uint64_t step = (uint64_t)(bits * 1000 / permille);
	double queue = 0, mean = 0, variance = 0, off;
	struct packet p = longhaul_udp(LEN);
	struct node_test t;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){.out = "rate: 1Gbit, ecn: {mode: phantom, kmin: 4KB, kmax: "
					       "16KB, pmax: 20%}"});
	p.tos = 2;
	for (unsigned int i = 0; i < 4000; i++) {
		double share;

		queue = RTE_MAX(0.0, queue - (double)step * drain_bps / 8e9);
		queue = RTE_MIN(queue + LEN + 24, 2 * c.kmax);
		share = chance(&c, queue);
		mean += share;
		variance += share * (1 - share);
		longhaul_put(&t, &p, 1);
		node_test_step(&t, step);
		cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 1, "the real queue is not empty");
	}
	for (unsigned int k = 0; k < DP_CLASSES; k++)
		cr_assert_eq(longhaul_commons(&t)->class_[k].peak, 0);
	off = (double)longhaul_counters(&t).ce_marked - mean;
	cr_assert_leq(off * off, 9 * variance + 1, "%u permille: %lu marked, want %.1f", permille,
		longhaul_counters(&t).ce_marked, mean);
	cr_assert_eq(longhaul_counters(&t).ce_marked != 0, permille > 950);
	node_test_close(&t);
}

Test(longhaul_marking, a_phantom_queue_marks_while_the_real_one_is_empty)
{
	static const unsigned int permille[] = {500, 900, 940, 960, 970, 990, 1000};

	for (unsigned int i = 0; i < 7; i++)
		expect_phantom(permille[i]);
}

/* 0.11 and 0.23 of 100 Mbit/s x 2 x 4000 km x 5 us/km = 500 KB: 55 KB and 115 KB, 5 %. */
Test(longhaul_marking, auto_thresholds_come_from_rate_and_distance)
{
	struct node_test t;
	struct packet p = longhaul_udp(LEN);

	longhaul_open(&t, 128,
		&(struct longhaul_conf){.out = "rate: 100Mbit, distance: 4000km, ecn: auto"});
	p.tos = 2;
	fill(&t, 55000);
	put(&t, &p);
	cr_assert_eq(longhaul_counters(&t).ce_marked, 0);
	fill(&t, 115000);
	for (unsigned int i = 0; i < 100; i++)
		put(&t, &p);
	/* at 115,000 bytes one in twenty, above it all */
	cr_assert_geq(longhaul_counters(&t).ce_marked, 99);
	node_test_close(&t);
}
