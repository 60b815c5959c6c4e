/* SPDX-License-Identifier: BSD-3-Clause */
/* From hash to live member: weights, death and return, and two nodes in a row. */
#include "groups.h"

#define FLOWS 100000u

static void
choose(const struct nhg_group *g, const struct alive *alive, uint8_t *ret_choice)
{
	for (uint32_t i = 0; i < FLOWS; i++)
		ret_choice[i] = nhg_select(g, alive, alive_all(alive), flow_hash(i, g->seed));
}

Test(select, weights_are_kept_within_the_bounds_of_chance)
{
	static const uint32_t weights[][3] = {
		{3, 1, 0}, {6, 4, 0}, {1, 255, 0}, {1, 1, 1}, {5, 0, 5}, {1, 65535, 3}};
	static uint8_t choice[FLOWS];
	static struct want w;
	struct alive alive;

	all_alive(&alive);
	for (unsigned int k = 0; k < 6; k++) {
		uint32_t got[3] = {0};
		struct nhg_group *g;

		want_init(&w, 512, nhg_seed_from_id(k), weights[k], 3);
		g = group_up(&w, NULL);
		choose(g, &alive, choice);
		for (uint32_t i = 0; i < FLOWS; i++) {
			cr_assert_lt(choice[i], 3);
			got[choice[i]]++;
		}
		for (unsigned int m = 0; m < 3; m++) {
			double p = g->member[m].n_buckets / 512.0;

			cr_assert_float_eq(got[m], FLOWS * p, binomial_bound(FLOWS, p));
			cr_assert_eq(got[m] == 0, weights[k][m] == 0);
		}
		free(g);
	}
}

Test(select, death_of_one_of_four_moves_only_its_flows_and_its_return_moves_them_back)
{
	static uint8_t first[FLOWS], at_once[FLOWS], rebuilt[FLOWS], back[FLOWS];
	static struct want w;

	for (uint32_t id = 0; id < 8; id++)
		for (unsigned int victim = 0; victim < 4; victim++) {
			uint32_t moved[4] = {0}, n_moved = 0;
			struct nhg_group *g, *without, *again;
			struct alive alive;

			all_alive(&alive);
			want_init(&w, 512, nhg_seed_from_id(id), NULL, 4);
			g = group_up(&w, NULL);
			choose(g, &alive, first);
			alive_set(&alive, victim, false);
			choose(g, &alive, at_once);
			w.dead[victim] = true;
			without = group_up(&w, g);
			choose(without, &alive, rebuilt);
			alive_set(&alive, victim, true);
			w.dead[victim] = false;
			again = group_up(&w, without);
			choose(again, &alive, back);
			for (uint32_t i = 0; i < FLOWS; i++) {
				cr_assert_eq(back[i], first[i]);
				cr_assert_eq(at_once[i], rebuilt[i]);
				cr_assert_neq(rebuilt[i], victim);
				if (first[i] != victim)
					cr_assert_eq(rebuilt[i], first[i], "an innocent moved");
				else
					n_moved += moved[rebuilt[i]]++ < FLOWS;
			}
			/* The three heirs share alike, as far as 128 buckets allow. */
			for (unsigned int m = 0; m < 4; m++)
				if (m != victim)
					cr_assert_float_eq(moved[m], n_moved / 3.0,
						n_moved / 128.0 * binomial_bound(128, 1 / 3.0));
			free(g);
			free(without);
			free(again);
		}
}

/*
 * The worker has the group as it was built when `before` was dead, and the liveness words already
 * say `now`. Whatever it chooses is what the group rebuilt for `now` chooses.
 */
static void
check_agreement(struct rng *rng, struct want *w, unsigned int n_before, unsigned int n_now)
{
	unsigned int n = w->spec.n_members;
	struct nhg_group *old, *rebuilt;
	struct alive alive;
	uint8_t order[NHG_MEMBERS_MAX];

	all_alive(&alive);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int k = (unsigned int)rng_below(rng, i + 1);

		order[i] = order[k];
		order[k] = (uint8_t)i;
		w->dead[i] = false;
	}
	for (unsigned int i = 0; i < n_before; i++)
		w->dead[order[i]] = true;
	old = group_up(w, NULL);
	for (unsigned int i = n_before; i < n_now; i++)
		w->dead[order[i]] = true;
	for (unsigned int i = 0; i < n; i++)
		if (w->dead[i])
			alive_set(&alive, i, false);
	rebuilt = group_up(w, old);
	for (uint32_t b = 0; b < w->spec.n_buckets; b++) {
		uint32_t h = (uint32_t)rng_next(rng) << 16 | b;
		uint8_t m = nhg_select(old, &alive, alive_all(&alive), h);

		cr_assert_eq(m, nhg_select(rebuilt, &alive, alive_all(&alive), h), "%u of %u dead",
			n_now, n);
		cr_assert_eq(m, rebuilt->bucket[b]);
		if (m != NHG_NONE)
			cr_assert(!w->dead[m] && w->member[m].weight != 0);
	}
	free(old);
	free(rebuilt);
}

Test(select, workers_fallback_agrees_with_the_rebuilt_group)
{
	static struct want w;
	struct rng rng;

	rng_init(&rng, 21);
	for (unsigned int round = 0; round < 1500; round++) {
		static const uint8_t sizes[] = {1, 2, 3, 4, 8, 16, 61, 128};
		unsigned int n = sizes[round % 8], n_now;
		uint32_t weight[NHG_MEMBERS_MAX];

		for (unsigned int i = 0; i < n; i++)
			weight[i] = rng_below(&rng, 8) == 0 ? 0 : 1 + (uint32_t)rng_below(&rng, 9);
		if (round % 5 == 0)
			weight[0] = NHG_WEIGHT_MAX;
		want_init(&w, 128u << rng_below(&rng, 4), rng_next(&rng), weight, n);
		n_now = (unsigned int)rng_below(&rng, n + 1);
		check_agreement(&rng, &w, (unsigned int)rng_below(&rng, n_now + 1), n_now);
		check_agreement(&rng, &w, 0, n);
		check_agreement(&rng, &w, n - 1, n - 1);
		check_agreement(&rng, &w, 0, n - 1);
	}
}

Test(select, nobody_alive_is_said)
{
	static struct want w;
	struct nhg_group *g;
	struct alive alive;

	want_init(&w, 64, 1, NULL, 3);
	g = group_up(&w, NULL);
	memset(&alive, 0xff, sizeof(alive)); /* all dead */
	for (uint32_t h = 0; h < 64; h++)
		cr_assert_eq(nhg_select(g, &alive, alive_all(&alive), h), NHG_NONE);
	/* A live member without a weight is no way out. */
	free(g);
	w.member[2].weight = 0;
	g = group_up(&w, NULL);
	alive_set(&alive, 2, true);
	for (uint32_t h = 0; h < 64; h++)
		cr_assert_eq(nhg_select(g, &alive, alive_all(&alive), h), NHG_NONE);
	free(g);
	want_init(&w, 64, 1, NULL, 0);
	g = group_up(&w, NULL);
	all_alive(&alive);
	cr_assert_eq(nhg_select(g, &alive, alive_all(&alive), 7), NHG_NONE);
	free(g);
}

Test(select, last_bucket_of_a_rare_member_is_found_from_anywhere)
{
	static struct want w;
	struct nhg_group *g;
	struct alive alive;

	/* One bucket of 32,768: hardly a probe meets it. */
	want_init(&w, NHG_BUCKETS_MAX, 3, (const uint32_t[]){NHG_WEIGHT_MAX, 1}, 2);
	g = group_up(&w, NULL);
	all_alive(&alive);
	alive_set(&alive, 0, false);
	for (uint32_t h = 0; h < NHG_BUCKETS_MAX; h++)
		cr_assert_eq(nhg_select(g, &alive, alive_all(&alive), h), 1);
	free(g);
}

#define STAGE_FLOWS 10000u

/*
 * Of the flows that the first node sends to `member`, how many the second sends to each of its own
 * four.
 */
static void
two_nodes(const struct nhg_group *first, const struct nhg_group *second, uint8_t member,
	uint32_t *ret_got)
{
	struct alive alive;
	uint32_t n = 0;

	all_alive(&alive);
	memset(ret_got, 0, 4 * sizeof(*ret_got));
	for (uint32_t i = 0; n < STAGE_FLOWS; i++) {
		if (nhg_select(first, &alive, alive_all(&alive), flow_hash(i, first->seed)) !=
			member)
			continue;
		ret_got[nhg_select(
			second, &alive, alive_all(&alive), flow_hash(i, second->seed))]++;
		n++;
	}
}

Test(select, second_node_spreads_what_the_first_sent_one_way)
{
	static struct want w;
	struct nhg_group *node[12];
	uint32_t got[4];

	for (uint32_t id = 0; id < 12; id++) {
		want_init(&w, 512, nhg_seed_from_id(id), NULL, 4);
		node[id] = group_up(&w, NULL);
	}
	for (uint32_t a = 0; a < 12; a++)
		for (uint32_t b = 0; b < 12; b++)
			for (uint8_t m = 0; m < 4 && a != b; m++) {
				two_nodes(node[a], node[b], m, got);
				for (unsigned int k = 0; k < 4; k++) {
					cr_assert_float_eq(got[k], STAGE_FLOWS / 4.0,
						binomial_bound(STAGE_FLOWS, 0.25));
					cr_assert_float_eq(
						got[k], STAGE_FLOWS / 4.0, STAGE_FLOWS / 40.0);
				}
			}
	for (uint32_t id = 0; id < 12; id++)
		free(node[id]);
}

Test(select, second_node_with_the_same_seed_uses_one_way_only)
{
	static struct want w;
	struct nhg_group *g;
	uint32_t got[4];

	want_init(&w, 512, nhg_seed_from_id(7), NULL, 4);
	g = group_up(&w, NULL);
	for (uint8_t m = 0; m < 4; m++) {
		two_nodes(g, g, m, got);
		cr_assert_eq(got[m], STAGE_FLOWS);
	}
	free(g);
}
