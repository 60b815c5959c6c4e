/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights to bucket counts: the examples everybody expects, and a dull reference. */
#include "groups.h"

static void
check(const uint32_t *weight, unsigned int n, uint32_t n_all, const uint32_t *want)
{
	uint32_t count[NHG_MEMBERS_MAX];

	cr_assert_eq(nhg_buckets_apportion(weight, n, n_all, count), 0);
	for (unsigned int i = 0; i < n; i++)
		cr_assert_eq(count[i], want[i], "member %u: %u, not %u", i, count[i], want[i]);
}

#define LIST(...) ((const uint32_t[]){__VA_ARGS__})

Test(apportion, shares_follow_weights)
{
	check(LIST(3, 1), 2, 512, LIST(384, 128));
	check(LIST(6, 4), 2, 512, LIST(307, 205));
	check(LIST(1, 255), 2, 512, LIST(2, 510));
	check(LIST(1, 1, 1), 3, 64, LIST(22, 21, 21));
	check(LIST(65535, 65535), 2, 32768, LIST(16384, 16384));
	check(LIST(7), 1, 512, LIST(512));
}

Test(apportion, weight_zero_gets_nothing)
{
	check(LIST(0, 5, 0, 5), 4, 64, LIST(0, 32, 0, 32));
	check(LIST(0, 0, 0), 3, 64, LIST(0, 0, 0));
	cr_assert_eq(nhg_buckets_apportion(NULL, 0, 64, NULL), 0);
}

Test(apportion, smallest_weight_gets_one_and_the_largest_pays)
{
	uint32_t weight[61], want[61];

	check(LIST(1, 65535), 2, 64, LIST(1, 63));
	check(LIST(1, 1, 32000, 32000), 4, 64, LIST(1, 1, 31, 31));
	for (unsigned int i = 0; i < 60; i++)
		weight[i] = want[i] = 1;
	weight[60] = 65535;
	want[60] = 4;
	check(weight, 61, 64, want);
	/* Those of weight 2 stay at their own one, too. */
	weight[7] = 2;
	check(weight, 61, 64, want);
}

Test(apportion, more_members_than_buckets_is_an_error)
{
	uint32_t weight[NHG_MEMBERS_MAX + 1], count[NHG_MEMBERS_MAX + 1];

	for (unsigned int i = 0; i <= NHG_MEMBERS_MAX; i++) {
		weight[i] = i + 1;
		count[i] = 4711;
	}
	cr_assert_eq(nhg_buckets_apportion(weight, 65, 64, count), -EINVAL);
	cr_assert_eq(nhg_buckets_apportion(weight, NHG_MEMBERS_MAX + 1, 512, count), -EINVAL);
	cr_assert_eq(count[0], 4711);
	weight[3] = 0;
	cr_assert_eq(nhg_buckets_apportion(weight, 65, 64, count), 0);
	cr_assert_eq(nhg_buckets_apportion(weight, NHG_MEMBERS_MAX, 128, count), 0);
	for (unsigned int i = 0; i < NHG_MEMBERS_MAX; i++)
		cr_assert(count[i] == (i == 3 ? 0u : count[i]) && (i == 3 || count[i] >= 1));
}

/* One bucket at a time, by the words of the contract. */
static void
reference(const uint32_t *weight, unsigned int n, uint32_t n_all, uint32_t *ret_count)
{
	bool rounded[NHG_MEMBERS_MAX] = {false};
	uint64_t total = 0;
	int64_t left = n_all;

	for (unsigned int i = 0; i < n; i++)
		total += weight[i];
	for (unsigned int i = 0; i < n; i++) {
		ret_count[i] = total == 0 ? 0 : (uint32_t)((uint64_t)weight[i] * n_all / total);
		rounded[i] = weight[i] != 0 && ret_count[i] == 0;
		ret_count[i] += rounded[i];
		left -= ret_count[i];
	}
	for (; left > 0 && total != 0; left--) {
		long double most = 0;
		unsigned int best = n;

		for (unsigned int i = 0; i < n; i++) {
			uint64_t rest = (uint64_t)weight[i] * n_all % total;

			if (!rounded[i] && rest > most) {
				most = rest;
				best = i;
			}
		}
		cr_assert_lt(best, n);
		rounded[best] = true;
		ret_count[best]++;
	}
	for (; left < 0; left++) {
		unsigned int largest = 0;

		for (unsigned int i = 0; i < n; i++)
			if (ret_count[i] >= ret_count[largest])
				largest = i;
		ret_count[largest]--;
	}
}

Test(apportion, random_weights_agree_with_the_reference)
{
	uint32_t weight[NHG_MEMBERS_MAX], want[NHG_MEMBERS_MAX], count[NHG_MEMBERS_MAX];
	struct rng rng;

	rng_init(&rng, 5);
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int n = 1 + (unsigned int)rng_below(&rng, NHG_MEMBERS_MAX);
		uint32_t n_all = 128u << rng_below(&rng, 9);
		uint32_t span = 1 + (uint32_t)rng_below(&rng, round % 2 ? 4 : NHG_WEIGHT_MAX);
		uint32_t sum = 0, heaviest = 0;

		for (unsigned int i = 0; i < n; i++) {
			weight[i] = (uint32_t)rng_below(&rng, span + 1);
			if (rng_below(&rng, 20) == 0)
				weight[i] = NHG_WEIGHT_MAX;
			heaviest = weight[i] > heaviest ? weight[i] : heaviest;
		}
		cr_assert_eq(nhg_buckets_apportion(weight, n, n_all, count), 0);
		reference(weight, n, n_all, want);
		for (unsigned int i = 0; i < n; i++) {
			cr_assert_eq(count[i], want[i], "round %u, member %u", round, i);
			cr_assert_eq(count[i] != 0, weight[i] != 0);
			sum += count[i];
		}
		cr_assert_eq(sum, heaviest == 0 ? 0 : n_all);
	}
}
