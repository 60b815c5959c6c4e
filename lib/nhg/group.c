/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the immutable groups of group.h: checks the spec, lays out the one block of memory, gives
 * out the buckets of the base table and derives the live table from it.
 *
 * Comes after apportion.c, which says how many buckets each member owns. Publishing a group and
 * waiting out its readers is the control thread's job, selecting a member the workers'
 * (select_inl.h).
 *
 * The base table. A new one is all holes, filled from a shuffled pool of owners. One that replaces
 * another starts as that, with holes where the owner has gone or has more buckets than its due. So
 * the number of buckets that move is the sum of what members have too little, and no table with
 * these counts moves fewer. Which buckets move is drawn evenly from the group's seed: the same spec
 * gives the same table on every run.
 */
#include "nhg/group.h"

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

#include "base/bits.h"
#include "base/rng.h"
#include "nhg/hash_inl.h"
#include "nhg/select_inl.h"
#include "nhg/sequence.h"
#include "pkt/burst.h"
#include "wire/roce.h"

static size_t
members_bytes(unsigned int n_members)
{
	return RTE_ALIGN_CEIL(n_members * sizeof(struct nhg_member), RTE_CACHE_LINE_SIZE);
}

size_t
nhg_group_bytes(unsigned int n_members, uint32_t n_buckets, unsigned int n_workers)
{
	size_t plain = sizeof(struct nhg_group) + members_bytes(n_members) + 2 * (size_t)n_buckets;

	if (n_workers == 0)
		return plain;
	/* n_buckets is a multiple of a cache line */
	return plain + sizeof(struct nhg_mode) + n_workers * sizeof(struct nhg_cursor) +
	       NHG_SEQUENCE_MAX;
}

static bool
is_plain(const struct nhg_spec *spec)
{
	return nhg_is_plain(spec->policy, spec->hash_fields, spec->rotate_ps);
}

static size_t
spec_bytes(const struct nhg_spec *spec)
{
	return nhg_group_bytes(
		spec->n_members, spec->n_buckets, is_plain(spec) ? 0 : spec->n_workers);
}

/* Each old index in range and claimed by one member only. */
static int
check_old_idx(const struct nhg_spec *spec, const struct nhg_group *before)
{
	bool claimed[NHG_MEMBERS_MAX] = {false};

	if (before == NULL)
		return 0;
	if (spec->n_members > 0 && spec->old_idx == NULL)
		return -EINVAL;
	for (unsigned int i = 0; i < spec->n_members; i++) {
		uint8_t old = spec->old_idx[i];

		if (old == NHG_NONE)
			continue;
		if (old >= before->n_members || claimed[old])
			return -EINVAL;
		claimed[old] = true;
	}
	return 0;
}

static int
check_policy(const struct nhg_spec *spec)
{
	bool flowlets = spec->policy == NHG_FLOWLET || spec->policy == NHG_ADAPTIVE_FLOWLET;

	if ((unsigned int)spec->policy > NHG_ADAPTIVE_FLOWLET ||
		(unsigned int)spec->spray_if > NHG_SPRAY_ANY ||
		(spec->hash_fields & ~NHG_HASH_ALL) != 0)
		return -EINVAL;
	if (is_plain(spec))
		return 0;
	if (spec->n_workers == 0 || spec->generation == 0 || (flowlets && spec->gap_ps == 0) ||
		(spec->rotate_ps != 0 && spec->rotate_ps < NHG_ROTATE_MIN_PS))
		return -EINVAL;
	return 0;
}

static int
check_spec(const struct nhg_spec *spec, const struct nhg_group *before)
{
	uint32_t n_weighted = 0;

	if (check_policy(spec) != 0)
		return -EINVAL;
	if (!bits_is_pow2(spec->n_buckets) || spec->n_buckets < NHG_BUCKETS_MIN ||
		spec->n_buckets > NHG_BUCKETS_MAX)
		return -EINVAL;
	if (spec->n_members > NHG_MEMBERS_MAX || (spec->n_members > 0 && spec->member == NULL))
		return -EINVAL;
	for (unsigned int i = 0; i < spec->n_members; i++) {
		const struct nhg_member *m = &spec->member[i];

		if (m->weight > NHG_WEIGHT_MAX || m->port_idx >= ALIVE_BITS)
			return -EINVAL;
		n_weighted += m->weight != 0;
	}
	if (n_weighted > spec->n_buckets)
		return -EINVAL;
	return check_old_idx(spec, before);
}

/* A base table in the making. */
struct draft {
	uint8_t *base;
	uint32_t n_buckets;
	unsigned int n_members;
	uint32_t due[NHG_MEMBERS_MAX];  /* buckets that a member should own */
	uint32_t have[NHG_MEMBERS_MAX]; /* buckets that it owns now */
	struct rng rng;
};

/*
 * Every bucket to the new index of its owner in `before`, NHG_NONE where it has none. Of tables
 * that differ in size the smaller is read again and again, as the hash mask does, so flows stay
 * where the masks let them.
 */
static void
inherit(struct draft *d, const struct nhg_spec *spec, const struct nhg_group *before)
{
	uint8_t new_idx[NHG_NONE + 1];

	memset(d->have, 0, sizeof(d->have));
	if (before == NULL) {
		memset(d->base, NHG_NONE, d->n_buckets);
		return;
	}
	memset(new_idx, NHG_NONE, sizeof(new_idx));
	for (unsigned int i = 0; i < spec->n_members; i++)
		if (spec->old_idx[i] != NHG_NONE)
			new_idx[spec->old_idx[i]] = (uint8_t)i;
	for (uint32_t b = 0; b < d->n_buckets; b++) {
		uint8_t m = new_idx[before->base[b & before->bucket_mask]];

		d->base[b] = m;
		if (m != NHG_NONE)
			d->have[m]++;
	}
}

/*
 * Makes holes until nobody has more than its due: of each member's buckets a sample of the right
 * size, every one equally likely (Knuth, TAOCP 2, 3.4.2, algorithm S).
 */
static void
take_surplus(struct draft *d)
{
	uint32_t unseen[NHG_MEMBERS_MAX];

	memcpy(unseen, d->have, sizeof(unseen));
	for (uint32_t b = 0; b < d->n_buckets; b++) {
		uint8_t m = d->base[b];

		if (m == NHG_NONE)
			continue;
		if (d->have[m] > d->due[m] &&
			rng_below(&d->rng, unseen[m]) < d->have[m] - d->due[m]) {
			d->base[b] = NHG_NONE;
			d->have[m]--;
		}
		unseen[m]--;
	}
}

/* Fills the holes with those who have less than their due, shuffled. `pool` has n_buckets bytes. */
static void
fill_holes(struct draft *d, uint8_t *pool)
{
	uint32_t n_pool = 0;

	for (unsigned int m = 0; m < d->n_members; m++)
		for (uint32_t k = d->have[m]; k < d->due[m]; k++)
			pool[n_pool++] = (uint8_t)m;
	for (uint32_t b = 0; b < d->n_buckets && n_pool > 0; b++) {
		uint32_t pick;

		if (d->base[b] != NHG_NONE)
			continue;
		pick = (uint32_t)rng_below(&d->rng, n_pool);
		d->base[b] = pool[pick];
		pool[pick] = pool[--n_pool];
	}
}

static bool
not_dead(const void *ctx, uint8_t member)
{
	const bool *dead = ctx;

	return !dead[member];
}

static void
derive_live(const struct nhg_group *g, const bool *dead, uint8_t *live)
{
	for (uint32_t b = 0; b <= g->bucket_mask; b++)
		live[b] = dead == NULL ? g->base[b] : nhg_probe(g, b, not_dead, dead);
}

/*
 * Flags that a packet of the opcode has when it is loose. One without PKT_ROCE has no opcode, and
 * whatever stands there asks for PKT_ROCE.
 */
static uint8_t
need(enum nhg_spray_if spray_if, uint8_t opcode)
{
	enum roce_order order = roce_order(opcode);

	if (order == ROCE_IN_ORDER || (spray_if == NHG_SPRAY_WRITE && order != ROCE_WRITE))
		return PKT_NEVER;
	return spray_if == NHG_SPRAY_AR_BIT ? PKT_ROCE | PKT_AR : PKT_ROCE;
}

/*
 * A member that drops what it gets never has a backlog: who looks for the least would send it
 * everything. So one without a MAC is not in the sequence; by hash it drops its share.
 */
static void
fill_sequence(struct nhg_mode *mode, const struct nhg_spec *spec, uint8_t *entry)
{
	struct nhg_sequence seq = {.entry = entry};
	uint32_t weight[NHG_MEMBERS_MAX];

	for (unsigned int i = 0; i < spec->n_members; i++) {
		bool dead = spec->dead != NULL && spec->dead[i];

		weight[i] = dead || spec->member[i].mtu == 0 ? 0 : spec->member[i].weight;
	}
	nhg_sequence_init(&seq, weight, spec->n_members, spec->seed);
	mode->sequence = seq.entry;
	mode->n_entries = seq.n_entries;
	mode->n_skip = seq.n_skip;
}

/* Anywhere in the sequence, so that workers do not go in step. */
static void
fill_cursors(struct nhg_mode *mode, const struct nhg_spec *spec, struct nhg_cursor *cursor)
{
	for (unsigned int w = 0; w < spec->n_workers; w++) {
		struct rng rng;

		rng_init(&rng, spec->seed ^ nhg_seed_from_id(w));
		cursor[w] = (struct nhg_cursor){.left = 1, .seed = rng_next(&rng)};
		if (mode->n_entries == 0)
			continue;
		cursor[w].pos = (uint32_t)rng_below(&rng, mode->n_entries);
		cursor[w].left = 1 + (uint32_t)rng_below(&rng, mode->n_entries);
	}
	mode->cursor = cursor;
}

/* Flowlets that stand in a flow table name members by index: these indexes', or the last ones'. */
static void
fill_generation(struct nhg_mode *mode, const struct nhg_spec *spec, const struct nhg_group *before)
{
	const struct nhg_mode *old = before == NULL ? NULL : before->mode;
	bool same = old != NULL && before->n_members == spec->n_members;

	memset(mode->was, NHG_NONE, sizeof(mode->was));
	mode->generation = spec->generation;
	for (unsigned int i = 0; old != NULL && i < spec->n_members; i++) {
		same &= spec->old_idx[i] == i;
		if (spec->old_idx[i] != NHG_NONE)
			mode->was[spec->old_idx[i]] = (uint8_t)i;
	}
	if (same) {
		mode->generation = old->generation;
		mode->before_generation = old->before_generation;
		memcpy(mode->was, old->was, sizeof(mode->was));
	} else if (old != NULL) {
		mode->before_generation = old->generation;
	}
}

static void
fill_mode(struct nhg_group *g, const struct nhg_spec *spec, const struct nhg_group *before,
	struct nhg_mode *mode)
{
	struct nhg_cursor *cursor = (struct nhg_cursor *)(mode + 1);

	*mode = (struct nhg_mode){
		.choice_counter = spec->choice_counter,
		.gap_ps = spec->gap_ps,
		.rotate_ps = spec->rotate_ps,
		.spray_if = (uint8_t)spec->spray_if,
	};
	for (unsigned int op = 0; op < 256; op++)
		mode->need[op] = need(spec->spray_if, (uint8_t)op);
	fill_sequence(mode, spec, (uint8_t *)(cursor + spec->n_workers));
	fill_cursors(mode, spec, cursor);
	fill_generation(mode, spec, before);
	g->mode = mode;
}

int
nhg_group_init(struct nhg_group *g, const struct nhg_spec *spec, const struct nhg_group *before)
{
	struct nhg_member *member = (struct nhg_member *)(g + 1);
	uint8_t *live = (uint8_t *)member + members_bytes(spec->n_members);
	struct draft d = {
		.base = live + spec->n_buckets,
		.n_buckets = spec->n_buckets,
		.n_members = spec->n_members,
	};
	uint32_t weight[NHG_MEMBERS_MAX];
	int rc = check_spec(spec, before);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < spec->n_members; i++)
		weight[i] = spec->member[i].weight;
	rc = nhg_buckets_apportion(weight, spec->n_members, spec->n_buckets, d.due);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < spec->n_members; i++) {
		member[i] = spec->member[i];
		member[i].n_buckets = d.due[i];
	}
	rng_init(&d.rng, spec->seed);
	inherit(&d, spec, before);
	take_surplus(&d);
	fill_holes(&d, live); /* the live table's memory is free until the base table stands */

	*g = (struct nhg_group){
		.seed = spec->seed,
		.bucket_mask = spec->n_buckets - 1,
		.n_members = spec->n_members,
		.policy = (uint8_t)spec->policy,
		.hash_fields = spec->hash_fields,
		.member = member,
		.bucket = live,
		.base = d.base,
	};
	derive_live(g, spec->dead, live);
	if (!is_plain(spec))
		fill_mode(g, spec, before, (struct nhg_mode *)(d.base + spec->n_buckets));
	return 0;
}

int
nhg_group_create(const struct nhg_spec *spec, const struct nhg_group *before, int socket,
	struct nhg_group **ret_group)
{
	int rc = check_spec(spec, before);
	struct nhg_group *g;

	if (rc != 0)
		return rc;
	g = rte_zmalloc_socket("nhg_group", spec_bytes(spec), RTE_CACHE_LINE_SIZE, socket);
	if (g == NULL)
		return -ENOMEM;
	rc = nhg_group_init(g, spec, before);
	if (rc != 0) {
		rte_free(g);
		return rc;
	}
	*ret_group = g;
	return 0;
}

void
nhg_group_free(struct nhg_group *g)
{
	rte_free(g);
}
