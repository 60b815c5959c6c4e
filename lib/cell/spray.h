/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spray: which fabric link the next cell takes. Comes after the cut, and after reachability, whose
 * links and capacities a set is built from; before the queue of the link.
 *
 * A set is the links that lead to a device. Its sequence gives each link as many entries as its
 * weight is worth, spread evenly; a worker walks it and passes over links that cannot be used, so
 * that the others keep their shares among them. After each pass it leaves a few entries out, so
 * that a pass begins a prime number of cells after the one before: traffic that repeats every k
 * cells (packets of k cells, of which the last is short) then meets each entry in every phase.
 *
 * Owner: the control thread builds a set, publishes it and frees it after a grace period; workers
 * read it. A struct spray belongs to one worker and goes with one set.
 */
#ifndef CELL_SPRAY_H
#define CELL_SPRAY_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "base/alive.h"

#define SPRAY_LINKS_MAX 64u /* of a set: a bit each in a word */

/* 64 links of odd but like weights have 16 each, right to 3 %; with half as many, to 6 %. */
#define SPRAY_SEQUENCE_MAX 1024u

/* Entries that a worker tries one by one before it asks which links there are at all. */
#define SPRAY_TRIES 16u

/* Immutable once built. */
struct spray_set {
	uint16_t n_links;
	uint16_t n_entries; /* 0: no link has a weight */
	uint16_t n_skip;    /* entries left out after each pass */
	uint16_t port_idx[SPRAY_LINKS_MAX];
	uint8_t sequence[SPRAY_SEQUENCE_MAX]; /* link by its position in port_idx */
} __rte_cache_aligned;

struct spray {
	uint32_t pos;  /* below SPRAY_SEQUENCE_MAX */
	uint32_t left; /* entries of this pass */
};

/*
 * Builds a set of `n` links, 0..SPRAY_LINKS_MAX. `weight` in any unit; 0: not used. Shares are
 * exact where the weights, divided by what they have in common, sum up to SPRAY_SEQUENCE_MAX or
 * less, else right to one entry of SPRAY_SEQUENCE_MAX (largest remainders), but one entry at least.
 * -EINVAL: too many links, a port that has no liveness bit, or a port that is named twice.
 * Control thread.
 */
int spray_set_init(struct spray_set *set, const uint16_t *port_idx, const uint32_t *weight,
	unsigned int n, uint64_t seed);

/* Begins anywhere in the set's sequence; give each worker and set another seed. Any thread. */
void spray_init(struct spray *s, const struct spray_set *set, uint64_t seed);

/* spray_next() where the first SPRAY_TRIES entries were of no use. Worker. */
int spray_next_rare(const struct spray_set *set, struct spray *s, const struct alive *alive,
	uint64_t full, uint16_t not_port_idx);

/* The link of this entry, and on to the next one. */
static inline unsigned int
spray_step(const struct spray_set *set, struct spray *s)
{
	unsigned int link = set->sequence[s->pos];

	if (unlikely(--s->left == 0)) {
		s->left = set->n_entries;
		s->pos += set->n_skip;
	}
	s->pos++;
	if (unlikely(s->pos >= set->n_entries))
		s->pos -= set->n_entries;
	return link;
}

static inline bool
spray_may(const struct spray_set *set, unsigned int link, const struct alive *alive, uint64_t full,
	uint16_t not_port_idx)
{
	uint16_t port_idx = set->port_idx[link];

	return !(full >> link & 1) && port_idx != not_port_idx && alive_test(alive, port_idx);
}

/*
 * The position in the set of the next link that is alive, is not the port `not_port_idx` (the one
 * that the cell came in by; UINT16_MAX: any may be taken) and has no bit in `full` (bit: position
 * in the set; its buffer is full). -1: none. Worker.
 */
static inline int
spray_next(const struct spray_set *set, struct spray *s, const struct alive *alive, uint64_t full,
	uint16_t not_port_idx)
{
	if (unlikely(set->n_entries == 0))
		return -1;
	for (unsigned int i = 0; i < SPRAY_TRIES; i++) {
		unsigned int link = spray_step(set, s);

		if (likely(spray_may(set, link, alive, full, not_port_idx)))
			return (int)link;
	}
	return spray_next_rare(set, s, alive, full, not_port_idx);
}

#endif
