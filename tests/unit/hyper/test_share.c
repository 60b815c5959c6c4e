/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of the members of a hyper port, by counting bytes against the weights. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "hyper/share.h"

/* Frames of any length to all members; *sent gets their bytes. */
static void
run(const uint64_t *weight, unsigned int n, unsigned int n_frames, uint64_t *sent)
{
	struct hyper_share s;
	struct rng r;

	rng_init(&r, 7);
	hyper_share_init(&s, weight, n);
	memset(sent, 0, n * sizeof(*sent));
	for (unsigned int i = 0; i < n_frames; i++) {
		uint32_t len = 64 + (uint32_t)rng_below(&r, 9000);
		int m = hyper_share_pick(&s, (1u << n) - 1);

		cr_assert(m >= 0 && m < (int)n);
		hyper_share_charge(&s, (unsigned int)m, len);
		sent[m] += len;
	}
}

Test(share, bytes_follow_the_weights)
{
	static const uint64_t weights[][8] = {{1, 1}, {100, 400, 200},
		{50021, 53818, 57615, 61412, 65209, 69006, 72803, 76600},
		{UINT64_C(400000000000), UINT64_C(100000000000)}};
	static const unsigned int n[] = {2, 3, 8, 2};

	for (unsigned int t = 0; t < 4; t++) {
		uint64_t sent[8], sum = 0, all = 0;

		run(weights[t], n[t], 10000, sent);
		for (unsigned int i = 0; i < n[t]; i++) {
			sum += weights[t][i];
			all += sent[i];
		}
		for (unsigned int i = 0; i < n[t]; i++) {
			double want = (double)all * (double)weights[t][i] / (double)sum;

			cr_assert_float_eq(
				(double)sent[i], want, want * 0.01, "member %u of %u", i, t);
		}
	}
}

Test(share, equal_frames_go_round)
{
	static const uint64_t weight[] = {5, 5, 5};
	struct hyper_share s;

	hyper_share_init(&s, weight, 3);
	for (unsigned int i = 0; i < 3000; i++) {
		int m = hyper_share_pick(&s, 7);

		cr_assert_eq(m, i % 3);
		hyper_share_charge(&s, (unsigned int)m, 1500);
	}
}

Test(share, a_member_that_comes_back_makes_up_for_little)
{
	static const uint64_t weight[] = {1, 1};
	unsigned int in_a_row = 0, others = 0;
	struct hyper_share s;

	hyper_share_init(&s, weight, 2);
	cr_assert_eq(hyper_share_pick(&s, 0), -1);
	for (unsigned int i = 0; i < 100000; i++) {
		cr_assert_eq(hyper_share_pick(&s, 1), 0);
		hyper_share_charge(&s, 0, 9000);
	}
	while (hyper_share_pick(&s, 3) == 1) {
		hyper_share_charge(&s, 1, 1000);
		in_a_row++;
	}
	cr_assert_geq(in_a_row, 1);
	cr_assert_leq(in_a_row, HYPER_SHARE_SLACK / 1000 + 10, "%u", in_a_row);
	for (unsigned int i = 0; i < 1000; i++) {
		int m = hyper_share_pick(&s, 3);

		others += m == 0;
		hyper_share_charge(&s, (unsigned int)m, 1000);
	}
	cr_assert_float_eq(others, 500, 10);
}

Test(share, a_weight_of_nothing_still_counts_as_little)
{
	static const uint64_t weight[] = {1000000, 0};
	uint64_t sent[2];

	run(weight, 2, 1000, sent);
	cr_assert_gt(sent[0], 100 * sent[1]);
}
