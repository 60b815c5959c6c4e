/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weights to bucket counts: the method of largest remainders (Hamilton), with a floor of one
 * bucket. Pure arithmetic. nhg_group_create() asks here how many buckets each member should own;
 * which ones they are is decided there.
 */
#include <errno.h>

#include "nhg/group.h"

/* The share of one member in buckets, rounded down, and what that left over in units of 1 / sum. */
struct share {
	uint64_t rest;
	uint32_t count;
};

/*
 * Rounds every share down, but up to 1 where the weight is above 0. A share that was lifted has had
 * its rounding up, so its rest is 0. Returns the sum of the counts.
 */
static uint32_t
floor_shares(const uint32_t *weight, unsigned int n, uint32_t n_buckets, uint64_t weight_sum,
	struct share *share)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t scaled = (uint64_t)weight[i] * n_buckets;

		share[i].count = (uint32_t)(scaled / weight_sum);
		share[i].rest = scaled % weight_sum;
		if (share[i].count == 0 && weight[i] != 0) {
			share[i].count = 1;
			share[i].rest = 0;
		}
		sum += share[i].count;
	}
	return sum;
}

/*
 * One more bucket for each of the `missing` largest rests; of equal ones the first member's. Fewer
 * are missing than there are rests above 0, because the rests of whole shares sum up to them.
 */
static void
round_up(struct share *share, unsigned int n, uint32_t missing)
{
	for (; missing > 0; missing--) {
		unsigned int best = 0;

		for (unsigned int i = 1; i < n; i++)
			if (share[i].rest > share[best].rest)
				best = i;
		share[best].count++;
		share[best].rest = 0;
	}
}

/* Takes `excess` buckets, each from the largest share; of equal ones from the last member's. */
static void
trim_largest(struct share *share, unsigned int n, uint32_t excess)
{
	for (; excess > 0; excess--) {
		unsigned int largest = 0;

		for (unsigned int i = 1; i < n; i++)
			if (share[i].count >= share[largest].count)
				largest = i;
		share[largest].count--;
	}
}

int
nhg_buckets_apportion(
	const uint32_t *weight, unsigned int n, uint32_t n_buckets, uint32_t *ret_count)
{
	struct share share[NHG_MEMBERS_MAX];
	uint64_t weight_sum = 0;
	uint32_t sum, n_weighted = 0;

	if (n > NHG_MEMBERS_MAX)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		weight_sum += weight[i];
		n_weighted += weight[i] != 0;
	}
	if (n_weighted > n_buckets)
		return -EINVAL;
	if (weight_sum == 0) {
		for (unsigned int i = 0; i < n; i++)
			ret_count[i] = 0;
		return 0;
	}
	sum = floor_shares(weight, n, n_buckets, weight_sum, share);
	if (sum < n_buckets)
		round_up(share, n, n_buckets - sum);
	else
		trim_largest(share, n, sum - n_buckets);
	for (unsigned int i = 0; i < n; i++)
		ret_count[i] = share[i].count;
	return 0;
}
