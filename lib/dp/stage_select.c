/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  group, flow; groups of the snapshot, liveness words.
 * Sets:  port_idx and counter; rewrites MACs, TTL or hop limit, IPv4 checksum in the frame.
 * Next:  stage_enqueue.
 * Drops: no_member, unresolved.
 */
#include <string.h>

#include "dp/stage.h"
#include "nhg/hash_inl.h"
#include "nhg/select_inl.h"
#include "wire/checksum.h"
#include "wire/ip.h"

_Static_assert(NHG_HASH_DEST_QP == 1u << 1, "the bit is the index of the flow with the QP");

/* The finished hash of a packet, over the fields that its group asks for. */
static inline uint32_t
flow_hash(const struct pkt_meta *meta, const struct nhg_group *g)
{
	return nhg_hash_finish(meta->flow[g->hash_fields >> 1 & 1], g->seed);
}

/* TTL, protocol and checksum are one word of the header. TTL is 2 or more here. */
static inline void
rewrite_ip4(uint8_t *ip)
{
	uint32_t word;

	memcpy(&word, ip + IP4_OFF_TTL, sizeof(word));
	word = checksum_ttl_down(word);
	memcpy(ip + IP4_OFF_TTL, &word, sizeof(word));
}

_Static_assert(offsetof(struct nhg_member, counter) - offsetof(struct nhg_member, port_idx) ==
		       offsetof(struct pkt_meta, counter) - offsetof(struct pkt_meta, port_idx),
	"member and metadata hold port_idx, mtu and counter alike");

static inline uint8_t
select_one(
	struct nhg_group **group, const struct alive *alive, bool all_alive, struct pkt_meta *meta)
{
	const struct nhg_group *g = snapshot_group(group, meta->group);
	uint8_t idx = nhg_select(g, alive, all_alive, flow_hash(meta, g));

	if (unlikely(idx == NHG_NONE))
		return verdict_drop(DROP_no_member);
	const struct nhg_member *member = &g->member[idx];

	if (unlikely(member->mtu == 0))
		return verdict_drop(DROP_unresolved);
	memcpy(&meta->port_idx, &member->port_idx, 8); /* port_idx, mtu, counter */
	uint8_t *l3 = meta->l3;

	memcpy(l3 - meta->l2_len, member->l2, sizeof(member->l2));
	if (meta->flags & PKT_IP6)
		l3[IP6_OFF_HOP_LIMIT]--;
	else
		rewrite_ip4(l3);
	return 0;
}

void
stage_select(struct worker *w, struct burst *b)
{
	struct nhg_group **group = w->snapshot->group;
	const struct alive *alive = &w->shared->alive;
	bool all_alive = alive_all(alive);
	unsigned int verdicts = 0, n = b->n;

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
