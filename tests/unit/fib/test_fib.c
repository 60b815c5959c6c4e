/* SPDX-License-Identifier: BSD-3-Clause */
/* The FIB against a list, its batches, its capacity and its two slots. */
#include "fib/table.h"
#include "model.h"

#define N_BATCHES 300
#define BATCH_MAX 12
#define N_PROBES  60

/* Tight in every respect, so that many batches fail, and DIR24-8's own count of 64 has no slack. */
static const struct fib_plan big = {
	.v4 = {.n_routes = 90, .n_tbl8 = 64 - FIB_SPARE_TBL8, .entry_len = 2},
	.v6 = {.n_routes = 90, .n_tbl8 = 300, .entry_len = 2},
};
static const struct fib_plan wide = {
	.v4 = {.n_routes = 60, .n_tbl8 = 128 - FIB_SPARE_TBL8, .entry_len = 4},
	.v6 = {.n_routes = 120, .n_tbl8 = 200, .entry_len = 4},
};
static const struct fib_plan small = {
	.v4 = {.small = true, .n_routes = 40, .entry_len = 2},
	.v6 = {.small = true, .n_routes = 40, .entry_len = 2},
};

static int
model_apply_one(struct model *m, const struct fib_plan *plan, const struct fib_change *c)
{
	const struct fib_plan_family *p = c->route.family == AF_INET ? &plan->v4 : &plan->v6;
	size_t i = 0;

	while (i < m->n && !same_prefix(&m->route[i], &c->route))
		i++;
	if (c->op == FIB_DEL) {
		if (i == m->n)
			return -ENOENT;
		m->route[i] = m->route[--m->n];
		return 0;
	}
	if (i == m->n) {
		cr_assert_lt(m->n, MODEL_MAX);
		m->n++;
	}
	m->route[i] = c->route;
	if (model_count(m, c->route.family) > p->n_routes ||
		(!p->small && model_tbl8(m, c->route.family) > p->n_tbl8))
		return -ENOSPC;
	return 0;
}

static int
model_apply(struct model *m, const struct fib_plan *plan, const struct fib_change *c, size_t n,
	size_t *ret_failed)
{
	struct model next = *m;

	for (size_t i = 0; i < n; i++) {
		int rc = model_apply_one(&next, plan, &c[i]);

		if (rc != 0) {
			*ret_failed = i;
			return rc;
		}
	}
	*m = next;
	return 0;
}

static size_t
random_batch(struct rng *rng, const struct model *m, bool shrink, struct fib_change *ret_change)
{
	size_t n = 1 + rng_below(rng, BATCH_MAX);

	for (size_t i = 0; i < n; i++) {
		uint8_t family = rng_below(rng, 2) == 0 ? AF_INET : AF_INET6;

		ret_change[i].op = rng_below(rng, 10) < (shrink ? 7 : 2) ? FIB_DEL : FIB_ADD;
		if (m->n > 0 && (ret_change[i].op == FIB_DEL ? rng_below(rng, 50) != 0
							     : rng_below(rng, 4) == 0)) {
			ret_change[i].route = m->route[rng_below(rng, m->n)];
			ret_change[i].route.group_idx = (uint16_t)(1 + rng_below(rng, 4));
		} else {
			ret_change[i].route = random_route(rng, m, family);
		}
	}
	return n;
}

static void
check_lookups(struct rng *rng, const struct fib *f, unsigned int slot, const struct model *m)
{
	for (unsigned int i = 0; i < N_PROBES; i++) {
		const struct fib_route *near = m->n == 0 ? NULL : &m->route[rng_below(rng, m->n)];
		uint8_t family = rng_below(rng, 2) == 0 ? AF_INET : AF_INET6;
		uint8_t addr[16];

		random_addr(rng, addr);
		if (near != NULL && i % 4 != 0) {
			family = near->family;
			near_addr(rng, near, addr);
		}
		cr_assert_eq(slot_lookup(fib_slot(f, slot), family, addr),
			model_lookup(m, family, addr), "slot %u, family %u, %02x%02x%02x%02x...",
			slot, family, addr[0], addr[1], addr[2], addr[3]);
	}
}

static void
check_walk(const struct fib *f, const struct model *m)
{
	struct model sorted = *m, walked;

	walk(f, &walked);
	qsort(sorted.route, sorted.n, sizeof(sorted.route[0]), by_order);
	cr_assert_eq(walked.n, m->n);
	for (size_t i = 0; i < m->n; i++)
		cr_assert(same_prefix(&walked.route[i], &sorted.route[i]) &&
				  walked.route[i].group_idx == sorted.route[i].group_idx,
			"route %zu of %zu", i, m->n);
}

/* One long run: left-right over two slots, every batch right or wholly without effect. */
static void
run_model(const char *name, const struct fib_plan *plan, uint64_t seed)
{
	struct fib_change change[BATCH_MAX];
	static struct model m;
	struct fib_info info;
	unsigned int n_full = 0;
	struct rng rng;
	struct fib *f;

	memset(&m, 0, sizeof(m));
	rng_init(&rng, seed);
	cr_assert_eq(fib_create(name, plan, 0, &f), 0);
	for (unsigned int b = 0; b < N_BATCHES; b++) {
		/* Growing and shrinking times, so that full and empty are both reached. */
		bool shrink = b / 40 % 4 == 3;
		size_t n = random_batch(&rng, &m, shrink, change), failed = 0, want_failed = 0;
		int want = model_apply(&m, plan, change, n, &want_failed);

		if (b == N_BATCHES / 4)
			cr_assert_eq(fib_ensure_second(f), 0);
		for (unsigned int slot = 0; slot < (b > N_BATCHES / 4 ? 2 : 1); slot++) {
			cr_assert_eq(fib_apply(f, slot, change, n, &failed), want, "batch %u", b);
			cr_assert_eq(failed, want_failed);
			check_lookups(&rng, f, slot, &m);
		}
		if (b == N_BATCHES / 4) {
			cr_assert_eq(fib_apply(f, 1, change, n, &failed), want);
			check_lookups(&rng, f, 1, &m);
		}
		check_walk(f, &m);
		n_full += want == -ENOSPC;
	}
	fib_info(f, &info);
	cr_assert_eq(info.n_v4, model_count(&m, AF_INET));
	cr_assert_eq(info.n_v6, model_count(&m, AF_INET6));
	cr_assert_gt(n_full, 10, "%s: only %u batches found the table full", name, n_full);
	fib_free(f);
}

Test(fib, random_batches_agree_with_a_list)
{
	size_t before;

	eal_up("400");
	before = heap_used();
	for (uint64_t seed = 1; seed <= 2; seed++) {
		run_model("big", &big, seed);
		run_model("wide", &wide, seed + 100);
		run_model("small", &small, seed + 200);
	}
	cr_assert_eq(heap_used(), before, "something is not freed");
}

Test(fib, big_and_small_kind_and_list_agree)
{
	const struct fib_plan plans[] = {
		{.v4 = {.n_routes = 400, .n_tbl8 = 400, .entry_len = 2},
			.v6 = {.n_routes = 400, .n_tbl8 = 5200, .entry_len = 2}},
		{.v4 = {.small = true, .n_routes = 400}, .v6 = {.small = true, .n_routes = 400}},
	};
	static struct model m;
	struct fib *f[2];
	struct rng rng;

	eal_up("256");
	rng_init(&rng, 77);
	cr_assert_eq(fib_create("kind0", &plans[0], 0, &f[0]), 0);
	cr_assert_eq(fib_create("kind1", &plans[1], 0, &f[1]), 0);
	while (m.n < 400) {
		struct fib_change c = {.op = FIB_ADD};
		size_t failed;

		c.route = random_route(&rng, &m, m.n % 2 == 0 ? AF_INET : AF_INET6);
		cr_assert_eq(model_apply(&m, &plans[0], &c, 1, &failed), 0);
		cr_assert_eq(fib_apply(f[0], 0, &c, 1, &failed), 0);
		cr_assert_eq(fib_apply(f[1], 0, &c, 1, &failed), 0);
	}
	for (unsigned int i = 0; i < 40; i++) {
		struct rng same = rng;

		check_lookups(&rng, f[0], 0, &m);
		check_lookups(&same, f[1], 0, &m);
	}
	fib_free(f[0]);
	fib_free(f[1]);
}

Test(fib, failed_batch_leaves_no_trace)
{
	struct fib_change c[] = {
		{FIB_ADD, route(AF_INET, "0a000000", 8, 9)},   /* replaces */
		{FIB_DEL, route(AF_INET, "0a010000", 16, 0)},  /* deletes */
		{FIB_ADD, route(AF_INET, "0a010000", 16, 7)},  /* and comes again */
		{FIB_ADD, route(AF_INET6, "20010db8", 32, 5)}, /* new */
		{FIB_ADD, route(AF_INET6, "20010db8", 32, 6)}, /* and changes */
		{FIB_DEL, route(AF_INET, "0a020000", 16, 0)},  /* deletes for good */
		{FIB_ADD, route(AF_INET, "0a000001", 32, 4)},  /* takes a tbl8 */
		{FIB_DEL, route(AF_INET, "0b000000", 8, 0)},   /* is not there */
		{FIB_ADD, route(AF_INET, "0c000000", 8, 3)},
	};
	struct model before, after;
	struct fib *f;
	size_t failed;

	eal_up("256");
	cr_assert_eq(fib_create("f", &big, 0, &f), 0);
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a000000", 8, 1));
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a010000", 16, 2));
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a020000", 16, 2));
	walk(f, &before);
	cr_assert_eq(fib_apply(f, 0, c, 9, &failed), -ENOENT);
	cr_assert_eq(failed, 7);
	walk(f, &after);
	cr_assert_eq(memcmp(&before, &after, sizeof(before)), 0);
	cr_assert_eq(slot_lookup(fib_slot(f, 0), AF_INET, (uint8_t[]){10, 0, 0, 1}), 1);
	cr_assert_eq(slot_lookup(fib_slot(f, 0), AF_INET, (uint8_t[]){10, 2, 0, 1}), 2);

	c[7].route.group_idx = 0;
	c[7].op = FIB_ADD;
	cr_assert_eq(fib_apply(f, 0, c, 9, &failed), -EINVAL, "group 0");
	cr_assert_eq(failed, 7);
	c[7].route.group_idx = FIB_GROUP_MAX + 1;
	cr_assert_eq(fib_apply(f, 0, c, 9, &failed), -EINVAL, "group out of range");
	c[7].route = route(AF_INET, "0b000001", 8, 1);
	cr_assert_eq(fib_apply(f, 0, c, 9, &failed), -EINVAL, "host bits");
	c[7].route = route(AF_INET, "0b000000", 33, 1);
	cr_assert_eq(fib_apply(f, 0, c, 9, &failed), -EINVAL, "length");
	cr_assert_eq(fib_apply(f, 1, c, 9, &failed), -EINVAL, "no second slot yet");
	walk(f, &after);
	cr_assert_eq(memcmp(&before, &after, sizeof(before)), 0);

	c[7].route = route(AF_INET, "0b000000", 8, FIB_GROUP_MAX);
	cr_assert_eq(fib_apply(f, 0, c, 9, &failed), 0);
	cr_assert_eq(slot_lookup(fib_slot(f, 0), AF_INET, (uint8_t[]){11, 0, 0, 1}), FIB_GROUP_MAX);
	fib_free(f);
}

static struct fib_route
numbered(uint8_t family, unsigned int i, uint8_t len)
{
	struct fib_route r = {.family = family, .prefix_len = len, .group_idx = 1};

	r.prefix[0] = 0x20;
	r.prefix[1] = (uint8_t)(i >> 8);
	r.prefix[2] = (uint8_t)i;
	return r;
}

/* Both kinds, both families: full is full, and all but growing still works then. */
static void
run_full(const char *name, const struct fib_plan *plan, uint8_t family)
{
	uint32_t max = family == AF_INET ? plan->v4.n_routes : plan->v6.n_routes;
	struct model before, after;
	struct fib *f;

	cr_assert_eq(fib_create(name, plan, 0, &f), 0);
	for (unsigned int i = 0; i < max; i++)
		apply_ok(f, 0, FIB_ADD, numbered(family, i, 24));
	walk(f, &before);
	for (unsigned int round = 0; round < 1000; round++) {
		struct fib_route r = numbered(family, round % max, 24);

		cr_assert_eq(apply_rc(f, FIB_ADD, numbered(family, max, 24)), -ENOSPC);
		r.group_idx = 2;
		apply_ok(f, 0, FIB_ADD, r);
		apply_ok(f, 0, FIB_DEL, r);
		apply_ok(f, 0, FIB_ADD, numbered(family, max, 23));
		cr_assert_eq(apply_rc(f, FIB_ADD, r), -ENOSPC);
		apply_ok(f, 0, FIB_DEL, numbered(family, max, 23));
		r.group_idx = 1;
		apply_ok(f, 0, FIB_ADD, r);
	}
	walk(f, &after);
	cr_assert_eq(memcmp(&before, &after, sizeof(before)), 0);
	fib_free(f);
}

Test(fib, at_capacity_all_but_growing_works)
{
	eal_up("256");
	run_full("big4", &big, AF_INET);
	run_full("big6", &big, AF_INET6);
	run_full("small4", &small, AF_INET);
	run_full("small6", &small, AF_INET6);
}

Test(fib, lack_of_memory_is_an_error_and_costs_nothing)
{
	struct fib_plan huge = big;
	struct fib *f = NULL;
	size_t before;

	eal_up("100");
	before = heap_used();
	huge.v4.n_routes = FIB_ROUTES_MAX;
	cr_assert_eq(fib_create("rib", &huge, 0, &f), -ENOMEM);
	huge.v4.n_routes = 100;
	huge.v6.n_tbl8 = 1u << 20;
	huge.v6.entry_len = 4;
	cr_assert_eq(fib_create("tbl8", &huge, 0, &f), -ENOMEM);
	cr_assert_null(f);
	cr_assert_eq(heap_used(), before);

	/* One slot of two tables fits, a second one does not. */
	cr_assert_eq(fib_create("f", &big, 0, &f), 0);
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a000000", 8, 1));
	before = heap_used();
	cr_assert_eq(fib_ensure_second(f), -ENOMEM);
	cr_assert_eq(heap_used(), before);
	cr_assert_null(fib_slot(f, 1)->v4);
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a000000", 9, 2));
	cr_assert_eq(slot_lookup(fib_slot(f, 0), AF_INET, (uint8_t[]){10, 0, 0, 1}), 2);
	fib_free(f);
}

Test(fib, many_live_side_by_side_under_names_of_their_own)
{
	struct fib *f[40], *other = NULL;
	char name[16];
	size_t before;

	eal_up("64");
	before = heap_used();
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "fib-of-no-%02u", i); /* 12 characters */
		cr_assert_eq(fib_create(name, &small, -1, &f[i]), 0);
		apply_ok(f[i], 0, FIB_ADD, route(AF_INET, "", 0, (uint16_t)(i + 1)));
		cr_assert_eq(fib_ensure_second(f[i]), 0);
		cr_assert_eq(fib_ensure_second(f[i]), 0, "again is no error");
	}
	for (unsigned int i = 0; i < 40; i++)
		for (unsigned int slot = 0; slot < 2; slot++)
			cr_assert_eq(
				slot_lookup(fib_slot(f[i], slot), AF_INET, (uint8_t[]){8, 8, 8, 8}),
				i + 1);
	cr_assert_eq(fib_create("fib-of-no-07", &small, -1, &other), -EEXIST);
	cr_assert_eq(fib_create("fib-of-no-007", &small, -1, &other), -EINVAL);
	cr_assert_null(other);
	for (unsigned int i = 0; i < 40; i++)
		fib_free(f[i]);
	fib_free(NULL);
	cr_assert_eq(heap_used(), before);
}

static bool
stop_at_second(void *ctx, const struct fib_route *r)
{
	unsigned int *n = ctx;

	(void)r;
	return ++*n < 2;
}

Test(fib, walk_stops_when_told)
{
	unsigned int n = 0;
	struct fib *f;

	eal_up("64");
	cr_assert_eq(fib_create("f", &small, 0, &f), 0);
	fib_walk(f, stop_at_second, &n);
	cr_assert_eq(n, 0);
	for (unsigned int i = 0; i < 5; i++)
		apply_ok(f, 0, FIB_ADD, numbered(AF_INET, i, 24));
	apply_ok(f, 0, FIB_ADD, numbered(AF_INET6, 1, 24));
	fib_walk(f, stop_at_second, &n);
	cr_assert_eq(n, 2);
	fib_free(f);
}
