/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours that are broken or hostile: each fault counted, everything bounded. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "reach_one.h"

Test(reach, each_fault_is_counted_and_the_rest_of_the_cell_taken)
{
	struct one n = make_plain(1);
	struct reach_stats s;
	static const struct {
		struct cell_reach e;
		enum reach_fault fault;
	} bad[] = {
		{{0, 1, 1}, REACH_BAD_device},
		{{65535, 1, 1}, REACH_BAD_device},
		{{SELF, 2, 1}, REACH_BAD_own},
		{{SELF, 0, ANY}, REACH_BAD_own},
		{{9, 0, ANY}, REACH_BAD_hops},
		{{9, 4, 1}, REACH_BAD_hops},
		{{9, 255, 1}, REACH_BAD_hops},
		{{1, 1, 1}, REACH_BAD_hops},
		{{1, 0, 5}, REACH_BAD_capacity},
		{{1, 0, 0}, REACH_BAD_capacity},
		{{9, 1, ANY}, REACH_BAD_capacity},
	};
	uint64_t want[REACH_FAULT_N] = {0};

	greet(&n, 1);
	for (unsigned int i = 0; i < BITS_ARRAY_LEN(bad); i++) {
		struct cell_reach e[] = {{300 + i, 1, 7}, bad[i].e, {400 + i, 1, 7}};

		cr_assert_eq(hear(&n, 0, 1, e, 3), bad[i].fault, "%u", i);
		want[bad[i].fault]++;
		reach_turn(n.r, n.now);
		cr_assert_not_null(route_to(&n, 300 + i));
		cr_assert_not_null(route_to(&n, 400 + i));
		cr_assert_null(route_to(&n, 9));
		cr_assert_null(route_to(&n, SELF));
	}
	/* a whole cell */
	cr_assert_eq(hear(&n, 0, SELF, NULL, 0), REACH_BAD_own);
	cr_assert_eq(hear(&n, 0, 0, NULL, 0), REACH_BAD_device);
	cr_assert_eq(hear(&n, 1, 1, NULL, 0), REACH_BAD_link);
	cr_assert_eq(hear(&n, 65535, 1, NULL, 0), REACH_BAD_link);
	cr_assert_not_null(route_to(&n, 1), "they withdraw nothing");
	want[REACH_BAD_own]++;
	want[REACH_BAD_device]++;
	want[REACH_BAD_link] += 2;
	reach_stats(n.r, &s);
	for (unsigned int f = REACH_OK; f < REACH_FAULT_N; f++)
		cr_assert_eq(s.fault[f], want[f], "fault %u", f);
	cr_assert_str_eq(reach_fault_name(REACH_BAD_own), "own");
	cr_assert_gt(strlen(reach_fault_text(REACH_BAD_full)), 10);
	reach_free(n.r);
}

Test(reach, our_own_cells_coming_back_keep_no_link_alive)
{
	struct one n = make_plain(1);

	for (unsigned int i = 0; i < 10; i++) {
		n.now += INTERVAL;
		cr_assert_eq(
			hear(&n, 0, SELF, &(struct cell_reach){SELF, 0, ANY}, 1), REACH_BAD_own);
		reach_turn(n.r, n.now);
		cr_assert_not(reach_link_alive(n.r, 0));
	}
	reach_free(n.r);
}

Test(reach, a_flood_of_devices_is_bounded_and_hides_no_neighbour)
{
	struct one n = make_plain(3);
	struct reach_stats s;
	static struct cell_reach flood[65536];

	greet(&n, 1);
	for (unsigned int i = 0; i < 65536; i++)
		flood[i] = (struct cell_reach){(uint16_t)i, 1 + i % 3, 1 + i * 65521};
	cr_assert_neq(hear(&n, 0, 1, flood, 65536), REACH_OK);
	reach_turn(n.r, n.now);
	reach_stats(n.r, &s);
	cr_assert_eq(s.n_known, 1000);
	cr_assert_eq(s.n_reachable, 1000);
	/* but 0, 65535, ourselves, the neighbour at a distance, and 999 that found room */
	cr_assert_eq(s.fault[REACH_BAD_full], 65536 - 4 - 999);
	cr_assert_not_null(route_to(&n, 1));
	/* the other neighbours come, while it goes on */
	for (unsigned int i = 0; i < 4; i++) {
		n.now += INTERVAL;
		for (uint16_t link = 1; link < 3; link++)
			hear(&n, link, 60000 + link, &(struct cell_reach){60000 + link, 0, ANY}, 1);
		hear(&n, 0, 1, flood, 65536);
		hear(&n, 0, 1, &(struct cell_reach){1, 0, ANY}, 1);
		reach_turn(n.r, n.now);
	}
	cr_assert_not_null(route_to(&n, 60001));
	cr_assert_not_null(route_to(&n, 60002));
	reach_stats(n.r, &s);
	cr_assert_leq(s.n_known, 1003);
	/* and when it is over, nothing of it is left */
	for (unsigned int i = 0; i < 12; i++) {
		n.now += INTERVAL / 2;
		hear(&n, 0, 1, &(struct cell_reach){1, 0, ANY}, 1);
		reach_turn(n.r, n.now);
		for (uint16_t link = 0; link < 3; link++)
			told(&n, link, SELF);
	}
	reach_stats(n.r, &s);
	cr_assert_eq(s.n_known, 1);
	cr_assert_eq(hear(&n, 0, 1, &(struct cell_reach){64000, 1, 9}, 1), REACH_OK);
	reach_free(n.r);
}

/* Any bytes at any time: what is told of the table is what spraying needs, and memory is bounded.
 */
Test(reach, garbage_leaves_a_table_that_can_be_sprayed_by)
{
	const uint64_t seed = 5;
	struct reach_config c = config_of(5);
	struct reach_stats s;
	struct cell_reach e[40], out[7];
	struct rng rng;
	struct one n;

	c.n_devices = 50;
	n = make(&c);
	rng_init(&rng, seed);
	for (unsigned int step = 0; step < 200000; step++) {
		uint16_t link = (uint16_t)rng_below(&rng, 6);
		uint16_t source = rng_below(&rng, 20) ? link + 1 : (uint16_t)rng_next(&rng);
		unsigned int count = (unsigned int)rng_below(&rng, 40);
		const struct reach_table *t;

		for (unsigned int i = 0; i < count; i++)
			e[i] = (struct cell_reach){
				.device = (uint16_t)(rng_below(&rng, 4) ? rng_below(&rng, 120)
									: rng_next(&rng)),
				.hops = (uint8_t)rng_below(&rng, rng_below(&rng, 8) ? 4 : 256),
				.capacity = (uint32_t)(rng_next(&rng) >> rng_below(&rng, 64)),
			};
		if (count > 0 && rng_below(&rng, 2))
			e[0] = (struct cell_reach){source, 0, ANY};
		hear(&n, link, source, e, count);
		if (rng_below(&rng, 200) == 0)
			reach_link(n.r, link % 5, rng_below(&rng, 3), n.now);
		if (rng_below(&rng, 200) == 0)
			reach_drain(n.r, link % 5, rng_below(&rng, 2), n.now);
		n.now += rng_below(&rng, INTERVAL / 4);
		reach_turn(n.r, n.now);
		if (rng_below(&rng, 3) == 0) {
			uint32_t from = 0;

			while (reach_advert(n.r, link % 5, &from, out, 7, &count))
				for (unsigned int i = 0; i < count; i++)
					cr_assert_leq(out[i].hops, CELL_HOPS_MAX);
		}
		reach_stats(n.r, &s);
		cr_assert_leq(s.n_known, 55);
		t = reach_table(n.r);
		cr_assert_leq(t->n_sets, t->n_routes);
		for (uint32_t i = 0; i < t->n_routes; i++) {
			const struct reach_set *set = &t->set[t->route[i].set_idx];
			uint32_t most = 0;

			cr_assert_lt(t->route[i].set_idx, t->n_sets);
			cr_assert_neq(t->route[i].device, SELF);
			cr_assert_leq(t->route[i].hops, CELL_HOPS_MAX);
			cr_assert(set->n >= 1 && set->n <= 5, "seed %lu step %u", seed, step);
			for (unsigned int k = 0; k < set->n; k++) {
				cr_assert(reach_link_alive(n.r, set->port_idx[k] - PORT));
				cr_assert_geq(set->weight[k], 1);
				most = set->weight[k] > most ? set->weight[k] : most;
			}
			cr_assert_eq(most, REACH_WEIGHT_MAX);
		}
	}
	cr_assert_gt(s.entries, 10000, "some of it was believed");
	cr_assert_gt(s.revivals, 10);
	for (unsigned int i = 0; i < 12; i++) {
		n.now += INTERVAL;
		reach_turn(n.r, n.now);
	}
	reach_stats(n.r, &s);
	cr_assert_eq(s.n_known, 0, "silence forgets all");
	reach_free(n.r);
}
