/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  destination addresses, TTL; the snapshot's FIBs.
 * Sets:  group.
 * Next:  stage_select.
 * Drops: no_route, ttl_zero, martian (link scope), unresolved (a neighbour of ours); punts local,
 * ttl.
 */
#include <string.h>

#include "dp/stage.h"
#include "wire/ip.h"

/* Groups that are none, TTL at its end, addresses that stay on their link: the dear branch. */
static uint8_t
route_exception(const struct pkt_meta *meta)
{
	if (meta->group == DP_GROUP_LOCAL)
		return verdict_punt(PUNT_local);
	if (meta->flags & PKT_LINK_SCOPE)
		return verdict_drop(DROP_martian);
	if (meta->ttl == 0)
		return verdict_drop(DROP_ttl_zero);
	if (meta->group == FIB_NO_ROUTE)
		return verdict_drop(DROP_no_route);
	if (meta->ttl == 1)
		return verdict_punt(PUNT_ttl);
	return verdict_drop(DROP_unresolved);
}

/* Groups of the IPv6 packets of the burst, over what the other family's table said of them. */
static __attribute__((noinline)) void
route_v6(const struct worker *w, const struct burst *b, uint64_t *group)
{
	uint8_t dst[BURST_MAX][IP6_ADDR_LEN];
	uint64_t group6[BURST_MAX];
	uint8_t idx[BURST_MAX];
	uint16_t n = 0;

	for (unsigned int i = 0; i < b->n; i++) {
		if (!(b->meta[i].flags & PKT_IP6))
			continue;
		memcpy(dst[n], b->meta[i].l3 + IP6_OFF_DST, IP6_ADDR_LEN);
		idx[n++] = (uint8_t)i;
	}
	rte_fib6_lookup_bulk(w->snapshot->fib6, dst, group6, n);
	for (uint16_t k = 0; k < n; k++)
		group[idx[k]] = group6[k];
}

void
stage_route(struct worker *w, struct burst *b)
{
	uint32_t dst[BURST_MAX];
	uint64_t group[BURST_MAX];
	uint8_t all_flags = 0, same_flags = 0xff;
	unsigned int n = b->n;
	bool exceptions = false;

	if (n == 0)
		return;
	/* IPv6 packets too, with whatever stands there: cheaper than to sort them out */
	for (unsigned int i = 0; i < n; i++) {
		dst[i] = b->meta[i].dst;
		all_flags |= b->meta[i].flags;
		same_flags &= b->meta[i].flags;
	}
	if (likely(!(same_flags & PKT_IP6)))
		rte_fib_lookup_bulk(w->snapshot->fib4, dst, group, (int)n);
	if (all_flags & PKT_IP6)
		route_v6(w, b, group);
	for (unsigned int i = 0; i < n; i++) {
		struct pkt_meta *meta = &b->meta[i];

		meta->group = (uint16_t)group[i];
		if (unlikely(meta->group < DP_GROUP_FIRST || meta->ttl <= 1 ||
			     (meta->flags & PKT_LINK_SCOPE))) {
			meta->verdict = route_exception(meta);
			exceptions = true;
		}
	}
	if (unlikely(exceptions))
		burst_split(b);
}
