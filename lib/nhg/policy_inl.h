/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the policies are made of: whether a packet is loose, the sequence, seeds that change. The
 * stage that chooses (dp/stage_select.c) puts them together, for it knows what waits where.
 */
#ifndef NHG_POLICY_INL_H
#define NHG_POLICY_INL_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>

#include "base/alive.h"
#include "base/ps.h"
#include "base/rng.h"
#include "nhg/group.h"
#include "nhg/hash_inl.h"
#include "pkt/burst.h"
#include "pkt/flow_inl.h"
#include "wire/bytes.h"
#include "wire/roce.h"

/*
 * Entries that are tried before the flow hash has to do. Only between a link's death and the group
 * without it is any in vain: with half of the members dead, 16 in a row once in 65,000 packets of
 * those moments.
 */
#define NHG_TRIES 16u

/* The packet may overtake others of its QP, as the group has it. */
static inline bool
nhg_is_loose(const struct nhg_mode *mode, const struct pkt_meta *meta)
{
	uint8_t need = mode->need[meta->opcode];

	return (meta->flags & need) == need;
}

/* The member of this entry, and on to the next one. n_entries > 0. Worker. */
static inline uint8_t
nhg_step(const struct nhg_mode *mode, struct nhg_cursor *c)
{
	uint8_t member = mode->sequence[c->pos];

	if (unlikely(--c->left == 0)) {
		c->left = mode->n_entries;
		c->pos += mode->n_skip;
	}
	c->pos++;
	if (unlikely(c->pos >= mode->n_entries))
		c->pos -= mode->n_entries;
	return member;
}

static inline bool
nhg_is_live(const struct nhg_group *g, const struct alive *alive, bool all_alive, uint8_t member)
{
	return all_alive || alive_test(alive, g->member[member].port_idx);
}

/* The next member of the sequence that lives; NHG_NONE: none was found. Worker. */
static inline uint8_t
nhg_next(const struct nhg_group *g, struct nhg_cursor *c, const struct alive *alive, bool all_alive)
{
	const struct nhg_mode *mode = g->mode;

	if (unlikely(mode->n_entries == 0))
		return NHG_NONE;
	for (unsigned int i = 0; i < NHG_TRIES; i++) {
		uint8_t member = nhg_step(mode, c);

		if (likely(nhg_is_live(g, alive, all_alive, member)))
			return member;
	}
	return NHG_NONE;
}

/*
 * Another live member than `but`, by chance and by weight; NHG_NONE: none was found within
 * NHG_TRIES entries. n_entries > 0. Worker.
 */
static inline uint8_t
nhg_other(const struct nhg_group *g, struct rng *rng, uint8_t but, const struct alive *alive,
	bool all_alive)
{
	const struct nhg_mode *mode = g->mode;
	uint32_t pos = (uint32_t)rng_below(rng, mode->n_entries);

	for (unsigned int i = 0; i < NHG_TRIES; i++) {
		uint8_t member = mode->sequence[pos];

		if (member != but && nhg_is_live(g, alive, all_alive, member))
			return member;
		pos = pos + 1 == mode->n_entries ? 0 : pos + 1;
	}
	return NHG_NONE;
}

/* The seed of marked packets: another one in each period, and in each worker. Worker. */
static inline uint64_t
nhg_rotated_seed(const struct nhg_mode *mode, struct nhg_cursor *c, uint64_t now_ps)
{
	if (unlikely(!c->rotates || ps_reached(c->rotate_ps, now_ps))) {
		struct rng rng;

		rng_init(&rng, c->seed);
		c->seed = rng_next(&rng);
		c->rotate_ps = now_ps + mode->rotate_ps;
		c->rotates = true;
	}
	return c->seed;
}

/* Marked, in an opcode that needs no order: what conditional entropy may move. */
static inline bool
nhg_is_marked(const struct pkt_meta *meta)
{
	const uint8_t need = PKT_ROCE | PKT_AR;

	return (meta->flags & need) == need && roce_order(meta->opcode) != ROCE_IN_ORDER;
}

/* Adds the IPv6 flow label; fragments stay as they are. */
static inline uint32_t
nhg_add_flow_label(const struct pkt_meta *meta, uint32_t crc)
{
	if ((meta->flags & (PKT_IP6 | PKT_FRAGMENT)) != PKT_IP6)
		return crc;
	return flow_crc64(crc, wire_get32(meta->l3) & 0xfffff);
}

#endif
