/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The delay line: it takes its time, to the turn, and nothing else: neither rate nor order, nor
 * packets as long as they are as long as the memory was computed for. Sums add up after every turn.
 */
#include "ctl/egress.h"
#include "longhaul.h"

#define FULL 1514u /* a frame of the MTU */

static uint8_t frame[2048];

static void
ignore(void *ctx, enum node_severity severity, const char *sentence)
{
	(void)ctx;
	(void)severity;
	(void)sentence;
}

/* Overload in turns of `step`; bits a second on the wire that leave from `from` to `to`. */
static double
overload(struct node_test *t, size_t len, uint64_t step, uint64_t from, uint64_t to)
{
	const struct worker_queue *q = &t->node->worker[0]->queue[LONGHAUL_OUT];
	struct packet p = longhaul_udp(len);
	size_t n = packet_write(&p, frame, sizeof(frame), NULL);
	uint64_t bits = 0;

	while (t->ticks < to) {
		struct rte_mbuf *m;

		while (queue_packets(q) - q->line.n < 300) {
			for (unsigned int i = 0; i < 64; i++)
				longhaul_put_frame(t, 0, frame, n);
			node_test_step(t, 0);
		}
		node_test_step(t, step);
		while ((m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL) {
			if (t->ticks > from)
				bits += 8 * (rte_pktmbuf_pkt_len(m) + 24);
			rte_pktmbuf_free(m);
		}
	}
	cr_assert_eq(node_test_sums(t).dropped, 0, "dropped %lu", node_test_sums(t).dropped);
	node_test_run(t);
	return (double)bits / ((double)(to - from) / 1e9);
}

static double
throughput(const char *out, size_t len, uint64_t step, uint64_t from, uint64_t to)
{
	struct node_test t;
	double bps;

	longhaul_open(&t, 768, &(struct longhaul_conf){.out = out, .mbufs = 75000});
	bps = overload(&t, len, step, from, to);
	node_test_close(&t);
	return bps;
}

/* 55,000 frames of the MTU on their way at 50 ms. */
Test(longhaul_delay, the_rate_is_the_same_at_1_10_and_50_ms)
{
	static const struct {
		const char *out;
		uint64_t ms;
	} row[] = {{"rate: 10Gbit", 0}, {"rate: 10Gbit, delay: 1ms", 1},
		{"rate: 10Gbit, delay: 10ms", 10}, {"rate: 10Gbit, delay: 50ms", 50},
		{"rate: 10Gbit, distance: 2000km, delay: emulate", 10}};
	double without = 0;

	for (unsigned int i = 0; i < 5; i++) {
		uint64_t from = row[i].ms * LONGHAUL_MS + LONGHAUL_MS;
		double bps = throughput(
			row[i].out, FULL, 20 * LONGHAUL_US, from, from + 20 * LONGHAUL_MS);

		without = i == 0 ? bps : without;
		cr_assert_float_eq(bps / without, 1, 0.01, "%s: %.0f bit/s, without %.0f",
			row[i].out, bps, without);
		cr_assert_float_eq(bps / 1e10, 1, 0.005);
	}
}

/* The memory is for frames of three quarters of the MTU: those are the shortest that fit. */
Test(longhaul_delay, frames_of_three_quarters_of_the_mtu_fit_too)
{
	double bps = throughput("rate: 10Gbit, delay: 20ms", 1125, 20 * LONGHAUL_US,
		21 * LONGHAUL_MS, 41 * LONGHAUL_MS);

	cr_assert_float_eq(bps / 1e10, 1, 0.005);
}

Test(longhaul_delay, fifty_ms_at_ten_gigabit_are_what_the_check_counts)
{
	struct conf *c = node_test_conf(
		"version: 1\nnode: {name: n, id: 1}\nports:\n"
		"  - {name: a, device: a, role: longhaul, rate: 10Gbit, delay: 50ms}\n");

	/* 62.5 MB in frames of 1125, and a turn's worth */
	cr_assert_eq(egress_line_packets(c, 0), 62500000 / 1125 + 1 + 256);
	conf_free(c);
}

/* Memory is what the check says, and not a MiB more; small class queues leave none over. */
Test(longhaul_delay, fifty_ms_at_ten_gigabit_fit_the_memory_that_the_check_promised)
{
	const struct node_log log = {.say = ignore};
	struct conf *c = node_test_conf(
		"version: 1\nnode: {name: n, id: 1}\nports:\n"
		"  - {name: in, device: in, role: nsf, mac: \"02:00:00:00:00:01\"}\n"
		"  - {name: out, device: out, role: longhaul, rate: 10Gbit, delay: 50ms}\n"
		"classes: [{class: 0, name: c0, limit: 600KB}, {class: 1, name: c1, limit: 64KB},\n"
		"  {class: 2, name: c2, limit: 64KB}, {class: 3, name: c3, limit: 64KB},\n"
		"  {class: 4, name: c4, limit: 64KB}, {class: 5, name: c5, limit: 64KB},\n"
		"  {class: 6, name: c6, limit: 64KB}, {class: 7, name: c7, limit: 64KB}]\n"
		"groups: [{name: g, members: [{port: out, mac: \"02:aa:00:00:00:01\"}]}]\n"
		"routes: {static: [{prefix: 0.0.0.0/0, group: g}]}\n");
	struct node_test t;
	uint64_t told = 0;

	c->memory = UINT64_C(1) << 40;
	cr_assert_eq(node_check(c, &log, &told), 0);
	node_test_open_conf(&t, (unsigned int)(told / (1u << 20) + 1), c);
	cr_assert_float_eq(
		overload(&t, FULL, 20 * LONGHAUL_US, 51 * LONGHAUL_MS, 71 * LONGHAUL_MS) / 1e10, 1,
		0.005);
	/* three quarters of the MTU: as many of them as the line was made for */
	overload(&t, 1125, 20 * LONGHAUL_US, 71 * LONGHAUL_MS, 130 * LONGHAUL_MS);
	cr_assert_gt(t.node->worker[0]->queue[LONGHAUL_OUT].line.n, 53000);
	node_test_close(&t);
	conf_free(c);
}

/* Each packet has its number; the test knows when it came in. */
static void
expect_latency(const char *out, uint64_t delay, uint64_t turn)
{
	static uint64_t came[100000];
	struct node_test t;
	uint32_t in = 0, next = 0;
	struct rng r;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = out});
	rng_init(&r, delay + turn);
	while (next < 5000) {
		/* about a third of the rate, so that nothing waits before the line */
		if (in < 5000 && rng_below(&r, 2) == 0) {
			longhaul_put_number(&t, longhaul_udp(60), in);
			came[in++] = t.ticks + turn; /* the turn that polls it */
		}
		node_test_step(&t, turn);
		for (struct rte_mbuf *m; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL;
			next++) {
			uint64_t took = t.ticks - came[longhaul_number(m)];

			cr_assert_eq(longhaul_number(m), next, "out of order");
			cr_assert(took >= delay && took < delay + turn,
				"%s, turns of %lu ns: %lu ns", out, turn, took);
			rte_pktmbuf_free(m);
		}
	}
	node_test_close(&t);
}

Test(longhaul_delay, latency_is_the_delay_to_a_turn)
{
	expect_latency("rate: 10Gbit", 0, 1000);
	expect_latency("rate: 10Gbit, delay: 1ms", LONGHAUL_MS, 1000);
	expect_latency("rate: 10Gbit, delay: 1ms", LONGHAUL_MS, 777);
	expect_latency("rate: 10Gbit, delay: 10ms", 10 * LONGHAUL_MS, 7777);
	expect_latency("rate: 10Gbit, delay: 50ms", 50 * LONGHAUL_MS, 50000);
	expect_latency("rate: 10Gbit, distance: 80km, delay: emulate", 400 * LONGHAUL_US, 333);
}

/*
 * 30 s before 213.5 days are over, 2^64 ps, the last packet's time seems to be 30 s ahead. Nobody
 * sent anything, and control does hourly what it does.
 */
Test(longhaul_delay, is_the_same_after_any_silence)
{
	const uint64_t wrap = UINT64_MAX / PS_PER_NS; /* ticks */
	struct packet p = longhaul_udp(60);
	struct node_test t;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 1Gbit, delay: 1ms"});
	longhaul_put(&t, &p, 1);
	node_test_step(&t, 1000);
	node_test_step(&t, LONGHAUL_MS);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 1);
	for (t.ticks = wrap / 2; t.ticks < wrap - 30 * NODE_TEST_HZ; t.ticks += wrap / 4)
		egress_touch(t.node, t.ticks * PS_PER_NS);
	t.ticks = wrap - 30 * NODE_TEST_HZ;
	egress_touch(t.node, t.ticks * PS_PER_NS);
	longhaul_put(&t, &p, 1);
	node_test_step(&t, 0);
	node_test_step(&t, LONGHAUL_MS - 1);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 0);
	node_test_step(&t, 1);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 1);
	node_test_close(&t);
}

/* Numbers in order at any load: straight, behind the shaper, on the line. */
Test(longhaul_delay, the_order_holds_whatever_comes)
{
	struct node_test t;
	uint32_t in = 0, next = 0;
	struct rng r;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 1Gbit, delay: 1ms"});
	rng_init(&r, 5);
	while (next < 20000) {
		for (uint64_t n = rng_below(&r, 3) == 0 ? rng_below(&r, 150) : 0;
			n > 0 && in < 20000; n--)
			longhaul_put_number(&t, longhaul_udp(1125), in++);
		node_test_step(&t, rng_below(&r, 200 * LONGHAUL_US));
		for (struct rte_mbuf *m; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL;
			next++) {
			cr_assert_eq(longhaul_number(m), next, "%u comes as %u", longhaul_number(m),
				next);
			rte_pktmbuf_free(m);
		}
	}
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	node_test_close(&t);
}

/* Frames of 64 bytes: more of them fit the rate than the memory was computed for. */
Test(longhaul_delay, what_the_line_has_no_room_for_is_counted)
{
	struct packet p = longhaul_udp(60);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);
	struct node_test t;
	uint32_t room, put = 0;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 10Gbit, delay: 2ms"});
	room = egress_line_packets(t.conf, LONGHAUL_OUT);
	cr_assert_eq(room, 2500000 / 1125 + 1 + 256);
	/* 64 packets of 67 ns each 5 us: just within the rate */
	while (put < room + 640) {
		for (unsigned int i = 0; i < 64; i++, put++)
			longhaul_put_frame(&t, 0, frame, len);
		node_test_step(&t, 5 * LONGHAUL_US);
	}
	cr_assert_lt(t.ticks, 2 * LONGHAUL_MS);
	cr_assert_eq(node_waiting(t.node), room);
	cr_assert_eq(node_test_drops(&t, DROP_delay_line_full), put - room);
	cr_assert_eq(node_test_sums(&t).dropped, put - room, "nothing else is lost");
	/* all that it took comes out, and there is room again */
	for (unsigned int i = 0; i < 3000; i++)
		node_test_step(&t, LONGHAUL_US);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), room);
	longhaul_put(&t, &p, 64);
	node_test_run(&t);
	cr_assert_eq(node_waiting(t.node), 64);
	cr_assert_eq(node_test_drops(&t, DROP_delay_line_full), put - room);
	node_test_close(&t);
}
