/* SPDX-License-Identifier: BSD-3-Clause */
/* Full tables: a million IPv4 routes, and IPv6 aggregates with what is inside them. */
#include "model.h"

/*
 * Distinct prefixes by number: multiplying with an odd constant permutes the numbers of `len` bits,
 * so `n` of them are spread and none comes twice.
 */
struct layer {
	uint8_t len;
	uint32_t n;
};

#define V4_TOTAL 1000000u
static const struct layer v4_layers[] = {
	{8, 120},
	{12, 1000},
	{16, 13880},
	{19, 25000},
	{20, 40000},
	{22, 110000},
	{23, 100000},
	{24, 650000},
	{28, 20000},
	{32, 40000},
};
#define N_LAYERS (sizeof(v4_layers) / sizeof(v4_layers[0]))

static uint32_t
layer_ip(const struct layer *l, uint32_t i)
{
	uint64_t mask = (UINT64_C(1) << l->len) - 1;

	return (uint32_t)(((i * UINT64_C(0x9e3779b1) + l->len) & mask) << (32 - l->len));
}

static uint16_t
layer_group(const struct layer *l, uint32_t i)
{
	return (uint16_t)(1 + (i * 7 + l->len) % FIB_GROUP_MAX);
}

/* The number of the prefix around `ip` in its layer, or n when it is not one of ours. */
static uint32_t
layer_find(const struct layer *l, uint32_t ip)
{
	uint64_t mask = (UINT64_C(1) << l->len) - 1, inverse = UINT64_C(0x9e3779b1);

	/* Newton: each step doubles the bits that are right (the first three are). */
	for (unsigned int k = 0; k < 5; k++)
		inverse *= 2 - UINT64_C(0x9e3779b1) * inverse;
	uint64_t i = (((uint64_t)ip >> (32 - l->len)) - l->len) * inverse & mask;

	return i < l->n ? (uint32_t)i : l->n;
}

static uint16_t
reference_v4(uint32_t ip)
{
	for (unsigned int k = N_LAYERS; k-- > 0;) {
		uint32_t i = layer_find(&v4_layers[k], ip);

		if (i < v4_layers[k].n)
			return layer_group(&v4_layers[k], i);
	}
	return FIB_NO_ROUTE;
}

static struct fib_change *
million(void)
{
	struct fib_change *c = calloc(V4_TOTAL, sizeof(*c));
	size_t n = 0;

	for (unsigned int k = 0; k < N_LAYERS; k++)
		for (uint32_t i = 0; i < v4_layers[k].n; i++, n++) {
			uint32_t ip = layer_ip(&v4_layers[k], i);

			c[n].op = FIB_ADD;
			c[n].route = (struct fib_route){
				.family = AF_INET,
				.prefix_len = v4_layers[k].len,
				.group_idx = layer_group(&v4_layers[k], i),
				.prefix = {(uint8_t)(ip >> 24), (uint8_t)(ip >> 16),
					(uint8_t)(ip >> 8), (uint8_t)ip},
			};
		}
	cr_assert_eq(n, V4_TOTAL);
	return c;
}

static void
check_million(const struct fib *f, unsigned int slot, struct rng *rng)
{
	for (unsigned int i = 0; i < 100000; i++) {
		uint32_t ip = (uint32_t)rng_next(rng);
		uint64_t nh;

		rte_fib_lookup_bulk(fib_slot(f, slot)->v4, &ip, &nh, 1);
		cr_assert(nh == reference_v4(ip), "slot %u, %08x", slot, ip);
	}
}

/* Plans a set of changes that only add; the routes in a list of their own, to be freed. */
static struct fib_plan
plan_changes(const struct fib_change *c, size_t n)
{
	struct fib_route *r = calloc(n, sizeof(*r));
	struct fib_plan plan;
	size_t bad;

	for (size_t i = 0; i < n; i++)
		r[i] = c[i].route;
	cr_assert_eq(fib_plan(r, n, &plan, &bad), 0);
	free(r);
	return plan;
}

Test(load, million_v4_routes_in_two_slots)
{
	struct fib_change *c = million();
	struct fib_info info;
	struct fib_plan plan;
	size_t failed, before;
	struct fib *f;
	struct rng rng;

	eal_up("2048");
	rng_init(&rng, 3);
	before = heap_used();
	plan = plan_changes(c, V4_TOTAL);
	cr_assert_eq(fib_create("million", &plan, 0, &f), 0);
	cr_assert_eq(fib_apply(f, 0, c, V4_TOTAL, &failed), 0);
	check_million(f, 0, &rng);
	cr_assert_eq(fib_ensure_second(f), 0);
	check_million(f, 1, &rng);
	fib_info(f, &info);
	cr_assert_eq(info.n_v4, V4_TOTAL);
	cr_assert_leq(heap_used() - before, info.bytes + info.bytes / 50, "more than was planned");

	/* Takes every other one away in one batch whose last change fails: all stay. */
	for (size_t i = 0; i < V4_TOTAL / 2; i++) {
		c[i] = c[2 * i];
		c[i].op = FIB_DEL;
	}
	c[V4_TOTAL / 2] = c[0];
	cr_assert_eq(fib_apply(f, 0, c, V4_TOTAL / 2 + 1, &failed), -ENOENT);
	cr_assert_eq(failed, V4_TOTAL / 2);
	check_million(f, 0, &rng);
	fib_free(f);
	cr_assert_eq(heap_used(), before);
	free(c);
}

/* 2001:xxxx::/32 aggregates, each with some /48, some of these with /56 and /64. */
#define V6_TOTAL      200000u
#define V6_AGGREGATES 4000u

static size_t
v6_set(struct fib_change *c)
{
	struct rng rng;
	size_t n = 0;

	rng_init(&rng, 8);
	for (uint32_t i = 0; n < V6_TOTAL; i++) {
		struct fib_route r = {.family = AF_INET6, .prefix_len = 32};
		uint32_t in_aggregate = i / V6_AGGREGATES;

		r.prefix[0] = 0x20 + i % 4;
		r.prefix[2] = (uint8_t)(i % V6_AGGREGATES >> 8);
		r.prefix[3] = (uint8_t)(i % V6_AGGREGATES);
		if (in_aggregate > 0) {
			r.prefix[4] = (uint8_t)(in_aggregate >> 4);
			r.prefix[5] = (uint8_t)in_aggregate;
			r.prefix_len = (uint8_t)(48 + 8 * (in_aggregate % 3));
			r.prefix[6] = r.prefix_len > 48 ? (uint8_t)rng_next(&rng) : 0;
			r.prefix[7] = r.prefix_len > 56 ? (uint8_t)rng_next(&rng) : 0;
		}
		r.group_idx = (uint16_t)(1 + rng_below(&rng, FIB_GROUP_MAX));
		c[n].op = FIB_ADD;
		c[n++].route = r;
	}
	return n;
}

static int
by_prefix(const void *a, const void *b)
{
	const struct fib_change *ca = a, *cb = b;

	return by_order(&ca->route, &cb->route);
}

/* Longest match by binary search in the sorted set, one length at a time. */
static uint16_t
reference_v6(const struct fib_change *sorted, size_t n, const uint8_t *addr)
{
	for (int len = 64; len >= 32; len -= 8) {
		struct fib_change key = {.route = {.family = AF_INET6, .prefix_len = (uint8_t)len}};
		const struct fib_change *hit;

		memcpy(key.route.prefix, addr, (size_t)len / 8);
		hit = bsearch(&key, sorted, n, sizeof(*sorted), by_prefix);
		if (hit != NULL)
			return hit->route.group_idx;
	}
	return FIB_NO_ROUTE;
}

Test(load, large_v6_table_of_aggregates)
{
	struct fib_change *c = calloc(V6_TOTAL, sizeof(*c));
	size_t n = v6_set(c), failed;
	struct fib_info info;
	struct fib_plan plan;
	struct fib *f;
	struct rng rng;

	eal_up("1024");
	rng_init(&rng, 4);
	plan = plan_changes(c, n);
	plan.v6.n_tbl8 = plan.v6.need_tbl8;
	cr_assert_eq(fib_create("six", &plan, 0, &f), 0);
	cr_assert_eq(fib_apply(f, 0, c, n, &failed), 0);
	cr_assert_eq(fib_ensure_second(f), 0);
	fib_info(f, &info);
	cr_assert_eq(info.n_v6, n);
	qsort(c, n, sizeof(*c), by_prefix);
	for (unsigned int i = 0; i < 100000; i++) {
		uint8_t addr[16];
		uint16_t want;

		near_addr(&rng, &c[rng_below(&rng, n)].route, addr);
		want = reference_v6(c, n, addr);
		cr_assert_eq(slot_lookup(fib_slot(f, 0), AF_INET6, addr), want);
		cr_assert_eq(slot_lookup(fib_slot(f, 1), AF_INET6, addr), want);
	}
	for (size_t i = 0; i < n; i++)
		c[i].op = FIB_DEL;
	cr_assert_eq(fib_apply(f, 1, c, n, &failed), 0);
	for (unsigned int i = 0; i < 1000; i++)
		cr_assert_eq(slot_lookup(fib_slot(f, 1), AF_INET6, c[i * (n / 1000)].route.prefix),
			FIB_NO_ROUTE);
	fib_free(f);
	free(c);
}
