/* SPDX-License-Identifier: BSD-3-Clause */
/* Building groups: shares, order, fewest moves, and what is refused. */
#include <rte_eal.h>
#include <rte_malloc.h>

#include "groups.h"

Test(group, base_table_holds_the_apportioned_shares_in_a_mixed_order)
{
	static const uint32_t weight[] = {3, 1, 0, 4};
	uint32_t count[NHG_NONE + 1], same_as_next = 0;
	static struct want w;
	struct nhg_group *g;

	want_init(&w, 1024, 42, weight, 4);
	g = group_up(&w, NULL);
	count_base(g, count);
	cr_assert(count[0] == 384 && count[1] == 128 && count[2] == 0 && count[3] == 512);
	for (unsigned int m = 0; m < 4; m++)
		cr_assert_eq(g->member[m].n_buckets, count[m]);
	cr_assert_eq(memcmp(g->base, g->bucket, 1024), 0, "all live");
	/* Neighbours are the same with (9 + 1 + 16) / 64. */
	for (uint32_t b = 0; b < 1024; b++)
		same_as_next += g->base[b] == g->base[(b + 1) & g->bucket_mask];
	cr_assert_float_eq(same_as_next, 1024 * 26 / 64.0, binomial_bound(1024, 26 / 64.0));
	free(g);
}

Test(group, same_spec_gives_the_same_table_and_another_seed_another)
{
	struct nhg_group *a, *b, *c;
	static struct want w;
	uint32_t same = 0;

	want_init(&w, 512, nhg_seed_from_id(1), NULL, 8);
	a = group_up(&w, NULL);
	b = group_up(&w, NULL);
	w.spec.seed = nhg_seed_from_id(2);
	c = group_up(&w, NULL);
	cr_assert_eq(memcmp(a->base, b->base, 512), 0);
	for (uint32_t i = 0; i < 512; i++)
		same += a->base[i] == c->base[i];
	cr_assert_float_eq(same, 64.0, binomial_bound(512, 1 / 8.0));
	free(a);
	free(b);
	free(c);
}

Test(group, members_and_fields_are_taken_over)
{
	static struct want w;
	struct nhg_group *g;

	want_init(&w, 64, 9, NULL, 2);
	w.spec.hash_fields = NHG_HASH_5TUPLE;
	w.member[1] = (struct nhg_member){.l2 = {1, 2, 3},
		.port_idx = 511,
		.mtu = 9000,
		.counter = 77,
		.weight = NHG_WEIGHT_MAX,
		.n_buckets = 4711,
		.resolved = 1};
	g = group_up(&w, NULL);
	memset(w.member, 0xee, sizeof(w.member)); /* the group keeps its own */
	cr_assert(g->seed == 9 && g->bucket_mask == 63 && g->n_members == 2);
	cr_assert(g->policy == NHG_ECMP && g->hash_fields == NHG_HASH_5TUPLE);
	cr_assert(g->member[1].l2[2] == 3 && g->member[1].port_idx == 511);
	cr_assert(g->member[1].mtu == 9000 && g->member[1].counter == 77);
	cr_assert(g->member[1].resolved == 1 && g->member[1].n_buckets == 63);
	free(g);
}

Test(group, hundred_twenty_eight_members_all_get_a_share)
{
	static const uint32_t sizes[] = {128, 512, 32768};
	uint32_t weight[NHG_MEMBERS_MAX], count[NHG_NONE + 1];
	static struct want w;

	for (unsigned int i = 0; i < NHG_MEMBERS_MAX; i++)
		weight[i] = i % 2 == 0 ? 1 : NHG_WEIGHT_MAX;
	for (unsigned int k = 0; k < 3; k++) {
		struct nhg_group *g;

		want_init(&w, sizes[k], 5, weight, NHG_MEMBERS_MAX);
		g = group_up(&w, NULL);
		count_base(g, count);
		cr_assert_eq(count[NHG_NONE], 0);
		for (unsigned int i = 0; i < NHG_MEMBERS_MAX; i++)
			cr_assert_geq(count[i], 1);
		free(g);
	}
}

/* The table that every bucket would start from: its old owner's new index, or nobody. */
static uint8_t
old_owner(const struct want *w, const struct nhg_group *before, uint32_t b)
{
	uint8_t m = before->base[b & before->bucket_mask];

	for (unsigned int i = 0; m != NHG_NONE && i < w->spec.n_members; i++)
		if (w->old_idx[i] == m)
			return (uint8_t)i;
	return NHG_NONE;
}

/* No table with these counts moves fewer: each bucket that a member lacks must come from someone.
 */
static void
check_fewest_moves(const struct want *w, const struct nhg_group *before, const struct nhg_group *g)
{
	uint32_t had[NHG_NONE + 1] = {0}, lacks = 0, moves = 0;

	for (uint32_t b = 0; b < w->spec.n_buckets; b++) {
		had[old_owner(w, before, b)]++;
		moves += old_owner(w, before, b) != g->base[b];
	}
	for (unsigned int m = 0; m < w->spec.n_members; m++)
		if (g->member[m].n_buckets > had[m])
			lacks += g->member[m].n_buckets - had[m];
	/* When all weights have gone, what moves goes to nobody. */
	if (g->base[0] != NHG_NONE)
		cr_assert_eq(moves, lacks);
}

static void
check_shares(const struct want *w, const struct nhg_group *g)
{
	uint32_t weight[NHG_MEMBERS_MAX], due[NHG_MEMBERS_MAX], count[NHG_NONE + 1];

	for (unsigned int i = 0; i < w->spec.n_members; i++)
		weight[i] = w->member[i].weight;
	cr_assert_eq(nhg_buckets_apportion(weight, w->spec.n_members, w->spec.n_buckets, due), 0);
	count_base(g, count);
	for (unsigned int i = 0; i < w->spec.n_members; i++)
		cr_assert_eq(count[i], due[i]);
}

/* Some members go, some come, all change their places, some their weights. */
static void
random_successor(struct rng *rng, struct want *w)
{
	unsigned int n_old = w->spec.n_members, n = 0;
	struct want next = *w;

	for (unsigned int i = 0; i < n_old; i++) {
		if (rng_below(rng, 6) == 0)
			continue;
		next.member[n] = w->member[i];
		if (rng_below(rng, 4) == 0)
			next.member[n].weight = (uint32_t)rng_below(rng, 10);
		next.old_idx[n++] = (uint8_t)i;
	}
	for (unsigned int more = (unsigned int)rng_below(rng, 5); more > 0 && n < 64; more--) {
		next.member[n].weight = 1 + (uint32_t)rng_below(rng, 10);
		next.member[n].port_idx = (uint16_t)n;
		next.old_idx[n++] = NHG_NONE;
	}
	for (unsigned int i = n; i-- > 1;) {
		unsigned int k = (unsigned int)rng_below(rng, i + 1);
		struct nhg_member m = next.member[i];
		uint8_t old = next.old_idx[i];

		next.member[i] = next.member[k];
		next.old_idx[i] = next.old_idx[k];
		next.member[k] = m;
		next.old_idx[k] = old;
	}
	next.spec.n_members = (uint16_t)n;
	if (rng_below(rng, 8) == 0)
		next.spec.n_buckets = 64u << rng_below(rng, 5);
	*w = next;
	w->spec.member = w->member;
	w->spec.old_idx = w->old_idx;
	w->spec.dead = w->dead;
}

Test(group, every_change_moves_the_fewest_buckets)
{
	static struct want w;
	struct nhg_group *g;
	struct rng rng;

	rng_init(&rng, 31);
	want_init(&w, 512, 1, NULL, 5);
	g = group_up(&w, NULL);
	for (unsigned int round = 0; round < 3000; round++) {
		struct nhg_group *next;

		random_successor(&rng, &w);
		next = group_up(&w, g);
		check_shares(&w, next);
		check_fewest_moves(&w, g, next);
		free(g);
		g = next;
	}
	free(g);
}

Test(group, no_change_moves_nothing)
{
	struct nhg_group *a, *b;
	static struct want w;

	want_init(&w, 512, 1, (const uint32_t[]){3, 1, 7}, 3);
	a = group_up(&w, NULL);
	w.spec.seed = 2; /* not even with another seed */
	b = group_up(&w, a);
	cr_assert_eq(memcmp(a->base, b->base, 512), 0);
	free(a);
	free(b);
}

Test(group, new_member_takes_from_each_of_the_others_in_proportion)
{
	static const uint32_t weight[] = {4, 2, 2, 1};
	uint32_t taken[4] = {0}, in_quarter[4] = {0};
	struct nhg_group *a, *b;
	static struct want w;

	want_init(&w, 4096, 1, weight, 3);
	a = group_up(&w, NULL);
	want_init(&w, 4096, 1, weight, 4);
	w.old_idx[3] = NHG_NONE;
	b = group_up(&w, a);
	for (uint32_t i = 0; i < 4096; i++)
		if (a->base[i] != b->base[i]) {
			cr_assert_eq(b->base[i], 3, "a bucket moved between the old ones");
			taken[a->base[i]]++;
			in_quarter[i / 1024]++;
		}
	/* 4096 / 9 = 455.1: half of them from the first. */
	cr_assert(taken[0] >= 227 && taken[0] <= 228);
	cr_assert(taken[1] >= 113 && taken[1] <= 115);
	cr_assert(taken[2] >= 113 && taken[2] <= 115);
	/* And from all over the table. */
	for (unsigned int k = 0; k < 4; k++)
		cr_assert_float_eq(in_quarter[k], 455 / 4.0, binomial_bound(455, 0.25));
	free(a);
	free(b);
}

Test(group, growing_the_table_moves_no_flow_but_for_rounding)
{
	struct nhg_group *a, *b, *c;
	uint32_t moved = 0;
	static struct want w;

	want_init(&w, 512, 1, NULL, 3);
	a = group_up(&w, NULL);
	w.spec.n_buckets = 1024;
	b = group_up(&w, a);
	for (uint32_t h = 0; h < 1024; h++)
		moved += a->base[h & 511] != b->base[h];
	cr_assert_leq(moved, 2);
	w.spec.n_buckets = 512;
	c = group_up(&w, b);
	check_shares(&w, c);
	free(a);
	free(b);
	free(c);
}

Test(group, dead_members_keep_their_buckets_in_the_base_table)
{
	struct nhg_group *a, *b;
	static struct want w;

	want_init(&w, 512, 1, NULL, 4);
	a = group_up(&w, NULL);
	w.dead[1] = w.dead[2] = true;
	b = group_up(&w, a);
	cr_assert_eq(memcmp(a->base, b->base, 512), 0);
	for (uint32_t i = 0; i < 512; i++) {
		cr_assert(b->bucket[i] == 0 || b->bucket[i] == 3);
		if (a->bucket[i] == 0 || a->bucket[i] == 3)
			cr_assert_eq(a->bucket[i], b->bucket[i]);
	}
	free(a);
	w.dead[0] = w.dead[3] = true;
	a = group_up(&w, b);
	for (uint32_t i = 0; i < 512; i++)
		cr_assert_eq(a->bucket[i], NHG_NONE);
	free(a);
	free(b);
}

/* What is out of range is refused before memory is asked for: no EAL is up here. */
static void
refused(const struct want *w, const struct nhg_group *before, const char *what)
{
	struct nhg_group *g = (struct nhg_group *)1;

	cr_assert_eq(nhg_group_create(&w->spec, before, 0, &g), -EINVAL, "%s", what);
	cr_assert_eq(g, (struct nhg_group *)1, "%s", what);
}

Test(group, spec_out_of_range_is_refused)
{
	static const uint32_t sizes[] = {0, 1, 32, 63, 65, 500, 65536, 0x80000000};
	static struct want w;
	struct nhg_group *g;

	for (unsigned int i = 0; i < 8; i++) {
		want_init(&w, sizes[i], 1, NULL, 2);
		refused(&w, NULL, "buckets");
	}
	want_init(&w, 64, 1, NULL, 65);
	refused(&w, NULL, "more members than buckets");
	want_init(&w, 512, 1, NULL, 2);
	w.spec.n_members = NHG_MEMBERS_MAX + 1;
	refused(&w, NULL, "too many members");
	w.spec.n_members = 2;
	w.spec.member = NULL;
	refused(&w, NULL, "no member list");
	want_init(&w, 512, 1, (const uint32_t[]){1, NHG_WEIGHT_MAX + 1}, 2);
	refused(&w, NULL, "weight");
	want_init(&w, 512, 1, NULL, 2);
	w.member[1].port_idx = ALIVE_BITS;
	refused(&w, NULL, "port without a liveness bit");
	want_init(&w, 512, 1, NULL, 2);
	w.spec.hash_fields = 1u << 7;
	refused(&w, NULL, "hash field");
	want_init(&w, 512, 1, NULL, 2);
	w.spec.policy = (enum nhg_policy)99;
	refused(&w, NULL, "policy");

	want_init(&w, 512, 1, NULL, 2);
	g = group_up(&w, NULL);
	w.old_idx[1] = 2;
	refused(&w, g, "old index of nobody");
	w.old_idx[1] = 0;
	refused(&w, g, "one old member twice");
	w.old_idx[1] = 1;
	w.spec.old_idx = NULL;
	refused(&w, g, "no old indexes");
	free(g);
}

static size_t
heap_used(void)
{
	struct rte_malloc_socket_stats s;

	cr_assert_eq(rte_malloc_get_socket_stats(0, &s), 0);
	return s.heap_allocsz_bytes;
}

Test(group, create_and_free_keep_the_heap_in_balance)
{
	const char *const argv[] = {"test", "--no-huge", "--no-shconf", "--no-pci",
		"--no-telemetry", "-m", "64", "-l", "0", "--log-level=lib.eal:warning"};
	struct nhg_group *g[2048], *mine;
	static struct want w;
	unsigned int n = 0;
	size_t before;
	int rc;

	cr_assert_geq(rte_eal_init(sizeof(argv) / sizeof(argv[0]), (char **)(uintptr_t)argv), 0);
	want_init(&w, NHG_BUCKETS_MAX, 1, NULL, NHG_MEMBERS_MAX);
	mine = group_up(&w, NULL);
	before = heap_used();
	while (n < 2048) {
		struct nhg_group *none = NULL;

		rc = nhg_group_create(&w.spec, NULL, n % 2 == 0 ? 0 : -1, &none);
		if (rc != 0) {
			cr_assert_null(none);
			break;
		}
		g[n++] = none;
	}
	cr_assert_eq(rc, -ENOMEM);
	cr_assert_gt(n, 500);
	cr_assert_eq(memcmp(g[n - 1]->base, mine->base, NHG_BUCKETS_MAX), 0);
	cr_assert_eq((uintptr_t)g[n - 1] % RTE_CACHE_LINE_SIZE, 0);
	while (n > 0)
		nhg_group_free(g[--n]);
	nhg_group_free(NULL);
	cr_assert_eq(heap_used(), before);
	free(mine);
}
