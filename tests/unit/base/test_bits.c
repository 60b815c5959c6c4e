/* SPDX-License-Identifier: BSD-3-Clause */
/* Powers of two and lowest bits, all of them. */
#include <criterion/criterion.h>

#include "base/bits.h"

Test(bits, powers_of_two_are_those_with_one_bit)
{
	cr_assert_not(bits_is_pow2(0));
	for (unsigned int i = 0; i < 64; i++) {
		uint64_t x = UINT64_C(1) << i;

		cr_assert(bits_is_pow2(x), "2^%u", i);
		if (i > 0) {
			cr_assert_not(bits_is_pow2(x | 1), "2^%u + 1", i);
			cr_assert_eq(bits_is_pow2(x - 1), i == 1, "2^%u - 1", i);
		}
	}
}

Test(bits, lowest_bit_does_not_care_for_higher_ones)
{
	for (unsigned int i = 0; i < 64; i++) {
		cr_assert_eq(bits_lowest(UINT64_C(1) << i), i);
		cr_assert_eq(bits_lowest(UINT64_MAX << i), i);
	}
}

Test(bits, array_length_counts_elements)
{
	uint64_t a[7];
	uint8_t b[3][5];

	(void)a;
	(void)b;
	cr_assert_eq(BITS_ARRAY_LEN(a), 7);
	cr_assert_eq(BITS_ARRAY_LEN(b), 3);
}
