/* SPDX-License-Identifier: BSD-3-Clause */
/* What a node tells its neighbours, and when. */
#include <criterion/criterion.h>

#include "reach_one.h"

/* Each device is told once a round, whatever the size of cells; and no cell is empty. */
Test(reach, a_round_is_as_many_cells_as_it_takes)
{
	struct one n = make_plain(2);
	unsigned int cells;

	greet(&n, 2);
	for (uint16_t d = 0; d < 60; d++)
		hear(&n, 0, 1, &(struct cell_reach){200 + d, 1, 30000}, 1);
	reach_turn(n.r, n.now);
	/* on link 1: ourselves, device 1 and the 60 */
	for (unsigned int max = 1; max <= 64; max++) {
		cr_assert_eq(told_of(&n, 1, 200 + max % 60, max, &cells), 30000);
		cr_assert_eq(cells, (62 + max - 1) / max, "%u a cell", max);
	}
	cr_assert_eq(told_of(&n, 1, SELF, 62, &cells), (int64_t)ANY);
	cr_assert_eq(cells, 1);
	/* on link 0: ourselves and device 2; none of the slots behind is worth another cell */
	cr_assert_eq(told_of(&n, 0, 2, 2, &cells), 100000);
	cr_assert_eq(cells, 1);
	reach_free(n.r);
}

Test(reach, what_is_no_longer_true_is_withdrawn_missed_rounds_long)
{
	struct one n = make_plain(3);

	greet(&n, 3);
	hear(&n, 0, 1, &(struct cell_reach){9, 1, 30000}, 1);
	reach_turn(n.r, n.now);
	cr_assert_eq(told(&n, 1, 9), 30000);
	hear(&n, 0, 1, &(struct cell_reach){9, 1, 0}, 1);
	reach_turn(n.r, n.now);
	for (unsigned int i = 0; i < MISSED; i++)
		cr_assert_eq(told(&n, 1, 9), 0);
	cr_assert_eq(told(&n, 1, 9), -1);
	/* link 2 has had no round since, and was told nothing */
	cr_assert_eq(told(&n, 2, 9), -1);
	/* on link 0, whose neighbour told us, it was never told */
	cr_assert_eq(told(&n, 0, 9), -1);
	reach_free(n.r);
}

/* What comes back on the second link to a neighbour would be no way on. */
Test(reach, split_horizon_is_by_neighbour)
{
	struct reach_config c = config_of(3);
	struct one n;
	struct cell_reach e[] = {{1, 0, ANY}, {9, 1, 150000}};

	n = make(&c);
	for (unsigned int i = 0; i < 3; i++) {
		n.now += INTERVAL;
		hear(&n, 0, 1, e, 2);
		hear(&n, 1, 1, e, 2);
		hear(&n, 2, 2, &(struct cell_reach){2, 0, ANY}, 1);
	}
	reach_turn(n.r, n.now);
	cr_assert_eq(weight_over(&n, 9, 0), weight_over(&n, 9, 1));
	cr_assert_eq(told(&n, 0, 9), -1);
	cr_assert_eq(told(&n, 1, 9), -1);
	cr_assert_eq(told(&n, 2, 9), 150000, "what it has out, not twice that");
	cr_assert_eq(told(&n, 2, 1), 200000, "what two links carry");
	cr_assert_eq(told(&n, 0, 1), -1, "itself");
	cr_assert_eq(told(&n, 0, 2), 100000);
	/* another neighbour has some out toward it, too: that much is told */
	hear(&n, 2, 2, &(struct cell_reach){9, 1, 40000}, 1);
	reach_turn(n.r, n.now);
	cr_assert_eq(told(&n, 0, 9), 40000);
	cr_assert_eq(told(&n, 2, 9), 150000);
	reach_free(n.r);
}

/* Heard after the turn: what the neighbour has out itself is not told to it as ours. */
Test(reach, what_came_since_the_turn_makes_no_capacity)
{
	struct one n = make_plain(2);

	greet(&n, 2);
	hear(&n, 0, 1, &(struct cell_reach){9, 1, 10}, 1);
	reach_turn(n.r, n.now);
	hear(&n, 0, 1, &(struct cell_reach){9, 1, 90000}, 1);
	cr_assert_eq(told(&n, 0, 9), -1);
	cr_assert_eq(told(&n, 1, 9), 10);
	reach_turn(n.r, n.now);
	cr_assert_eq(told(&n, 1, 9), 90000);
	reach_free(n.r);
}

Test(reach, only_a_fabric_node_tells_of_others_and_none_beyond_three_hops)
{
	for (unsigned int transit = 0; transit < 2; transit++) {
		struct reach_config c = config_of(2);
		struct one n;

		c.transit = transit;
		n = make(&c);
		greet(&n, 2);
		for (uint8_t hops = 1; hops <= 3; hops++)
			hear(&n, 0, 1, &(struct cell_reach){200 + hops, hops, 30000}, 1);
		reach_turn(n.r, n.now);
		cr_assert_eq(told(&n, 1, 1), transit ? 100000 : -1);
		cr_assert_eq(told(&n, 1, 202), transit ? 30000 : -1);
		cr_assert_eq(told(&n, 1, 203), -1);
		cr_assert_eq(route_to(&n, 203)->hops, 3);
		reach_free(n.r);
	}
}

Test(reach, on_a_link_not_heard_or_drained_hello_is_all_that_is_said)
{
	struct one n = make_plain(2);
	struct cell_reach out[4];
	unsigned int count;

	greet(&n, 1);
	reach_drain(n.r, 0, true, n.now);
	cr_assert(reach_turn(n.r, n.now) & REACH_TABLE);
	for (uint16_t link = 0; link < 2; link++) {
		uint32_t from = 0;

		cr_assert(reach_advert(n.r, link, &from, out, 4, &count));
		cr_assert_eq(count, 0);
		cr_assert_not(reach_advert(n.r, link, &from, out, 4, &count));
	}
	cr_assert(reach_link_alive(n.r, 0), "it stays listening");
	cr_assert_null(route_to(&n, 1));
	cr_assert_not(reach_drained(n.r, 0, n.now));
	cr_assert_not(reach_drained(n.r, 0, n.now + (MISSED + 1) * INTERVAL - 1));
	cr_assert(reach_drained(n.r, 0, n.now + (MISSED + 1) * INTERVAL));
	reach_drain(n.r, 0, false, n.now);
	cr_assert_not(reach_drained(n.r, 0, n.now + (MISSED + 1) * INTERVAL));
	reach_turn(n.r, n.now);
	cr_assert_not_null(route_to(&n, 1));
	cr_assert_eq(told(&n, 0, SELF), (int64_t)ANY);
	reach_free(n.r);
}

Test(reach, rounds_are_an_interval_apart_and_news_a_quarter)
{
	struct one n = make_plain(2);
	struct reach_stats s;
	uint64_t last = n.now;
	bool early = false;

	cr_assert(reach_turn(n.r, n.now) & REACH_SEND, "at once");
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t next = reach_next_ps(n.r, n.now);

		cr_assert_gt(next - n.now, 0);
		cr_assert_not(reach_turn(n.r, next - 1) & REACH_SEND);
		cr_assert(reach_turn(n.r, next) & REACH_SEND);
		cr_assert_leq(next - last, INTERVAL);
		cr_assert_gt(next - last, INTERVAL * 3 / 4);
		early = early || next - last < INTERVAL * 7 / 8;
		last = n.now = next;
	}
	cr_assert(early, "chance is in it");
	/* a link that flaps all the time */
	reach_stats(n.r, &s);
	uint64_t before = s.rounds;

	greet(&n, 2);
	for (unsigned int i = 0; i < 1000; i++) {
		n.now += INTERVAL / 100;
		hear(&n, 0, 1, &(struct cell_reach){9, 1, 1000 + i % 2}, 1);
		reach_turn(n.r, n.now);
	}
	reach_stats(n.r, &s);
	cr_assert_geq(s.rounds - before, 38);
	cr_assert_leq(s.rounds - before, 40 + 8);
	reach_free(n.r);
}

/* Turns as they are due, until `until`; *sent becomes the time of the last that sent. */
static void
run(struct one *n, uint64_t until, uint64_t *sent)
{
	while (ps_reached(reach_next_ps(n->r, n->now), until)) {
		n->now = reach_next_ps(n->r, n->now);
		if (reach_turn(n->r, n->now) & REACH_SEND)
			*sent = n->now;
	}
	n->now = until;
}

/* Something has happened: it is told now, or a quarter of an interval after the round before. */
static void
expect_soon(struct one *n, uint64_t sent, const char *what)
{
	uint64_t soonest = sent + INTERVAL / 4, at = ps_reached(soonest, n->now) ? n->now : soonest;
	uint64_t told_ps = sent;

	run(n, at, &told_ps);
	cr_assert_eq(told_ps, at, "%s", what);
}

/* A leaf tells no distances; what its neighbours are to know is told soon all the same. */
Test(reach, life_death_drain_and_carrier_are_told_soon)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct reach_config c = config_of(2);
		uint64_t sent;
		struct one n;

		c.transit = false;
		c.seed = seed;
		n = make(&c);
		sent = n.now;
		for (unsigned int i = 0; i < REACH_IN_A_ROW; i++) {
			run(&n, n.now + INTERVAL, &sent);
			hear(&n, 0, 1, &(struct cell_reach){1, 0, ANY}, 1);
		}
		expect_soon(&n, sent, "life");
		sent = n.now;
		for (unsigned int drain = 1; drain < 3; drain++) {
			run(&n, n.now + INTERVAL * seed / 21, &sent);
			reach_drain(n.r, 0, drain & 1, n.now);
			expect_soon(&n, sent, "drain");
			sent = n.now;
		}
		reach_link(n.r, 1, false, n.now);
		reach_link(n.r, 1, true, n.now);
		expect_soon(&n, sent, "carrier");
		sent = n.now;
		while (reach_link_alive(n.r, 0)) {
			uint64_t before = sent;

			run(&n, reach_next_ps(n.r, n.now), &sent);
			if (!reach_link_alive(n.r, 0) && sent != n.now)
				expect_soon(&n, before, "death");
		}
		reach_free(n.r);
	}
}
