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
#include "nhg/select_inl.h"

static size_t
members_bytes(unsigned int n_members)
{
	return RTE_ALIGN_CEIL(n_members * sizeof(struct nhg_member), RTE_CACHE_LINE_SIZE);
}

size_t
nhg_group_bytes(unsigned int n_members, uint32_t n_buckets)
{
	return sizeof(struct nhg_group) + members_bytes(n_members) + 2 * (size_t)n_buckets;
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
check_spec(const struct nhg_spec *spec, const struct nhg_group *before)
{
	uint32_t n_weighted = 0;

	if (spec->policy != NHG_ECMP ||
		(spec->hash_fields & ~(NHG_HASH_5TUPLE | NHG_HASH_DEST_QP)) != 0)
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
	g = rte_zmalloc_socket("nhg_group", nhg_group_bytes(spec->n_members, spec->n_buckets),
		RTE_CACHE_LINE_SIZE, socket);
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
