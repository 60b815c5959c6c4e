/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random fabrics in which random things happen, against a dull reference: breadth first over what
 * works both ways, once it is quiet. Devices, distances and weights are to be the same.
 */
#include <criterion/criterion.h>

#include "reach_net_view.h"

#define QUIET (16 * NET_INTERVAL)

static struct net net;
static uint64_t seed;

/* What is right: distance, and Mbit/s out, from each node toward each. */
static struct model {
	unsigned int hops[NET_NODES][NET_NODES];
	uint64_t mbps[NET_NODES][NET_NODES];
} model;

static bool
works(const struct net_wire *w)
{
	return w->up && !w->deaf[0] && !w->deaf[1] && !w->drained[0] && !w->drained[1];
}

/* Mbit/s of all wires between the two that work. */
static uint64_t
between(unsigned int a, unsigned int b)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < net.n_wires; i++) {
		const struct net_wire *w = &net.wire[i];

		if (works(w) && ((w->node[0] == a && w->node[1] == b) ||
					(w->node[0] == b && w->node[1] == a)))
			sum += w->rate_bps / 1000000;
	}
	return sum;
}

/* The node's neighbour `via` is a best next hop toward `to`, which is `hops` away. */
static bool
leads(unsigned int node, unsigned int via, unsigned int to, unsigned int hops)
{
	if (between(node, via) == 0)
		return false;
	return hops == 0 ? via == to : net.node[via].transit && model.hops[via][to] == hops - 1;
}

static void
work_out_from(unsigned int node, unsigned int to, unsigned int hops)
{
	for (unsigned int via = 0; via < net.n_nodes; via++) {
		uint64_t mbps = between(node, via);

		if (via == node || !leads(node, via, to, hops))
			continue;
		if (hops > 0 && model.mbps[via][to] < mbps)
			mbps = model.mbps[via][to];
		model.hops[node][to] = hops;
		model.mbps[node][to] += mbps;
	}
}

static void
work_out(void)
{
	for (unsigned int a = 0; a < net.n_nodes; a++)
		for (unsigned int b = 0; b < net.n_nodes; b++) {
			model.hops[a][b] = NET_NO_HOPS;
			model.mbps[a][b] = 0;
		}
	for (unsigned int hops = 0; hops <= CELL_HOPS_MAX; hops++)
		for (unsigned int a = 0; a < net.n_nodes; a++)
			for (unsigned int b = 0; b < net.n_nodes; b++)
				if (a != b && model.hops[a][b] == NET_NO_HOPS)
					work_out_from(a, b, hops);
}

/* Rate x what the other end has out; 0: the wire is not used toward `to`. */
static uint64_t
product(unsigned int node, unsigned int to, unsigned int wire)
{
	const struct net_wire *w = &net.wire[wire];
	unsigned int via = w->node[!net_end(&net, node, wire)], hops = model.hops[node][to];

	if (!works(w) || hops == NET_NO_HOPS || !leads(node, via, to, hops))
		return 0;
	return w->rate_bps / 1000000 * (hops == 0 ? 1 : model.mbps[via][to]);
}

static void
expect_weights(unsigned int node, unsigned int to)
{
	const struct net_node *n = &net.node[node];
	uint64_t most = 0;

	for (unsigned int i = 0; i < n->n_links; i++) {
		uint64_t p = product(node, to, n->wire[i]);

		most = p > most ? p : most;
	}
	for (unsigned int i = 0; i < n->n_links; i++) {
		unsigned __int128 p = product(node, to, n->wire[i]);
		uint64_t want = p == 0 ? 0 : (uint64_t)(p * REACH_WEIGHT_MAX / most);

		if (p != 0 && want == 0)
			want = 1;
		cr_assert_eq(net_weight(&net, node, to, n->wire[i]), want,
			"seed %lu: node %u to %u over wire %u: got %u, want %lu", seed, node, to,
			n->wire[i], net_weight(&net, node, to, n->wire[i]), want);
	}
}

static bool
drains(unsigned int node)
{
	for (unsigned int i = 0; i < net.node[node].n_links; i++) {
		unsigned int wire = net.node[node].wire[i];

		if (net.wire[wire].drained[net_end(&net, node, wire)])
			return true;
	}
	return false;
}

static void
expect_model(void)
{
	work_out();
	for (unsigned int a = 0; a < net.n_nodes; a++) {
		struct reach_stats s;

		for (unsigned int b = 0; b < net.n_nodes; b++) {
			if (a == b)
				continue;
			cr_assert_eq(net_hops(&net, a, b), model.hops[a][b],
				"seed %lu: node %u to %u: got %u hops, want %u", seed, a, b,
				net_hops(&net, a, b), model.hops[a][b]);
			expect_weights(a, b);
		}
		/* what is told on a drained link is known, and not used */
		reach_stats(net.node[a].r, &s);
		if (!drains(a))
			cr_assert_eq(
				s.n_known, s.n_reachable, "seed %lu: node %u remembers", seed, a);
	}
}

static void
make_random(void)
{
	static const uint64_t rate[] = {25 * NET_GBIT, 100 * NET_GBIT, 400 * NET_GBIT};
	unsigned int n, n_wires;

	net = (struct net){.now = UINT64_MAX / 2 + 7};
	rng_init(&net.rng, seed);
	n = 3 + (unsigned int)rng_below(&net.rng, 12);
	n_wires = n + (unsigned int)(rng_below(&net.rng, 3) * rng_below(&net.rng, n));
	for (unsigned int i = 0; i < n; i++)
		net_add_node(&net, rng_below(&net.rng, 5) > 0);
	for (unsigned int i = 0; i < n_wires; i++) {
		/* a wire for each node, and more */
		unsigned int a = i < n ? i : (unsigned int)rng_below(&net.rng, n);
		unsigned int b = (a + 1 + (unsigned int)rng_below(&net.rng, n - 1)) % n;

		net_add_wire(&net, a, b, rate[rng_below(&net.rng, 3)]);
	}
	net_start_all(&net);
}

static void
happen(void)
{
	unsigned int wire = (unsigned int)rng_below(&net.rng, net.n_wires);
	struct net_wire *w = &net.wire[wire];
	unsigned int end = (unsigned int)rng_below(&net.rng, 2);

	switch (rng_below(&net.rng, 8)) {
	case 0:
	case 1:
		net_set_wire(&net, wire, false);
		break;
	case 2:
		net_set_wire(&net, wire, true);
		break;
	case 3:
		w->deaf[end] = !w->deaf[end];
		break;
	case 4:
		net_drain(&net, w->node[end], wire, !w->drained[end]);
		break;
	case 5:
		w->loss_percent = 30;
		break;
	case 6:
		if (rng_below(&net.rng, 4) == 0)
			net_start(&net, w->node[end]);
		break;
	default: /* most things are mended at some time */
		w->deaf[0] = w->deaf[1] = false;
		net_set_wire(&net, wire, true);
		net_drain(&net, w->node[end], wire, false);
	}
}

/* At any time: nobody sprays over a link without carrier, or one that he drains. */
static void
expect_no_dead_link_used(void)
{
	for (unsigned int i = 0; i < net.n_wires; i++)
		for (unsigned int end = 0; end < 2; end++)
			if (!net.wire[i].up || net.wire[i].drained[end])
				cr_assert_not(
					net_uses(&net, net.wire[i].node[end], i), "seed %lu", seed);
}

Test(reach_soak, all_know_what_breadth_first_search_knows)
{
	unsigned int n_far = 0, n_dead = 0;

	for (seed = 1; seed <= 100; seed++) {
		make_random();
		for (unsigned int act = 0; act < 12; act++) {
			for (unsigned int i = 0; act > 0 && i < 25; i++) {
				happen();
				net_run(&net, rng_below(&net.rng, 2 * NET_INTERVAL));
				expect_no_dead_link_used();
			}
			for (unsigned int i = 0; i < net.n_wires; i++)
				net.wire[i].loss_percent = 0;
			net_run(&net, QUIET);
			expect_model();
			for (unsigned int i = 0; i < net.n_wires; i++)
				n_dead += !works(&net.wire[i]);
			for (unsigned int a = 0; a < net.n_nodes; a++)
				for (unsigned int b = 0; b < net.n_nodes; b++)
					n_far += model.hops[a][b] == CELL_HOPS_MAX;
		}
		net_end_all(&net);
	}
	cr_assert_gt(n_far, 500, "some were far apart: %u", n_far);
	cr_assert_gt(n_dead, 1000, "some links were dead: %u", n_dead);
}
