/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics of several nodes: what each knows of the others, and how soon, when things break. */
#include <criterion/criterion.h>

#include "reach_net_view.h"

#define RATE    (100 * NET_GBIT)
#define FULL    REACH_WEIGHT_MAX
#define SETTLED (8 * NET_INTERVAL) /* three in a row, then a round for each hop */

enum {
	LEAFS = 8,
	SPINES = 4,
	PARALLEL = 2, /* wires between a leaf and a spine, in the fabric of two */
};

static struct net net;

static unsigned int
spine(unsigned int i)
{
	return LEAFS + i;
}

/* Nodes 0..7 are leafs, 8..11 spines; wire 4 x leaf + spine. */
static void
make_leaf_spine(void)
{
	net = (struct net){.now = UINT64_MAX / 2};
	rng_init(&net.rng, 1);
	for (unsigned int i = 0; i < LEAFS + SPINES; i++)
		net_add_node(&net, i >= LEAFS);
	for (unsigned int l = 0; l < LEAFS; l++)
		for (unsigned int s = 0; s < SPINES; s++)
			net_add_wire(&net, l, spine(s), RATE);
	net_start_all(&net);
	net_run(&net, SETTLED);
}

static unsigned int
wire_of(unsigned int leaf, unsigned int s)
{
	return leaf * SPINES + s;
}

static void
expect_whole_leaf_spine(void)
{
	for (unsigned int a = 0; a < LEAFS; a++) {
		for (unsigned int s = 0; s < SPINES; s++) {
			cr_assert_eq(net_hops(&net, a, spine(s)), 0);
			cr_assert_eq(net_hops(&net, spine(s), a), 0);
			/* a leaf passes nothing on: spines do not see each other */
			for (unsigned int t = 0; t < SPINES; t++)
				cr_assert_eq(net_hops(&net, spine(s), spine(t)), NET_NO_HOPS);
		}
		for (unsigned int b = 0; b < LEAFS; b++)
			for (unsigned int s = 0; s < SPINES && a != b; s++) {
				cr_assert_eq(net_hops(&net, a, b), 1);
				cr_assert_eq(net_weight(&net, a, b, wire_of(a, s)), FULL);
			}
	}
}

Test(reach_net, leafs_reach_leafs_over_every_spine)
{
	make_leaf_spine();
	expect_whole_leaf_spine();
	/* each spine's one link, and one set for all leafs */
	cr_assert_eq(reach_table(net.node[0].r)->n_sets, SPINES + 1);
	/* and then it is quiet */
	for (unsigned int i = 0; i < net.n_nodes; i++)
		net.node[i].n_tables = 0;
	net_run(&net, 100 * NET_INTERVAL);
	for (unsigned int i = 0; i < net.n_nodes; i++)
		cr_assert_eq(net.node[i].n_tables, 0);
	net_end_all(&net);
}

/* Pods of 2 leafs and 2 spines, 4 superspines above them: nodes 0-3 and 4-7, 8-11. */
static void
make_superspine(void)
{
	net = (struct net){.now = 0};
	rng_init(&net.rng, 2);
	for (unsigned int i = 0; i < 12; i++)
		net_add_node(&net, i >= 8 || i % 4 >= 2);
	for (unsigned int pod = 0; pod < 2; pod++)
		for (unsigned int s = 2; s < 4; s++) {
			net_add_wire(&net, pod * 4, pod * 4 + s, 2 * RATE);
			net_add_wire(&net, pod * 4 + 1, pod * 4 + s, 2 * RATE);
			for (unsigned int super = 8; super < 12; super++)
				net_add_wire(&net, pod * 4 + s, super, RATE);
		}
	net_start_all(&net);
	net_run(&net, SETTLED);
}

static unsigned int
wire_between(unsigned int a, unsigned int b)
{
	unsigned int i = 0;

	while (net.wire[i].node[0] != a || net.wire[i].node[1] != b)
		cr_assert_lt(++i, net.n_wires, "no wire");
	return i;
}

Test(reach_net, three_hops_are_the_farthest)
{
	make_superspine();
	cr_assert_eq(net_hops(&net, 0, 1), 1);
	cr_assert_eq(net_hops(&net, 0, 4), 3);
	cr_assert_eq(net_hops(&net, 0, 6), 2);
	cr_assert_eq(net_hops(&net, 8, 0), 1);
	cr_assert_eq(net_hops(&net, 2, 4), 2);
	cr_assert_eq(net_hops(&net, 2, 3), 1, "over a superspine");
	/* one more hop: a leaf behind a fabric node behind leaf 0's spine */
	unsigned int beyond = net_add_node(&net, true), last = net_add_node(&net, false);

	net_add_wire(&net, beyond, 2, RATE);
	net_add_wire(&net, last, beyond, RATE);
	net_start_all(&net);
	net_run(&net, SETTLED);
	cr_assert_eq(net_hops(&net, last, 0), 2);
	cr_assert_eq(net_hops(&net, last, 3), 3);
	cr_assert_eq(net_hops(&net, last, 6), 3);
	cr_assert_eq(net_hops(&net, last, 4), NET_NO_HOPS);
	cr_assert_eq(net_hops(&net, 4, last), NET_NO_HOPS);
	net_end_all(&net);
}

/* A spine whose links up are half gone takes half of what a whole one takes, and gets it back. */
Test(reach_net, a_half_dead_spine_takes_half)
{
	make_superspine();
	unsigned int to2 = wire_between(0, 2), to3 = wire_between(0, 3);

	cr_assert_eq(net_weight(&net, 0, 4, to2), FULL);
	cr_assert_eq(net_weight(&net, 0, 4, to3), FULL);
	net_set_wire(&net, wire_between(2, 8), false);
	net_set_wire(&net, wire_between(2, 9), false);
	net_run(&net, NET_INTERVAL + PS_PER_MS);
	cr_assert_eq(net_weight(&net, 0, 4, to2), FULL / 2);
	cr_assert_eq(net_weight(&net, 0, 4, to3), FULL);
	cr_assert_eq(net_weight(&net, 0, 1, to2), FULL, "not toward its own pod");
	/* those who come down through it know, too: superspine 10 has one link to each spine */
	cr_assert_eq(net_weight(&net, 10, 0, wire_between(2, 10)), FULL);
	net_set_wire(&net, wire_between(2, 10), false);
	net_run(&net, NET_INTERVAL + PS_PER_MS);
	cr_assert_eq(net_weight(&net, 0, 4, to2), FULL / 4);
	for (unsigned int super = 8; super < 11; super++)
		net_set_wire(&net, wire_between(2, super), true);
	net_run(&net, SETTLED);
	cr_assert_eq(net_weight(&net, 0, 4, to2), FULL);
	net_end_all(&net);
}

/* Two leafs, two spines, two wires between each: one of the two toward the far leaf is gone. */
Test(reach_net, half_the_way_on_is_half_the_spray_on_each_parallel_link)
{
	net = (struct net){.now = 0};
	rng_init(&net.rng, 3);
	for (unsigned int i = 0; i < 4; i++)
		net_add_node(&net, i >= 2);
	for (unsigned int l = 0; l < 2; l++)
		for (unsigned int s = 2; s < 4; s++)
			for (unsigned int p = 0; p < PARALLEL; p++)
				net_add_wire(&net, l, s, RATE);
	net_start_all(&net);
	net_run(&net, SETTLED);
	/* wires 0, 1: leaf 0 to spine 2; 2, 3: to spine 3; 4, 5: leaf 1 to spine 2 */
	net_set_wire(&net, 4, false);
	net_run(&net, NET_INTERVAL + PS_PER_MS);
	cr_assert_eq(net_weight(&net, 0, 1, 0), FULL / 2);
	cr_assert_eq(net_weight(&net, 0, 1, 1), FULL / 2);
	cr_assert_eq(net_weight(&net, 0, 1, 2), FULL);
	cr_assert_eq(net_weight(&net, 0, 1, 3), FULL);
	/* the far leaf has three links of full weight: the same proportion */
	cr_assert_eq(net_weight(&net, 1, 0, 4), 0);
	for (unsigned int wire = 5; wire < 8; wire++)
		cr_assert_eq(net_weight(&net, 1, 0, wire), FULL);
	net_end_all(&net);
}

Test(reach_net, a_cut_link_is_gone_at_once_here_and_within_an_interval_beyond)
{
	make_leaf_spine();
	net_set_wire(&net, wire_of(0, 0), false);
	cr_assert_not(reach_link_alive(net.node[0].r, 0));
	net_run(&net, 0);
	for (unsigned int b = 1; b < LEAFS; b++)
		cr_assert_eq(net_weight(&net, 0, b, wire_of(0, 0)), 0);
	cr_assert_eq(net_hops(&net, spine(0), 0), NET_NO_HOPS);
	net_run(&net, NET_INTERVAL + PS_PER_MS);
	for (unsigned int a = 1; a < LEAFS; a++) {
		cr_assert_eq(net_weight(&net, a, 0, wire_of(a, 0)), 0);
		cr_assert_eq(net_weight(&net, a, 0, wire_of(a, 1)), FULL);
		cr_assert_eq(net_weight(&net, a, a == 1 ? 2 : 1, wire_of(a, 0)), FULL);
	}
	net_set_wire(&net, wire_of(0, 0), true);
	net_run(&net, NET_INTERVAL);
	cr_assert_eq(net_weight(&net, 0, 1, wire_of(0, 0)), 0, "not before three in a row");
	net_run(&net, SETTLED);
	expect_whole_leaf_spine();
	net_end_all(&net);
}

/* Nothing is heard in one direction, or both, and the carrier stays. */
Test(reach_net, a_link_that_is_silent_one_way_is_used_neither_way)
{
	for (unsigned int deaf = 1; deaf < 4; deaf++) {
		struct net_wire *w;

		make_leaf_spine();
		w = &net.wire[wire_of(0, 0)];
		w->deaf[0] = deaf & 1;
		w->deaf[1] = deaf & 2;
		net_run(&net, (NET_MISSED - 1) * NET_INTERVAL);
		cr_assert(net_uses(&net, 0, wire_of(0, 0)), "two are missed, not three");
		cr_assert(net_uses(&net, spine(0), wire_of(0, 0)));
		/* the third, and a round that tells the other side and all others */
		net_run(&net, 2 * NET_INTERVAL + 2 * PS_PER_MS);
		cr_assert_not(net_uses(&net, 0, wire_of(0, 0)), "deaf %u", deaf);
		cr_assert_not(net_uses(&net, spine(0), wire_of(0, 0)), "deaf %u", deaf);
		cr_assert_eq(net_weight(&net, 3, 0, wire_of(3, 0)), 0);
		cr_assert_eq(reach_link_alive(net.node[0].r, 0), !w->deaf[0]);
		cr_assert_eq(reach_link_alive(net.node[spine(0)].r, 0), !w->deaf[1]);
		w->deaf[0] = w->deaf[1] = false;
		net_run(&net, NET_INTERVAL / 2);
		cr_assert_not(net_uses(&net, 0, wire_of(0, 0)));
		cr_assert_not(net_uses(&net, spine(0), wire_of(0, 0)));
		net_run(&net, SETTLED);
		expect_whole_leaf_spine();
		net_end_all(&net);
	}
}

/* What the order of a drain guarantees: who waits for reach_drained() cuts a link nobody uses. */
Test(reach_net, a_drained_link_is_used_by_nobody_when_it_says_drained)
{
	for (unsigned int lost = 0; lost < 2; lost++) {
		struct net_wire *w;
		struct reach *r;
		uint64_t begun;

		make_leaf_spine();
		w = &net.wire[wire_of(0, 0)];
		r = net.node[0].r;
		begun = net.now;
		w->deaf[1] = lost; /* the spine hears none of it */
		net_drain(&net, 0, wire_of(0, 0), true);
		net_run(&net, 0);
		cr_assert_not(net_uses(&net, 0, wire_of(0, 0)));
		cr_assert_eq(net_weight(&net, 0, 5, wire_of(0, 1)), FULL);
		/* all the while the node takes what still comes: the link is alive */
		while (!reach_drained(r, 0, net.now)) {
			cr_assert(reach_link_alive(r, 0));
			net_run(&net, NET_INTERVAL / 10);
			if (!lost && net.now - begun > NET_INTERVAL)
				cr_assert_not(net_uses(&net, spine(0), wire_of(0, 0)));
		}
		cr_assert_leq(net.now - begun, (NET_MISSED + 2) * NET_INTERVAL);
		cr_assert_not(net_uses(&net, spine(0), wire_of(0, 0)));
		for (unsigned int a = 1; a < LEAFS; a++)
			cr_assert_eq(net_weight(&net, a, 0, wire_of(a, 0)), 0);
		for (unsigned int i = 0; i < net.n_nodes; i++)
			net.node[i].n_tables = 0;
		net_set_wire(&net, wire_of(0, 0), false);
		net_run(&net, SETTLED);
		for (unsigned int i = 0; i < net.n_nodes; i++)
			cr_assert_eq(net.node[i].n_tables, 0, "the cut changes nothing");
		w->deaf[1] = false;
		net_set_wire(&net, wire_of(0, 0), true);
		net_run(&net, SETTLED);
		cr_assert_not(net_uses(&net, 0, wire_of(0, 0)), "it stays drained");
		net_drain(&net, 0, wire_of(0, 0), false);
		net_run(&net, 2 * NET_INTERVAL);
		expect_whole_leaf_spine();
		net_end_all(&net);
	}
}

Test(reach_net, a_node_that_begins_anew_is_left_at_once_and_comes_back)
{
	make_leaf_spine();
	/* no carrier is lost: only its first REACH, without entries, says that it is new */
	net_start(&net, spine(2));
	net_run(&net, PS_PER_MS);
	for (unsigned int a = 0; a < LEAFS; a++) {
		cr_assert_not(net_uses(&net, a, wire_of(a, 2)));
		cr_assert(net_uses(&net, a, wire_of(a, 1)));
		cr_assert(reach_link_alive(net.node[a].r, 2));
	}
	net_run(&net, SETTLED);
	expect_whole_leaf_spine();
	net_end_all(&net);
}

/* The worst that distance vectors know: a ring of fabric nodes that lost the device. */
Test(reach_net, a_ring_counts_no_lost_device_to_infinity)
{
	for (unsigned int n_ring = 3; n_ring <= 8; n_ring++) {
		unsigned int lost, wire;

		net = (struct net){.now = 0};
		rng_init(&net.rng, n_ring);
		for (unsigned int i = 0; i < n_ring; i++)
			net_add_node(&net, true);
		for (unsigned int i = 0; i < n_ring; i++)
			net_add_wire(&net, i, (i + 1) % n_ring, RATE);
		lost = net_add_node(&net, false);
		wire = net_add_wire(&net, lost, 0, RATE);
		net_start_all(&net);
		net_run(&net, SETTLED);
		cr_assert_eq(net_hops(&net, 1, lost), 1);
		net_set_wire(&net, wire, false);
		net_run(&net, (CELL_HOPS_MAX + 1) * (NET_INTERVAL + PS_PER_MS));
		for (unsigned int i = 0; i < n_ring; i++)
			cr_assert_eq(net_hops(&net, i, lost), NET_NO_HOPS, "ring of %u, node %u",
				n_ring, i);
		/* and the ring itself is whole */
		for (unsigned int i = 0; i < n_ring; i++)
			cr_assert_eq(net_hops(&net, i, (i + 1) % n_ring), 0);
		net_end_all(&net);
	}
}

/* Lost cells now and then are no reason to leave a link: it takes three in a row. */
Test(reach_net, one_lost_in_a_hundred_changes_no_table)
{
	make_leaf_spine();
	for (unsigned int i = 0; i < net.n_wires; i++)
		net.wire[i].loss_percent = 1;
	for (unsigned int i = 0; i < net.n_nodes; i++)
		net.node[i].n_tables = 0;
	net_run(&net, 100 * NET_INTERVAL);
	for (unsigned int i = 0; i < net.n_nodes; i++)
		cr_assert_eq(net.node[i].n_tables, 0, "node %u", i);
	expect_whole_leaf_spine();
	net_end_all(&net);
}
