/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what neighbours told to the table: of each device the links of the least distance, their
 * weights, and the sets that devices share. Comes after reach_heard.c; reach_advert.c tells on what
 * is chosen here, and the caller sprays by it.
 */
#include <string.h>

#include "cell/reach_state.h"

static void
find_peers(struct reach *r)
{
	for (unsigned int i = 0; i < r->n_links; i++) {
		r->link[i].peers = 0;
		for (unsigned int k = 0; k < r->n_links; k++)
			if (reach_usable(&r->link[i]) && reach_usable(&r->link[k]) &&
				r->link[i].neighbour == r->link[k].neighbour)
				r->link[i].peers |= UINT64_C(1) << k;
	}
}

uint64_t
reach_capacity(const struct reach *r, uint32_t slot, uint64_t links)
{
	uint64_t left = r->slot[slot].best & links, total = 0;

	while (left != 0) {
		uint64_t same = left & r->link[bits_lowest(left)].peers, carried = 0, told = 0;

		left &= ~same;
		for (; same != 0; same &= same - 1) {
			unsigned int link = bits_lowest(same);
			uint32_t capacity = reach_entry_at(r, slot, link)->capacity;

			carried += r->link[link].rate_mbps;
			told = told < capacity ? capacity : told;
		}
		total += told == CELL_CAPACITY_ANY || carried < told ? carried : told;
	}
	return total;
}

/*
 * The least distance with links enough; a device that stands at that distance already needs fewer
 * to stay. True when the choice, or what we have out toward it, is another than before.
 */
static bool
choose(struct reach *r, uint32_t slot, uint64_t usable)
{
	struct reach_device *d = &r->slot[slot];
	const struct reach_device before = *d;
	uint64_t at[CELL_HOPS_MAX + 1] = {0};

	for (uint64_t left = d->told & usable; left != 0; left &= left - 1)
		at[reach_entry_at(r, slot, bits_lowest(left))->hops] |= left & -left;
	d->reachable = false;
	d->best = 0;
	for (uint8_t h = 0; h <= CELL_HOPS_MAX && !d->reachable; h++) {
		int need = before.reachable && before.hops == h ? r->remain : r->join;

		if (__builtin_popcountll(at[h]) < need)
			continue;
		d->reachable = true;
		d->hops = h;
		d->best = at[h];
	}
	d->total_mbps = reach_capacity(r, slot, UINT64_MAX);
	return d->reachable != before.reachable || d->hops != before.hops ||
	       d->best != before.best || d->total_mbps != before.total_mbps;
}

/*
 * part / whole in units of 1 / REACH_WEIGHT_MAX, rounded down, 1 at least; part <= whole < 2^63.
 * Long division bit by bit: equal proportions give equal weights whatever their unit.
 */
static uint32_t
weight_of(uint64_t part, uint64_t whole)
{
	uint32_t weight = 0;

	for (uint32_t bit = REACH_WEIGHT_MAX; bit != 0; bit /= 2) {
		if (part >= whole) {
			part -= whole;
			weight |= bit;
		}
		part *= 2;
	}
	return weight == 0 ? 1 : weight;
}

/* A link's weight is its rate x what the neighbour has out toward the device there. */
static void
fill_set(const struct reach *r, uint32_t slot, struct reach_set *set)
{
	uint64_t product[REACH_LINKS_MAX], most = 0;

	memset(set, 0, sizeof(*set));
	for (uint64_t left = r->slot[slot].best; left != 0; left &= left - 1) {
		unsigned int link = bits_lowest(left);
		const struct reach_entry *e = reach_entry_at(r, slot, link);

		product[set->n] =
			(uint64_t)r->link[link].rate_mbps * (e->hops == 0 ? 1 : e->capacity);
		if (product[set->n] > most)
			most = product[set->n];
		set->port_idx[set->n++] = r->link[link].port_idx;
	}
	for (unsigned int i = 0; i < set->n; i++)
		set->weight[i] = weight_of(product[i], most);
}

static uint64_t
hash_set(const struct reach *r, const struct reach_set *set)
{
	uint64_t h = r->hash_seed;

	for (unsigned int i = 0; i < set->n; i++) {
		h ^= (uint64_t)set->port_idx[i] << 32 | set->weight[i];
		h *= UINT64_C(0xbf58476d1ce4e5b9); /* as in base/rng.h */
		h ^= h >> 29;
	}
	return h;
}

/* The index of a set like the last one of `next`, which stays if it is the first of its kind. */
static uint32_t
share_set(struct reach *r)
{
	struct reach_table *t = &r->next;
	const struct reach_set *set = &t->set[t->n_sets];
	uint64_t at = hash_set(r, set);

	for (;; at++) {
		uint32_t *bucket = &r->bucket[at & r->bucket_mask];

		if (*bucket == 0) {
			*bucket = ++t->n_sets;
			return t->n_sets - 1;
		}
		if (memcmp(&t->set[*bucket - 1], set, sizeof(*set)) == 0)
			return *bucket - 1;
	}
}

static void
add_route(struct reach *r, uint32_t slot)
{
	struct reach_table *t = &r->next;
	struct reach_route *route = &t->route[t->n_routes++];

	fill_set(r, slot, &t->set[t->n_sets]);
	*route = (struct reach_route){
		.device = r->slot[slot].device,
		.hops = r->slot[slot].hops,
		.set_idx = share_set(r),
	};
}

static bool
tables_are_equal(const struct reach_table *a, const struct reach_table *b)
{
	return a->n_routes == b->n_routes && a->n_sets == b->n_sets &&
	       memcmp(a->route, b->route, a->n_routes * sizeof(*a->route)) == 0 &&
	       memcmp(a->set, b->set, a->n_sets * sizeof(*a->set)) == 0;
}

bool
reach_rebuild(struct reach *r)
{
	struct reach_table made;
	uint64_t usable = 0;

	find_peers(r);
	for (unsigned int i = 0; i < r->n_links; i++)
		usable |= (uint64_t)reach_usable(&r->link[i]) << i;
	memset(r->bucket, 0, (r->bucket_mask + (size_t)1) * sizeof(*r->bucket));
	r->next.n_sets = r->next.n_routes = 0;
	for (uint32_t i = 0; i < r->high; i++) {
		if (r->slot[i].device == 0)
			continue;
		/* who is not told of it hears nothing sooner */
		if (choose(r, i, usable) && r->transit)
			r->news = true;
		if (r->slot[i].reachable)
			add_route(r, i);
	}
	if (tables_are_equal(&r->table, &r->next))
		return false;
	made = r->next;
	r->next = r->table;
	r->table = made;
	return true;
}

bool
reach_reaches(const struct reach *r, uint16_t device)
{
	uint16_t slot = r->slot_of[device];

	return slot != REACH_NO_SLOT && r->slot[slot].reachable;
}

const struct reach_table *
reach_table(const struct reach *r)
{
	return &r->table;
}
