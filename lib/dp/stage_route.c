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

/* Looks IPv4 destinations up; idx says whose they are. */
static void
route_v4(const struct worker *w, struct burst *b, uint32_t *dst, const uint8_t *idx, uint16_t n)
{
	uint64_t group[BURST_MAX];

	rte_fib_lookup_bulk(w->snapshot->fib4, dst, group, n);
	for (uint16_t k = 0; k < n; k++)
		b->meta[idx[k]].group = (uint16_t)group[k];
}

static void
route_v6(const struct worker *w, struct burst *b, uint8_t (*dst)[IP6_ADDR_LEN], const uint8_t *idx,
	uint16_t n)
{
	uint64_t group[BURST_MAX];

	rte_fib6_lookup_bulk(w->snapshot->fib6, dst, group, n);
	for (uint16_t k = 0; k < n; k++)
		b->meta[idx[k]].group = (uint16_t)group[k];
}

void
stage_route(struct worker *w, struct burst *b)
{
	uint32_t dst4[BURST_MAX];
	uint8_t dst6[BURST_MAX][IP6_ADDR_LEN];
	uint8_t idx4[BURST_MAX], idx6[BURST_MAX];
	uint16_t n4 = 0, n6 = 0;
	bool exceptions = false;

	for (unsigned int i = 0; i < b->n; i++) {
		struct pkt_meta *meta = &b->meta[i];

		if (meta->flags & PKT_IP6) {
			memcpy(dst6[n6], meta->l3 + IP6_OFF_DST, IP6_ADDR_LEN);
			idx6[n6++] = (uint8_t)i;
		} else {
			dst4[n4] = meta->dst;
			idx4[n4++] = (uint8_t)i;
		}
	}
	if (n4 != 0)
		route_v4(w, b, dst4, idx4, n4);
	if (n6 != 0)
		route_v6(w, b, dst6, idx6, n6);
	for (unsigned int i = 0; i < b->n; i++) {
		struct pkt_meta *meta = &b->meta[i];

		if (unlikely(meta->group < DP_GROUP_FIRST || meta->ttl <= 1 ||
			     (meta->flags & PKT_LINK_SCOPE))) {
			meta->verdict = route_exception(meta);
			exceptions = true;
		}
	}
	if (unlikely(exceptions))
		burst_split(b);
}
