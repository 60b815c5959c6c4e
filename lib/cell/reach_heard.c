/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What neighbours tell: which REACH count toward a link's life, which entries are believed, and how
 * long. Comes after the cell's own checks (wire/cell.h), before reach_table.c. A neighbour may be
 * broken or hostile: any entry can come.
 */
#include "cell/reach_state.h"

void
reach_forget(struct reach *r, uint32_t slot, unsigned int link)
{
	r->slot[slot].told &= ~(UINT64_C(1) << link);
	r->link[link].n_entries--;
	r->dirty = true;
}

void
reach_forget_link(struct reach *r, unsigned int link)
{
	for (uint32_t i = 0; i < r->high && r->link[link].n_entries > 0; i++)
		if (r->slot[i].told >> link & 1)
			reach_forget(r, i, link);
}

static void
slot_give_back(struct reach *r, uint32_t slot)
{
	r->slot_of[r->slot[slot].device] = REACH_NO_SLOT;
	r->slot[slot].device = 0;
	r->free_slot[r->n_free++] = (uint16_t)slot;
	r->n_used--;
}

void
reach_expire(struct reach *r, uint64_t now)
{
	for (uint32_t i = 0; i < r->high; i++) {
		const struct reach_device *d = &r->slot[i];

		for (uint64_t left = d->told; left != 0; left &= left - 1) {
			unsigned int link = bits_lowest(left);

			if (reach_since(reach_entry_at(r, i, link)->heard_ps, r->silence_ps, now))
				reach_forget(r, i, link);
		}
		/* one that is still in the table waits until the table is made anew */
		if (d->device != 0 && d->told == 0 && d->owed == 0 && !d->reachable)
			slot_give_back(r, i);
	}
}

/* The device's slot, a new one if need be; REACH_NO_SLOT: there is none left for it. */
static uint32_t
slot_take(struct reach *r, uint16_t device, bool neighbour)
{
	uint32_t slot = r->slot_of[device];

	if (slot != REACH_NO_SLOT)
		return slot;
	if (r->n_used == r->n_slots || (!neighbour && r->n_used >= r->n_devices))
		return REACH_NO_SLOT;
	slot = r->n_free > 0 ? r->free_slot[--r->n_free] : r->high++;
	r->n_used++;
	r->slot[slot] = (struct reach_device){.device = device};
	r->slot_of[device] = (uint16_t)slot;
	return slot;
}

static enum reach_fault
entry_fault(const struct reach *r, uint16_t source, const struct cell_reach *e)
{
	if (e->device < CELL_DEVICE_MIN || e->device > CELL_DEVICE_MAX)
		return REACH_BAD_device;
	if (e->device == r->device)
		return REACH_BAD_own;
	if (e->hops > CELL_HOPS_MAX || (e->hops == 0) != (e->device == source))
		return REACH_BAD_hops;
	if ((e->hops == 0) != (e->capacity == CELL_CAPACITY_ANY))
		return REACH_BAD_capacity;
	return REACH_OK;
}

static enum reach_fault
take_entry(struct reach *r, unsigned int link, const struct cell_reach *e, uint64_t now)
{
	uint64_t bit = UINT64_C(1) << link;
	uint32_t slot = r->slot_of[e->device];
	struct reach_entry *known;

	if (e->capacity == 0) {
		if (slot != REACH_NO_SLOT && r->slot[slot].told & bit)
			reach_forget(r, slot, link);
		return REACH_OK;
	}
	slot = slot_take(r, e->device, e->hops == 0);
	if (slot == REACH_NO_SLOT)
		return REACH_BAD_full;
	known = reach_entry_at(r, slot, link);
	if (!(r->slot[slot].told & bit)) {
		r->slot[slot].told |= bit;
		r->link[link].n_entries++;
		r->dirty = true;
	} else if (known->hops != e->hops || known->capacity != e->capacity) {
		r->dirty = true;
	}
	*known = (struct reach_entry){now, e->capacity, e->hops};
	return REACH_OK;
}

static enum reach_fault
take_entries(struct reach *r, unsigned int link, uint16_t source, const struct cell_reach *entry,
	unsigned int n, uint64_t now)
{
	enum reach_fault first = REACH_OK;

	for (unsigned int i = 0; i < n; i++) {
		enum reach_fault fault = entry_fault(r, source, &entry[i]);

		if (fault == REACH_OK)
			fault = take_entry(r, link, &entry[i], now);
		if (fault == REACH_OK)
			r->stats.entries++;
		else
			r->stats.fault[fault]++;
		if (first == REACH_OK)
			first = fault;
	}
	return first;
}

/*
 * Three in a row, one an interval: a gap of more than one and a half has one missing, and what
 * comes within half of one (the round's other cells, a hastened round) counts no second time.
 */
static void
count_in_a_row(struct reach *r, struct reach_link *l, uint64_t now)
{
	if (l->in_a_row > 0 && reach_since(l->heard_ps, r->interval_ps * 3 / 2 + 1, now))
		l->in_a_row = 0;
	if (l->in_a_row > 0 && !reach_since(l->row_ps, r->interval_ps / 2, now))
		return;
	l->in_a_row++;
	l->row_ps = now;
	if (l->in_a_row < REACH_IN_A_ROW)
		return;
	l->alive = true;
	r->links_changed = r->news = r->dirty = true;
	r->stats.revivals++;
}

enum reach_fault
reach_heard(struct reach *r, uint16_t link, uint16_t source, const struct cell_reach *entry,
	unsigned int n, uint64_t now)
{
	enum reach_fault fault = REACH_OK;
	struct reach_link *l;

	if (link >= r->n_links || !r->link[link].up)
		fault = REACH_BAD_link;
	else if (source < CELL_DEVICE_MIN || source > CELL_DEVICE_MAX)
		fault = REACH_BAD_device;
	else if (source == r->device)
		fault = REACH_BAD_own;
	if (fault != REACH_OK) {
		r->stats.fault[fault]++;
		return fault;
	}
	l = &r->link[link];
	if (l->neighbour != source) {
		r->stats.recabled += l->alive;
		reach_bury(r, link);
		l->neighbour = source;
	}
	if (!l->alive)
		count_in_a_row(r, l, now);
	l->heard = true;
	l->heard_ps = now;
	if (l->alive && n == 0)
		reach_forget_link(r, link);
	else if (l->alive)
		fault = take_entries(r, link, source, entry, n, now);
	r->stats.heard += fault == REACH_OK;
	return fault;
}
