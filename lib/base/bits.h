/* SPDX-License-Identifier: BSD-3-Clause */
/* Small helpers for bits and powers of two. Pure, any thread. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BITS_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* True for 1, 2, 4, ... and false for 0. */
static inline bool
bits_is_pow2(uint64_t x)
{
	return x != 0 && (x & (x - 1)) == 0;
}

/* Index of the lowest set bit; `x` must not be 0. */
static inline unsigned int
bits_lowest(uint64_t x)
{
	return (unsigned int)__builtin_ctzll(x);
}

#endif
