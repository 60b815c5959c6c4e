/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a hash to a live member. nhg_probe() is the one rule by which a dead member's buckets find
 * another owner, used by the worker at once and by nhg_group_create() for the rebuilt table.
 */
#ifndef NHG_SELECT_INL_H
#define NHG_SELECT_INL_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>

#include "base/alive.h"
#include "nhg/group.h"

/*
 * How many buckets are tried before the members are tried in their order. With 3 of 4 dead a probe
 * fails 64 times in a row once in 10^8; the bound keeps the cost of a dying group finite.
 */
#define NHG_PROBE_MAX 64u

/*
 * The live owner that bucket `b` falls to: the owner of the first of the next NHG_PROBE_MAX buckets
 * of the base table that lives, else the first live member with a weight, else NHG_NONE. `alive`
 * answers for a member index.
 */
static inline uint8_t
nhg_probe(const struct nhg_group *g, uint32_t b, bool (*is_alive)(const void *ctx, uint8_t member),
	const void *ctx)
{
	for (uint32_t k = 0; k < NHG_PROBE_MAX; k++) {
		uint8_t m = g->base[(b + k) & g->bucket_mask];

		if (m != NHG_NONE && is_alive(ctx, m))
			return m;
	}
	for (uint8_t m = 0; m < g->n_members; m++)
		if (g->member[m].weight != 0 && is_alive(ctx, m))
			return m;
	return NHG_NONE;
}

struct nhg_alive_ctx {
	const struct nhg_group *group;
	const struct alive *alive;
};

static inline bool
nhg_member_alive(const void *ctx, uint8_t member)
{
	const struct nhg_alive_ctx *c = ctx;

	return alive_test(c->alive, c->group->member[member].port_idx);
}

/*
 * The member for a finished hash, live by the liveness words; NHG_NONE when none is. `all_alive` is
 * alive_all() of the burst: without a dead port the load of a bit is out of the chain from hash to
 * member. Worker.
 */
static inline uint8_t
nhg_select(const struct nhg_group *g, const struct alive *alive, bool all_alive, uint32_t hash)
{
	uint32_t b = hash & g->bucket_mask;
	uint8_t m = g->bucket[b];

	if (likely(m != NHG_NONE && (all_alive || alive_test(alive, g->member[m].port_idx))))
		return m;
	return nhg_probe(
		g, b, nhg_member_alive, &(struct nhg_alive_ctx){.group = g, .alive = alive});
}

#endif
