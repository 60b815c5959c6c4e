/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of groups share: groups in plain memory, flows, and bounds of chance. */
#ifndef TESTS_NHG_GROUPS_H
#define TESTS_NHG_GROUPS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "nhg/hash_inl.h"
#include "nhg/select_inl.h"
#include "pkt/flow_inl.h"

/* A spec with room for its members; member i leaves by port i. */
struct want {
	struct nhg_spec spec;
	struct nhg_member member[NHG_MEMBERS_MAX];
	uint8_t old_idx[NHG_MEMBERS_MAX];
	bool dead[NHG_MEMBERS_MAX];
};

static inline void
want_init(struct want *w, uint32_t n_buckets, uint64_t seed, const uint32_t *weight, unsigned int n)
{
	memset(w, 0, sizeof(*w));
	w->spec = (struct nhg_spec){
		.policy = NHG_ECMP,
		.hash_fields = NHG_HASH_5TUPLE | NHG_HASH_DEST_QP,
		.n_workers = 1,
		.generation = 1,
		.n_buckets = n_buckets,
		.seed = seed,
		.n_members = (uint16_t)n,
		.member = w->member,
		.old_idx = w->old_idx,
		.dead = w->dead,
	};
	for (unsigned int i = 0; i < n; i++) {
		w->member[i].port_idx = (uint16_t)i;
		w->member[i].mtu = 1500;
		w->member[i].weight = weight == NULL ? 1 : weight[i];
		w->old_idx[i] = (uint8_t)i;
	}
}

/* Exactly as much memory as nhg_group_bytes() says, so that a sanitizer sees one byte too many. */
static inline struct nhg_group *
group_up(const struct want *w, const struct nhg_group *before)
{
	bool plain = nhg_is_plain(w->spec.policy, w->spec.hash_fields, w->spec.rotate_ps);
	struct nhg_group *g = aligned_alloc(
		RTE_CACHE_LINE_SIZE, nhg_group_bytes(w->spec.n_members, w->spec.n_buckets,
					     plain ? 0 : w->spec.n_workers));

	cr_assert_eq(nhg_group_init(g, &w->spec, before), 0);
	return g;
}

static inline uint32_t
n_buckets(const struct nhg_group *g)
{
	return g->bucket_mask + 1;
}

static inline void
count_base(const struct nhg_group *g, uint32_t *ret_count)
{
	memset(ret_count, 0, (NHG_NONE + 1) * sizeof(*ret_count));
	for (uint32_t b = 0; b < n_buckets(g); b++)
		ret_count[g->base[b]]++;
}

static inline void
all_alive(struct alive *a)
{
	memset(a, 0, sizeof(*a));
}

/* The flow as the parser books it. */
static inline uint32_t
flow_v4(uint32_t src, uint32_t dst, uint32_t ports, uint8_t proto)
{
	return flow_crc_l4(flow_crc_addrs4((uint64_t)src << 32 | dst), ports, proto);
}

/* The finished hash of flow number i: hosts of two networks, RoCE, a source port for each flow. */
static inline uint32_t
flow_hash(uint32_t i, uint64_t seed)
{
	uint32_t ports = (0xc000u + (i & 0x3fff)) << 16 | 4791;

	return nhg_hash_finish(flow_v4(0x0a000001 + (i >> 14), 0x0a010001, ports, 17), seed);
}

/* Newton's, so that no program needs libm for it. */
static inline double
square_root(double x)
{
	double r = x > 1 ? x : 1;

	for (unsigned int k = 0; k < 60; k++)
		r = (r + x / r) / 2;
	return r;
}

/* Five standard deviations of a binomial count, and one for small numbers. */
static inline double
binomial_bound(double n, double p)
{
	return 5 * square_root(n * p * (1 - p)) + 1;
}

#endif
