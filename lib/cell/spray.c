/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building a spray set: how long its sequence is, how many entries each link has in it, and where
 * they stand. What walks it is in the header.
 */
#include "cell/spray.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/*
 * Shorter sequences are made of repetitions up to this: a pass must be longer than what traffic
 * repeats itself in, a packet of 64 cells at most. Twice as long would mean half as many passes in
 * which a link's entries meet all phases.
 */
#define SEQUENCE_MIN 257u

struct build {
	uint32_t weight[SPRAY_LINKS_MAX]; /* divided by what they have in common */
	uint32_t count[SPRAY_LINKS_MAX];  /* entries of each link */
	uint64_t sum;                     /* of the weights */
	unsigned int n;
};

static int
check_ports(const uint16_t *port_idx, unsigned int n)
{
	uint64_t seen[ALIVE_BITS / 64] = {0};

	if (n > SPRAY_LINKS_MAX)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		unsigned int p = port_idx[i];

		if (p >= ALIVE_BITS || seen[p / 64] >> (p % 64) & 1)
			return -EINVAL;
		seen[p / 64] |= UINT64_C(1) << (p % 64);
	}
	return 0;
}

static void
weights_init(struct build *b, const uint32_t *weight, unsigned int n)
{
	uint32_t common = 0;

	for (unsigned int i = 0; i < n; i++) /* Euclid */
		for (uint32_t x = weight[i]; x != 0;) {
			uint32_t rest = common % x;

			common = x;
			x = rest;
		}
	b->n = n;
	b->sum = 0;
	for (unsigned int i = 0; i < n; i++) {
		b->weight[i] = common == 0 ? 0 : weight[i] / common;
		b->sum += b->weight[i];
	}
}

static unsigned int
length_init(const struct build *b)
{
	uint64_t times;

	if (b->sum == 0)
		return 0;
	if (b->sum > SPRAY_SEQUENCE_MAX)
		return SPRAY_SEQUENCE_MAX;
	times = (SEQUENCE_MIN + b->sum - 1) / b->sum;
	return (unsigned int)RTE_MAX(times * b->sum, b->sum);
}

/*
 * Largest remainders, but one entry at least; those that are lifted up to it are paid for by the
 * heaviest.
 */
static void
counts_init(struct build *b, unsigned int length)
{
	uint64_t rest[SPRAY_LINKS_MAX];
	unsigned int sum = 0;

	for (unsigned int i = 0; i < b->n; i++) {
		uint64_t scaled = (uint64_t)b->weight[i] * length;

		b->count[i] = (uint32_t)(scaled / b->sum);
		rest[i] = scaled % b->sum;
		if (b->count[i] == 0 && b->weight[i] != 0) {
			b->count[i] = 1;
			rest[i] = 0;
		}
		sum += b->count[i];
	}
	for (; sum < length; sum++) {
		unsigned int best = 0;

		for (unsigned int i = 1; i < b->n; i++)
			if (rest[i] > rest[best])
				best = i;
		b->count[best]++;
		rest[best] = 0;
	}
	for (; sum > length; sum--) {
		unsigned int best = 0;

		for (unsigned int i = 1; i < b->n; i++)
			if (b->count[i] > b->count[best])
				best = i;
		b->count[best]--;
	}
}

static int
compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * A link of c entries has one in each c-th of the sequence, at a place in it that chance says: so
 * equal links make blocks, each of them once, in another order in each block.
 */
static void
order_init(const struct build *b, struct spray_set *set, struct rng *rng)
{
	uint64_t key[SPRAY_SEQUENCE_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->n; i++)
		for (uint64_t j = 0; j < b->count[i]; j++) {
			uint64_t at = (j << 32 | (uint32_t)rng_next(rng)) * set->n_entries;

			key[n++] = (at / b->count[i]) << 6 | i;
		}
	qsort(key, n, sizeof(key[0]), compare_keys);
	for (unsigned int i = 0; i < n; i++)
		set->sequence[i] = key[i] % SPRAY_LINKS_MAX;
}

/*
 * Where a link stands twice in a row, its second entry changes places with the one behind, if that
 * is another's. No further: a heavy link must stand twice in a row, and evenly so.
 */
static void
part_neighbours(struct spray_set *set)
{
	uint8_t *seq = set->sequence;

	for (unsigned int i = 1; i + 1u < set->n_entries; i++) {
		uint8_t link = seq[i];

		if (link == seq[i - 1]) {
			seq[i] = seq[i + 1];
			seq[i + 1] = link;
		}
	}
}

static bool
prime_init(unsigned int x)
{
	for (unsigned int i = 2; i * i <= x; i++)
		if (x % i == 0)
			return false;
	return true;
}

int
spray_set_init(struct spray_set *set, const uint16_t *port_idx, const uint32_t *weight,
	unsigned int n, uint64_t seed)
{
	struct build b;
	struct rng rng;
	unsigned int length;

	if (check_ports(port_idx, n) != 0)
		return -EINVAL;
	weights_init(&b, weight, n);
	length = length_init(&b);
	memset(set, 0, sizeof(*set));
	set->n_links = (uint16_t)n;
	set->n_entries = (uint16_t)length;
	memcpy(set->port_idx, port_idx, n * sizeof(port_idx[0]));
	if (length == 0)
		return 0;
	rng_init(&rng, seed);
	counts_init(&b, length);
	order_init(&b, set, &rng);
	part_neighbours(set);
	for (set->n_skip = 1; !prime_init(length - set->n_skip);)
		set->n_skip++;
	/* A worker that comes from a longer sequence still finds links that have a weight. */
	for (unsigned int i = length; i < SPRAY_SEQUENCE_MAX; i++)
		set->sequence[i] = set->sequence[i - length];
	return 0;
}

void
spray_init(struct spray *s, const struct spray_set *set, uint64_t seed)
{
	struct rng rng;

	s->pos = 0;
	s->left = 1;
	if (set->n_entries == 0)
		return;
	rng_init(&rng, seed);
	s->pos = (uint32_t)rng_below(&rng, set->n_entries);
	s->left = 1 + (uint32_t)rng_below(&rng, set->n_entries);
}

int
spray_next_rare(const struct spray_set *set, struct spray *s, const struct alive *alive,
	uint64_t full, uint16_t not_port_idx)
{
	uint64_t may = 0;

	for (unsigned int i = 0; i < set->n_links; i++)
		may |= (uint64_t)spray_may(set, i, alive, full, not_port_idx) << i;
	if ((may & (may - 1)) == 0)
		return may == 0 ? -1 : __builtin_ctzll(may);
	for (unsigned int i = 0; i < 2u * set->n_entries; i++) {
		unsigned int link = spray_step(set, s);

		if (may >> link & 1)
			return (int)link;
	}
	return -1;
}
