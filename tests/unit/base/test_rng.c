/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator: known values, bounds, and that it is about as even as chance. */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"

Test(rng, gives_the_known_values_of_splitmix64)
{
	static const uint64_t want[] = {UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
	struct rng rng;

	rng_init(&rng, 1234567);
	for (size_t i = 0; i < BITS_ARRAY_LEN(want); i++)
		cr_assert_eq(rng_next(&rng), want[i], "value %zu", i);
	rng_init(&rng, 0);
	cr_assert_eq(rng_next(&rng), UINT64_C(0xe220a8397b1dcdaf));
}

Test(rng, same_seed_repeats_and_another_does_not)
{
	struct rng a, b, c;
	unsigned int same = 0;

	rng_init(&a, 7);
	rng_init(&b, 7);
	rng_init(&c, 8);
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t x = rng_next(&a);

		cr_assert_eq(x, rng_next(&b));
		same += x == rng_next(&c);
	}
	cr_assert_eq(same, 0);
}

Test(rng, below_stays_below_its_bound)
{
	static const uint64_t bounds[] = {
		1, 2, 3, 7, 10, 64, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 63) + 1, UINT64_MAX};
	struct rng rng;

	rng_init(&rng, 42);
	for (size_t b = 0; b < BITS_ARRAY_LEN(bounds); b++)
		for (unsigned int i = 0; i < 10000; i++)
			cr_assert_lt(rng_below(&rng, bounds[b]), bounds[b]);
}

Test(rng, below_reaches_both_ends_of_its_range)
{
	struct rng rng;
	unsigned int lowest = 0, highest = 0;

	rng_init(&rng, 42);
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t x = rng_below(&rng, 10);

		lowest += x == 0;
		highest += x == 9;
	}
	cr_assert(lowest > 0 && highest > 0);
	cr_assert_eq(rng_below(&rng, 1), 0);
}

/* Chi square of 100 bins has mean 99 and deviation 14; 4 deviations either way. */
Test(rng, below_is_as_even_as_chance)
{
	enum { BINS = 100, DRAWS = 100000 };
	unsigned int count[BINS] = {0};
	double chi2 = 0;
	struct rng rng;

	rng_init(&rng, 2024);
	for (unsigned int i = 0; i < DRAWS; i++)
		count[rng_below(&rng, BINS)]++;
	for (unsigned int i = 0; i < BINS; i++) {
		double off = (double)count[i] - DRAWS / BINS;

		chi2 += off * off / (DRAWS / BINS);
	}
	cr_assert(chi2 > 43 && chi2 < 155, "chi square %f", chi2);
}

Test(rng, each_bit_is_set_half_of_the_time)
{
	unsigned int ones[64] = {0};
	struct rng rng;

	rng_init(&rng, 5);
	for (unsigned int i = 0; i < 40000; i++) {
		uint64_t x = rng_next(&rng);

		for (unsigned int bit = 0; bit < 64; bit++)
			ones[bit] += (x >> bit) & 1;
	}
	for (unsigned int bit = 0; bit < 64; bit++) /* deviation 100; 5 of them */
		cr_assert(ones[bit] > 19500 && ones[bit] < 20500, "bit %u: %u", bit, ones[bit]);
}
