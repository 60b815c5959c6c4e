/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  group, flow; groups of the snapshot, liveness words. Where a group has another policy than
 *        ecmp, or hashes more (select_policy.c): flags, opcode, flow_idx, what waits at the ports.
 * Sets:  port_idx and counter; rewrites MACs, TTL or hop limit, IPv4 checksum in the frame.
 * Next:  stage_enqueue.
 * Drops: no_member, unresolved.
 */
#include "dp/select_inl.h"

static inline uint8_t
select_one(
	struct nhg_group **group, const struct alive *alive, bool all_alive, struct pkt_meta *meta)
{
	const struct nhg_group *g = snapshot_group(group, meta->group);
	uint32_t hash = nhg_hash_finish(select_flow(meta, g), g->seed);

	return select_to(g, nhg_select(g, alive, all_alive, hash), meta);
}

void
stage_select(struct worker *w, struct burst *b)
{
	struct nhg_group **group = w->snapshot->group;
	const struct alive *alive = &w->shared->alive;
	bool all_alive = alive_all(alive);
	unsigned int verdicts = 0, n = b->n;

	if (unlikely(!w->snapshot->plain)) {
		select_by_policy(w, b);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		uint8_t verdict = select_one(group, alive, all_alive, &b->meta[i]);

		if (unlikely(verdict != 0)) {
			b->meta[i].verdict = verdict;
			verdicts = 1;
		}
	}
	if (unlikely(verdicts != 0))
		burst_split(b);
}
