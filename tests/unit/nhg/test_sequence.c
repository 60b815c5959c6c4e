/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence of a group and the walk through it: shares of any 10,000 packets in a row. */
#include "groups.h"
#include "nhg/policy_inl.h"
#include "nhg/sequence.h"

#define WINDOW 10000u

/* Weights of which each is 4 % at least, or of which none is. */
static const struct {
	unsigned int n;
	uint32_t weight[16];
} fair[] = {
	{2, {1, 1}},
	{3, {1, 1, 1}},
	{4, {1, 1, 1, 1}},
	{7, {1, 1, 1, 1, 1, 1, 1}},
	{16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	{2, {3, 1}},
	{2, {6, 4}},
	{4, {4, 4, 4, 2}},
	{4, {65535, 65534, 65533, 1000}},
	{5, {1, 2, 3, 4, 5}},
	{3, {400, 100, 800}},
	{8, {7, 7, 7, 7, 7, 7, 7, 3}},
};

#define N_FAIR (sizeof(fair) / sizeof(fair[0]))

static struct nhg_group *
spray_up(struct want *w, unsigned int n, const uint32_t *weight, unsigned int workers)
{
	want_init(w, 512, nhg_seed_from_id(n), weight, n);
	w->spec.policy = NHG_SPRAY;
	w->spec.n_workers = (uint16_t)workers;
	return group_up(w, NULL);
}

/* The largest share of a window over the member's due, and over all windows of 12 x 10,000. */
static double
worst_window(const struct nhg_group *g, struct nhg_cursor *c, const struct alive *alive)
{
	static uint8_t last[WINDOW];
	uint64_t count[NHG_MEMBERS_MAX] = {0}, sum = 0;
	double worst = 0;

	for (unsigned int i = 0; i < g->n_members; i++)
		sum += alive_test(alive, g->member[i].port_idx) ? g->member[i].weight : 0;
	for (unsigned int p = 0; p < 12 * WINDOW; p++) {
		uint8_t m = nhg_next(g, c, alive, false);

		cr_assert_neq(m, NHG_NONE);
		cr_assert(alive_test(alive, g->member[m].port_idx));
		if (p >= WINDOW)
			count[last[p % WINDOW]]--;
		count[m]++;
		last[p % WINDOW] = m;
		if (p < WINDOW - 1)
			continue;
		for (unsigned int i = 0; i < g->n_members; i++) {
			double due = (double)WINDOW * g->member[i].weight / (double)sum;

			if (due > 0 && (double)count[i] / due > worst)
				worst = (double)count[i] / due;
		}
	}
	return worst;
}

Test(sequence, any_ten_thousand_packets_are_shared_within_one_per_cent)
{
	struct alive alive = {0};
	static struct want w;

	for (unsigned int k = 0; k < N_FAIR; k++) {
		struct nhg_group *g = spray_up(&w, fair[k].n, fair[k].weight, 3);

		for (unsigned int worker = 0; worker < 3; worker++) {
			double worst = worst_window(g, &g->mode->cursor[worker], &alive);

			/* 1000 of 197602 are 50.6 packets: one more is 2 % */
			cr_assert_leq(worst, fair[k].weight[3] == 1000 ? 1.05 : 1.01,
				"weights %u, worker %u: %.4f", k, worker, worst);
		}
		free(g);
	}
}

/* A member of few packets cannot be right to 1 %; it is right to a packet or three. */
Test(sequence, light_members_get_theirs_within_three_packets)
{
	static const uint32_t weight[] = {1, 255};
	struct alive alive = {0};
	static struct want w;
	struct nhg_group *g = spray_up(&w, 2, weight, 1);
	double worst = worst_window(g, &g->mode->cursor[0], &alive);

	cr_assert_leq(worst, (WINDOW / 256.0 + 3) / (WINDOW / 256.0), "%.4f", worst);
	free(g);
	g = spray_up(&w, 64, NULL, 1);
	worst = worst_window(g, &g->mode->cursor[0], &alive);
	cr_assert_leq(worst, (WINDOW / 64.0 + 3) / (WINDOW / 64.0), "%.4f", worst);
	free(g);
}

Test(sequence, a_dead_member_is_passed_over_and_the_others_keep_their_proportions)
{
	static const uint32_t weight[] = {2, 1, 1, 4};
	struct alive alive = {0};
	static struct want w;
	struct nhg_group *g = spray_up(&w, 4, weight, 1);
	double worst;

	alive_set(&alive, 3, false);
	worst = worst_window(g, &g->mode->cursor[0], &alive);
	/* who stands behind the dead one changes from entry to entry */
	cr_assert_leq(worst, 1.01, "%.4f", worst);
	alive_set(&alive, 0, false);
	alive_set(&alive, 1, false);
	alive_set(&alive, 2, false);
	cr_assert_eq(nhg_next(g, &g->mode->cursor[0], &alive, false), NHG_NONE);
	free(g);
}

Test(sequence, a_rebuilt_group_has_neither_dead_nor_unresolved_members_nor_weight_0)
{
	static const uint32_t weight[] = {2, 1, 0, 4, 3};
	struct alive alive = {0};
	static struct want w;
	struct nhg_group *g;

	want_init(&w, 512, 1, weight, 5);
	w.spec.policy = NHG_SPRAY;
	w.dead[0] = true;
	w.member[4].mtu = 0;
	g = group_up(&w, NULL);
	for (unsigned int e = 0; e < g->mode->n_entries; e++)
		cr_assert(g->mode->sequence[e] == 1 || g->mode->sequence[e] == 3);
	cr_assert_neq(nhg_next(g, &g->mode->cursor[0], &alive, true), NHG_NONE);
	free(g);
	w.dead[1] = w.dead[3] = true;
	g = group_up(&w, NULL);
	cr_assert_eq(g->mode->n_entries, 0);
	cr_assert_eq(nhg_next(g, &g->mode->cursor[0], &alive, true), NHG_NONE);
	free(g);
}

/* Every k-th packet is a long one: in the long run each member gets its share of those, too. */
Test(sequence, traffic_that_repeats_itself_does_not_bias)
{
	struct alive alive = {0};
	static struct want w;

	for (unsigned int n = 2; n <= 16; n *= 2) {
		struct nhg_group *g = spray_up(&w, n, NULL, 1);

		for (unsigned int period = 2; period <= 64; period++) {
			uint64_t count[16] = {0};
			const unsigned int longs = 64000;

			for (unsigned int p = 0; p < longs * period; p++) {
				uint8_t m = nhg_next(g, &g->mode->cursor[0], &alive, true);

				count[m] += p % period == 0;
			}
			for (unsigned int m = 0; m < n; m++)
				cr_assert((double)count[m] * n / longs > 0.97 &&
						  (double)count[m] * n / longs < 1.03,
					"%u members, period %u: %lu of %u", n, period, count[m],
					longs / n);
		}
		free(g);
	}
}

/* Two that walked in step would make every member's load come in twos. */
Test(sequence, workers_do_not_go_in_step)
{
	struct alive alive = {0};
	static struct want w;
	struct nhg_group *g = spray_up(&w, 8, NULL, 8);

	for (unsigned int a = 0; a < 8; a++) {
		for (unsigned int b = a + 1; b < 8; b++) {
			struct nhg_cursor ca = g->mode->cursor[a], cb = g->mode->cursor[b];
			unsigned int same = 0;

			for (unsigned int p = 0; p < 4096; p++)
				same += nhg_next(g, &ca, &alive, true) ==
					nhg_next(g, &cb, &alive, true);
			/* the eighth of 4096, by chance; blocks of 8 make it more or less even */
			cr_assert(same > 256 && same < 1024, "workers %u and %u: %u", a, b, same);
		}
	}
	free(g);
}

Test(sequence, the_longest_one_holds_128_members_of_odd_weights)
{
	uint32_t weight[NHG_MEMBERS_MAX], count[NHG_MEMBERS_MAX] = {0};
	static uint8_t entry[NHG_SEQUENCE_MAX];
	struct nhg_sequence s = {.entry = entry};
	uint64_t sum = 0;

	for (unsigned int i = 0; i < NHG_MEMBERS_MAX; i++) {
		weight[i] = 60000 + 37 * i;
		sum += weight[i];
	}
	nhg_sequence_init(&s, weight, NHG_MEMBERS_MAX, 1);
	cr_assert_eq(s.n_entries, NHG_SEQUENCE_MAX);
	for (unsigned int e = 0; e < s.n_entries; e++)
		count[entry[e]]++;
	for (unsigned int i = 0; i < NHG_MEMBERS_MAX; i++) {
		double due = (double)NHG_SEQUENCE_MAX * weight[i] / (double)sum;

		cr_assert((double)count[i] > due - 1 && (double)count[i] < due + 1);
	}
	nhg_sequence_init(&s, (const uint32_t[]){0, 0, 0}, 3, 1);
	cr_assert_eq(s.n_entries, 0);
	nhg_sequence_init(&s, NULL, 0, 1);
	cr_assert_eq(s.n_entries, 0);
}
