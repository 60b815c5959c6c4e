/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port whose device takes less than comes, and takes all again later: without policy it sends
 * past the queues, goes by them while it is behind, and sends past them again; the order holds.
 */
#include "longhaul.h"

static uint8_t frame[2048];

static bool
is_direct(const struct node_test *t, unsigned int worker)
{
	return t->node->worker[worker]->tx[LONGHAUL_OUT].direct;
}

/* The device's ring holds `n` of its own packets, so it takes NODE_TEST_DEPTH - n. */
static void
stall(struct node_test *t, unsigned int n)
{
	struct packet p = longhaul_udp(60);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	while (n-- > 0) {
		longhaul_put_frame(t, 0, frame, len);
		if (n % 64 == 0)
			node_test_step(t, 0);
	}
}

static uint32_t
take_in_order(struct node_test *t, uint32_t next, unsigned int most)
{
	struct rte_mbuf *m;

	for (; most > 0 && (m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL; most--) {
		cr_assert_eq(longhaul_number(m), next, "%u comes as %u", longhaul_number(m), next);
		next++;
		rte_pktmbuf_free(m);
	}
	return next;
}

Test(longhaul_behind, goes_by_the_queues_in_order_and_then_past_them_again)
{
	struct node_test t;
	uint32_t in = 0, next = 0;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = NULL});
	cr_assert(is_direct(&t, 0));
	for (unsigned int round = 0; round < 5; round++) {
		/* the device's ring, the TX buffer, and 200 packets more */
		for (unsigned int i = 0; i < NODE_TEST_DEPTH + WORKER_TX_MAX + 200; i++) {
			longhaul_put_number(&t, longhaul_udp(60), in++);
			if (i % 50 == 0)
				node_test_step(&t, 1000);
		}
		node_test_run(&t);
		node_test_balance(&t);
		cr_assert(!is_direct(&t, 0));
		cr_assert_eq(longhaul_commons(&t)->packets, 200);
		cr_assert_eq(node_waiting(t.node), WORKER_TX_MAX + 200);
		/* the device wakes up slowly */
		for (unsigned int i = 0; next < in; i++) {
			next = take_in_order(&t, next, 40);
			node_test_step(&t, 1000);
			cr_assert_lt(i, 1000);
		}
		cr_assert(is_direct(&t, 0), "round %u", round);
		cr_assert_eq(longhaul_commons(&t)->packets, 0);
		/* and past the queues: the backlog's high-water mark does not move any more */
		uint64_t peak = longhaul_commons(&t)->class_[0].peak;

		for (unsigned int i = 0; i < 500; i++)
			longhaul_put_number(&t, longhaul_udp(60), in++);
		node_test_run(&t);
		next = take_in_order(&t, next, 500);
		cr_assert_eq(next, in);
		cr_assert_eq(longhaul_commons(&t)->class_[0].peak, peak);
	}
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	node_test_close(&t);
}

/* Packets come while the device takes now all, now a few, now none. */
Test(longhaul_behind, the_order_holds_whatever_the_device_does)
{
	static const char *const out[] = {NULL, "ecn: {kmin: 1KB, kmax: 1MB, pmax: 10%}",
		"rate: 100Gbit", "impair: {duplicate: 0%, seed: 1}"};
	/* the ring and the buffer are full and there is room for a burst in the queue */
	const uint32_t most = NODE_TEST_DEPTH + WORKER_TX_MAX + 100;

	for (unsigned int k = 0; k < 4; k++) {
		struct node_test t;
		uint32_t in = 0, next = 0;
		struct rng r;

		longhaul_open(&t, 256, &(struct longhaul_conf){.out = out[k]});
		rng_init(&r, 11 + k);
		while (next < 100000) {
			uint64_t n = in - next < most ? rng_below(&r, 65) : 0;

			while (n-- > 0)
				longhaul_put_number(&t, longhaul_udp(60), in++);
			node_test_step(&t, 1000);
			if (rng_below(&r, 100) == 0)
				next = take_in_order(&t, next, UINT32_MAX);
			else if (rng_below(&r, 4) == 0)
				next = take_in_order(&t, next, (unsigned int)rng_below(&r, 100));
		}
		cr_assert_eq(node_test_sums(&t).dropped, 0);
		node_test_run(&t);
		node_test_close(&t);
	}
}

/* Classes overtake each other while the port is behind; each of them keeps its order. */
Test(longhaul_behind, a_strict_class_overtakes_where_packets_wait)
{
	struct node_test t;
	struct packet p = longhaul_udp(60), urgent = longhaul_udp(60);
	unsigned int before = 0;
	struct rte_mbuf *m;
	bool seen = false;

	urgent.tos = 56 << 2;
	longhaul_open(&t, 256, &(struct longhaul_conf){.out = NULL});
	stall(&t, NODE_TEST_DEPTH + WORKER_TX_MAX);
	longhaul_put(&t, &p, 100);
	longhaul_put(&t, &urgent, 1);
	longhaul_put(&t, &p, 100);
	node_test_run(&t);
	for (unsigned int i = 0; i < 300 && !seen; i++) {
		while (!seen && (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL) {
			seen = *rte_pktmbuf_mtod_offset(m, const uint8_t *, 15) == 56 << 2;
			before += !seen;
			rte_pktmbuf_free(m);
		}
		node_test_step(&t, 1000);
	}
	cr_assert(seen);
	cr_assert_eq(before, NODE_TEST_DEPTH + WORKER_TX_MAX);
	node_test_close(&t);
}

/*
 * The workers share what may wait at the port. One whose share the others took has nothing in its
 * own queues, and must all the same find back.
 */
Test(longhaul_behind, each_worker_goes_past_the_queues_again)
{
	struct packet p = longhaul_udp(60);
	struct node_test t;
	size_t len;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = NULL, .n_workers = 2});
	stall(&t, NODE_TEST_DEPTH + WORKER_TX_MAX + EGRESS_PLAIN_PACKETS);
	cr_assert_eq(longhaul_commons(&t)->packets, EGRESS_PLAIN_PACKETS);
	len = packet_write(&p, frame, sizeof(frame), NULL);
	for (unsigned int i = 0; i < WORKER_TX_MAX + 100; i++)
		longhaul_put_frame(&t, 1, frame, len);
	node_test_run(&t);
	cr_assert_eq(node_test_drops(&t, DROP_tx_full), 100);
	cr_assert(!is_direct(&t, 0));
	for (unsigned int i = 0; i < 10; i++) {
		node_test_discard(&t, LONGHAUL_OUT);
		node_test_step(&t, 1000);
	}
	cr_assert_eq(node_waiting(t.node), 0);
	cr_assert(is_direct(&t, 0), "worker 0");
	cr_assert(is_direct(&t, 1), "worker 1");
	node_test_close(&t);
}
