/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order over ways of different length: ecmp and flowlets with a gap above the difference never
 * reorder a flow, with any number of workers, and with queues that are longer than the gap.
 */
#include "race.h"

/* Flows take turns in four shifts: a flow sends for 200 us and is silent for 600. */
static uint32_t
in_shifts(struct race *r)
{
	uint64_t shift = r->t.ticks / 200000 % 4;

	return (uint32_t)(rng_below(&r->rng, RACE_FLOWS / 4) * 4 + shift);
}

/* Ways of 1 to 41 us, wide enough that nothing waits. */
static struct race_conf
wide(const char *group, unsigned int workers)
{
	return (struct race_conf){
		.members = 4,
		.workers = workers,
		.port = {"rate: 400Gbit, delay: 1us", "rate: 400Gbit, delay: 12us",
			"rate: 400Gbit, delay: 25us", "rate: 400Gbit, delay: 41us"},
		.group = group,
		.opcode = 0x07,
		.bth_byte8 = 0x40,
		.frame_len = 102,
	};
}

/* The same ways at 10 Gbit/s: 5 packets of 1000 bytes a microsecond in all. */
static struct race_conf
narrow(const char *group, unsigned int workers)
{
	struct race_conf c = wide(group, workers);

	c.port[0] = "rate: 10Gbit, delay: 1us";
	c.port[1] = "rate: 10Gbit, delay: 12us";
	c.port[2] = "rate: 10Gbit, delay: 25us";
	c.port[3] = "rate: 10Gbit, delay: 41us";
	c.frame_len = 1002;
	return c;
}

/* `n` packets, `each` in a step of 1 us. */
static void
run(struct race *r, const struct race_conf *c, uint64_t n, unsigned int each)
{
	race_open(r, c);
	while (r->n_sent < n) {
		race_send(r, each, in_shifts);
		race_step(r, 1000);
	}
	race_finish(r);
	cr_assert_eq(r->n_came, r->n_sent, "%lu of %lu", r->n_came, r->n_sent);
	race_close(r);
}

static struct race race;

/* 10 million packets; a tenth under the sanitizers, which look for other faults. */
#ifdef __SANITIZE_ADDRESS__
#define MANY 1000000u
#else
#define MANY 10000000u
#endif

Test(flowlet, ten_million_packets_by_hash_keep_the_order_of_their_flows)
{
	struct race_conf c = wide("    policy: ecmp\n", 3);

	run(&race, &c, MANY, 64);
	cr_assert_eq(race.n_reordered, 0);
	cr_assert_eq(race.n_moved, 0);
}

Test(flowlet, ten_million_packets_in_flowlets_keep_the_order_of_their_flows)
{
	struct race_conf c = wide("    policy: flowlet\n    gap: 50us\n", 3);

	run(&race, &c, MANY, 64);
	cr_assert_eq(race.n_reordered, 0, "%lu", race.n_reordered);
	cr_assert_gt(race.n_moved, race.n_sent / 2000, "%lu", race.n_moved);
	for (unsigned int p = 1; p <= 4; p++)
		cr_assert_gt(race.came[p], race.n_sent / 8, "port %u: %lu", p, race.came[p]);
}

/* The node reads another file every 500 us while a million packets pass; returns how often. */
static unsigned int
run_reloading(struct race *r, const struct race_conf *c, unsigned int n_files, uint64_t n)
{
	unsigned int reloads = 0;

	race_open(r, c);
	while (r->n_sent < n) {
		race_send(r, 64, in_shifts);
		race_step(r, 1000);
		if (r->t.ticks / 1000 % 500 == 0 && node_settled(r->t.node))
			race_reload(r, &c[++reloads % n_files]);
	}
	race_finish(r);
	cr_assert_eq(r->n_came, r->n_sent);
	race_close(r);
	return reloads;
}

/* Members in another order and with other weights are the same members. */
Test(flowlet, reloads_reorder_neither_flowlets_nor_what_goes_by_hash)
{
	static const uint32_t weight[] = {3, 1, 2, 2};
	struct race_conf c[3];

	for (unsigned int k = 0; k < 3; k++) {
		c[k] = wide("    policy: flowlet\n    gap: 50us\n", 3);
		c[k].first = k;
	}
	c[1].weight = weight;
	cr_assert_gt(run_reloading(&race, &c[1], 2, 1000000), 25);
	cr_assert_eq(race.n_reordered, 0, "%lu", race.n_reordered);
	cr_assert_gt(race.n_moved, 1000);
	for (unsigned int k = 0; k < 3; k++) {
		c[k].group = "    policy: ecmp\n";
		c[k].weight = NULL;
		c[k].left_out = 0;
	}
	cr_assert_gt(run_reloading(&race, c, 3, 1000000), 25);
	cr_assert_eq(race.n_reordered, 0, "%lu", race.n_reordered);
	cr_assert_eq(race.n_moved, 0);
}

/* One that comes gets flowlets that begin, and none that has begun. */
Test(flowlet, a_member_that_a_reload_brings_takes_no_flow_that_has_begun)
{
	struct race_conf c = wide("    policy: flowlet\n    gap: 50us\n", 2), four = c;
	uint64_t before;

	c.left_out = 1;
	four.first = 2; /* and all in another order */
	race_open(&race, &c);
	for (unsigned int i = 0; i < 4000; i++) {
		race_send(&race, 64, in_shifts);
		race_step(&race, 1000);
	}
	before = race.came[4];
	race_reload(&race, &four);
	for (unsigned int i = 0; i < 8000; i++) {
		race_send(&race, 64, in_shifts);
		race_step(&race, 1000);
	}
	race_finish(&race);
	cr_assert_eq(before, 0);
	cr_assert_gt(race.came[4], race.n_sent / 16, "%lu", race.came[4]);
	cr_assert_eq(race.n_reordered, 0, "%lu", race.n_reordered);
	race_close(&race);
}

/* That the test can see it. */
Test(flowlet, a_gap_below_the_difference_reorders)
{
	struct race_conf c = wide("    policy: flowlet\n    gap: 5us\n", 1);

	run(&race, &c, 100000, 16);
	cr_assert_gt(race.n_reordered, 100);
	c = wide("    policy: spray\n", 1);
	run(&race, &c, 100000, 16);
	cr_assert_gt(race.n_reordered, 10000);
}

/*
 * Flows of 88 % of all ports' rate in shifts: a queue is up to some 100 us long. The gap does not
 * begin before the last packet has left it.
 */
Test(flowlet, what_waits_here_is_no_path_difference)
{
	static const char *const group[] = {"    policy: flowlet\n    gap: 50us\n",
		"    policy: adaptive\n    per: flowlet\n    gap: 50us\n"};

	for (unsigned int k = 0; k < 2; k++)
		for (unsigned int workers = 1; workers <= 3; workers += 2) {
			struct race_conf c = narrow(group[k], workers);
			uint64_t deepest = 0;

			race_open(&race, &c);
			while (race.n_sent < 1000000) {
				/* 12 in some microseconds, 1 in others: 4.4 on average */
				race_send(&race, race.t.ticks / 40000 % 3 == 0 ? 11 : 1, in_shifts);
				race_step(&race, 1000);
				for (unsigned int p = 1; p <= 4; p++)
					deepest = RTE_MAX(deepest,
						egress_backlog(&race.t.node->shared.commons[p], 3));
			}
			race_finish(&race);
			cr_assert_eq(race.n_came, race.n_sent);
			cr_assert_eq(
				race.n_reordered, 0, "%u workers: %lu", workers, race.n_reordered);
			cr_assert_gt(race.n_moved, 500);
			/* 50 us at the rate are 62 KB */
			cr_assert_gt(deepest, 100000, "no queue was longer than the gap");
			race_close(&race);
		}
}

static uint32_t
any(struct race *r)
{
	return (uint32_t)rng_below(&r->rng, RACE_FLOWS);
}

/* Where each flow goes while none makes a pause. */
static void
map_flows(struct race *r, uint8_t *ret_by)
{
	for (unsigned int i = 0; i < 64; i++) {
		race_send(r, 64, any);
		race_step(r, 1000);
	}
	for (unsigned int i = 0; i < 100; i++) {
		race_send(r, 16, any);
		race_step(r, 1000);
	}
	memcpy(ret_by, r->by, RACE_FLOWS);
}

Test(flowlet, a_death_moves_only_the_dead_ones_flows)
{
	uint8_t before[RACE_FLOWS], now[RACE_FLOWS];
	struct race_conf c = wide("    policy: flowlet\n    gap: 1ms\n", 2);
	unsigned int moved = 0;

	race_open(&race, &c);
	map_flows(&race, before);
	for (unsigned int round = 0; round < 2; round++) {
		if (round == 0) /* the bit alone, then all the rest */
			alive_set(&race.t.node->shared.alive, 2, false);
		else
			node_set_link(race.t.node, 3, false);
		race_step(&race, 1000);
		uint64_t dead = race.came[2 + round];

		map_flows(&race, now);
		/* what was on its way still comes, and nothing after it */
		cr_assert_leq(race.came[2 + round] - dead, 64 * 42);
		for (unsigned int f = 0; f < RACE_FLOWS; f++) {
			cr_assert_neq(now[f], 2);
			cr_assert(round == 0 || now[f] != 3);
			if (before[f] != 2 + round)
				cr_assert_eq(now[f], before[f], "flow %u moved", f);
			else
				moved++;
		}
		memcpy(before, now, sizeof(before));
	}
	cr_assert_gt(moved, RACE_FLOWS / 4);
	alive_set(&race.t.node->shared.alive, 2, true);
	race_finish(&race);
	race_close(&race);
}

/* Other weights build another group: no flow moves but of a member that is excluded. */
Test(flowlet, new_weights_leave_flows_where_they_are)
{
	uint8_t before[RACE_FLOWS], now[RACE_FLOWS];
	struct race_conf c = wide("    policy: flowlet\n    gap: 1ms\n", 1);

	race_open(&race, &c);
	map_flows(&race, before);
	cr_assert_eq(node_set_weights(race.t.node, 0, (const uint32_t[]){5, 1, 1, 0}), 0);
	map_flows(&race, now);
	for (unsigned int f = 0; f < RACE_FLOWS; f++) {
		cr_assert_neq(now[f], 4);
		if (before[f] != 4)
			cr_assert_eq(now[f], before[f]);
	}
	race_finish(&race);
	race_close(&race);
}

/* A table of 64 flows for 256: the others go by hash, in order, and nothing is lost. */
Test(flowlet, flows_that_find_no_entry_go_by_hash_in_order)
{
	struct race_conf c = wide("    policy: flowlet\n    gap: 50us\n", 1);

	c.more = "flows: {max: 64}\n";
	run(&race, &c, 300000, 16);
	cr_assert_eq(race.n_reordered, 0, "%lu", race.n_reordered);
}
