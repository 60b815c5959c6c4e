/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages on a worker made by hand: what the whole pipeline (tests/pipe) cannot show, such as a port
 * that takes a part of a burst only.
 */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "dp/stage.h"
#include "eal.h"
#include "packet.h"

/* A port whose device takes at most `room` packets a call. */
struct fake_port {
	struct port port;
	uint16_t room, n, calls;
	struct rte_mbuf *got[1024];
};

static uint16_t
fake_tx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	struct fake_port *f = ctx;

	(void)queue;
	f->calls++;
	n = RTE_MIN(n, f->room);
	for (uint16_t i = 0; i < n; i++)
		f->got[f->n++] = m[i];
	return n;
}

struct bench {
	struct dp_shared shared;
	struct egress_commons commons[2];
	int64_t paused_packets;
	uint32_t paused_max;
	struct egress_policy policy[2];
	struct snapshot snapshot;
	struct fake_port port[2];
	struct worker *w;
	struct rte_mempool *pool;
};

static struct bench *
bench_make(void)
{
	struct bench *b = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(sizeof(*b), (size_t)RTE_CACHE_LINE_SIZE));
	struct worker_config c = {.shared = &b->shared,
		.socket = SOCKET_ID_ANY,
		.n_ports = 2,
		.n_members = 4,
		.clock = {.hz = 1000000000},
		.n_records = 1024,
		.burst_len = 32};

	test_eal(64);
	memset(b, 0, sizeof(*b));
	b->pool = test_pool("bench", 1024, 2048);
	b->shared.commons = b->commons;
	b->shared.paused_packets = &b->paused_packets;
	b->shared.paused_max = &b->paused_max;
	cr_assert_eq(worker_create(&c, &b->w), 0);
	for (unsigned int p = 0; p < 2; p++) {
		b->port[p].port.tx = fake_tx;
		b->port[p].port.ctx = &b->port[p];
		b->port[p].room = UINT16_MAX;
		b->w->tx[p].port = &b->port[p].port;
		b->w->tx[p].owner = true;
		b->w->tx[p].direct = true;
		b->snapshot.egress[p] = &b->policy[p];
		b->policy[p].packets_max = EGRESS_PLAIN_PACKETS;
		b->policy[p].class_[3].limit = 1000000;
	}
	worker_adopt(b->w, &b->snapshot);
	return b;
}

static void
bench_free(struct bench *b)
{
	for (unsigned int p = 0; p < 2; p++)
		for (unsigned int i = 0; i < b->port[p].n; i++)
			rte_pktmbuf_free(b->port[p].got[i]);
	cr_assert_eq(test_pool_used(b->pool), 0);
	worker_free(b->w);
	rte_mempool_free(b->pool);
	free(b);
}

/* `n` packets of 100, 101, ... bytes to port `port_idx`, class 3, member counter 1. */
static void
fill(struct bench *b, uint16_t n, uint16_t port_idx)
{
	struct burst *burst = &b->w->burst;

	burst->n_out = 0;
	burst->n = n;
	for (uint16_t i = 0; i < n; i++) {
		burst->mbuf[i] = rte_pktmbuf_alloc(b->pool);
		cr_assert_not_null(burst->mbuf[i]);
		cr_assert_not_null(rte_pktmbuf_append(burst->mbuf[i], (uint16_t)(100 + i)));
		burst->meta[i] = (struct pkt_meta){
			.port_idx = port_idx, .mtu = 1500, .class = 3, .counter = 1};
	}
}

Test(stages, what_a_port_does_not_take_stays_in_order)
{
	struct bench *b = bench_make();
	const struct counter *out = &b->w->counters->port_out[1];
	struct rte_mbuf *sent[32];

	fill(b, 32, 1);
	memcpy(sent, b->w->burst.mbuf, sizeof(sent));
	stage_enqueue(b->w, &b->w->burst);
	cr_assert_eq(b->w->burst.n, 0);
	b->port[1].room = 5;
	for (unsigned int k = 0; k < 6; k++) {
		stage_egress(b->w);
		cr_assert_eq(out->packets, 5 * (k + 1));
		cr_assert_eq(b->w->tx[1].n, 32 - 5 * (k + 1));
	}
	b->port[1].room = 0;
	stage_egress(b->w);
	cr_assert_eq(out->packets, 30);
	b->port[1].room = UINT16_MAX;
	stage_egress(b->w);
	cr_assert_eq(out->packets, 32);
	cr_assert_eq(out->bytes, 32 * 100 + 31 * 16);
	cr_assert_arr_eq(b->port[1].got, sent, sizeof(sent));
	/* nothing waits: the port is left alone */
	b->port[1].calls = 0;
	stage_egress(b->w);
	cr_assert_eq(b->port[1].calls, 0);
	cr_assert_eq(b->port[0].calls, 0, "a port without packets is not asked");
	bench_free(b);
}

/* Beyond the buffer there is the class queue, and its end. */
Test(stages, a_buffer_holds_four_bursts_and_the_queue_what_is_beyond)
{
	const unsigned int holds = WORKER_TX_MAX + EGRESS_PLAIN_PACKETS;
	struct bench *b = bench_make();

	b->port[0].room = 0;
	for (unsigned int k = 0; k < holds / 64; k++) {
		fill(b, 64, 0);
		stage_enqueue(b->w, &b->w->burst);
		cr_assert_eq(b->w->burst.n_out, 0);
		stage_egress(b->w);
	}
	fill(b, 10, 0);
	stage_enqueue(b->w, &b->w->burst);
	cr_assert_eq(b->w->burst.n_out, 10);
	stage_drop(b->w, &b->w->burst);
	cr_assert_eq(b->w->counters->drop[DROP_tx_full], 10);
	cr_assert_eq(b->w->burst.n_out, 0);
	/* the other port has a buffer of its own */
	fill(b, 10, 1);
	stage_enqueue(b->w, &b->w->burst);
	stage_egress(b->w);
	cr_assert_eq(b->port[1].n, 10);
	/* what was dropped is in no class and at no member */
	cr_assert_eq(b->w->counters->class_[3].packets, holds + 10);
	cr_assert_eq(b->w->counters->member[1].packets, holds + 10);
	b->port[0].room = UINT16_MAX;
	stage_egress(b->w);
	cr_assert_eq(b->port[0].n, WORKER_TX_MAX);
	cr_assert_not(b->w->tx[0].direct);
	stage_egress(b->w);
	cr_assert_eq(b->port[0].n, holds);
	for (unsigned int i = 0; i < holds; i++)
		cr_assert_eq(b->port[0].got[i]->pkt_len, 100 + i % 64, "out of order");
	cr_assert(b->w->tx[0].direct, "nothing waits, so nothing is queued any more");
	bench_free(b);
}

/* The packet that found the buffer full is no packet for the queue: nothing ever waits there. */
Test(stages, a_limit_holds_only_while_the_device_takes_nothing)
{
	struct bench *b = bench_make();

	b->port[0].room = 0;
	for (unsigned int k = 0; k < WORKER_TX_MAX / 64; k++) {
		fill(b, 64, 0);
		stage_enqueue(b->w, &b->w->burst);
	}
	fill(b, 1, 0);
	b->policy[0].class_[3].limit = 10;
	stage_enqueue(b->w, &b->w->burst);
	stage_drop(b->w, &b->w->burst);
	cr_assert_eq(b->w->counters->drop[DROP_queue_full], 1);
	b->port[0].room = UINT16_MAX;
	stage_egress(b->w);
	fill(b, 1, 0);
	stage_enqueue(b->w, &b->w->burst);
	cr_assert(b->w->tx[0].direct);
	stage_egress(b->w);
	cr_assert_eq(b->port[0].n, WORKER_TX_MAX + 1);
	bench_free(b);
}

/* Port 1 pauses class 3 at its neighbour, port 0 takes nothing and waits for its shaper. */
static void
make_paused(struct bench *b)
{
	struct egress_policy *in = &b->policy[1], *out = &b->policy[0];

	in->pfc = 1u << 3;
	in->pfc_held = 1000000;
	out->queued = out->shaped = true;
	out->class_[6].limit = 1000000;
	out->packets_max = 10;
	out->packets_pfc = 200;
	in->packets_pfc = 200;
	cr_assert_eq(qos_rate_init(&out->rate, 1000000, false), 0);
	b->commons[0].shaper.tat_ps = PS_PER_S;
	worker_adopt(b->w, &b->snapshot);
	b->w->burst.in_port_idx = 1;
}

static void
put_class(struct bench *b, uint16_t n, uint8_t class)
{
	fill(b, n, 0);
	for (uint16_t i = 0; i < n; i++)
		b->w->burst.meta[i].class = class;
	stage_enqueue(b->w, &b->w->burst);
	stage_drop(b->w, &b->w->burst);
}

Test(stages, what_is_paused_takes_no_room_of_what_is_not)
{
	struct bench *b = bench_make();

	make_paused(b);
	for (unsigned int k = 0; k < 3; k++)
		put_class(b, 64, 3);
	cr_assert_eq(b->paused_packets, 192);
	put_class(b, 10, 6);
	cr_assert_eq(b->commons[0].packets, 10);
	cr_assert_eq(b->w->counters->drop[DROP_buffer_full], 0);
	/* each has its own end */
	put_class(b, 3, 6);
	cr_assert_eq(b->w->counters->drop[DROP_buffer_full], 3);
	b->policy[0].class_[3].lossless = true;
	put_class(b, 10, 3);
	cr_assert_eq(b->w->counters->drop[DROP_lossless_drop], 2);
	queue_drop_all(b->w, 0, DROP_stopped);
	cr_assert_eq(b->paused_packets, 0);
	cr_assert_eq(b->commons[0].packets, 0);
	cr_assert_eq(b->w->counters->drop[DROP_stopped], 210);
	bench_free(b);
}

Test(stages, a_port_without_link_holds_nobody_back)
{
	struct bench *b = bench_make();

	make_paused(b);
	put_class(b, 20, 3);
	put_class(b, 5, 6);
	cr_assert_gt(b->commons[1].xoff[3].held, 0);
	alive_set(&b->shared.alive, 0, false);
	stage_egress(b->w);
	cr_assert_eq(b->w->counters->drop[DROP_link_down], 25);
	cr_assert_eq(b->commons[1].xoff[3].held, 0, "the sender may go on");
	cr_assert_eq(b->w->queued[0], 0);
	bench_free(b);
}

Test(stages, exits_are_counted_by_reason_and_kind_and_freed)
{
	struct bench *b = bench_make();
	struct burst *burst = &b->w->burst;

	fill(b, 64, 0);
	for (uint16_t i = 0; i < 64; i++)
		burst->meta[i].verdict = i % 3 == 0   ? verdict_drop(DROP_no_route)
					 : i % 3 == 1 ? verdict_punt(PUNT_arp)
						      : 0;
	burst_split(burst);
	cr_assert_eq(burst->n, 21);
	cr_assert_eq(burst->n_out, 43);
	for (uint16_t i = 0; i < burst->n; i++)
		cr_assert_eq(burst->mbuf[i]->pkt_len, 100u + 3 * i + 2, "out of order");
	stage_drop(b->w, burst);
	cr_assert_eq(b->w->counters->drop[DROP_no_route], 22);
	cr_assert_eq(b->w->counters->punt[PUNT_arp], 21);
	cr_assert_eq(test_pool_used(b->pool), 21);
	stage_drop(b->w, burst);
	cr_assert_eq(b->w->counters->drop[DROP_no_route], 22, "twice");
	rte_pktmbuf_free_bulk(burst->mbuf, burst->n);
	bench_free(b);
}

Test(stages, a_drain_sends_what_it_can_and_counts_the_rest)
{
	struct bench *b = bench_make();

	fill(b, 40, 0);
	stage_enqueue(b->w, &b->w->burst);
	fill(b, 24, 1);
	stage_enqueue(b->w, &b->w->burst);
	b->port[0].room = 1; /* slow, and in time */
	b->port[1].room = 0; /* never */
	worker_drain(b->w);
	cr_assert_eq(b->port[0].n, 40);
	cr_assert_eq(b->w->counters->drop[DROP_stopped], 24);
	cr_assert_eq(b->w->tx_waiting[0], 0);
	worker_drain(b->w);
	cr_assert_eq(b->w->counters->drop[DROP_stopped], 24, "twice");
	bench_free(b);
}

Test(stages, workers_count_members_and_ports_from_zero)
{
	struct bench *b = bench_make();

	cr_assert_eq(b->w->counters->n_members, 4);
	for (unsigned int m = 0; m < 4; m++)
		cr_assert_eq(b->w->counters->member[m].packets, 0);
	worker_free(NULL);
	for (unsigned int s = 0; s < DP_STAGES_N; s++)
		cr_assert_not_null(dp_stage_name((enum dp_stage)s));
	cr_assert_str_eq(dp_stage_name(DP_STAGE_rx), "rx");
	cr_assert_str_eq(dp_stage_name(DP_STAGE_drop), "drop");
	bench_free(b);
}
