/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spray by counting: every window of 10,000 cells against the weights, at each cell of a long run.
 */
#include <errno.h>
#include <math.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cell/spray.h"

#define WINDOW 10000u
#define RUN    30000u

static const uint64_t seeds[] = {1, 0x5eed, 0xfab51c};

struct bench {
	struct spray_set set;
	struct alive alive;
	uint16_t port_idx[SPRAY_LINKS_MAX];
	uint32_t weight[SPRAY_LINKS_MAX];
	unsigned int n;
	uint64_t seed;
	uint8_t went[RUN]; /* link of each cell */
};

enum weights { EQUAL, RATES, ODD };

/* RATES: 100, 400, 200; ODD: what input balance may come to, not in a ratio of small numbers. */
static void
bench_init(struct bench *b, unsigned int n, enum weights weights, uint64_t seed)
{
	static const uint32_t rates[] = {400, 100, 200};

	memset(b, 0, sizeof(*b));
	b->n = n;
	b->seed = seed;
	for (unsigned int i = 0; i < n; i++) {
		b->port_idx[i] = (uint16_t)((i * 37 + 5) % ALIVE_BITS);
		b->weight[i] = weights == EQUAL   ? 100000
			       : weights == RATES ? rates[i % 3]
						  : 50021 + i * 3797;
	}
	cr_assert_eq(spray_set_init(&b->set, b->port_idx, b->weight, n, seed), 0);
}

static void
run(struct bench *b, uint64_t worker)
{
	struct spray s;

	spray_init(&s, &b->set, b->seed ^ worker);
	for (unsigned int t = 0; t < RUN; t++) {
		int link = spray_next(&b->set, &s, &b->alive, 0, UINT16_MAX);

		cr_assert(link >= 0 && link < (int)b->n);
		b->went[t] = (uint8_t)link;
	}
}

/* Links that are dead count as weight 0. */
static double
usable_weight(const struct bench *b, unsigned int i)
{
	return alive_test(&b->alive, b->port_idx[i]) ? b->weight[i] : 0;
}

/*
 * The largest deviation of a link's share from its weight, in any window of cells. In packets of
 * `period` cells the last one has 60 bytes and all others 2086; 1: all are the same.
 */
static double
worst_share(const struct bench *b, unsigned int period)
{
	double share[SPRAY_LINKS_MAX], sum = 0, worst = 0;
	uint64_t bytes[SPRAY_LINKS_MAX] = {0}, all = 0;

	for (unsigned int i = 0; i < b->n; i++)
		sum += usable_weight(b, i);
	for (unsigned int i = 0; i < b->n; i++)
		share[i] = usable_weight(b, i) / sum;
	for (unsigned int t = 0; t < RUN; t++) {
		unsigned int in = t % period == period - 1 ? 60 : 2086;

		bytes[b->went[t]] += in;
		all += in;
		if (t >= WINDOW) {
			unsigned int out = (t - WINDOW) % period == period - 1 ? 60 : 2086;

			bytes[b->went[t - WINDOW]] -= out;
			all -= out;
		}
		if (t + 1 < WINDOW || t % (period == 1 ? 1 : 5) != 0)
			continue;
		for (unsigned int i = 0; i < b->n; i++) {
			double want = (double)all * share[i];

			if (want > 0)
				worst = RTE_MAX(worst, fabs((double)bytes[i] - want) / want);
			else
				cr_assert_eq(bytes[i], 0);
		}
	}
	return worst;
}

static void
check_shares(unsigned int n, enum weights weights)
{
	struct bench b;

	for (unsigned int i = 0; i < BITS_ARRAY_LEN(seeds); i++) {
		double worst;

		bench_init(&b, n, weights, seeds[i]);
		run(&b, 0);
		worst = worst_share(&b, 1);
		cr_assert_leq(worst, 0.05, "%u links, weights %u, seed %#lx: %.2f %%", n, weights,
			seeds[i], 100 * worst);
	}
}

Test(spray, any_10000_cells_are_shared_by_weight_to_5_percent)
{
	for (unsigned int n = 1; n <= 16; n++)
		for (enum weights w = EQUAL; w <= ODD; w++)
			check_shares(n, w);
	for (enum weights w = EQUAL; w <= ODD; w++) {
		check_shares(24, w);
		check_shares(33, w);
	}
	/* ODD: the lightest of 64 has 46 cells of them and 5 entries for a worth of 4.7. */
	check_shares(64, EQUAL);
	check_shares(64, RATES);
}

Test(spray, bytes_too_though_packets_repeat_in_step_with_the_links)
{
	struct bench b;

	for (unsigned int n = 2; n <= 16; n++)
		for (enum weights w = EQUAL; w <= RATES; w++) {
			bench_init(&b, n, w, seeds[n % BITS_ARRAY_LEN(seeds)]);
			run(&b, n);
			for (unsigned int period = 2; period <= 64; period++) {
				double worst = worst_share(&b, period);

				cr_assert_leq(worst, 0.05,
					"%u links, weights %u, packets of %u cells, seed %#lx: "
					"%.2f %%",
					n, w, period, b.seed, 100 * worst);
			}
		}
}

/* Each worker has its own place in the sequence; together they take turns as chance says. */
Test(spray, several_workers_together_share_as_one_does)
{
	struct bench b;

	for (unsigned int n = 2; n <= 16; n++)
		for (unsigned int n_workers = 2; n_workers <= 8; n_workers += 3) {
			struct spray s[8];
			struct rng rng;
			double worst;

			bench_init(&b, n, n % 2 == 0 ? EQUAL : RATES, seeds[0] + n);
			rng_init(&rng, b.seed);
			for (unsigned int i = 0; i < n_workers; i++)
				spray_init(&s[i], &b.set, rng_next(&rng));
			for (unsigned int t = 0; t < RUN; t++)
				b.went[t] = (uint8_t)spray_next(&b.set,
					&s[rng_below(&rng, n_workers)], &b.alive, 0, UINT16_MAX);
			worst = worst_share(&b, 1);
			cr_assert_leq(worst, 0.05, "%u links, %u workers, seed %#lx: %.2f %%", n,
				n_workers, b.seed, 100 * worst);
		}
}

Test(spray, workers_with_other_seeds_begin_elsewhere)
{
	struct bench b;
	unsigned int same = 0;

	bench_init(&b, 16, EQUAL, seeds[1]);
	for (unsigned int i = 0; i < 32; i++) {
		struct spray x, y;

		spray_init(&x, &b.set, i);
		spray_init(&y, &b.set, i + 1000);
		same += x.pos == y.pos;
	}
	cr_assert_lt(same, 4);
}

Test(spray, dead_links_are_passed_over_and_the_others_keep_their_proportions)
{
	struct bench b;
	struct rng rng;

	rng_init(&rng, seeds[2]);
	for (unsigned int i = 0; i < 60; i++) {
		unsigned int n = 2 + (unsigned int)rng_below(&rng, 15);
		unsigned int survivor = (unsigned int)rng_below(&rng, n);
		double worst;

		bench_init(&b, n, (enum weights)(i % 3), rng_next(&rng));
		for (unsigned int l = 0; l < n; l++)
			alive_set(&b.alive, b.port_idx[l],
				l == survivor || rng_below(&rng, 4) >= i % 4);
		run(&b, 0);
		worst = worst_share(&b, 1);
		cr_assert_leq(worst, 0.05, "%u links, turn %u, seed %#lx: %.2f %%", n, i, b.seed,
			100 * worst);
	}
}

Test(spray, a_link_counts_from_the_call_after_its_death_and_its_return)
{
	struct bench b;
	struct spray s;
	struct rng rng;

	bench_init(&b, 8, RATES, seeds[0]);
	spray_init(&s, &b.set, 1);
	rng_init(&rng, b.seed);
	for (unsigned int t = 0; t < 100000; t++) {
		unsigned int flip = (unsigned int)rng_below(&rng, b.n), n_alive = 0;
		int link;

		alive_set(&b.alive, b.port_idx[flip], !alive_test(&b.alive, b.port_idx[flip]));
		for (unsigned int i = 0; i < b.n; i++)
			n_alive += alive_test(&b.alive, b.port_idx[i]);
		link = spray_next(&b.set, &s, &b.alive, 0, UINT16_MAX);
		cr_assert_eq(link >= 0, n_alive > 0, "cell %u", t);
		if (link >= 0)
			cr_assert(alive_test(&b.alive, b.port_idx[link]), "cell %u", t);
	}
}

/* Cells come in over the same links, sprayed by the neighbours. */
Test(spray, transit_never_goes_back_and_shares_evenly)
{
	struct bench b;

	for (unsigned int n = 3; n <= 16; n++) {
		struct spray in, out;
		double worst;

		bench_init(&b, n, EQUAL, seeds[n % BITS_ARRAY_LEN(seeds)]);
		spray_init(&in, &b.set, 11);
		spray_init(&out, &b.set, 12);
		for (unsigned int t = 0; t < RUN; t++) {
			int from = spray_next(&b.set, &in, &b.alive, 0, UINT16_MAX);

			b.went[t] =
				(uint8_t)spray_next(&b.set, &out, &b.alive, 0, b.port_idx[from]);
			cr_assert_neq(b.went[t], from);
		}
		worst = worst_share(&b, 1);
		cr_assert_leq(worst, 0.05, "%u links, seed %#lx: %.2f %%", n, b.seed, 100 * worst);
	}
}

Test(spray, full_links_are_passed_over)
{
	struct bench b;
	struct spray s;
	struct rng rng;

	bench_init(&b, 64, RATES, seeds[1]);
	spray_init(&s, &b.set, 3);
	rng_init(&rng, b.seed);
	for (unsigned int t = 0; t < 100000; t++) {
		uint64_t full = rng_next(&rng) | rng_next(&rng);
		int link = spray_next(&b.set, &s, &b.alive, full, UINT16_MAX);

		cr_assert_eq(link >= 0, full != UINT64_MAX);
		if (link >= 0)
			cr_assert_not(full >> link & 1);
	}
	cr_assert_eq(spray_next(&b.set, &s, &b.alive, UINT64_MAX, UINT16_MAX), -1);
}

Test(spray, the_last_link_of_many_is_found_and_no_link_is_none)
{
	struct bench b;
	struct spray s;

	bench_init(&b, 64, RATES, seeds[0]);
	spray_init(&s, &b.set, 0);
	for (unsigned int i = 0; i < b.n; i++) {
		memset(&b.alive, 0xff, sizeof(b.alive));
		alive_set(&b.alive, b.port_idx[i], true);
		for (unsigned int t = 0; t < 300; t++)
			cr_assert_eq(spray_next(&b.set, &s, &b.alive, 0, UINT16_MAX), (int)i);
		cr_assert_eq(spray_next(&b.set, &s, &b.alive, 0, b.port_idx[i]), -1);
		cr_assert_eq(spray_next(&b.set, &s, &b.alive, UINT64_C(1) << i, UINT16_MAX), -1);
	}
}

Test(spray, entries_are_as_the_weights_and_a_weight_of_0_has_none)
{
	static const struct {
		unsigned int n;
		uint32_t weight[4];
		unsigned int n_entries;
		unsigned int count[4];
	} sets[] = {
		{1, {7}, 257, {257}},
		{2, {100, 100}, 258, {129, 129}},
		{3, {100000, 0, 400000}, 260, {52, 0, 208}},
		{3, {1, 1023, 0}, 1024, {1, 1023, 0}},
		{2, {1, UINT32_MAX}, 1024, {1, 1023}},
		{4, {1, 1, 1, UINT32_MAX}, 1024, {1, 1, 1, 1021}}, /* lifted */
		{3, {1000, 1000, 1001}, 1024, {341, 341, 342}},    /* largest remainder */
		{4, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, 260, {65, 65, 65, 65}},
		{2, {0, 0}, 0, {0, 0}},
		{0, {0}, 0, {0}},
	};

	for (unsigned int i = 0; i < BITS_ARRAY_LEN(sets); i++) {
		static const uint16_t ports[4] = {3, 511, 0, 64};
		unsigned int count[SPRAY_LINKS_MAX] = {0};
		struct alive alive = {0};
		struct spray_set set;
		struct spray s;

		cr_assert_eq(spray_set_init(&set, ports, sets[i].weight, sets[i].n, 1), 0);
		cr_assert_eq(set.n_entries, sets[i].n_entries, "set %u: %u", i, set.n_entries);
		for (unsigned int e = 0; e < set.n_entries; e++)
			count[set.sequence[e]]++;
		for (unsigned int l = 0; l < 4; l++)
			cr_assert_eq(
				count[l], sets[i].count[l], "set %u, link %u: %u", i, l, count[l]);
		spray_init(&s, &set, 1);
		cr_assert_eq(spray_next(&set, &s, &alive, 0, UINT16_MAX) >= 0, set.n_entries > 0);
	}
}

Test(spray, another_seed_is_another_order_and_the_same_seed_the_same)
{
	static struct bench b, c;

	for (unsigned int n = 3; n <= 64; n++) {
		bench_init(&b, n, RATES, 1);
		bench_init(&c, n, RATES, 2);
		cr_assert_neq(memcmp(&b.set, &c.set, sizeof(b.set)), 0);
		bench_init(&c, n, RATES, 1);
		cr_assert_eq(memcmp(&b.set, &c.set, sizeof(b.set)), 0);
	}
}

Test(spray, odd_weights_have_their_entries_to_less_than_one)
{
	struct bench b;

	for (unsigned int n = 2; n <= 64; n++) {
		double count[SPRAY_LINKS_MAX] = {0}, sum = 0;

		bench_init(&b, n, ODD, n);
		for (unsigned int e = 0; e < b.set.n_entries; e++)
			count[b.set.sequence[e]]++;
		for (unsigned int i = 0; i < n; i++)
			sum += b.weight[i];
		for (unsigned int i = 0; i < n; i++)
			cr_assert_lt(fabs(count[i] - b.weight[i] * b.set.n_entries / sum), 1,
				"%u links, link %u", n, i);
	}
}

Test(spray, equal_links_do_not_stand_twice_in_a_row)
{
	struct bench b;

	for (unsigned int n = 3; n <= 64; n++) {
		unsigned int twice = 0;

		bench_init(&b, n, EQUAL, seeds[0] + n);
		for (unsigned int i = 1; i < b.set.n_entries; i++)
			twice += b.set.sequence[i] == b.set.sequence[i - 1];
		cr_assert_leq(twice, 1, "%u links, seed %#lx: %u times", n, b.seed, twice);
	}
}

Test(spray, a_worker_may_come_from_another_set)
{
	static struct bench from, to;
	struct rng rng;

	rng_init(&rng, seeds[0]);
	for (unsigned int i = 0; i < 2000; i++) {
		struct spray s;

		bench_init(&from, 1 + (unsigned int)rng_below(&rng, 64), ODD, i);
		bench_init(&to, 2 + (unsigned int)rng_below(&rng, 63), (enum weights)(i % 3), i);
		to.weight[0] = 0;
		cr_assert_eq(spray_set_init(&to.set, to.port_idx, to.weight, to.n, i), 0);
		spray_init(&s, &from.set, i);
		for (unsigned int t = 0; t < 3; t++) {
			int link = spray_next(&to.set, &s, &to.alive, 0, UINT16_MAX);

			cr_assert(link > 0 && link < (int)to.n, "turn %u", i);
		}
		cr_assert_lt(s.pos, SPRAY_SEQUENCE_MAX);
	}
}

Test(spray, what_is_no_set_is_refused_and_nothing_is_written)
{
	static uint16_t ports[SPRAY_LINKS_MAX + 1];
	static uint32_t weight[SPRAY_LINKS_MAX + 1];
	static const uint16_t twice[] = {7, 8, 7}, beyond[] = {ALIVE_BITS};
	struct spray_set set, before;

	memset(&set, 0xa5, sizeof(set));
	before = set;
	for (uint16_t i = 0; i <= SPRAY_LINKS_MAX; i++) {
		ports[i] = i;
		weight[i] = 1;
	}
	cr_assert_eq(spray_set_init(&set, ports, weight, SPRAY_LINKS_MAX + 1, 0), -EINVAL);
	cr_assert_eq(spray_set_init(&set, twice, weight, 3, 0), -EINVAL);
	cr_assert_eq(spray_set_init(&set, beyond, weight, 1, 0), -EINVAL);
	cr_assert_eq(memcmp(&set, &before, sizeof(set)), 0);
}
