/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In which order the classes of a port leave: strict ones overtake what waits, the others share by
 * weight. A DSCP tells the class of a packet at the far end.
 */
#include "longhaul.h"

#define FULL 1514u

/* Ends the test unless the port is behind with data of class 3. */
static void
keep_behind(struct node_test *t, const struct packet *data)
{
	while (t->node->worker[0]->queue[LONGHAUL_OUT].fifo[3].n < 300) {
		longhaul_put(t, data, 64);
		node_test_step(t, 0);
		node_test_discard(t, LONGHAUL_OUT);
	}
	cr_assert_gt(egress_backlog(longhaul_commons(t), 3), 100000);
}

static bool
is_cnp(const struct rte_mbuf *m)
{
	return *rte_pktmbuf_mtod_offset(m, const uint8_t *, 42) == 0x81;
}

static bool
take_cnp(struct node_test *t)
{
	struct rte_mbuf *m;
	bool found = false;

	while ((m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL) {
		found |= is_cnp(m);
		rte_pktmbuf_free(m);
	}
	return found;
}

/* How long a CNP takes that comes in at any phase of the frame that is being sent. */
static uint64_t
longest_wait(struct node_test *t, size_t data_len, uint64_t turn_ns, unsigned int times)
{
	struct packet data = longhaul_roce(data_len), cnp = packet_roce(4);
	uint64_t longest = 0;
	struct rng r;

	rng_init(&r, data_len);
	cnp.opcode = 0x81;
	cnp.payload_len = 16;
	for (unsigned int i = 0; i < times; i++) {
		uint64_t begin;

		keep_behind(t, &data);
		for (uint64_t skip = rng_below(&r, 100); skip-- > 0;)
			node_test_step(t, turn_ns);
		node_test_discard(t, LONGHAUL_OUT);
		begin = t->ticks;
		longhaul_put(t, &cnp, 1);
		node_test_step(t, 0);
		while (!take_cnp(t)) {
			node_test_step(t, turn_ns);
			cr_assert_lt(t->ticks - begin, 100 * LONGHAUL_MS);
		}
		longest = RTE_MAX(longest, t->ticks - begin);
	}
	return longest;
}

Test(longhaul_sched, a_cnp_leaves_within_one_frame_time_of_a_full_queue)
{
	static const struct {
		const char *rate;
		uint64_t bps;
	} row[] = {{"10Mbit", 10000000}, {"1Gbit", 1000000000}, {"10Gbit", 10000000000},
		{"100Gbit", 100000000000}};

	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int jumbo = 0; jumbo < 2; jumbo++) {
			size_t len = jumbo ? 9014 : FULL;
			uint64_t frame_ns = (len + 24) * 8 * 1000000000 / row[i].bps;
			uint64_t turn = RTE_MAX(frame_ns / 40, UINT64_C(1)), wait;
			char out[64];
			struct node_test t;

			snprintf(out, sizeof(out), "rate: %s", row[i].rate);
			longhaul_open(&t, 256,
				&(struct longhaul_conf){.out = out, .mtu = 9000, .mbufs = 4096});
			wait = longest_wait(&t, len, turn, 200);
			cr_assert_leq(wait, frame_ns + turn,
				"%s, %zu bytes: %lu ns, a frame takes %lu", row[i].rate, len, wait,
				frame_ns);
			/* it is the frame that is being sent that makes it wait */
			cr_assert_geq(wait, frame_ns / 2);
			node_test_close(&t);
		}
	}
}

Test(longhaul_sched, a_cnp_overtakes_before_the_delay_line_and_not_in_it)
{
	const uint64_t frame_ns = (FULL + 24) * 8 / 10;
	struct node_test t;
	uint64_t wait;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 10Gbit, delay: 1ms"});
	wait = longest_wait(&t, FULL, 100, 20);
	cr_assert_geq(wait, LONGHAUL_MS);
	cr_assert_leq(wait, LONGHAUL_MS + frame_ns + 200);
	node_test_close(&t);
}

Test(longhaul_sched, class_7_goes_before_6_and_6_before_the_rest)
{
	/* class 0, 7, 6, 0, 7, 6 ...: DSCPs 0, 56, 48 */
	static const uint8_t dscp[] = {0, 56, 48};
	struct node_test t;
	struct packet p = longhaul_udp(1000);
	unsigned int seen[64] = {0};

	longhaul_open(&t, 128, &(struct longhaul_conf){.out = "rate: 10Mbit"});
	for (unsigned int i = 0; i < 300; i++) {
		p.tos = (uint8_t)(dscp[i % 3] << 2);
		longhaul_put(&t, &p, 1);
	}
	node_test_run(&t);
	node_test_discard(&t, LONGHAUL_OUT); /* the first found the port idle */
	for (unsigned int n = 0; n < 299;) {
		struct rte_mbuf *m;

		node_test_step(&t, 400 * LONGHAUL_US);
		for (; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL; n++) {
			unsigned int d = *rte_pktmbuf_mtod_offset(m, const uint8_t *, 15) >> 2;

			seen[d]++;
			cr_assert(d != 48 || seen[56] == 100, "a 6 before a 7");
			cr_assert(d != 0 || seen[48] == 100, "a 0 before a 6");
			rte_pktmbuf_free(m);
		}
	}
	cr_assert_eq(seen[0], 99);
	node_test_close(&t);
}

/* The higher number first, whichever they are. */
Test(longhaul_sched, any_class_may_be_strict)
{
	struct node_test t;
	struct packet p = longhaul_udp(1000);
	unsigned int last = 5;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){.out = "rate: 10Mbit",
			.classes = "  - {class: 1, name: a, dscp: [1], scheduler: strict}\n"
				   "  - {class: 4, name: b, dscp: [4], scheduler: strict}\n"
				   "  - {class: 5, name: c, dscp: [5], scheduler: strict}\n"
				   "  - {class: 6, name: d, dscp: [6], scheduler: {dwrr: 9}}\n"});
	for (unsigned int i = 0; i < 100; i++) {
		p.tos = (uint8_t)("\1\6\4\5"[i % 4] << 2);
		longhaul_put(&t, &p, 1);
	}
	node_test_run(&t);
	node_test_discard(&t, LONGHAUL_OUT);
	for (unsigned int n = 0; n < 99;) {
		struct rte_mbuf *m;

		node_test_step(&t, 400 * LONGHAUL_US);
		for (; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL; n++) {
			unsigned int d = *rte_pktmbuf_mtod_offset(m, const uint8_t *, 15) >> 2;

			/* 5, 4, 1 and the one that shares last: 6 counts as 0 */
			d = d == 6 ? 0 : d;
			cr_assert_leq(d, last, "class %u after %u", d, last);
			last = d;
			rte_pktmbuf_free(m);
		}
	}
	cr_assert_eq(last, 0);
	node_test_close(&t);
}

#define SHARERS 4u

struct sharing {
	unsigned int weight[SHARERS]; /* of classes 0 to 3, DSCPs 0 to 3; 0: no packets */
	size_t len[SHARERS];
};

static void
open_sharers(struct node_test *t, const struct sharing *s)
{
	char classes[512];
	int at = 0;

	for (unsigned int c = 0; c < SHARERS; c++)
		at += snprintf(classes + at, sizeof(classes) - (size_t)at,
			"  - {class: %u, name: c%u, dscp: [%u], scheduler: {dwrr: %u}}\n", c, c, c,
			s->weight[c] == 0 ? 1 : s->weight[c]);
	longhaul_open(t, 512,
		&(struct longhaul_conf){
			.out = "rate: 1Gbit", .classes = classes, .mtu = 9000, .mbufs = 12288});
}

/* The classes of the packets that leave, in order, while all have something waiting. */
static unsigned int
record(struct node_test *t, const struct sharing *s, uint8_t *class, unsigned int n)
{
	unsigned int at = 0;

	while (at < n) {
		struct rte_mbuf *m;

		for (unsigned int c = 0; c < SHARERS; c++) {
			struct packet p = longhaul_udp(s->len[c] == 0 ? 60 : s->len[c]);

			p.tos = (uint8_t)(c << 2);
			while (s->weight[c] != 0 &&
				t->node->worker[0]->queue[LONGHAUL_OUT].fifo[c].n < 128) {
				longhaul_put(t, &p, 64);
				node_test_step(t, 0);
			}
		}
		/* the first ones go before there is anything to share */
		if (at == 0)
			node_test_discard(t, LONGHAUL_OUT);
		node_test_step(t, 20 * LONGHAUL_US);
		while ((m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL) {
			if (at < n)
				class[at++] = *rte_pktmbuf_mtod_offset(m, const uint8_t *, 15) >> 2;
			rte_pktmbuf_free(m);
		}
	}
	return at;
}

/*
 * Bytes of each class in any 1000 packets on end are within 1 % of what the weights say; where
 * lengths differ, and one long frame is more than 1 % of a thousand short ones, and a frame.
 */
static void
expect_shares(const struct sharing *s)
{
	static uint8_t class[5000];
	double weights = 0, longest = 0;
	bool mixed = false;
	struct node_test t;

	open_sharers(&t, s);
	record(&t, s, class, sizeof(class));
	for (unsigned int c = 0; c < SHARERS; c++) {
		weights += s->weight[c];
		mixed |= s->weight[c] != 0 && s->len[c] != s->len[0];
		longest = RTE_MAX(longest, (double)s->len[c]);
	}
	for (unsigned int from = 0; from + 1000 <= sizeof(class); from++) {
		double bytes[SHARERS] = {0}, all = 0;

		for (unsigned int i = from; i < from + 1000; i++) {
			bytes[class[i]] += (double)s->len[class[i]];
			all += (double)s->len[class[i]];
		}
		for (unsigned int c = 0; c < SHARERS; c++) {
			double off = bytes[c] - all * s->weight[c] / weights;

			cr_assert_leq(off < 0 ? -off : off, all * 0.01 + (mixed ? longest : 0),
				"weights %u %u %u %u: class %u of %zu bytes has %.0f of %.0f",
				s->weight[0], s->weight[1], s->weight[2], s->weight[3], c,
				s->len[c], bytes[c], all);
		}
	}
	node_test_run(&t);
	node_test_close(&t);
}

Test(longhaul_sched, shares_are_right_to_a_percent_in_a_thousand_packets)
{
	static const struct sharing row[] = {
		{{1, 1}, {1514, 1514}}, {{1, 1}, {60, 60}}, {{1, 3}, {1514, 1514}},
		{{3, 1}, {60, 60}}, {{1, 2, 4}, {1514, 1514, 1514}}, {{1, 2, 4}, {60, 60, 60}},
		{{7, 3, 5, 1}, {1514, 1514, 1514, 1514}}, {{7, 3, 5, 1}, {60, 60, 60, 60}},
		{{50, 50}, {1514, 60}}, {{40, 30, 20, 10}, {60, 590, 1514, 9014}},
		{{1, 1}, {60, 9014}}, {{255, 1}, {1514, 1514}}, {{255, 1}, {60, 60}},
		{{255, 254, 1}, {1514, 1514, 1514}}, {{255, 254, 1}, {60, 60, 60}},
		{{4, 4, 1}, {60, 60, 60}},
		{{50, 50}, {60, 60}}, /* others have a weight of 1, and no traffic */
	};

	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		expect_shares(&row[i]);
}
