/* SPDX-License-Identifier: BSD-3-Clause */
/* What stage_select's two loops share: the flow hash, and a packet made ready for its way out. */
#ifndef DP_SELECT_INL_H
#define DP_SELECT_INL_H

#include <string.h>

#include "dp/stage.h"
#include "nhg/hash_inl.h"
#include "nhg/select_inl.h"
#include "wire/checksum.h"
#include "wire/ip.h"

_Static_assert(NHG_HASH_DEST_QP == 1u << 1, "the bit is the index of the flow with the QP");

/* The flow of a packet, with or without the QP, as its group asks for. */
static inline uint32_t
select_flow(const struct pkt_meta *meta, const struct nhg_group *g)
{
	return meta->flow[g->hash_fields >> 1 & 1];
}

/* TTL, protocol and checksum are one word of the header. TTL is 2 or more here. */
static inline void
select_rewrite_ip4(uint8_t *ip)
{
	uint32_t word;

	memcpy(&word, ip + IP4_OFF_TTL, sizeof(word));
	word = checksum_ttl_down(word);
	memcpy(ip + IP4_OFF_TTL, &word, sizeof(word));
}

_Static_assert(offsetof(struct nhg_member, counter) - offsetof(struct nhg_member, port_idx) ==
		       offsetof(struct pkt_meta, counter) - offsetof(struct pkt_meta, port_idx),
	"member and metadata hold port_idx, mtu and counter alike");

/* To member `idx` of the group, or to nobody: 0, or the verdict. */
static inline uint8_t
select_to(const struct nhg_group *g, uint8_t idx, struct pkt_meta *meta)
{
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
		select_rewrite_ip4(l3);
	return 0;
}

/* The loop of a node that has groups of other kinds than plain ones. Worker. */
void select_by_policy(struct worker *w, struct burst *b);

#endif
