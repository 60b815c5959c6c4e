/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of reach.h, for the reach_*.c alone: links, devices (each in a slot, found by its id),
 * and for each (slot, link) what the neighbour there told and what we still have to take back.
 */
#ifndef CELL_REACH_STATE_H
#define CELL_REACH_STATE_H

#include "base/bits.h"
#include "base/ps.h"
#include "base/rng.h"
#include "cell/reach_view.h"

#define REACH_NO_SLOT UINT16_MAX
#define REACH_IDS     (UINT32_C(1) << 16)

struct reach_link {
	uint64_t heard_ps;  /* the last REACH */
	uint64_t row_ps;    /* the last that counted for in_a_row */
	uint64_t drain_ps;  /* since when it is drained */
	uint64_t peers;     /* usable links to the same neighbour, this one too; as of the table */
	uint32_t n_entries; /* devices told on it */
	uint32_t rate_mbps;
	uint16_t port_idx;
	uint16_t neighbour;
	uint8_t in_a_row;
	bool up, alive, drained, heard;
};

/* What the neighbour told; there if the device's `told` has the link's bit. */
struct reach_entry {
	uint64_t heard_ps;
	uint32_t capacity;
	uint8_t hops;
};

struct reach_device {
	uint64_t told;       /* links with an entry */
	uint64_t owed;       /* links where it was advertised and not all withdrawn */
	uint64_t best;       /* links to spray over; as of the table, like all below */
	uint64_t total_mbps; /* out toward it */
	uint16_t device;     /* 0: the slot is free */
	uint8_t hops;
	bool reachable;
};

struct reach {
	uint16_t device;
	bool transit;
	uint8_t missed;
	uint16_t join, remain;
	uint16_t n_links;
	uint64_t interval_ps, silence_ps; /* silence: missed intervals */

	bool dirty;         /* the table is to be made anew */
	bool news;          /* a neighbour is to hear of it soon */
	bool links_changed; /* for REACH_LINKS */
	uint64_t round_ps;  /* when the next round is due */
	uint64_t sent_ps;   /* when the last was */
	struct rng rng;
	uint64_t hash_seed;
	struct reach_stats stats;
	struct reach_link link[REACH_LINKS_MAX];

	uint32_t n_devices;             /* that are no neighbours, at most */
	uint32_t n_slots, n_used, high; /* slots from `high` on were never used */
	uint16_t *free_slot;            /* n_free of them, below `high` */
	uint32_t n_free;
	uint16_t *slot_of; /* by device id */
	struct reach_device *slot;
	struct reach_entry *entry; /* n_links a slot */
	uint8_t *owed;             /* n_links a slot: withdrawals still to be told */

	struct reach_table table, next; /* the one that holds, and the one being made */
	uint32_t *bucket;               /* sets of `next` by hash: index + 1; 0: empty */
	uint32_t bucket_mask;
};

static inline struct reach_entry *
reach_entry_at(const struct reach *r, uint32_t slot, unsigned int link)
{
	return &r->entry[(size_t)slot * r->n_links + link];
}

static inline uint8_t *
reach_owed_at(const struct reach *r, uint32_t slot, unsigned int link)
{
	return &r->owed[(size_t)slot * r->n_links + link];
}

/* Heard and not drained: we spray over it, and tell what we reach. */
static inline bool
reach_usable(const struct reach_link *l)
{
	return l->alive && !l->drained;
}

/* `gap_ps` and more have passed since `then`. */
static inline bool
reach_since(uint64_t then, uint64_t gap_ps, uint64_t now)
{
	return ps_reached(then + gap_ps, now);
}

/* Forgets what was told on the link, of one device and of all. reach_heard.c */
void reach_forget(struct reach *r, uint32_t slot, unsigned int link);
void reach_forget_link(struct reach *r, unsigned int link);

/* Entries that nobody refreshed, and slots that nothing is left of. reach_heard.c */
void reach_expire(struct reach *r, uint64_t now);

/* Nothing is to be withdrawn on the link, one by one. reach_advert.c */
void reach_owe_nothing(struct reach *r, unsigned int link);

/* The link is dead: what it told is gone, and it must be heard anew. reach.c */
void reach_bury(struct reach *r, unsigned int link);

/* Makes the table anew; true when it says something else. Sets news. reach_table.c */
bool reach_rebuild(struct reach *r);

/*
 * Mbit/s out toward the device over those of its best links that `links` has: a neighbour takes
 * what the links to it carry, and no more than it has out itself. reach_table.c
 */
uint64_t reach_capacity(const struct reach *r, uint32_t slot, uint64_t links);

#endif
