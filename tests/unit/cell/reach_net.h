/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several instances of reachability wired together in virtual time, as their control threads would
 * run them: a node takes a turn when reach_next_ps() says so or a cell came, and sends its rounds.
 */
#ifndef TESTS_REACH_NET_H
#define TESTS_REACH_NET_H

#include <criterion/criterion.h>

#include "base/ps.h"
#include "base/rng.h"
#include "cell/reach_view.h"

#define NET_INTERVAL   (10 * PS_PER_MS)
#define NET_MISSED     3
#define NET_NODES      24
#define NET_WIRES      160
#define NET_CELL       5   /* entries a cell: rounds take several */
#define NET_FLIGHT     256 /* cells on a wire, one way */
#define NET_GBIT       UINT64_C(1000000000)
#define NET_DEVICE(id) ((uint16_t)((id) + 1000))

struct net_cell {
	uint64_t at_ps;
	uint16_t source;
	unsigned int n;
	struct cell_reach entry[NET_CELL];
};

struct net_wire {
	unsigned int node[2];
	uint16_t link[2];
	uint64_t rate_bps, delay_ps;
	bool up;
	bool deaf[2]; /* this end hears nothing */
	bool drained[2];
	unsigned int loss_percent;
	struct net_cell flight[2][NET_FLIGHT]; /* toward that end; in order */
	unsigned int head[2], n_flight[2];
};

struct net_node {
	struct reach *r;
	bool transit;
	uint16_t min_links;
	uint16_t n_links;
	unsigned int wire[REACH_LINKS_MAX];
	unsigned int n_tables;
	uint64_t table_ps; /* when its table changed last */
};

struct net {
	uint64_t now;
	struct rng rng;
	unsigned int n_nodes, n_wires;
	struct net_node node[NET_NODES];
	struct net_wire wire[NET_WIRES];
};

static inline unsigned int
net_end(const struct net *net, unsigned int node, unsigned int wire)
{
	return net->wire[wire].node[1] == node;
}

static inline unsigned int
net_add_node(struct net *net, bool transit)
{
	net->node[net->n_nodes] = (struct net_node){.transit = transit, .min_links = 1};
	return net->n_nodes++;
}

static inline unsigned int
net_add_wire(struct net *net, unsigned int a, unsigned int b, uint64_t rate_bps)
{
	struct net_wire *w = &net->wire[net->n_wires];

	cr_assert_lt(net->n_wires, NET_WIRES);
	w->node[0] = a;
	w->node[1] = b;
	w->rate_bps = rate_bps;
	w->delay_ps = PS_PER_US * (1 + net->n_wires % 7);
	w->up = true;
	for (unsigned int end = 0; end < 2; end++) {
		struct net_node *n = &net->node[w->node[end]];

		w->link[end] = n->n_links;
		n->wire[n->n_links++] = net->n_wires;
	}
	return net->n_wires++;
}

/* A node begins, or begins anew, with the carrier that its wires have. */
static inline void
net_start(struct net *net, unsigned int node)
{
	struct net_node *n = &net->node[node];
	uint16_t port_idx[REACH_LINKS_MAX];
	uint64_t rate_bps[REACH_LINKS_MAX];
	struct reach_config c = {
		.device = NET_DEVICE(node),
		.transit = n->transit,
		.interval_ps = NET_INTERVAL,
		.missed = NET_MISSED,
		.min_links_join = n->min_links,
		.min_links_remain = n->min_links,
		.n_links = n->n_links,
		.port_idx = port_idx,
		.rate_bps = rate_bps,
		.n_devices = 200,
		.seed = rng_next(&net->rng),
	};

	for (unsigned int i = 0; i < n->n_links; i++) {
		port_idx[i] = (uint16_t)n->wire[i];
		rate_bps[i] = net->wire[n->wire[i]].rate_bps;
	}
	reach_free(n->r);
	cr_assert_eq(reach_create(&c, net->now, &n->r), 0);
	for (uint16_t i = 0; i < n->n_links; i++) {
		struct net_wire *w = &net->wire[n->wire[i]];

		reach_link(n->r, i, w->up, net->now);
		w->drained[net_end(net, node, n->wire[i])] = false;
	}
}

static inline void
net_start_all(struct net *net)
{
	for (unsigned int i = 0; i < net->n_nodes; i++)
		net_start(net, i);
}

static inline void
net_end_all(struct net *net)
{
	for (unsigned int i = 0; i < net->n_nodes; i++)
		reach_free(net->node[i].r);
}

/* Carrier at both ends. */
static inline void
net_set_wire(struct net *net, unsigned int wire, bool up)
{
	struct net_wire *w = &net->wire[wire];

	w->up = up;
	for (unsigned int end = 0; end < 2; end++) {
		w->n_flight[end] = 0;
		reach_link(net->node[w->node[end]].r, w->link[end], up, net->now);
	}
}

static inline void
net_drain(struct net *net, unsigned int node, unsigned int wire, bool drain)
{
	struct net_wire *w = &net->wire[wire];
	unsigned int end = net_end(net, node, wire);

	w->drained[end] = drain;
	reach_drain(net->node[node].r, w->link[end], drain, net->now);
}

static inline void
net_send(struct net *net, unsigned int node)
{
	struct net_node *n = &net->node[node];

	for (uint16_t i = 0; i < n->n_links; i++) {
		struct net_wire *w = &net->wire[n->wire[i]];
		unsigned int to = !net_end(net, node, n->wire[i]);
		struct net_cell c = {w->delay_ps + net->now, NET_DEVICE(node), 0, {{0, 0, 0}}};
		uint32_t from = 0;

		while (reach_advert(n->r, i, &from, c.entry, NET_CELL, &c.n)) {
			if (w->deaf[to] || rng_below(&net->rng, 100) < w->loss_percent)
				continue;
			cr_assert_lt(w->n_flight[to], NET_FLIGHT);
			w->flight[to][(w->head[to] + w->n_flight[to]++) % NET_FLIGHT] = c;
		}
	}
}

static inline void
net_turn(struct net *net, unsigned int node)
{
	unsigned int what = reach_turn(net->node[node].r, net->now);

	if (what & REACH_TABLE) {
		net->node[node].n_tables++;
		net->node[node].table_ps = net->now;
	}
	if (what & REACH_SEND)
		net_send(net, node);
}

/* What has come in by now. */
static inline void
net_deliver(struct net *net, struct net_wire *w, unsigned int end)
{
	while (w->n_flight[end] > 0 && ps_reached(w->flight[end][w->head[end]].at_ps, net->now)) {
		const struct net_cell *c = &w->flight[end][w->head[end]];

		w->head[end] = (w->head[end] + 1) % NET_FLIGHT;
		w->n_flight[end]--;
		if (!w->deaf[end])
			cr_assert_eq(reach_heard(net->node[w->node[end]].r, w->link[end], c->source,
					     c->entry, c->n, net->now),
				REACH_OK);
	}
}

static inline uint64_t
net_next_ps(const struct net *net)
{
	uint64_t next = net->now + 10 * PS_PER_S;

	for (unsigned int i = 0; i < net->n_nodes; i++) {
		uint64_t at = reach_next_ps(net->node[i].r, net->now);

		next = at < next ? at : next;
	}
	for (unsigned int i = 0; i < net->n_wires; i++)
		for (unsigned int end = 0; end < 2; end++) {
			const struct net_wire *w = &net->wire[i];

			if (w->n_flight[end] > 0 && w->flight[end][w->head[end]].at_ps < next)
				next = w->flight[end][w->head[end]].at_ps;
		}
	return next;
}

/* Whatever happens within `ps` from now. */
static inline void
net_run(struct net *net, uint64_t ps)
{
	uint64_t until = net->now + ps;
	unsigned int n_still = 0;

	for (uint64_t next = net_next_ps(net); next <= until; next = net_next_ps(net)) {
		n_still = next == net->now ? n_still + 1 : 0;
		cr_assert_lt(n_still, 100, "turns that change nothing are asked for");
		net->now = next;
		for (unsigned int i = 0; i < net->n_wires; i++)
			for (unsigned int end = 0; end < 2; end++)
				net_deliver(net, &net->wire[i], end);
		for (unsigned int i = 0; i < net->n_nodes; i++)
			if (reach_next_ps(net->node[i].r, net->now) == net->now)
				net_turn(net, i);
	}
	net->now = until;
}

#endif
