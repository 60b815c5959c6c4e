/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Liveness words: one bit for each port and fabric link of a node, set while it is dead, so that a
 * node with nothing dead is known by eight zeros.
 *
 * Owner: the control thread, which sets a bit at link down and clears it at link up.
 * Readers: every worker, once a burst, and for each packet while something is dead.
 * Lifetime: that of the node. One cache line, written a few times a day, so it stays shared.
 * Memory order: relaxed on both sides. A bit guards no other data; a worker that reads the old
 * value for a moment sends as it would have sent a moment earlier.
 */
#ifndef BASE_ALIVE_H
#define BASE_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

#define ALIVE_BITS 512u /* one cache line */

struct alive {
	uint64_t dead[ALIVE_BITS / 64];
} __rte_cache_aligned;

/* idx < ALIVE_BITS; alive until alive_set() says otherwise. Any thread. */
static inline bool
alive_test(const struct alive *a, unsigned int idx)
{
	uint64_t w = __atomic_load_n(&a->dead[(idx / 64) % (ALIVE_BITS / 64)], __ATOMIC_RELAXED);

	return !(w >> (idx % 64) & 1);
}

/* Nothing is dead. Any thread. */
static inline bool
alive_all(const struct alive *a)
{
	uint64_t dead = 0;

	for (unsigned int i = 0; i < ALIVE_BITS / 64; i++)
		dead |= __atomic_load_n(&a->dead[i], __ATOMIC_RELAXED);
	return dead == 0;
}

/* idx < ALIVE_BITS. Control thread. */
static inline void
alive_set(struct alive *a, unsigned int idx, bool up)
{
	uint64_t bit = UINT64_C(1) << (idx % 64);
	uint64_t *w = &a->dead[(idx / 64) % (ALIVE_BITS / 64)];

	if (up)
		__atomic_fetch_and(w, ~bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_or(w, bit, __ATOMIC_RELAXED);
}

#endif
