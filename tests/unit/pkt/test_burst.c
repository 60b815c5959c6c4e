/* SPDX-License-Identifier: BSD-3-Clause */
/* burst_split() against a dull split, for every pattern of a small burst and random ones of a full.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "pkt/burst.h"

static struct rte_mbuf mbufs[BURST_MAX];

/* A burst whose packet i is mbuf i, with metadata that tells where it belongs. */
static void
fill(struct burst *b, uint16_t n)
{
	memset(b, 0, sizeof(*b));
	b->n = n;
	b->in_port_idx = 77;
	for (uint16_t i = 0; i < n; i++) {
		b->mbuf[i] = &mbufs[i];
		b->meta[i].src = 1000u + i;
		b->meta[i].counter = 2000u + i;
	}
}

/* Splits and checks; `first_out`: how many left by an exit before. */
static void
split_and_check(struct burst *b)
{
	static struct burst before;
	uint16_t kept = 0, out;

	before = *b;
	out = before.n_out;
	burst_split(b);
	for (uint16_t i = 0; i < before.n; i++) {
		if (before.meta[i].verdict == 0) {
			cr_assert_eq(b->mbuf[kept], before.mbuf[i], "kept packets stay in order");
			cr_assert_eq(memcmp(&b->meta[kept], &before.meta[i], sizeof(b->meta[0])), 0,
				"metadata goes with its packet");
			kept++;
		} else {
			cr_assert_eq(b->out_mbuf[out], before.mbuf[i], "exits are in order");
			cr_assert_eq(b->out_verdict[out], before.meta[i].verdict);
			out++;
		}
	}
	cr_assert_eq(b->n, kept);
	cr_assert_eq(b->n_out, out);
	cr_assert_eq(b->in_port_idx, 77);
	cr_assert_eq(memcmp(b->out_mbuf, before.out_mbuf, before.n_out * sizeof(b->out_mbuf[0])), 0,
		"earlier exits stay");
	cr_assert_eq(memcmp(b->out_verdict, before.out_verdict, before.n_out), 0);
}

Test(burst, every_pattern_of_six_is_split_in_order)
{
	static struct burst b;

	for (unsigned int pattern = 0; pattern < 64; pattern++)
		for (uint16_t n = 0; n <= 6; n++) {
			fill(&b, n);
			for (uint16_t i = 0; i < n; i++)
				b.meta[i].verdict =
					(pattern >> i) & 1 ? (uint8_t)(100 + 20 * i) : 0;
			split_and_check(&b);
		}
}

Test(burst, random_bursts_are_split_stage_after_stage)
{
	static struct burst b;
	struct rng rng;

	rng_init(&rng, 11);
	for (unsigned int round = 0; round < 5000; round++) {
		uint64_t density = 1 + rng_below(&rng, 20);

		fill(&b, (uint16_t)rng_below(&rng, BURST_MAX + 1));
		uint16_t total = b.n;

		for (unsigned int stage = 0; stage < 4; stage++) {
			for (uint16_t i = 0; i < b.n; i++)
				if (rng_below(&rng, density) == 0)
					b.meta[i].verdict = (uint8_t)(1 + rng_below(&rng, 255));
			split_and_check(&b);
			cr_assert_eq(b.n + b.n_out, total, "none is lost, none is twice there");
		}
	}
}

Test(burst, full_burst_may_leave_as_a_whole)
{
	static struct burst b;

	fill(&b, BURST_MAX);
	for (uint16_t i = 0; i < BURST_MAX; i++)
		b.meta[i].verdict = 255;
	split_and_check(&b);
	cr_assert_eq(b.n, 0);
	cr_assert_eq(b.n_out, BURST_MAX);
	split_and_check(&b);
	cr_assert_eq(b.n_out, BURST_MAX);
}
