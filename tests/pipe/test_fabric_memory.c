/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread has no memory when links and devices come and go: workers go on with the table
 * that they have, liveness needs none, and what could not be done is done when there is some.
 */
#include <limits.h>
#include <malloc.h>

#include "ctl/fabric.h"
#include "eal.h"
#include "fabric_lab.h"

#define MB    700u
#define LINKS 3u
#define N     300u
#define MS    UINT64_C(1000000)
#define ROUND (10 * MS) /* reach_interval */

static unsigned int n_left = UINT_MAX; /* so many aligned_alloc() find memory */

/* In place of libc's, for all of the node: its tables and snapshots come from here. */
void *
aligned_alloc(size_t alignment, size_t size)
{
	if (n_left == 0)
		return NULL;
	n_left -= n_left != UINT_MAX;
	return memalign(alignment, size);
}

struct scarce {
	struct lab lab;
	struct node_test *from, *to;
	const struct fabric_table *before;
	uint64_t data; /* DATA cells that the cut wire had */
	uint32_t sent;
};

static void
open_scarce(struct scarce *s)
{
	struct lab_edge e = {.id = 1, .n_links = LINKS, .n_workers = 1, .dsf = ""};

	memset(s, 0, sizeof(*s));
	s->lab.mb = MB;
	rng_init(&s->lab.w.rng, 1);
	s->from = lab_edge(&s->lab, &e);
	e.id = LAB_SINK;
	s->to = lab_edge(&s->lab, &e);
	for (unsigned int l = 0; l < LINKS; l++) {
		char fab[8];

		snprintf(fab, sizeof(fab), "fab%u", l);
		wires_add(&s->lab.w, s->from, fab, s->to, fab, 2000);
	}
	wires_begin(&s->lab.w);
	s->before = s->from->node->fabric->table;
	cr_assert_eq(s->before->set[0].n_links, LINKS);
}

/* N packets; all of them arrive. */
static void
cross(struct scarce *s)
{
	for (uint32_t i = 0; i < N; i++, s->sent++) {
		lab_put(s->from, 1, LAB_SINK, 0, 3000, s->sent);
		wires_step(&s->lab.w, 1000);
	}
	wires_run(&s->lab.w, MS, 1000);
	cr_assert_eq(node_test_discard(s->to, 0), N, "drops:%s", wires_drops(&s->lab.w));
}

/* A link is cut, and `n` pieces of memory are to be had for what follows from that. */
static void
cut_with(unsigned int n)
{
	static const char sentence[] = "cannot be told to the workers: Cannot allocate memory";
	static struct scarce s;
	struct node *from;

	open_scarce(&s);
	from = s.from->node;
	cross(&s);
	n_left = n;
	wires_cut(&s.lab.w, 1, true);
	s.data = s.lab.w.wire[2].data;
	cross(&s);
	wires_run(&s.lab.w, 5 * ROUND, 100000);
	cr_assert_eq(n_left, 0);
	cr_assert_eq(from->fabric->table, s.before);
	cr_assert_eq(from->snapshot->fabric, s.before);
	cr_assert_eq(node_test_said(s.from, sentence), 1, "once is enough: %s", s.from->said);
	cross(&s);
	n_left = UINT_MAX;
	wires_run(&s.lab.w, 2 * ROUND, 100000);
	cr_assert_neq(from->fabric->table, s.before, "it is not tried again");
	cr_assert_eq(from->snapshot->fabric, from->fabric->table);
	cr_assert_eq(from->fabric->table->set[0].n_links, LINKS - 1);
	cr_assert_eq(node_test_said(s.from, sentence), 1);
	cr_assert_eq(from->reclaim.n, 0, "what was replaced is not freed");
	cross(&s);
	cr_assert_eq(s.lab.w.wire[2].data, s.data, "cells go to a dead link");
	cr_assert_eq(wires_dropped(&s.lab.w), 0, "drops:%s", wires_drops(&s.lab.w));
	wires_close(&s.lab.w);
}

Test(fabric_memory, none_for_a_table_is_waited_for)
{
	cut_with(0);
}

Test(fabric_memory, none_for_a_snapshot_is_waited_for)
{
	cut_with(1);
}

/* All links are cut, and come back, without a byte for tables or for groups. */
Test(fabric_memory, a_device_is_dead_at_once_and_its_groups_are_rebuilt_later)
{
	static struct scarce s;
	const struct nhg_group *group;
	struct node *from;
	uint32_t far;
	uint16_t way;
	void *taken;

	open_scarce(&s);
	from = s.from->node;
	way = (uint16_t)from->n_ports;
	far = node_test_group(s.from, "far-host");
	group = node_group_now(from, far);
	cross(&s);
	taken = test_heap_take();
	cr_assert_not_null(taken);
	n_left = 0;
	for (unsigned int pair = 0; pair < LINKS; pair++)
		wires_cut(&s.lab.w, pair, true);
	wires_step(&s.lab.w, 1000);
	cr_assert_not(alive_test(&from->shared.alive, way));
	cr_assert_eq(from->fabric->table, s.before);
	for (uint32_t i = 0; i < N; i++)
		lab_put(s.from, 1, LAB_SINK, 0, 1000, s.sent + i);
	wires_run(&s.lab.w, 3 * ROUND, 100000);
	cr_assert_eq(node_test_drops(s.from, DROP_no_member), N);
	cr_assert(from->rebuild[way]);
	cr_assert_eq(node_group_now(from, far), group);
	test_heap_give(taken);
	n_left = UINT_MAX;
	wires_run(&s.lab.w, 2 * ROUND, 100000);
	cr_assert_not(from->rebuild[way]);
	cr_assert_neq(node_group_now(from, far), group, "it is not tried again");
	cr_assert_eq(from->fabric->table->set_of[LAB_SINK], 0);
	for (unsigned int pair = 0; pair < LINKS; pair++)
		wires_cut(&s.lab.w, pair, false);
	wires_run(&s.lab.w, 8 * ROUND, 100000);
	cr_assert(alive_test(&from->shared.alive, way));
	cross(&s);
	wires_close(&s.lab.w);
}

/* Bytes that libc has given out; the sanitizers' own malloc does not say, and looks by itself. */
static size_t
given_out(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Each change makes a table of a quarter of a megabyte. */
Test(fabric_memory, of_what_was_replaced_is_given_back)
{
	static struct scarce s;
	uint64_t generation;
	size_t before;

	open_scarce(&s);
	generation = s.from->node->generation;
	before = given_out();
	for (unsigned int i = 0; i < 20; i++) {
		wires_cut(&s.lab.w, 0, i % 2 == 0);
		wires_run(&s.lab.w, 5 * ROUND, 200000);
	}
	cr_assert_geq(s.from->node->generation, generation + 20);
	cr_assert_lt(given_out(), before + sizeof(struct fabric_table));
	wires_close(&s.lab.w);
}
