/* SPDX-License-Identifier: BSD-3-Clause */
/* Liveness words against an array of booleans. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/alive.h"
#include "base/rng.h"

static void
check(const struct alive *a, const bool *want)
{
	bool all = true;

	for (unsigned int i = 0; i < ALIVE_BITS; i++) {
		cr_assert_eq(alive_test(a, i), want[i], "bit %u", i);
		all = all && want[i];
	}
	cr_assert_eq(alive_all(a), all);
}

Test(alive, each_bit_stands_for_itself)
{
	struct alive a = {0};
	bool want[ALIVE_BITS];

	memset(want, true, sizeof(want));
	check(&a, want);
	for (unsigned int i = 0; i < ALIVE_BITS; i++) {
		alive_set(&a, i, false);
		want[i] = false;
		check(&a, want);
		alive_set(&a, i, true);
		want[i] = true;
		check(&a, want);
	}
}

Test(alive, random_changes_agree_with_an_array)
{
	struct alive a = {0};
	bool want[ALIVE_BITS];
	struct rng rng;

	memset(want, true, sizeof(want));
	rng_init(&rng, 9);
	for (unsigned int round = 0; round < 5000; round++) {
		unsigned int i = (unsigned int)rng_below(&rng, ALIVE_BITS);

		want[i] = rng_below(&rng, 2);
		alive_set(&a, i, want[i]);
	}
	check(&a, want);
}

Test(alive, setting_twice_is_setting_once)
{
	struct alive a = {0};

	alive_set(&a, 511, true);
	alive_set(&a, 511, true);
	cr_assert(alive_test(&a, 511));
	alive_set(&a, 511, false);
	cr_assert_not(alive_test(&a, 511));
	alive_set(&a, 511, false);
	cr_assert_not(alive_test(&a, 511));
}

Test(alive, fills_one_cache_line)
{
	cr_assert_eq(sizeof(struct alive), RTE_CACHE_LINE_SIZE);
	cr_assert_eq(_Alignof(struct alive), RTE_CACHE_LINE_SIZE);
}
