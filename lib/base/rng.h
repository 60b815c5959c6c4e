/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chance is an input: a small seeded generator, one a worker, so that a run repeats.
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
 * Not for secrets.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline void
rng_init(struct rng *r, uint64_t seed)
{
	r->state = seed;
}

static inline uint64_t
rng_next(struct rng *r)
{
	uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Uniform in [0, bound) to within bound / 2^64; bound > 0. Multiplication instead of a division. */
static inline uint64_t
rng_below(struct rng *r, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * bound) >> 64);
}

#endif
