/* SPDX-License-Identifier: BSD-3-Clause */
/* When a worker may sleep: after many turns with nothing to do, and never past what is due. */
#include <inttypes.h>
#include <stdlib.h>

#include <rte_ring.h>

#include <criterion/criterion.h>

#include "dp/worker.h"
#include "eal.h"

#define SPIN_TURNS 1024u /* empty turns before the first sleep, as dp/worker.c says */
#define SLEEP_NS   UINT64_C(50000)
#define MARGIN_NS  UINT64_C(60000) /* what is due sooner keeps it awake */
#define RING_LEN   256u
#define FRAME_LEN  60u

/* A port that takes `room` packets a call and frees them; control publishes meanwhile. */
struct fake_port {
	struct port port;
	uint16_t room;
	struct dp_shared *shared;
	const struct snapshot *publish; /* NULL: control does nothing */
	uint64_t token;                 /* of the grace period that began with it */
};

static uint16_t
fake_tx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	struct fake_port *f = ctx;

	(void)queue;
	n = RTE_MIN(n, f->room);
	rte_pktmbuf_free_bulk(m, n);
	if (f->publish != NULL) {
		__atomic_store_n(&f->shared->snapshot, f->publish, __ATOMIC_RELEASE);
		f->token = rte_rcu_qsbr_start(f->shared->qsbr);
		f->publish = NULL;
	}
	return n;
}

/*
 * A worker that polls nothing: it owns the one TX queue of port 0, and others hand packets over. A
 * tick is a nanosecond.
 */
struct bench {
	int64_t paused_packets;
	uint32_t paused_max;
	struct dp_shared shared;
	struct snapshot snapshot;
	struct egress_policy policy;
	struct egress_commons commons;
	uint64_t now_ns;
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
		.n_records = 64,
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
	b->snapshot.egress[0] = &b->policy;
	b->shared.snapshot = &b->snapshot;
	b->shared.commons = &b->commons;
	b->shared.paused_packets = &b->paused_packets;
	b->shared.paused_max = &b->paused_max;
	for (unsigned int i = 0; i < DP_CLASSES; i++)
		b->policy.class_[i].limit = UINT64_MAX;
	memset(&b->policy.packets_max, 0xff, sizeof(b->policy.packets_max));
	memset(&b->policy.packets_pfc, 0xff, sizeof(b->policy.packets_pfc));
	b->policy.line_max = 64;
	qos_sched_init(&b->policy.sched, (uint16_t[DP_CLASSES]){1, 1, 1, 1, 1, 1, 1, 1});
	b->port = (struct fake_port){
		.port = {.tx = fake_tx, .ctx = &b->port}, .room = UINT16_MAX, .shared = &b->shared};
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
	cr_assert_not_null(rte_pktmbuf_append(m, FRAME_LEN));
	cr_assert_eq(rte_ring_mp_enqueue(b->ring, m), 0);
}

/* A turn as worker_main() takes it. */
static bool
turn_rests(struct bench *b)
{
	return worker_rests(b->w, worker_turn(b->w, b->now_ns), SLEEP_NS);
}

Test(worker, rests_after_many_turns_with_nothing_to_do_and_wakes_for_a_packet)
{
	struct bench *b = bench_make(true);

	for (unsigned int i = 1; i < SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "after %u turns", i);
	for (unsigned int i = 0; i < 10; i++)
		cr_assert(turn_rests(b));
	cr_assert_not(worker_rests(b->w, 1, SLEEP_NS), "a turn that took a packet in");
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

/* Packets of a port that pauses its neighbour wait in another worker: this one has to say XON. */
Test(worker, that_speaks_for_others_does_not_rest_while_they_hold_anything)
{
	struct bench *b = bench_make(true);
	struct qos_xoff *xoff = &b->commons.xoff[3];

	b->policy.pfc = 1u << 3;
	b->policy.quanta = 65535;
	b->snapshot.n_pfc_ports = 1;
	b->shared.n_workers = 2;
	b->shared.pool = b->pool;
	b->policy.xoff = 2000;
	b->policy.xon = 1000;
	qos_xoff_repeat(xoff, 250000);
	for (unsigned int i = 0; i < 2 * SPIN_TURNS; i++)
		turn_rests(b);
	cr_assert(turn_rests(b), "nothing is held");
	qos_xoff_hold(xoff, 1500);
	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "turn %u", i);
	qos_xoff_hold(xoff, -1500);
	/* told to stop, and the XON does not get out */
	qos_xoff_hold(xoff, 2500);
	turn_rests(b);
	cr_assert_eq(b->commons.pfc_out, 1);
	qos_xoff_hold(xoff, -2500);
	b->port.room = 0;
	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "turn %u", i);
	b->port.room = UINT16_MAX;
	for (unsigned int i = 0; i < SPIN_TURNS; i++)
		turn_rests(b);
	cr_assert_eq(b->commons.pfc_out, 2);
	cr_assert(turn_rests(b), "all is said");
	bench_free(b);
}

/* worker_rests() looks at the snapshot of the turn before: control must not have freed it. */
Test(worker, keeps_the_snapshot_of_a_turn_until_the_next_one)
{
	struct bench *b = bench_make(true);
	const struct snapshot next = b->snapshot;

	rte_rcu_qsbr_thread_register(b->shared.qsbr, 0);
	rte_rcu_qsbr_thread_online(b->shared.qsbr, 0);
	hand_over(b);
	b->port.publish = &next;
	turn_rests(b);
	cr_assert_eq(b->w->snapshot, &b->snapshot, "published when the turn had begun");
	cr_assert_eq(rte_rcu_qsbr_check(b->shared.qsbr, b->port.token, false), 0);
	turn_rests(b);
	cr_assert_eq(b->w->snapshot, &next);
	cr_assert_eq(rte_rcu_qsbr_check(b->shared.qsbr, b->port.token, false), 1);
	bench_free(b);
}

Test(worker, of_a_node_that_polls_never_rests)
{
	struct bench *b = bench_make(false);

	for (unsigned int i = 0; i < 3 * SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "turn %u", i);
	bench_free(b);
}

/* A packet of a class routed to the port, at the time of the last turn. */
static void
put(struct bench *b, uint8_t class)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->pool);
	struct pkt_meta meta = {.class = class};

	cr_assert_not_null(m);
	cr_assert_not_null(rte_pktmbuf_append(m, FRAME_LEN));
	cr_assert_eq(queue_put(b->w, 0, m, &meta), DROP_NONE);
}

static void
tire(struct bench *b)
{
	for (unsigned int i = 0; i < SPIN_TURNS; i++)
		turn_rests(b);
}

static uint64_t
n_out(const struct bench *b)
{
	return b->w->counters->port_out[0].packets;
}

/*
 * The worker is tired, and a packet that waits is due at `due_ns`: rests as long as a sleep ends
 * before, stays awake from then on, and sends at the first turn that is not before it.
 */
static void
check_rests_until(struct bench *b, uint64_t due_ns)
{
	uint64_t sent = n_out(b);

	for (b->now_ns = due_ns - 3 * MARGIN_NS; b->now_ns <= due_ns - MARGIN_NS; b->now_ns += 1000)
		cr_assert(turn_rests(b), "%" PRIu64 " ns before", due_ns - b->now_ns);
	for (; b->now_ns < due_ns; b->now_ns += 1000) {
		cr_assert_not(turn_rests(b), "%" PRIu64 " ns before", due_ns - b->now_ns);
		cr_assert_eq(n_out(b), sent, "%" PRIu64 " ns before", due_ns - b->now_ns);
	}
	b->now_ns = due_ns;
	turn_rests(b);
	cr_assert_eq(n_out(b), sent + 1);
}

Test(worker, rests_while_the_delay_line_holds_what_is_not_due)
{
	struct bench *b = bench_make(true);

	b->policy.queued = b->policy.line = true;
	b->policy.delay_ps = 5 * PS_PER_MS;
	turn_rests(b);
	put(b, 0);
	b->now_ns = 1000000;
	turn_rests(b);
	put(b, 0);
	for (unsigned int i = 0; i + 3 < SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "%u turns", i);
	tire(b);
	check_rests_until(b, 5000000);
	cr_assert(turn_rests(b), "the second is due a millisecond later");
	check_rests_until(b, 6000000);
	cr_assert(turn_rests(b), "nothing waits");
	bench_free(b);
}

/* What is to be overtaken has a line of its own, and it may be due first. */
Test(worker, rests_until_the_first_of_both_delay_lines)
{
	struct bench *b = bench_make(true);
	struct pkt_rec rec = {.len = FRAME_LEN};

	b->policy.queued = b->policy.line = true;
	b->policy.delay_ps = 5 * PS_PER_MS;
	turn_rests(b);
	put(b, 0);
	rec.m = rte_pktmbuf_alloc(b->pool);
	cr_assert_not_null(rte_pktmbuf_append(rec.m, FRAME_LEN));
	rec.at_ps = 3 * PS_PER_MS;
	cr_assert(pkt_fifo_push(&b->w->chunks, &b->w->queue[0].late, &rec));
	tire(b);
	check_rests_until(b, 3000000);
	check_rests_until(b, 5000000);
	bench_free(b);
}

Test(worker, rests_while_the_shaper_lets_nothing_go)
{
	struct bench *b = bench_make(true);
	uint64_t cost_ns = (FRAME_LEN + QOS_OVERHEAD_L1) * 8000, tolerance_ns = 100000;

	b->policy.queued = b->policy.shaped = true;
	cr_assert_eq(qos_rate_init(&b->policy.rate, 1000000, false), 0);
	turn_rests(b);
	for (unsigned int i = 0; i < 3; i++)
		put(b, i);
	turn_rests(b);
	cr_assert_eq(n_out(b), 1, "one goes at once");
	tire(b);
	check_rests_until(b, cost_ns - tolerance_ns);
	check_rests_until(b, 2 * cost_ns - tolerance_ns);
	cr_assert(turn_rests(b));
	bench_free(b);
}

/* It does not wait for all that others let go, and so is due earlier. */
Test(worker, rests_until_the_shaper_lets_a_strict_class_go)
{
	struct bench *b = bench_make(true);
	uint64_t cost_ns = (FRAME_LEN + QOS_OVERHEAD_L1) * 8000, tolerance_ns = 100000;
	uint64_t ahead_ns = (QOS_FRAME_MAX + QOS_OVERHEAD_L1) * 8000;

	b->policy.queued = b->policy.shaped = true;
	qos_sched_init(&b->policy.sched, (uint16_t[DP_CLASSES]){0});
	cr_assert_eq(qos_rate_init(&b->policy.rate, 1000000, false), 0);
	turn_rests(b);
	b->commons.shaper.tat_ps = (ahead_ns + cost_ns) * PS_PER_NS;
	put(b, 0);
	turn_rests(b);
	cr_assert_eq(n_out(b), 0);
	tire(b);
	check_rests_until(b, cost_ns - tolerance_ns);
	cr_assert_eq(n_out(b), 1);
	bench_free(b);
}

Test(worker, does_not_rest_while_a_fast_shaper_has_a_backlog)
{
	struct bench *b = bench_make(true);

	b->policy.queued = b->policy.shaped = true;
	cr_assert_eq(qos_rate_init(&b->policy.rate, 1000000000, false), 0);
	turn_rests(b);
	tire(b);
	/* far more than the tolerance of 100 us took */
	b->commons.shaper.tat_ps = 150 * PS_PER_US;
	put(b, 0);
	for (unsigned int i = 0; i < SPIN_TURNS; i++)
		cr_assert_not(turn_rests(b), "50 us from now it may go");
	b->now_ns = 50000;
	turn_rests(b);
	cr_assert_eq(n_out(b), 1);
	bench_free(b);
}

Test(worker, rests_while_all_that_waits_is_paused)
{
	struct bench *b = bench_make(true);
	const uint16_t quanta[QOS_PAUSE_CLASSES] = {0, 0, 0, 1000, 2000};

	b->policy.queued = true;
	b->policy.pfc = 1u << 3 | 1u << 4;
	b->policy.pfc_held = 1000000;
	qos_pause_init(&b->commons.pause, 512000000, 0); /* a quantum is a microsecond */
	qos_pause_apply(&b->commons.pause, 0, 1u << 3 | 1u << 4, quanta);
	turn_rests(b);
	put(b, 3);
	put(b, 4);
	tire(b);
	check_rests_until(b, 1000000);
	check_rests_until(b, 2000000);
	qos_pause_apply(&b->commons.pause, b->now_ns * PS_PER_NS, 1u << 3, quanta);
	put(b, 3);
	tire(b);
	cr_assert(turn_rests(b));
	put(b, 0);
	b->port.room = 0;
	cr_assert_not(turn_rests(b), "a packet of another class may go");
	bench_free(b);
}

/* The neighbour must hear it before the first pause has half run. */
Test(worker, does_not_rest_past_the_time_of_a_pause_to_repeat)
{
	struct bench *b = bench_make(true);
	struct qos_xoff *x = &b->commons.xoff[3];

	b->policy.pfc = 1u << 3;
	b->policy.xoff = 1000;
	b->policy.xon = 500;
	qos_xoff_repeat(x, 500 * PS_PER_US);
	b->snapshot.n_pfc_ports = 1;
	b->shared.pool = b->pool;
	qos_xoff_hold(x, 2000);
	turn_rests(b);
	cr_assert_eq(b->commons.pfc_out, 1);
	tire(b);
	for (b->now_ns = 1000; b->now_ns <= 500000 - MARGIN_NS; b->now_ns += 1000)
		cr_assert(turn_rests(b), "at %" PRIu64, b->now_ns);
	for (; b->now_ns < 500000; b->now_ns += 1000)
		cr_assert_not(turn_rests(b), "at %" PRIu64, b->now_ns);
	cr_assert_eq(b->commons.pfc_out, 1);
	turn_rests(b);
	cr_assert_eq(b->commons.pfc_out, 2);
	bench_free(b);
}

/* Who sleeps longer must wake up earlier: the worker that shares its core with control does. */
Test(worker, rests_by_the_length_of_the_sleep)
{
	struct bench *b = bench_make(true);

	b->policy.queued = b->policy.line = true;
	b->policy.delay_ps = PS_PER_MS;
	turn_rests(b);
	put(b, 0);
	tire(b);
	cr_assert(worker_rests(b->w, 0, 800000));
	cr_assert_not(worker_rests(b->w, 0, 900000));
	bench_free(b);
}
