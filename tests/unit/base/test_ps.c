/* SPDX-License-Identifier: BSD-3-Clause */
/* Ticks to picoseconds: exact against long arithmetic, monotone, harmless at the wrap. */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/ps.h"
#include "base/rng.h"

static const uint64_t rates[] = {1, 3, 1000, 1000000, 999999937, 1000000000, 2100000000, 2893202000,
	3000000001, 5000000000, 999999999999, 1000000000000};

/* By division, rounded down. */
static uint64_t
exact_ps(uint64_t ticks, uint64_t hz)
{
	return (uint64_t)((unsigned __int128)ticks * PS_PER_S / hz);
}

Test(ps, two_hundred_days_are_right_to_a_few_picoseconds)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++) {
		struct timebase tb;
		uint64_t hz = rates[i];
		static const uint64_t days[] = {0, 1, 10, 100, 200};

		timebase_init(&tb, hz, 12345);
		for (size_t d = 0; d < BITS_ARRAY_LEN(days); d++) {
			uint64_t ticks = days[d] * 86400 * hz + hz / 3;

			if (days[d] * 86400 * hz / hz != days[d] * 86400 || ticks >> 63 != 0)
				continue; /* more than the counter holds */
			int64_t off =
				(int64_t)(ps_from_ticks(&tb, 12345 + ticks) - exact_ps(ticks, hz));

			/* 1.7 * 10^19 ps at 1 part in 2^63 */
			cr_assert(off >= -3 && off <= 3, "%lu Hz, %lu days: %ld ps off", hz,
				days[d], off);
		}
	}
}

Test(ps, it_never_goes_back)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++) {
		struct timebase tb;
		uint64_t at = rng_next(&rng);

		timebase_init(&tb, rates[i], at + 100); /* begins before its origin */
		for (unsigned int n = 0; n < 100000; n++) {
			uint64_t step = rng_below(&rng, n % 2 ? 3 : 100000);
			uint64_t was = ps_from_ticks(&tb, at), now = ps_from_ticks(&tb, at + step);
			uint64_t want = exact_ps(step, rates[i]);

			cr_assert(now - was - want + 1 <= 2, "%lu Hz: %lu ticks are %lu ps",
				rates[i], step, now - was);
			at += step;
		}
	}
}

Test(ps, it_starts_at_zero_and_a_lagging_counter_is_just_before)
{
	struct timebase tb;

	timebase_init(&tb, 1000000000, 777);
	cr_assert_eq(ps_from_ticks(&tb, 777), 0);
	cr_assert_eq(ps_from_ticks(&tb, 778), 1000);
	cr_assert_eq(ps_from_ticks(&tb, 776), -UINT64_C(1000));
	cr_assert_not(ps_reached(ps_from_ticks(&tb, 777), ps_from_ticks(&tb, 776)));
}

Test(ps, the_wrap_changes_no_comparison)
{
	static const uint64_t starts[] = {0, 1, UINT64_MAX, UINT64_MAX - 499, UINT64_C(1) << 63};

	for (size_t i = 0; i < BITS_ARRAY_LEN(starts); i++) {
		uint64_t now = starts[i];

		cr_assert(ps_reached(now, now));
		cr_assert(ps_reached(now, now + 500));
		cr_assert_not(ps_reached(now + 500, now));
		cr_assert_eq(ps_ahead(now + 500, now), 500);
		cr_assert_eq(ps_ahead(now, now + 500), 0);
		cr_assert_eq(ps_ahead(now + PS_AHEAD_MAX, now), PS_AHEAD_MAX);
		/* half the wrap and more behind is behind, not ahead */
		cr_assert_eq(ps_ahead(now, now + (UINT64_C(1) << 63) + 5), 0);
		cr_assert_eq(ps_ahead(now, now + UINT64_MAX - PS_AHEAD_MAX - 5), 0);
	}
}

/* A word that was last set long ago would seem to be up to 70 s ahead, once in 213 days. */
Test(ps, a_time_that_is_touched_each_hour_never_comes_round)
{
	const uint64_t hour = 3600 * PS_PER_S;
	uint64_t touched = 0, left_alone = 0, ahead = 0;

	for (uint64_t now = 0; now < UINT64_MAX - hour; now += hour) {
		ps_touch(&touched, now);
		cr_assert_eq(touched, now);
	}
	for (uint64_t s = 100; s > 0; s--) {
		uint64_t now = -(s * PS_PER_S);

		cr_assert_eq(ps_ahead(touched, now), 0, "%lu s before the wrap", s);
		if (ps_ahead(left_alone, now) > ahead)
			ahead = ps_ahead(left_alone, now);
	}
	cr_assert_gt(ahead, 60 * PS_PER_S, "without it this would be no test");
	/* what is still ahead is nobody else's to change */
	left_alone = 500;
	ps_touch(&left_alone, 499);
	cr_assert_eq(left_alone, 500);
}
