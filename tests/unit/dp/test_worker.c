/* SPDX-License-Identifier: BSD-3-Clause */
/* When a worker may sleep: after many turns with nothing to do, and only then. */
#include <stdlib.h>

#include <rte_ring.h>

#include <criterion/criterion.h>

#include "dp/worker.h"
#include "eal.h"

#define SPIN_TURNS 1024u /* empty turns before the first sleep, as dp/worker.c says */
#define RING_LEN   256u

/* A port that takes `room` packets a call and frees them. */
struct fake_port {
	struct port port;
	uint16_t room;
};

static uint16_t
fake_tx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	struct fake_port *f = ctx;

	(void)queue;
	n = RTE_MIN(n, f->room);
	rte_pktmbuf_free_bulk(m, n);
	return n;
}

/* A worker that polls nothing: it owns the one TX queue of port 0, and others hand packets over. */
struct bench {
	struct dp_shared shared;
	struct fake_port port;
	struct rte_ring *ring;
	struct rte_mempool *pool;
	struct worker *w;
};

static void *
aligned(size_t len)
{
	void *p = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(len, (size_t)RTE_CACHE_LINE_SIZE));

	cr_assert_not_null(p);
	memset(p, 0, len);
	return p;
}

static struct bench *
bench_make(bool adaptive)
{
	struct bench *b = aligned(sizeof(*b));
	struct worker_config c = {.shared = &b->shared,
		.socket = SOCKET_ID_ANY,
		.n_ports = 1,
		.burst_len = 32,
		.clock = {.hz = 1000000000},
		.adaptive_idle = adaptive};

	test_eal(64);
	b->pool = test_pool("bench", 1023, 128);
	b->shared.qsbr = aligned(rte_rcu_qsbr_get_memsize(1));
	cr_assert_eq(rte_rcu_qsbr_init(b->shared.qsbr, 1), 0);
	b->ring = aligned((size_t)rte_ring_get_memsize(RING_LEN));
	cr_assert_eq(rte_ring_init(b->ring, "handoff", RING_LEN, RING_F_SC_DEQ), 0);
	cr_assert_eq(worker_create(&c, &b->w), 0);
	b->port = (struct fake_port){.port = {.tx = fake_tx, .ctx = &b->port}, .room = UINT16_MAX};
	b->w->tx[0].port = &b->port.port;
	b->w->tx[0].owner = true;
	b->w->tx[0].handoff = b->ring;
	b->w->owned[b->w->n_owned++] = 0;
	return b;
}

static void
bench_free(struct bench *b)
{
	b->port.room = UINT16_MAX;
	worker_drain(b->w);
	cr_assert_eq(test_pool_used(b->pool), 0);
	worker_free(b->w);
	rte_mempool_free(b->pool);
	free(b->ring);
	free(b->shared.qsbr);
	free(b);
}

static void
hand_over(struct bench *b)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->pool);

	cr_assert_not_null(m);
	cr_assert_not_null(rte_pktmbuf_append(m, 60));
	cr_assert_eq(rte_ring_mp_enqueue(b->ring, m), 0);
}

/* A turn as worker_main() takes it. */
static bool
turn_rests(struct bench *b)
{
	return worker_rests(b->w, worker_turn(b->w, 0));
}

Test(worker, rests_after_many_turns_with_nothing_to_do_and_wakes_for_a_packet)
{
	struct bench *b = bench_make(true);

	for (unsigned int i = 1; i < SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "after %u turns", i);
	for (unsigned int i = 0; i < 10; i++)
		cr_assert(turn_rests(b));
	cr_assert_not(worker_rests(b->w, 1), "a turn that took a packet in");
	for (unsigned int i = 1; i < SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "%u turns after a packet", i);
	cr_assert(turn_rests(b));
	bench_free(b);
}

/* Nothing comes in here, nothing waits at the turn's end: only what was collected shows the work.
 */
Test(worker, that_only_empties_a_hand_off_ring_does_not_rest)
{
	struct bench *b = bench_make(true);

	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++) {
		hand_over(b);
		cr_assert_not(turn_rests(b), "turn %u", i);
		cr_assert_eq(b->w->tx[0].n, 0);
	}
	cr_assert_eq(b->w->counters->port_out[0].packets, 3 * SPIN_TURNS);
	/* a packet now and then is enough, too */
	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++) {
		if (i % (SPIN_TURNS - 1) == 0)
			hand_over(b);
		cr_assert_not(turn_rests(b), "turn %u", i);
	}
	for (unsigned int i = 0; i < SPIN_TURNS; i++)
		turn_rests(b);
	cr_assert(turn_rests(b), "and when no more comes it rests");
	bench_free(b);
}

Test(worker, does_not_rest_while_a_port_takes_nothing)
{
	struct bench *b = bench_make(true);

	b->port.room = 0;
	hand_over(b);
	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "turn %u", i);
	bench_free(b);
}

Test(worker, of_a_node_that_polls_never_rests)
{
	struct bench *b = bench_make(false);

	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "turn %u", i);
	bench_free(b);
}
