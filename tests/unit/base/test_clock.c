/* SPDX-License-Identifier: BSD-3-Clause */
/* The two clocks. No test asserts how much time passed. */
#include <criterion/criterion.h>

#include "base/clock.h"

Test(clock, manual_clock_stands_still_until_it_is_moved)
{
	uint64_t ticks = 5;
	struct clock c = clock_manual(&ticks, 1000);

	cr_assert_eq(c.hz, 1000);
	cr_assert_eq(clock_now(&c), 5);
	cr_assert_eq(clock_now(&c), 5);
	ticks = UINT64_MAX;
	cr_assert_eq(clock_now(&c), UINT64_MAX);
}

Test(clock, two_manual_clocks_are_two)
{
	uint64_t ticks[2] = {1, 2};
	struct clock a = clock_manual(&ticks[0], 1), b = clock_manual(&ticks[1], 1);

	ticks[0] = 10;
	cr_assert_eq(clock_now(&a), 10);
	cr_assert_eq(clock_now(&b), 2);
}

Test(clock, tsc_never_goes_back)
{
	struct clock c = clock_tsc(2500000000);
	uint64_t first = clock_now(&c), last = first;

	cr_assert_eq(c.hz, 2500000000);
	for (unsigned int i = 0; i < 1000000; i++) {
		uint64_t now = clock_now(&c);

		cr_assert_geq(now, last);
		last = now;
	}
	cr_assert_gt(last, first);
}
