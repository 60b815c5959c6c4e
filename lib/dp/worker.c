/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The front door: the loop of a worker, and its memory. control (ctl/node.c) makes workers and
 * starts them; from here packets go to pipeline.c.
 */
#include "dp/worker.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include <rte_malloc.h>
#include <rte_pause.h>
#include <rte_ring.h>

#include "base/bits.h"
#include "dp/next.h"
#include "dp/pfc.h"
#include "dp/stage.h"
#include "flow/flow.h"

/*
 * Adaptive idle: 1024 empty turns spin (some 50 us: a busy port is never left), then sleeps of 50
 * us. A lab box then idles at a few per cent of a core, also while packets wait for their time: in
 * a delay line, for a shaper, for the end of a pause.
 */
#define IDLE_SPIN_TURNS 1024u
#define IDLE_SLEEP_NS   50000

unsigned int
worker_turn(struct worker *w, uint64_t now)
{
	const struct snapshot *s;
	unsigned int n = 0;

	w->collected = false;
	mailbox_poll(w);
	w->now = now;
	w->now_ps = ps_from_ticks(&w->timebase, now);
	/* not at the turn's end: between turns worker_next_ps() looks at the snapshot, too */
	rte_rcu_qsbr_quiescent(w->shared->qsbr, w->idx);
	/* acquire: pairs with node_publish()'s release store; the tables behind it are whole */
	s = __atomic_load_n(&w->shared->snapshot, __ATOMIC_ACQUIRE);
	if (unlikely(s != w->snapshot))
		worker_adopt(w, s);
	for (uint16_t q = 0; q < w->n_rxq; q++)
		n += pipeline_run(w, &w->rxq[q]);
	if (unlikely(w->fabric != NULL))
		fabric_turn(w);
	if (w->flow != NULL)
		flow_table_age(w->flow, w->now_ps);
	if (unlikely(w->shared->n_hypers != 0))
		hyper_turn(w);
	stage_egress(w);
	if (w->idx == 0 && s->n_pfc_ports != 0)
		pfc_turn(w);
	if (unlikely(w->settling))
		worker_settle(w);
	w->counters->turns++;
	w->counters->busy_turns += n != 0;
	return n;
}

static bool
is_waiting(const struct worker *w)
{
	for (unsigned int i = 0; i < BITS_ARRAY_LEN(w->tx_waiting); i++)
		if ((w->tx_waiting[i] | w->queued[i]) != 0)
			return true;
	return false;
}

/* A port did not take what it was given: that is work, and not a wait for a time to come. */
static bool
is_refused(const struct worker *w)
{
	for (unsigned int i = 0; i < BITS_ARRAY_LEN(w->tx_waiting); i++)
		if (w->tx_waiting[i] != 0)
			return true;
	return false;
}

/*
 * Worker 0 tells senders to stop and to go on: for what others hold, it must come round. What it
 * holds alone changes in its own turns only. An XOFF that comes 50 us late, from a node that held
 * nothing, is within its headroom.
 */
static bool
speaks_for_others(const struct worker *w)
{
	return w->idx == 0 && w->shared->n_workers > 1 && pfc_is_busy(w);
}

/* Others may come to hold bytes while it sleeps: 50 us are within the headroom, more are not. */
static bool
sleeps_too_long(const struct worker *w, uint64_t sleep_ns)
{
	return w->idx == 0 && w->shared->n_workers > 1 && w->snapshot->n_pfc_ports != 0 &&
	       sleep_ns > IDLE_SLEEP_NS;
}

bool
worker_rests(struct worker *w, unsigned int n, uint64_t sleep_ns)
{
	if (n != 0 || w->collected || is_refused(w) || speaks_for_others(w) ||
		sleeps_too_long(w, sleep_ns)) {
		w->n_empty = 0;
		return false;
	}
	if (w->n_empty < IDLE_SPIN_TURNS)
		w->n_empty++;
	if (w->n_empty < IDLE_SPIN_TURNS || !w->adaptive_idle)
		return false;
	/* a fifth more: a sleep begins after the turn whose time is known, and wakes up late */
	return worker_next_ps(w, w->now_ps) >= (sleep_ns + sleep_ns / 5) * PS_PER_NS;
}

int
worker_main(void *arg)
{
	struct worker *w = arg;

	/* the kernel adds 50 us of slack to every sleep of a thread that does not say otherwise */
	prctl(PR_SET_TIMERSLACK, 1);
	while (!__atomic_load_n(&w->shared->stop, __ATOMIC_RELAXED)) {
		if (worker_rests(w, worker_turn(w, clock_now(&w->clock)), IDLE_SLEEP_NS))
			nanosleep(&(struct timespec){.tv_nsec = IDLE_SLEEP_NS}, NULL);
	}
	return 0;
}

static void
drop_waiting(struct worker *w, struct worker_tx *tx)
{
	w->counters->drop[DROP_stopped] += tx->n;
	rte_pktmbuf_free_bulk(tx->mbuf, tx->n);
	tx->n = 0;
	tx->bytes = 0;
}

/* What the others handed over and the buffer had no room for. */
static void
drop_handed_over(struct worker *w, struct worker_tx *tx)
{
	while ((tx->n = (uint16_t)rte_ring_sc_dequeue_burst(
			tx->handoff, (void **)tx->mbuf, WORKER_TX_MAX, NULL)) != 0)
		drop_waiting(w, tx);
}

void
worker_drain(struct worker *w)
{
	/* a device that takes nothing in this many tries does not come back */
	for (unsigned int tries = 0; tries < 1000 && (w->n_owned != 0 || is_waiting(w)); tries++)
		stage_egress(w);
	for (uint16_t p = 0; p < w->n_ports; p++) {
		queue_drop_all(w, p, DROP_stopped);
		drop_waiting(w, &w->tx[p]);
		w->tx[p].direct = w->snapshot != NULL && !w->snapshot->egress[p]->queued;
	}
	if (w->fabric != NULL)
		fabric_drop_all(w, DROP_stopped);
	if (w->shared->n_hypers != 0)
		hyper_drop_all(w, DROP_stopped);
	for (uint16_t i = 0; i < w->n_owned; i++)
		drop_handed_over(w, &w->tx[w->owned[i]]);
	memset(w->tx_waiting, 0, sizeof(w->tx_waiting));
}

static void *
zalloc(size_t len, int socket)
{
	return rte_zmalloc_socket("worker", len, RTE_CACHE_LINE_SIZE, socket);
}

/* Wherever the packets wait, there is a record for each. */
static int
create_chunks(struct worker *w, const struct worker_config *c)
{
	uint16_t n_outs = RTE_MAX(c->n_outs, c->n_ports);
	uint32_t n_dests = c->n_ways > n_outs ? (uint32_t)(c->n_ways - n_outs) : 0;
	uint32_t n_fifos = n_outs * QUEUE_FIFOS + n_dests * DP_CLASSES;
	size_t len = pkt_chunks_bytes(c->n_records, n_fifos);

	w->chunk_memory = zalloc(len, c->socket);
	if (w->chunk_memory == NULL)
		return -ENOMEM;
	return pkt_chunks_init(&w->chunks, w->chunk_memory, len);
}

int
worker_create(const struct worker_config *c, struct worker **ret_worker)
{
	struct worker *w = zalloc(sizeof(*w), c->socket);
	uint16_t n_outs = RTE_MAX(c->n_outs, c->n_ports), n_ways = RTE_MAX(c->n_ways, n_outs);

	if (w == NULL)
		return -ENOMEM;
	w->counters =
		zalloc(sizeof(*w->counters) + c->n_members * sizeof(struct counter), c->socket);
	w->rxq = zalloc(RTE_MAX(c->n_rxq, 1u) * sizeof(*w->rxq), c->socket);
	w->tx = zalloc((n_ways + 1u) * sizeof(*w->tx), c->socket);
	w->owned = zalloc(RTE_MAX(c->n_ports, 1u) * sizeof(*w->owned), c->socket);
	w->queue = zalloc(RTE_MAX(n_outs, 1u) * sizeof(*w->queue), c->socket);
	w->load = zalloc((n_ways + 1u) * sizeof(*w->load), c->socket);
	if (w->counters == NULL || w->rxq == NULL || w->tx == NULL || w->owned == NULL ||
		w->queue == NULL || w->load == NULL || create_chunks(w, c) != 0 ||
		mailbox_init(&w->mailbox) != 0) {
		worker_free(w);
		return -ENOMEM;
	}
	w->counters->n_members = c->n_members;
	w->shared = c->shared;
	w->clock = c->clock;
	w->idx = c->idx;
	w->lcore = c->lcore;
	w->n_ports = c->n_ports;
	w->n_outs = n_outs;
	w->n_rxq = c->n_rxq;
	w->burst_len = c->burst_len;
	w->adaptive_idle = c->adaptive_idle;
	rng_init(&w->rng, c->seed + c->idx);
	timebase_init(&w->timebase, c->clock.hz, c->origin);
	*ret_worker = w;
	return 0;
}

void
worker_free(struct worker *w)
{
	if (w == NULL)
		return;
	mailbox_fini(&w->mailbox);
	flow_table_free(w->flow);
	rte_free(w->chunk_memory);
	rte_free(w->load);
	rte_free(w->queue);
	rte_free(w->owned);
	rte_free(w->tx);
	rte_free(w->rxq);
	rte_free(w->counters);
	rte_free(w);
}
