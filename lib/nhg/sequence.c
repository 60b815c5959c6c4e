/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a sequence is, how many entries each member has in it, and where they stand. */
#include "nhg/sequence.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/rng.h"
#include "nhg/group.h"

/*
 * Short sequences are repeated up to this. Of traffic in which every k-th packet is a long one (k
 * to 64, 2 to 32 members) no member gets 6 % more long ones than its share in 16,000 of them; with
 * half the length it is 12 %, and twice the length would be memory.
 */
#define SEQUENCE_MIN 1021u

static uint32_t
common_divisor(const uint32_t *weight, unsigned int n)
{
	uint32_t common = 0;

	for (unsigned int i = 0; i < n; i++) /* Euclid */
		for (uint32_t x = weight[i]; x != 0;) {
			uint32_t rest = common % x;

			common = x;
			x = rest;
		}
	return common;
}

/* Entries: a multiple of what the weights come to, as far as there is room. */
static uint32_t
length_of(const uint32_t *weight, unsigned int n)
{
	uint32_t common = common_divisor(weight, n);
	uint64_t sum = 0;

	if (common == 0)
		return 0;
	for (unsigned int i = 0; i < n; i++)
		sum += weight[i] / common;
	if (sum > NHG_SEQUENCE_MAX)
		return NHG_SEQUENCE_MAX;
	return (uint32_t)((SEQUENCE_MIN + sum - 1) / sum * sum);
}

static int
compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * A member of c entries has one in each c-th of the sequence, at a place in it that chance says: so
 * equal members make blocks, each of them once, in another order in each block.
 */
static void
order(struct nhg_sequence *s, const uint32_t *count, unsigned int n, struct rng *rng)
{
	uint64_t key[NHG_SEQUENCE_MAX];
	unsigned int k = 0;

	for (unsigned int i = 0; i < n; i++)
		for (uint64_t j = 0; j < count[i]; j++) {
			uint64_t at = (j << 32 | (uint32_t)rng_next(rng)) * s->n_entries;

			key[k++] = at / count[i] << 7 | i; /* below 2^(45 + 7) */
		}
	qsort(key, k, sizeof(key[0]), compare_keys);
	for (unsigned int e = 0; e < k; e++)
		s->entry[e] = key[e] % NHG_MEMBERS_MAX;
}

static bool
is_prime(unsigned int x)
{
	for (unsigned int i = 2; i * i <= x; i++)
		if (x % i == 0)
			return false;
	return true;
}

void
nhg_sequence_init(struct nhg_sequence *s, const uint32_t *weight, unsigned int n, uint64_t seed)
{
	uint32_t count[NHG_MEMBERS_MAX], length = length_of(weight, n);
	struct rng rng;

	s->n_entries = (uint16_t)length;
	s->n_skip = 0;
	if (length == 0 || nhg_buckets_apportion(weight, n, length, count) != 0) {
		s->n_entries = 0;
		return;
	}
	rng_init(&rng, seed);
	order(s, count, n, &rng);
	for (s->n_skip = 1; !is_prime(length - s->n_skip);)
		s->n_skip++;
}
