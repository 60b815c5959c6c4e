/* SPDX-License-Identifier: BSD-3-Clause */
/* What a node believes of its neighbours, and the table that it makes of it. */
#include <errno.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "reach_one.h"

Test(reach, numbers_out_of_range_are_refused)
{
	struct reach_config good = config_of(2), bad;
	struct reach *r = NULL;

#define REFUSED(field, value)                                                                      \
	bad = good;                                                                                \
	bad.field = (value);                                                                       \
	cr_assert_eq(reach_create(&bad, 0, &r), -EINVAL, #field);                                  \
	cr_assert_null(r)

	REFUSED(device, 0);
	REFUSED(device, 65535);
	REFUSED(interval_ps, 0);
	REFUSED(interval_ps, UINT64_MAX);
	REFUSED(missed, 0);
	REFUSED(min_links_remain, 2);
	REFUSED(n_links, 0);
	REFUSED(n_links, REACH_LINKS_MAX + 1);
	REFUSED(n_devices, 0);
	REFUSED(n_devices, 65535);
	REFUSED(rate_bps, ((const uint64_t[]){GBIT, 0}));
	cr_assert_eq(reach_create(&good, 0, &r), 0);
	reach_free(r);
	reach_free(NULL);
}

Test(reach, a_link_lives_after_three_in_a_row)
{
	struct one n = make_plain(1);
	struct cell_reach e[] = {{1, 0, ANY}, {2, 1, 1000}};

	for (unsigned int round = 1; round <= 3; round++) {
		cr_assert_not(reach_link_alive(n.r, 0), "before round %u", round);
		/* the cells of one round are one, and a hastened round is not another */
		for (unsigned int cell = 0; cell < 4; cell++)
			hear(&n, 0, 1, e, 2);
		n.now += INTERVAL / 4;
		if (round < 3)
			hear(&n, 0, 1, e, 2);
		n.now += INTERVAL * 3 / 4;
	}
	cr_assert(reach_link_alive(n.r, 0));
	cr_assert_eq(
		reach_turn(n.r, n.now) & (REACH_TABLE | REACH_LINKS), REACH_TABLE | REACH_LINKS);
	cr_assert_eq(route_to(&n, 1)->hops, 0);
	cr_assert_eq(route_to(&n, 2)->hops, 1);
	cr_assert_eq(reach_turn(n.r, n.now) & (REACH_TABLE | REACH_LINKS), 0, "said once");
	reach_free(n.r);
}

Test(reach, one_missed_begins_the_row_anew)
{
	struct one n = make_plain(1);
	struct cell_reach e = {1, 0, ANY};

	hear(&n, 0, 1, &e, 1);
	n.now += INTERVAL;
	hear(&n, 0, 1, &e, 1);
	for (unsigned int i = 0; i < 20; i++) {
		n.now +=
			INTERVAL * 3 / 2 + 1; /* the neighbour's shortest two intervals, and more */
		hear(&n, 0, 1, &e, 1);
		cr_assert_not(reach_link_alive(n.r, 0));
		n.now += INTERVAL;
		hear(&n, 0, 1, &e, 1);
		cr_assert_not(reach_link_alive(n.r, 0));
	}
	n.now += INTERVAL * 3 / 2;
	hear(&n, 0, 1, &e, 1);
	cr_assert(reach_link_alive(n.r, 0));
	reach_free(n.r);
}

Test(reach, a_silent_link_dies_after_the_missed_intervals_and_not_before)
{
	struct one n = make_plain(2);
	uint64_t last, dead;

	greet(&n, 2);
	last = n.now;
	/* the other link goes on */
	for (n.now = last + INTERVAL; n.now - last < MISSED * INTERVAL; n.now += INTERVAL)
		hear(&n, 1, 2, &(struct cell_reach){2, 0, ANY}, 1);
	dead = last + MISSED * INTERVAL;
	n.now = dead - 1;
	hear(&n, 1, 2, &(struct cell_reach){2, 0, ANY}, 1);
	reach_turn(n.r, n.now);
	cr_assert(reach_link_alive(n.r, 0));
	cr_assert_eq(reach_next_ps(n.r, n.now), dead);
	cr_assert_eq(
		reach_turn(n.r, dead) & (REACH_TABLE | REACH_LINKS), REACH_TABLE | REACH_LINKS);
	cr_assert_not(reach_link_alive(n.r, 0));
	cr_assert(reach_link_alive(n.r, 1));
	cr_assert_null(route_to(&n, 1));
	cr_assert_not_null(route_to(&n, 2));
	reach_free(n.r);
}

Test(reach, carrier_down_is_death_at_once_and_up_is_no_life)
{
	struct one n = make_plain(1);
	uint32_t from = 0;
	unsigned int count;
	struct cell_reach out;

	greet(&n, 1);
	reach_link(n.r, 0, false, n.now);
	cr_assert_not(reach_link_alive(n.r, 0));
	cr_assert_eq(reach_next_ps(n.r, n.now), n.now, "a turn is due");
	cr_assert(reach_turn(n.r, n.now) & REACH_TABLE);
	cr_assert_eq(reach_table(n.r)->n_routes, 0);
	cr_assert_not(reach_advert(n.r, 0, &from, &out, 1, &count), "nothing is sent");
	cr_assert_eq(hear(&n, 0, 1, &(struct cell_reach){1, 0, ANY}, 1), REACH_BAD_link);
	reach_link(n.r, 0, true, n.now);
	cr_assert_not(reach_link_alive(n.r, 0));
	hear(&n, 0, 1, &(struct cell_reach){1, 0, ANY}, 1);
	cr_assert_not(reach_link_alive(n.r, 0));
	reach_free(n.r);
}

Test(reach, a_link_that_leads_elsewhere_is_learned_anew)
{
	struct one n = make_plain(1);
	struct reach_stats s;
	struct reach_link_view v;

	greet(&n, 1);
	for (unsigned int i = 0; i < 3; i++) {
		n.now += INTERVAL;
		hear(&n, 0, 55, &(struct cell_reach){55, 0, ANY}, 1);
		reach_turn(n.r, n.now);
		cr_assert_null(route_to(&n, 1));
		cr_assert_eq(route_to(&n, 55) != NULL, i == 2);
	}
	reach_stats(n.r, &s);
	cr_assert_eq(s.recabled, 1);
	cr_assert_eq(s.deaths, 1);
	cr_assert_eq(s.revivals, 2);
	reach_link_view(n.r, 0, &v);
	cr_assert_eq(v.neighbour, 55);
	cr_assert_eq(v.n_devices, 1);
	cr_assert_eq(v.port_idx, PORT);
	cr_assert_eq(v.heard_ps, n.now);
	reach_free(n.r);
}

Test(reach, least_distance_first_and_the_next_best_when_that_dies)
{
	struct one n = make_plain(3);

	greet(&n, 3);
	/* device 1 is the neighbour of link 0, and others know it, too */
	hear(&n, 1, 2, &(struct cell_reach){1, 2, 50000}, 1);
	hear(&n, 2, 3, &(struct cell_reach){1, 1, 50000}, 1);
	cr_assert_not(reach_turn(n.r, n.now) & REACH_TABLE);
	cr_assert_eq(route_to(&n, 1)->hops, 0);
	cr_assert_eq(weight_over(&n, 1, 0), REACH_WEIGHT_MAX);
	cr_assert_eq(weight_over(&n, 1, 1) + weight_over(&n, 1, 2), 0);
	reach_link(n.r, 0, false, n.now);
	cr_assert(reach_turn(n.r, n.now) & REACH_TABLE);
	cr_assert_eq(route_to(&n, 1)->hops, 1);
	cr_assert_eq(weight_over(&n, 1, 1), 0);
	cr_assert_eq(weight_over(&n, 1, 2), REACH_WEIGHT_MAX);
	hear(&n, 2, 3, &(struct cell_reach){1, 1, 0}, 1);
	reach_turn(n.r, n.now);
	cr_assert_eq(route_to(&n, 1)->hops, 2);
	cr_assert_eq(weight_over(&n, 1, 1), REACH_WEIGHT_MAX);
	reach_free(n.r);
}

Test(reach, weight_is_rate_times_what_the_neighbour_has_out)
{
	struct reach_config c = config_of(4);
	struct one n;

	c.rate_bps = (const uint64_t[]){100 * GBIT, 100 * GBIT, 400 * GBIT, 25 * GBIT};
	n = make(&c);
	greet(&n, 4);
	hear(&n, 0, 1, &(struct cell_reach){9, 1, 800000}, 1);
	hear(&n, 1, 2, &(struct cell_reach){9, 1, 400000}, 1);
	hear(&n, 2, 3, &(struct cell_reach){9, 1, 200000}, 1);
	hear(&n, 3, 4, &(struct cell_reach){9, 1, 1}, 1);
	reach_turn(n.r, n.now);
	cr_assert_eq(weight_over(&n, 9, 0), 32768);
	cr_assert_eq(weight_over(&n, 9, 1), 16384);
	cr_assert_eq(weight_over(&n, 9, 2), 32768);
	cr_assert_eq(weight_over(&n, 9, 3), 1, "little is not nothing");
	reach_rate(n.r, 1, 200 * GBIT);
	cr_assert(reach_turn(n.r, n.now) & REACH_TABLE);
	cr_assert_eq(weight_over(&n, 9, 1), 32768);
	/* to a neighbour itself the rate alone counts: here by one link */
	cr_assert_eq(weight_over(&n, 4, 3), 32768);
	reach_free(n.r);
}

Test(reach, devices_with_one_way_share_one_set)
{
	struct one n = make_plain(8);
	const struct reach_table *t;

	greet(&n, 8);
	for (uint16_t link = 0; link < 8; link++)
		for (uint16_t d = 0; d < 900; d++) {
			/* devices of three kinds, and of many units: 1:1, 1:2 by link, odd links */
			uint32_t unit = 1000 + d;
			uint32_t capacity = d % 3 == 1 ? unit * (1 + link % 2) : unit;

			if (d % 3 == 2 && link % 2 == 0)
				continue;
			cr_assert_eq(hear(&n, link, link + 1,
					     &(struct cell_reach){200 + d, 1, capacity}, 1),
				REACH_OK);
		}
	cr_assert(reach_turn(n.r, n.now) & REACH_TABLE);
	t = reach_table(n.r);
	cr_assert_eq(t->n_routes, 908);
	cr_assert_eq(t->n_sets, 8 + 3);
	for (uint32_t i = 0; i < t->n_routes; i++)
		cr_assert_lt(t->route[i].set_idx, t->n_sets);
	cr_assert_eq(weight_over(&n, 201, 0), 16384);
	cr_assert_eq(weight_over(&n, 201, 1), 32768);
	cr_assert_eq(weight_over(&n, 202, 0), 0);
	cr_assert_eq(weight_over(&n, 202, 1), 32768);
	reach_free(n.r);
}

Test(reach, a_device_joins_with_links_enough_and_stays_with_fewer)
{
	struct reach_config c = config_of(4);
	struct one n;
	struct reach_device_view v;
	uint32_t from = 0;
	/* links that tell of it, and whether it is reachable then */
	static const struct {
		unsigned int links;
		bool reachable;
	} step[] = {{1, false}, {2, false}, {3, true}, {2, true}, {1, false}, {2, false}, {4, true},
		{2, true}, {0, false}, {2, false}};

	c.min_links_join = 3;
	c.min_links_remain = 2;
	n = make(&c);
	greet(&n, 4);
	for (unsigned int s = 0; s < BITS_ARRAY_LEN(step); s++) {
		for (uint16_t link = 0; link < 4; link++)
			hear(&n, link, link + 1,
				&(struct cell_reach){9, 1, link < step[s].links ? 100000 : 0}, 1);
		reach_turn(n.r, n.now);
		cr_assert_eq(route_to(&n, 9) != NULL, step[s].reachable, "step %u", s);
	}
	while (reach_device_view(n.r, &from, &v))
		if (v.device == 9)
			break;
	cr_assert_eq(v.device, 9);
	cr_assert_not(v.reachable);
	cr_assert_eq(v.n_links, 2);
	reach_free(n.r);
}

Test(reach, what_is_not_refreshed_is_gone)
{
	struct one n = make_plain(1);
	struct cell_reach e[] = {{1, 0, ANY}, {8, 1, 100000}, {9, 1, 100000}};
	struct reach_stats s;
	uint64_t last;

	greet(&n, 1);
	hear(&n, 0, 1, e, 3);
	last = n.now;
	for (; n.now - last <= (MISSED + 1) * INTERVAL; n.now += INTERVAL / 2) {
		hear(&n, 0, 1, e, 2); /* device 9 is in another cell, which is lost */
		reach_turn(n.r, n.now);
		if (n.now - last < MISSED * INTERVAL)
			cr_assert_not_null(route_to(&n, 9));
	}
	cr_assert_null(route_to(&n, 9));
	cr_assert_not_null(route_to(&n, 8));
	n.now += INTERVAL;
	hear(&n, 0, 1, e, 2);
	reach_turn(n.r, n.now);
	reach_stats(n.r, &s);
	cr_assert_eq(s.n_known, 2, "its slot is free");
	reach_free(n.r);
}

Test(reach, a_cell_without_entries_takes_back_all)
{
	struct one n = make_plain(2);

	greet(&n, 2);
	hear(&n, 0, 1, &(struct cell_reach){9, 1, 1000}, 1);
	hear(&n, 1, 2, &(struct cell_reach){9, 1, 1000}, 1);
	reach_turn(n.r, n.now);
	hear(&n, 0, 1, NULL, 0);
	cr_assert(reach_turn(n.r, n.now) & REACH_TABLE);
	cr_assert(reach_link_alive(n.r, 0));
	cr_assert_null(route_to(&n, 1));
	cr_assert_eq(weight_over(&n, 9, 0), 0);
	cr_assert_eq(weight_over(&n, 9, 1), REACH_WEIGHT_MAX);
	reach_free(n.r);
}
