/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What we tell on a link: ourselves, and as a fabric node the devices that we reach by other
 * neighbours than the one who listens (split horizon, by neighbour and not by link: what comes back
 * on a second link to it is no way on). What was told and no longer holds is withdrawn. Comes after
 * reach_turn(); the caller makes cells of it.
 */
#include "cell/reach_state.h"

#define ADVERT_END UINT32_MAX

/* Mbit/s that the neighbour on the link may count on toward the device; 0: it is not told of it. */
static uint32_t
offer(const struct reach *r, uint32_t slot, unsigned int link)
{
	const struct reach_device *d = &r->slot[slot];
	uint64_t mbps, theirs;

	if (!r->transit || !d->reachable || d->hops >= CELL_HOPS_MAX ||
		d->device == r->link[link].neighbour)
		return 0;
	theirs = reach_capacity(r, slot, r->link[link].peers);
	/* theirs may be heard of since the turn, the total is of the turn */
	mbps = d->total_mbps > theirs ? d->total_mbps - theirs : 0;
	return mbps < CELL_CAPACITY_ANY ? (uint32_t)mbps : CELL_CAPACITY_ANY - 1;
}

/* The device's entry on the link, or none; books what is still to be taken back. */
static bool
tell(struct reach *r, uint32_t slot, unsigned int link, struct cell_reach *ret_entry)
{
	struct reach_device *d = &r->slot[slot];
	uint8_t *owed = reach_owed_at(r, slot, link);
	uint64_t bit = UINT64_C(1) << link;
	uint32_t mbps;

	if (d->device == 0)
		return false;
	mbps = offer(r, slot, link);
	if (mbps == 0 && !(d->owed & bit))
		return false;
	if (mbps > 0) {
		*owed = r->missed;
		d->owed |= bit;
	} else if (--*owed == 0) {
		d->owed &= ~bit;
	}
	*ret_entry = (struct cell_reach){
		.device = d->device,
		.hops = d->hops < CELL_HOPS_MAX ? (uint8_t)(d->hops + 1) : CELL_HOPS_MAX,
		.capacity = mbps,
	};
	return true;
}

void
reach_owe_nothing(struct reach *r, unsigned int link)
{
	for (uint32_t i = 0; i < r->high; i++)
		r->slot[i].owed &= ~(UINT64_C(1) << link);
}

bool
reach_advert(struct reach *r, uint16_t link, uint32_t *from, struct cell_reach *out,
	unsigned int max, unsigned int *ret_n)
{
	const struct reach_link *l = &r->link[link];
	unsigned int n = 0;

	*ret_n = 0;
	if (*from == ADVERT_END)
		return false;
	if (!reach_usable(l)) {
		reach_owe_nothing(r, link); /* without entries it takes back all there is */
		*from = ADVERT_END;
		return l->up;
	}
	if (*from == 0) {
		out[n++] = (struct cell_reach){r->device, 0, CELL_CAPACITY_ANY};
		*from = 1;
	}
	/* position i + 1 is slot i; one that tells nothing takes no room */
	while (n < max && *from <= r->high)
		n += tell(r, (*from)++ - 1, link, &out[n]);
	if (*from > r->high)
		*from = ADVERT_END;
	*ret_n = n;
	return n > 0; /* a later cell without entries would withdraw them all */
}
