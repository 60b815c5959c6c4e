/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reachability: creation, the links' life and death, and the turn. What neighbours tell is in
 * reach_heard.c, what is made of it in reach_table.c, what we tell in reach_advert.c.
 */
#include "cell/reach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cell/reach_state.h"

#define RATE_MBPS_MAX (UINT32_C(1) << 31) /* so that rate x capacity stays below 2^63 */

static bool
config_is_valid(const struct reach_config *c)
{
	bool ok = c->device >= CELL_DEVICE_MIN && c->device <= CELL_DEVICE_MAX &&
		  c->interval_ps >= PS_PER_US && c->interval_ps <= 10 * PS_PER_S &&
		  c->missed >= 1 && c->missed <= 100 && c->n_links >= 1 &&
		  c->n_links <= REACH_LINKS_MAX && c->n_devices >= 1 &&
		  c->n_devices <= CELL_DEVICE_MAX &&
		  (c->min_links_remain <= c->min_links_join || c->min_links_remain == 1);

	for (unsigned int i = 0; ok && i < c->n_links; i++)
		ok = c->rate_bps[i] > 0;
	return ok;
}

/* An id has one slot, and there are no more ids. */
static uint32_t
slots_of(uint16_t n_links, uint32_t n_devices)
{
	uint32_t n = n_devices + n_links;

	return n < CELL_DEVICE_MAX ? n : CELL_DEVICE_MAX;
}

static uint32_t
buckets_of(uint32_t n_slots)
{
	uint32_t n = 2;

	while (n < 2 * n_slots)
		n *= 2;
	return n;
}

size_t
reach_bytes(uint16_t n_links, uint32_t n_devices)
{
	size_t n = slots_of(n_links, n_devices);

	return sizeof(struct reach) + buckets_of((uint32_t)n) * sizeof(uint32_t) +
	       (REACH_IDS + n) * sizeof(uint16_t) +
	       n * (sizeof(struct reach_device) +
			   2 * (sizeof(struct reach_set) + sizeof(struct reach_route)) +
			   n_links * (sizeof(struct reach_entry) + sizeof(uint8_t)));
}

static int
memory_init(struct reach *r)
{
	size_t n = r->n_slots, pairs = n * r->n_links;
	uint32_t n_buckets = buckets_of(r->n_slots);

	r->bucket_mask = n_buckets - 1;
	r->bucket = calloc(n_buckets, sizeof(*r->bucket));
	r->slot_of = malloc(REACH_IDS * sizeof(*r->slot_of));
	r->free_slot = calloc(n, sizeof(*r->free_slot));
	r->slot = calloc(n, sizeof(*r->slot));
	r->entry = calloc(pairs, sizeof(*r->entry));
	r->owed = calloc(pairs, sizeof(*r->owed));
	r->table.set = calloc(n, sizeof(*r->table.set));
	r->table.route = calloc(n, sizeof(*r->table.route));
	r->next.set = calloc(n, sizeof(*r->next.set));
	r->next.route = calloc(n, sizeof(*r->next.route));
	if (r->bucket == NULL || r->slot_of == NULL || r->free_slot == NULL || r->slot == NULL ||
		r->entry == NULL || r->owed == NULL || r->table.set == NULL ||
		r->table.route == NULL || r->next.set == NULL || r->next.route == NULL)
		return -ENOMEM;
	memset(r->slot_of, 0xff, REACH_IDS * sizeof(*r->slot_of)); /* REACH_NO_SLOT */
	return 0;
}

int
reach_create(const struct reach_config *c, uint64_t now, struct reach **ret_reach)
{
	struct reach *r;

	if (!config_is_valid(c))
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->device = c->device;
	r->transit = c->transit;
	r->missed = c->missed;
	r->join = c->min_links_join == 0 ? 1 : c->min_links_join;
	r->remain = c->min_links_remain == 0 ? 1 : c->min_links_remain;
	r->n_links = c->n_links;
	r->interval_ps = c->interval_ps;
	r->silence_ps = c->missed * c->interval_ps;
	r->round_ps = now;
	r->sent_ps = now - c->interval_ps;
	rng_init(&r->rng, c->seed);
	r->hash_seed = rng_next(&r->rng);
	r->n_devices = c->n_devices;
	r->n_slots = slots_of(c->n_links, c->n_devices);
	if (memory_init(r) != 0) {
		reach_free(r);
		return -ENOMEM;
	}
	for (uint16_t i = 0; i < c->n_links; i++) {
		r->link[i].port_idx = c->port_idx[i];
		reach_rate(r, i, c->rate_bps[i]);
	}
	*ret_reach = r;
	return 0;
}

void
reach_free(struct reach *r)
{
	if (r == NULL)
		return;
	free(r->bucket);
	free(r->slot_of);
	free(r->free_slot);
	free(r->slot);
	free(r->entry);
	free(r->owed);
	free(r->table.set);
	free(r->table.route);
	free(r->next.set);
	free(r->next.route);
	free(r);
}

void
reach_bury(struct reach *r, unsigned int link)
{
	struct reach_link *l = &r->link[link];

	reach_forget_link(r, link);
	reach_owe_nothing(r, link);
	l->in_a_row = 0;
	if (!l->alive)
		return;
	l->alive = false;
	r->links_changed = r->news = r->dirty = true;
	r->stats.deaths++;
}

void
reach_link(struct reach *r, uint16_t link, bool up, uint64_t now)
{
	struct reach_link *l = &r->link[link];

	if (l->up == up)
		return;
	l->up = up;
	if (up) {
		r->news = true; /* a first REACH soon: the neighbour counts three */
		l->drain_ps = now;
	} else {
		reach_bury(r, link);
	}
}

void
reach_rate(struct reach *r, uint16_t link, uint64_t rate_bps)
{
	uint64_t mbps = rate_bps / 1000000;
	struct reach_link *l = &r->link[link];

	if (rate_bps == 0)
		return;
	if (mbps == 0)
		mbps = 1;
	if (mbps > RATE_MBPS_MAX)
		mbps = RATE_MBPS_MAX;
	if (l->rate_mbps != mbps)
		r->dirty = true;
	l->rate_mbps = (uint32_t)mbps;
}

void
reach_drain(struct reach *r, uint16_t link, bool drain, uint64_t now)
{
	struct reach_link *l = &r->link[link];

	if (l->drained == drain)
		return;
	l->drained = drain;
	l->drain_ps = now;
	r->dirty = r->news = true;
}

bool
reach_drained(const struct reach *r, uint16_t link, uint64_t now)
{
	const struct reach_link *l = &r->link[link];

	return l->drained &&
	       (!l->up || reach_since(l->drain_ps, r->silence_ps + r->interval_ps, now));
}

bool
reach_link_alive(const struct reach *r, uint16_t link)
{
	return r->link[link].alive;
}

/* Listening ones too: three in a row do not count across a silence. */
static void
bury_the_silent(struct reach *r, uint64_t now)
{
	for (unsigned int i = 0; i < r->n_links; i++)
		if (r->link[i].in_a_row > 0 && reach_since(r->link[i].heard_ps, r->silence_ps, now))
			reach_bury(r, i);
}

/*
 * News go out at once, though not within a quarter of an interval of the round before: a flapping
 * link makes at most four times the cells.
 */
static void
hasten(struct reach *r)
{
	uint64_t soonest = r->sent_ps + r->interval_ps / 4;

	if (r->news && ps_reached(soonest, r->round_ps))
		r->round_ps = soonest;
}

/*
 * The next round comes up to a quarter of an interval early, by chance, so that nodes fall out of
 * step, and a third one missed is known for missed before it counts (RFC 5880, 6.8.7).
 */
static void
plan_round(struct reach *r, uint64_t now)
{
	r->sent_ps = now;
	r->round_ps = now + r->interval_ps - rng_below(&r->rng, r->interval_ps / 4);
	r->news = false;
	r->stats.rounds++;
}

unsigned int
reach_turn(struct reach *r, uint64_t now)
{
	unsigned int what = 0;

	bury_the_silent(r, now);
	if (ps_reached(r->round_ps, now))
		reach_expire(r, now);
	if (r->dirty && reach_rebuild(r))
		what |= REACH_TABLE;
	r->dirty = false;
	if (r->links_changed)
		what |= REACH_LINKS;
	r->links_changed = false;
	hasten(r);
	if (ps_reached(r->round_ps, now)) {
		what |= REACH_SEND;
		plan_round(r, now);
	}
	return what;
}

uint64_t
reach_next_ps(const struct reach *r, uint64_t now)
{
	uint64_t next = r->round_ps, soonest = r->sent_ps + r->interval_ps / 4;

	if (r->dirty || r->links_changed)
		return now;
	if (r->news && ps_reached(soonest, next))
		next = soonest;
	for (unsigned int i = 0; i < r->n_links; i++) {
		uint64_t dead = r->link[i].heard_ps + r->silence_ps;

		if (r->link[i].in_a_row > 0 && ps_reached(dead, next))
			next = dead;
	}
	return ps_reached(next, now) ? now : next;
}
