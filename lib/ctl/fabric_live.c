/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DSF side of a node while it runs: REACH cells come in, liveness bits and tables change, REACH
 * cells go out. Liveness goes first, the table after it (dp/snapshot.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/fabric.h"
#include "ctl/build.h"
#include "ctl/fabric.h"
#include "ctl/say.h"
#include "wire/cell_ext.h"

/* Entries of a REACH cell: more of them than a small fabric has, and below any MTU. */
#define REACH_ENTRIES 100u

static uint64_t
ps_of(const struct node *n, uint64_t ticks)
{
	return ps_from_ticks(&n->worker[0]->timebase, ticks);
}

void
fabric_set_rate(struct node *n, uint16_t system)
{
	struct fabric_system *s = &n->fabric->dp.system[system];
	bool router = s->number == CELL_ROUTER_PORT;
	uint64_t rate = router ? n->conf->dsf.router_rate_bps : 0;

	for (uint16_t p = 0; p < n->n_ports && (!router || n->conf->dsf.router_rate_bps == 0);
		p++) {
		const struct conf_port *c = &n->conf->port[p];
		uint64_t bps = c->rate_bps;

		if (c->role == CONF_ROLE_DSF || (!router && p != s->port_idx))
			continue;
		if (bps == 0)
			bps = port_speed(n->port[p]);
		rate += bps == 0 ? CONF_DSF_RATE : bps;
	}
	/* the worker that owns the scheduler looks at both in each turn */
	__atomic_store_n(&s->bound, conf_egress_bound(&n->conf->dsf, rate), __ATOMIC_RELAXED);
	__atomic_store_n(&s->rate_bps, rate, __ATOMIC_RELAXED);
}

void
fabric_table_free(void *table)
{
	struct fabric_table *t = table;

	if (t != NULL)
		free((void *)(uintptr_t)t->set);
	free(t);
}

/* Room for `n_sets`. */
static struct fabric_table *
table_create(uint32_t n_sets)
{
	struct fabric_table *t = calloc(1, sizeof(*t));
	size_t len = RTE_MAX(n_sets, 1u) * sizeof(struct spray_set);

	if (t == NULL)
		return NULL;
	t->set = aligned_alloc(RTE_CACHE_LINE_SIZE, len);
	if (t->set == NULL) {
		free(t);
		return NULL;
	}
	memset((void *)(uintptr_t)t->set, 0, len);
	t->n_sets = n_sets;
	return t;
}

/*
 * Devices that `t` leads to no more: the links that led right to them. From a neighbour to a device
 * there is no way round, so no cell comes back. `t` has room for as many sets as there may be.
 */
static void
keep_last(struct fabric_table *t, const struct fabric_table *before)
{
	struct spray_set *set = (struct spray_set *)(uintptr_t)t->set;
	uint16_t kept[FABRIC_SETS_MAX] = {0}; /* by set of `before`: its place in `t` + 1 */

	for (uint32_t d = 0; d < RTE_DIM(t->set_of); d++) {
		uint16_t last = before->last_of[d];

		if (t->set_of[d] != 0 || last == 0)
			continue;
		if (kept[last - 1] == 0 && t->n_sets < FABRIC_SETS_MAX) {
			set[t->n_sets] = before->set[last - 1];
			kept[last - 1] = (uint16_t)++t->n_sets;
		}
		t->last_of[d] = kept[last - 1];
	}
}

static int
table_from_reach(struct node *n, struct fabric_table **ret_table)
{
	const struct reach_table *r = reach_table(n->fabric->reach);
	const struct fabric_table *before = n->fabric->table;
	struct fabric_table *t = table_create(RTE_MIN(r->n_sets + before->n_sets, FABRIC_SETS_MAX));
	struct spray_set *set;

	if (t == NULL)
		return -ENOMEM;
	t->n_sets = RTE_MIN(r->n_sets, FABRIC_SETS_MAX);
	set = (struct spray_set *)(uintptr_t)t->set;
	for (uint32_t i = 0; i < t->n_sets; i++)
		spray_set_init(&set[i], r->set[i].port_idx, r->set[i].weight, r->set[i].n,
			conf_seed(n->conf) + i);
	for (uint32_t i = 0; i < r->n_routes; i++)
		if (r->route[i].set_idx < t->n_sets) {
			uint16_t set_of = (uint16_t)(r->route[i].set_idx + 1);

			t->set_of[r->route[i].device] = set_of;
			t->last_of[r->route[i].device] = r->route[i].hops == 0 ? set_of : 0;
		}
	keep_last(t, before);
	*ret_table = t;
	return 0;
}

/* A replay without wires: nobody sends REACH, so every device that is listed is everywhere. */
static int
table_of_all(struct node *n, struct fabric_table **ret_table)
{
	const struct conf_dsf *d = &n->conf->dsf;
	const struct dp_fabric *f = &n->fabric->dp;
	struct fabric_table *t = table_create(1);
	uint32_t weight[FABRIC_LINKS_MAX];

	if (t == NULL)
		return -ENOMEM;
	for (uint16_t l = 0; l < f->n_links; l++)
		weight[l] = (uint32_t)(conf_link_bps(&n->conf->port[f->link[l]]) / 1000000) + 1;
	spray_set_init((struct spray_set *)(uintptr_t)t->set, f->link, weight, f->n_links,
		conf_seed(n->conf));
	for (size_t i = 0; i < d->n_devices; i++)
		t->set_of[d->device[i].id] = 1;
	*ret_table = t;
	return 0;
}

/* The way's liveness, and the groups that use it if that is news. */
static void
set_way(struct node *n, unsigned int way, bool up)
{
	if (alive_test(&n->shared.alive, way) == up)
		return;
	alive_set(&n->shared.alive, way, up);
	node_rebuild(n, (uint16_t)way);
}

/*
 * Destinations that `t`, or reachability where there is none, knows or does not know: `up` says
 * which are looked at.
 */
static void
set_dests(struct node *n, const struct fabric_table *t, bool up)
{
	for (unsigned int d = 0; d < n->fabric->dp.n_dests; d++) {
		uint16_t device = n->fabric->dest[d].device;
		bool reachable = t == NULL ? reach_reaches(n->fabric->reach, device)
					   : t->set_of[device] != 0;

		if (reachable == up)
			set_way(n, (unsigned int)n->n_outs + d, up);
	}
}

/*
 * What is gone is dead before the workers see the new table, what is new lives after that. -ENOMEM:
 * they keep the table before, and `t` is the caller's.
 */
static int
publish(struct node *n, struct fabric_table *t)
{
	struct fabric_table *before = n->fabric->table;
	struct snapshot *old = n->snapshot, *s;
	int rc;

	t->generation = ++n->fabric->generation;
	set_dests(n, t, false);
	n->fabric->table = t;
	rc = reclaim_reserve_n(&n->reclaim, 2);
	if (rc == 0)
		rc = build_snapshot(n, n->generation + 1, &s);
	if (rc != 0) {
		n->fabric->table = before;
		return rc;
	}
	node_publish(n, s);
	reclaim_defer(&n->reclaim, free, old);
	reclaim_defer(&n->reclaim, fabric_table_free, before);
	set_dests(n, t, true);
	return 0;
}

/* What reachability says now, for the workers; liveness, which needs no memory, in any case. */
static void
refresh_table(struct node *n)
{
	struct node_fabric *f = n->fabric;
	struct fabric_table *t = NULL;
	int rc = table_from_reach(n, &t);

	if (rc == 0)
		rc = publish(n, t);
	else
		set_dests(n, NULL, false);
	if (rc != 0) {
		fabric_table_free(t);
		/* it is tried in each round: once is enough to hear of it */
		if (!f->stale)
			node_say(&n->env.log, NODE_ERROR,
				"the links to the devices of the fabric cannot be told to the "
				"workers: %s; tried again until they can.",
				strerror(-rc));
	}
	f->stale = rc != 0;
}

/* Groups that found no memory when a destination came or went; ports have node_set_link(). */
static void
rebuild_again(struct node *n)
{
	for (unsigned int d = 0; d < n->fabric->dp.n_dests; d++)
		if (n->rebuild[n->n_outs + d])
			node_rebuild(n, (uint16_t)(n->n_outs + d));
}

int
fabric_begin(struct node *n)
{
	struct node_fabric *f = n->fabric;
	int rc;

	if (f == NULL)
		return 0;
	for (unsigned int d = 0; d < f->dp.n_dests; d++)
		alive_set(&n->shared.alive, (unsigned int)n->n_outs + d, f->reach == NULL);
	if (f->reach == NULL) {
		rc = table_of_all(n, &f->table);
		/* 0 is what workers have seen: cursors have to begin in this one */
		if (rc == 0)
			f->table->generation = ++f->generation;
		return rc;
	}
	f->table = table_create(0);
	rc = f->table == NULL ? -ENOMEM : 0;
	for (uint16_t l = 0; l < f->dp.n_links; l++)
		alive_set(&n->shared.alive, f->dp.link[l], false);
	return rc;
}

/* A REACH cell that a worker has found right. */
static void
hear(struct node *n, struct rte_mbuf *m, uint64_t now)
{
	int link = fabric_link(n, m->port);
	struct cell_reach entry[UINT16_MAX / CELL_REACH_LEN / 4];
	uint8_t buf[UINT16_MAX / 4];
	struct cell_header h;
	const uint8_t *p = rte_pktmbuf_read(m, ETH_HDR_LEN, CELL_HEADER_LEN, buf);
	unsigned int k = 0;

	if (link < 0 || p == NULL ||
		cell_read(p, rte_pktmbuf_pkt_len(m) - ETH_HDR_LEN, &h) != CELL_OK)
		return;
	p = rte_pktmbuf_read(
		m, CELL_PREFIX_LEN, RTE_MIN((uint32_t)h.payload_len, (uint32_t)sizeof(buf)), buf);
	for (; p != NULL &&
		(k + 1) * CELL_REACH_LEN <= RTE_MIN((uint32_t)h.payload_len, (uint32_t)sizeof(buf));
		k++)
		entry[k] = cell_read_reach(p + k * CELL_REACH_LEN);
	reach_heard(n->fabric->reach, (uint16_t)link, h.source, entry, k, now);
}

static void
hear_all(struct node *n, uint64_t now)
{
	struct rte_mbuf *m;

	while (rte_ring_sc_dequeue(n->fabric->dp.to_control, (void **)&m) == 0) {
		if (n->fabric->reach != NULL)
			hear(n, m, now);
		rte_pktmbuf_free(m);
	}
}

/* One cell of a link's round, to worker 0. */
static void
tell(struct node *n, uint16_t port_idx, const struct cell_reach *entry, unsigned int n_entries)
{
	static const uint8_t dst[ETH_ADDR_LEN] = CELL_DST_MAC;
	struct rte_mbuf *m = rte_pktmbuf_alloc(n->pool);
	uint16_t payload = (uint16_t)(n_entries * CELL_REACH_LEN);
	uint16_t len = RTE_MAX((uint16_t)(CELL_PREFIX_LEN + payload), (uint16_t)CELL_FRAME_MIN);
	uint8_t *p = m == NULL ? NULL : (uint8_t *)rte_pktmbuf_append(m, len);
	struct cell_header h = {
		.type = CELL_REACH,
		.source = n->fabric->dp.device,
		.payload_len = payload,
	};

	if (p == NULL) {
		rte_pktmbuf_free(m);
		n->fabric->n_reach_lost++;
		return;
	}
	memset(p, 0, len);
	memcpy(p, dst, sizeof(dst));
	memcpy(p + ETH_ADDR_LEN, n->port[port_idx]->mac, ETH_ADDR_LEN);
	wire_put16(p + ETH_OFF_TYPE, n->fabric->dp.ethertype);
	cell_write(p + ETH_HDR_LEN, &h);
	for (unsigned int i = 0; i < n_entries; i++)
		cell_write_reach(p + CELL_PREFIX_LEN + i * CELL_REACH_LEN, &entry[i]);
	m->port = port_idx;
	if (rte_ring_sp_enqueue(n->fabric->dp.from_control, m) != 0) {
		rte_pktmbuf_free(m);
		n->fabric->n_reach_lost++;
	}
}

static void
tell_all(struct node *n)
{
	struct cell_reach entry[REACH_ENTRIES];

	for (uint16_t l = 0; l < n->fabric->dp.n_links; l++) {
		uint32_t from = 0;
		unsigned int k;

		while (reach_advert(n->fabric->reach, l, &from, entry, REACH_ENTRIES, &k))
			tell(n, n->fabric->dp.link[l], entry, k);
	}
}

static void
set_links(struct node *n)
{
	struct node_fabric *f = n->fabric;

	for (uint16_t l = 0; l < f->dp.n_links; l++) {
		bool up = reach_link_alive(f->reach, l);

		if (alive_test(&n->shared.alive, f->dp.link[l]) == up)
			continue;
		alive_set(&n->shared.alive, f->dp.link[l], up);
		node_say(&n->env.log, NODE_NOTE, "port %s: fabric link %s.",
			n->port[f->dp.link[l]]->name, up ? "up" : "down");
	}
}

void
fabric_poll(struct node *n, uint64_t now)
{
	struct node_fabric *f = n->fabric;
	uint64_t now_ps;
	unsigned int due;

	if (f == NULL)
		return;
	now_ps = ps_of(n, now);
	hear_all(n, now_ps);
	if (f->reach == NULL || !ps_reached(reach_next_ps(f->reach, now_ps), now_ps))
		return;
	due = reach_turn(f->reach, now_ps);
	if (due & REACH_LINKS)
		set_links(n);
	if ((due & REACH_TABLE) || f->stale)
		refresh_table(n);
	rebuild_again(n);
	if (due & REACH_SEND)
		tell_all(n);
}

void
fabric_set_carrier(struct node *n, uint16_t link, bool up)
{
	struct node_fabric *f = n->fabric;

	if (f->reach == NULL || f->carrier[link] == up)
		return;
	f->carrier[link] = up;
	/* liveness first: from the next packet on the spray leaves the link out */
	if (!up)
		alive_set(&n->shared.alive, f->dp.link[link], false);
	node_say(&n->env.log, NODE_NOTE, "port %s: carrier %s.", n->port[f->dp.link[link]]->name,
		up ? "up" : "down");
	reach_link(f->reach, link, up, ps_of(n, clock_now(&n->env.clock)));
}

void
fabric_drain(struct node *n, uint16_t link, bool drain)
{
	if (n->fabric->reach != NULL)
		reach_drain(n->fabric->reach, link, drain, ps_of(n, clock_now(&n->env.clock)));
}

uint64_t
fabric_poll_in_ps(const struct node *n, uint64_t now)
{
	const struct node_fabric *f = n->fabric;
	uint64_t now_ps;

	if (f == NULL)
		return DP_NEVER_PS;
	if (rte_ring_count(f->dp.to_control) != 0)
		return 0;
	if (f->reach == NULL)
		return DP_NEVER_PS;
	now_ps = ps_of(n, now);
	return ps_ahead(reach_next_ps(f->reach, now_ps), now_ps);
}

void
fabric_set_speed(struct node *n, uint16_t port_idx)
{
	int link = fabric_link(n, port_idx);
	uint64_t bps = port_speed(n->port[port_idx]);

	if (n->fabric == NULL)
		return;
	if (link < 0) {
		for (uint16_t s = 0; s < n->fabric->dp.n_systems; s++)
			fabric_set_rate(n, s);
		return;
	}
	if (n->fabric->reach != NULL && n->conf->port[port_idx].rate_bps == 0 && bps != 0)
		reach_rate(n->fabric->reach, (uint16_t)link, bps);
}
