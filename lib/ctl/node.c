/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a node: build (build_*.c, ports.c), publish, run, stop. Programs call this; from here
 * on packets are the workers' (dp/worker.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_ring.h>

#include "base/bits.h"
#include "ctl/build.h"
#include "ctl/egress.h"
#include "ctl/fabric.h"
#include "ctl/flows.h"
#include "ctl/hyper.h"
#include "ctl/ports.h"
#include "ctl/reload.h"
#include "ctl/say.h"

#define TOUCH_S      3600u
#define LINK_POLL_HZ 100u /* carrier is looked at each 10 ms */

static int
create_workers(struct node *n, const struct placement *pl)
{
	uint64_t origin = clock_now(&n->env.clock);

	n->n_records = egress_records_room(n->conf);
	for (unsigned int i = 0; i < pl->n_workers; i++) {
		struct worker_config c = {
			.shared = &n->shared,
			.clock = n->env.clock,
			.seed = conf_seed(n->conf),
			.idx = i,
			.lcore = pl->lcore[i],
			.socket = n->env.replay ? SOCKET_ID_ANY
						: (int)rte_lcore_to_socket_id(pl->lcore[i]),
			.n_ports = (uint16_t)n->n_ports,
			.n_outs = (uint16_t)n->n_outs,
			.n_ways = fabric_n_ways(n),
			.n_rxq = pl->n_rxq[i],
			.n_members = n->n_members,
			.n_records = n->n_records,
			.origin = origin,
			.burst_len = (uint16_t)n->conf->burst,
			.adaptive_idle = n->conf->idle == CONF_IDLE_ADAPTIVE,
		};

		if (worker_create(&c, &n->worker[i]) != 0)
			return node_say_no_memory(&n->env.log);
		n->n_workers++;
	}
	n->shared.n_workers = (uint16_t)n->n_workers;
	if (reclaim_init(&n->reclaim, pl->n_workers) != 0)
		return node_say_no_memory(&n->env.log);
	return 0;
}

void
node_publish(struct node *n, struct snapshot *s)
{
	n->snapshot = s;
	n->generation++;
	/* release: pairs with the acquire in worker_turn(); all of *s is written before */
	__atomic_store_n(&n->shared.snapshot, s, __ATOMIC_RELEASE);
}

/* What reloads have to know of the placement. */
static void
note_queues(struct node *n, const struct placement *pl)
{
	memcpy(n->port_rxq, pl->port_rxq, sizeof(n->port_rxq));
	for (size_t p = 0; p < n->n_ports; p++)
		n->n_queues += (uint32_t)pl->port_rxq[p] + pl->port_txq[p];
}

/*
 * Workers that stand still see the snapshot of the moment: the one that they had may be gone, and
 * another be where it was.
 */
static void
adopt_all(struct node *n)
{
	for (unsigned int i = 0; i < n->n_workers; i++) {
		struct worker *w = n->worker[i];

		w->now = clock_now(&n->env.clock);
		w->now_ps = ps_from_ticks(&w->timebase, w->now);
		worker_adopt(w, n->snapshot);
	}
}

static int
build(struct node *n)
{
	struct placement *pl = calloc(1, sizeof(*pl));
	struct snapshot *s;
	int rc = pl == NULL ? node_say_no_memory(&n->env.log) : ports_create(n);

	if (rc == 0)
		rc = ports_place(n, pl);
	if (rc == 0)
		rc = ports_configure(n, pl);
	n->n_placed = pl == NULL ? 0 : pl->n_workers;
	if (rc == 0)
		note_queues(n, pl);
	if (rc == 0)
		rc = fabric_plan(n);
	if (rc == 0)
		rc = build_groups(n);
	if (rc == 0)
		rc = build_fib(n);
	if (rc == 0)
		rc = egress_create(n);
	if (rc == 0)
		rc = fabric_create(n);
	if (rc == 0)
		rc = hyper_create(n);
	if (rc == 0)
		rc = create_workers(n, pl);
	if (rc == 0)
		rc = ports_attach(n, pl);
	for (unsigned int i = 0; rc == 0 && i < n->n_workers; i++)
		rc = fabric_attach(n, n->worker[i]);
	for (unsigned int i = 0; rc == 0 && i < n->n_workers; i++)
		if (flows_attach(n, n->worker[i]) != 0)
			rc = node_say_no_memory(&n->env.log);
	for (unsigned int i = 0; rc == 0 && i < n->n_workers; i++)
		hyper_attach(n, n->worker[i]);
	if (rc == 0 && fabric_begin(n) != 0)
		rc = node_say_no_memory(&n->env.log);
	if (rc == 0 && build_snapshot(n, 1, &s) != 0)
		rc = node_say_no_memory(&n->env.log);
	free(pl);
	if (rc != 0)
		return rc;
	node_publish(n, s);
	n->shared.qsbr = n->reclaim.qsbr;
	adopt_all(n);
	return 0;
}

int
node_create(const struct conf *conf, const struct node_env *env, struct node **ret_node)
{
	struct node *n = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(sizeof(*n), (size_t)RTE_CACHE_LINE_SIZE));
	int rc;

	if (n == NULL)
		return -ENOMEM;
	memset(n, 0, sizeof(*n));
	n->conf = conf;
	n->env = *env;
	/* DPDK's names are of the process; an address is of one live node */
	snprintf(n->tag, sizeof(n->tag), "%" PRIxPTR,
		(uintptr_t)n / RTE_CACHE_LINE_SIZE & UINT64_C(0xfffffffffff));
	rc = build(n);
	if (rc != 0) {
		node_free(n);
		return rc;
	}
	if (env->replay) {
		for (unsigned int i = 0; i < n->n_workers; i++) {
			rte_rcu_qsbr_thread_register(n->shared.qsbr, i);
			rte_rcu_qsbr_thread_online(n->shared.qsbr, i);
		}
	}
	*ret_node = n;
	return 0;
}

/* The ports are closed: every packet buffer must be back. */
static int
check_pool(struct node *n)
{
	unsigned int out = n->pool == NULL ? 0 : node_mbufs_out(n);

	if (out == 0)
		return 0;
	node_say(
		&n->env.log, NODE_ERROR, "%u packet buffers did not come back to their pool.", out);
	return -EPROTO;
}

int
node_free(struct node *n)
{
	int rc;

	if (n == NULL)
		return 0;
	if (n->running)
		node_stop(n);
	for (size_t p = 0; n->port != NULL && p < n->n_ports; p++) {
		port_free(n->port[p]);
		free(n->handoff[p]);
	}
	egress_free(n);
	fabric_free(n);
	hyper_free(n);
	for (unsigned int i = 0; i < n->n_workers; i++)
		worker_free(n->worker[i]);
	reclaim_fini(&n->reclaim);
	reload_free(n);
	rc = check_pool(n);
	for (uint32_t g = 0; n->slot != NULL && g < n->n_slots; g++)
		nhg_group_free(n->slot[g]);
	fib_free(n->fib);
	free(n->snapshot);
	free(n->slot);
	free(n->slot_group);
	free(n->group);
	free(n->counter);
	free(n->port);
	rte_mempool_free(n->pool);
	free(n);
	return rc;
}

/* The main lcore takes this worker's turns in node_poll(). */
static bool
is_inline(const struct worker *w)
{
	return w->lcore == rte_get_main_lcore();
}

int
node_start(struct node *n)
{
	int rc;

	for (size_t p = 0; p < n->n_ports; p++) {
		rc = port_start(n->port[p]);
		if (rc != 0) {
			node_say(&n->env.log, NODE_ERROR, "port %s does not start: %s.",
				n->port[p]->name, strerror(-rc));
			while (p-- > 0)
				port_stop(n->port[p]);
			return rc;
		}
	}
	adopt_all(n);
	n->shared.stop = false;
	n->running = true;
	for (unsigned int i = 0; i < n->n_workers; i++) {
		rte_rcu_qsbr_thread_register(n->shared.qsbr, i);
		rte_rcu_qsbr_thread_online(n->shared.qsbr, i);
		if (is_inline(n->worker[i]))
			continue;
		rc = rte_eal_remote_launch(worker_main, n->worker[i], n->worker[i]->lcore);
		if (rc != 0) {
			node_say(&n->env.log, NODE_ERROR, "no worker starts on lcore %u: %s.",
				n->worker[i]->lcore, strerror(-rc));
			node_stop(n);
			return rc;
		}
	}
	return 0;
}

void
node_stop(struct node *n)
{
	__atomic_store_n(&n->shared.stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; n->running && i < n->n_workers; i++)
		if (!is_inline(n->worker[i]))
			rte_eal_wait_lcore(n->worker[i]->lcore);
	/* worker 0 owns the shared ports: last */
	for (unsigned int i = n->n_workers; i-- > 0;) {
		worker_drain(n->worker[i]);
		rte_rcu_qsbr_thread_offline(n->shared.qsbr, i);
		rte_rcu_qsbr_thread_unregister(n->shared.qsbr, i);
	}
	for (size_t p = 0; p < n->n_ports; p++)
		port_stop(n->port[p]);
	n->running = false;
}

/* A turn of the workers on the main lcore; true when one must not wait for its next. */
static bool
inline_turns(struct node *n, uint64_t now)
{
	bool busy = false;

	for (unsigned int i = 0; n->running && i < n->n_workers; i++)
		if (is_inline(n->worker[i]))
			busy |= !worker_rests(n->worker[i], worker_turn(n->worker[i], now),
				NODE_POLL_MS * UINT64_C(1000000));
	return busy;
}

void
node_look_at_links(struct node *n)
{
	for (size_t p = 0; p < n->n_ports; p++) {
		egress_set_speed(n, (uint16_t)p, port_speed(n->port[p]));
		fabric_set_speed(n, (uint16_t)p);
		node_set_link(n, (uint16_t)p, port_link_up(n->port[p]));
	}
}

bool
node_poll(struct node *n, uint64_t now)
{
	bool busy = inline_turns(n, now);

	fabric_poll(n, now);
	if (n->reload != NULL) /* soon: another may wait for it */
		reload_poll(n);
	if (now - n->link_poll_tsc < n->env.clock.hz / LINK_POLL_HZ)
		return busy;
	n->link_poll_tsc = now;
	if (n->running)
		node_look_at_links(n);
	if (now - n->touch_tsc > n->env.clock.hz * TOUCH_S) {
		n->touch_tsc = now;
		egress_touch(n, ps_from_ticks(&n->worker[0]->timebase, now));
	}
	reclaim_poll(&n->reclaim);
	return busy;
}

unsigned int
node_turn(struct node *n, uint64_t now)
{
	unsigned int packets = 0;

	/* another one first in each turn: who comes first takes what a shaper has */
	for (unsigned int i = 0; i < n->n_workers; i++)
		packets += worker_turn(n->worker[(n->turns + i) % n->n_workers], now);
	n->turns++;
	fabric_poll(n, now);
	reclaim_poll(&n->reclaim);
	reload_poll(n);
	return packets;
}

static void
free_group(void *group)
{
	nhg_group_free(group);
}

int
node_set_weights(struct node *n, uint32_t group_idx, const uint32_t *weight)
{
	struct nhg_group **slot = &n->slot[n->group[group_idx].slot];
	struct nhg_group *now, *before = *slot;
	uint32_t counter[NHG_MEMBERS_MAX];
	uint8_t old_idx[NHG_MEMBERS_MAX];
	struct build_group b = {
		.conf = n->conf,
		.group = n->group[group_idx].conf,
		.weight = weight,
		.counter = counter,
		.choice = n->group[group_idx].choice,
		.before = before,
		.old_idx = old_idx,
	};
	int rc = reclaim_reserve(&n->reclaim);

	for (unsigned int i = 0; i < before->n_members; i++) {
		counter[i] = before->member[i].counter;
		old_idx[i] = (uint8_t)i;
	}
	if (rc == 0)
		rc = build_group(n, &b, &now);
	if (rc != 0)
		return rc;
	/* release: pairs with the acquire in snapshot_group() */
	__atomic_store_n(slot, now, __ATOMIC_RELEASE);
	n->generation++;
	reclaim_defer(&n->reclaim, free_group, before);
	return 0;
}

static bool
uses_port(const struct nhg_group *g, uint16_t port_idx)
{
	for (unsigned int i = 0; i < g->n_members; i++)
		if (g->member[i].port_idx == port_idx)
			return true;
	return false;
}

/*
 * Until then, and when memory for one is short, the liveness word keeps packets off a dead way out;
 * only here do they come back to one that is up.
 */
void
node_rebuild(struct node *n, uint16_t port_idx)
{
	uint32_t weight[NHG_MEMBERS_MAX];
	bool again = n->rebuild[port_idx];

	n->rebuild[port_idx] = false;
	for (uint32_t g = 0; g < n->conf->n_groups; g++) {
		const struct nhg_group *now = node_group_now(n, g);
		int rc;

		if (!uses_port(now, port_idx))
			continue;
		for (unsigned int i = 0; i < now->n_members; i++)
			weight[i] = now->member[i].weight;
		rc = node_set_weights(n, g, weight);
		n->rebuild[port_idx] |= rc != 0;
		/* it is tried each 10 ms: once is enough to hear of it */
		if (rc != 0 && !again)
			node_say(&n->env.log, NODE_ERROR,
				"group %s cannot be rebuilt: %s; tried again until it can.",
				n->conf->group[g].name, strerror(-rc));
	}
}

void
node_set_link(struct node *n, uint16_t port_idx, bool up)
{
	int link = fabric_link(n, port_idx);

	if (link >= 0) {
		fabric_set_carrier(n, (uint16_t)link, up);
		return;
	}
	if (alive_test(&n->shared.alive, port_idx) == up) {
		if (n->rebuild[port_idx])
			node_rebuild(n, port_idx);
		hyper_set_link(n, port_idx);
		return;
	}
	alive_set(&n->shared.alive, port_idx, up);
	/* what the peer asked for went with the link; a storm sees a turn without pause */
	if (!up)
		qos_pause_clear(&n->shared.commons[port_idx].pause,
			ps_from_ticks(&n->worker[0]->timebase, clock_now(&n->env.clock)));
	node_say(&n->env.log, NODE_NOTE, "port %s: link %s.", n->port[port_idx]->name,
		up ? "up" : "down");
	hyper_set_link(n, port_idx);
	node_rebuild(n, port_idx);
}

const struct nhg_group *
node_group_now(const struct node *n, uint32_t group_idx)
{
	return n->slot[n->group[group_idx].slot];
}

uint64_t
node_waiting(const struct node *n)
{
	uint64_t packets = 0;

	for (unsigned int i = 0; i < n->n_workers; i++)
		for (size_t p = 0; p < n->n_outs; p++)
			packets += queue_packets(&n->worker[i]->queue[p]) +
				   __atomic_load_n(&n->worker[i]->tx[p].n, __ATOMIC_RELAXED);
	for (size_t p = 0; p < n->n_ports; p++)
		packets += n->handoff[p] == NULL ? 0 : rte_ring_count(n->handoff[p]);
	for (unsigned int i = 0; n->fabric != NULL && i < n->n_workers; i++)
		packets += fabric_waiting(n->worker[i]);
	for (uint16_t i = 0; i < n->shared.n_hypers; i++)
		packets += hyper_waiting(&n->shared.hyper[i]);
	return packets;
}

uint64_t
node_next_ps(const struct node *n, uint64_t now)
{
	uint64_t next = fabric_poll_in_ps(n, now);

	for (unsigned int i = 0; i < n->n_workers; i++)
		next = RTE_MIN(next,
			worker_next_ps(n->worker[i], ps_from_ticks(&n->worker[i]->timebase, now)));
	for (size_t p = 0; p < n->n_ports; p++)
		if (n->handoff[p] != NULL && rte_ring_count(n->handoff[p]) != 0)
			return 0;
	return next;
}

unsigned int
node_mbufs_out(const struct node *n)
{
	return rte_mempool_in_use_count(n->pool) +
	       (n->fabric == NULL ? 0 : rte_mempool_in_use_count(n->fabric->small));
}
