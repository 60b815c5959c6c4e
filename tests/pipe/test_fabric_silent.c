/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links that swallow everything, one way or both, while their carrier stays up: only that nobody is
 * heard any more tells of it (docs/cells.md, Alive). tests/unit/cell/test_reach_net.c has this of
 * reachability alone.
 */
#include "fabric_two.h"

#define MS    UINT64_C(1000000)
#define ROUND (10 * MS) /* reach_interval */

/* Of a pair of wires: toward the far edge, and back. */
enum { THERE = 1, BACK = 2 };

struct silence {
	struct two two;
	struct wire *wire; /* the two of the pair */
	unsigned int pair;
};

static void
swallow(struct silence *s, unsigned int ways)
{
	/* wire[2 * pair] begins at an edge: what goes to the far one comes in by the other */
	bool near = s->pair % 4 < 2;

	s->wire[0].loss_ppm = ways & (near ? THERE : BACK) ? 1000000 : 0;
	s->wire[1].loss_ppm = ways & (near ? BACK : THERE) ? 1000000 : 0;
}

/* Cells but REACH, both ways. */
static uint64_t
used(const struct silence *s)
{
	return s->wire[0].frames - s->wire[0].reach + s->wire[1].frames - s->wire[1].reach;
}

/* Offers for so long, and waits until all is through; returns what went by the link. */
static uint64_t
pass(struct silence *s, uint64_t ns)
{
	uint64_t before = used(s);

	two_run(&s->two, ns, true);
	two_run(&s->two, 3 * MS, false);
	return used(s) - before;
}

/* Nothing is offered until then. */
static void
rest_until(struct silence *s, uint64_t at_ns)
{
	struct wires *w = &s->two.lab.w;

	cr_assert_lt(w->now_ns, at_ns);
	wires_run(w, at_ns - w->now_ns, 50000);
}

/* All that is lost lacks a cell that the wire has swallowed, and is counted where it is missed. */
static void
losses_are_counted(const struct silence *s)
{
	const struct two *t = &s->two;
	uint64_t lost = s->wire[0].data_lost + s->wire[1].data_lost;

	cr_assert_eq(t->next, t->sent);
	cr_assert_leq(t->missing, lost, "%u missing, %lu cells lost", t->missing, lost);
	cr_assert_eq(t->missing,
		reasm_stats(t->lab.node[TO].node->worker[0]->fabric->reasm)->packets_lost);
	cr_assert_eq(wires_dropped(&t->lab.w),
		node_test_drops(&t->lab.node[TO], DROP_reassembly_timeout), "drops:%s",
		wires_drops(&t->lab.w));
}

static void
silent(unsigned int pair, unsigned int ways)
{
	static struct silence s;
	struct two *t = &s.two;
	uint32_t missing;
	uint64_t begin;

	s.pair = pair;
	two_open(t);
	s.wire = &t->lab.w.wire[2 * pair];
	cr_assert_gt(pass(&s, 3 * MS), 300);
	cr_assert_eq(t->missing, 0);
	begin = t->lab.w.now_ns;
	swallow(&s, ways);
	rest_until(&s, begin + 10 * MS);
	cr_assert_gt(pass(&s, 6 * MS), 500, "two rounds that are missed are no death");
	/* three, and the round that says so to the other end: none later than four from the begin
	 */
	rest_until(&s, begin + 4 * ROUND);
	cr_assert_eq(pass(&s, 8 * MS), 0, "pair %u, ways %u: cells go to a dead link", pair, ways);
	missing = t->missing;
	cr_assert_eq(missing != 0, (ways & THERE) != 0);
	losses_are_counted(&s);
	/* three in a row, each half a round behind the one before at least */
	begin = t->lab.w.now_ns;
	swallow(&s, 0);
	rest_until(&s, begin + 3 * MS);
	cr_assert_eq(pass(&s, 4 * MS), 0, "it is back without three in a row");
	rest_until(&s, begin + 6 * ROUND);
	cr_assert_gt(pass(&s, 4 * MS), 400, "it does not come back");
	cr_assert_eq(t->missing, missing);
	losses_are_counted(&s);
	wires_close(&t->lab.w);
}

Test(fabric_silent, the_way_there_of_a_near_link)
{
	silent(1, THERE);
}

Test(fabric_silent, the_way_back_of_a_near_link)
{
	silent(0, BACK);
}

Test(fabric_silent, the_way_there_of_a_far_link)
{
	silent(2, THERE);
}

Test(fabric_silent, both_ways_of_a_far_link)
{
	silent(6, THERE | BACK);
}
