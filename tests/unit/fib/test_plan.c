/* SPDX-License-Identifier: BSD-3-Clause */
/* Capacity planning: counts against the definition, and a FIB that needs exactly what was planned.
 */
#include "fib/table.h"
#include "model.h"

static int
plan_model(const struct model *m, struct fib_plan *ret_plan)
{
	size_t bad = SIZE_MAX;

	return fib_plan(m->route, m->n, ret_plan, &bad);
}

/* `n` different routes of one family, many inside each other, most longer than 24 bits. */
static void
random_set(struct rng *rng, uint8_t family, size_t n, struct model *ret_set)
{
	memset(ret_set, 0, sizeof(*ret_set));
	while (ret_set->n < n) {
		struct fib_route r = random_route(rng, ret_set, family);
		size_t i = 0;

		while (i < ret_set->n && !same_prefix(&ret_set->route[i], &r))
			i++;
		if (i == ret_set->n)
			ret_set->route[ret_set->n++] = r;
	}
}

Test(plan, tbl8_count_is_that_of_the_definition)
{
	struct fib_plan plan;
	struct model m;
	struct rng rng;

	rng_init(&rng, 11);
	for (unsigned int round = 0; round < 100; round++) {
		random_set(
			&rng, round % 2 == 0 ? AF_INET : AF_INET6, 65 + rng_below(&rng, 300), &m);
		cr_assert_eq(plan_model(&m, &plan), 0);
		cr_assert_eq(plan.v4.need_tbl8, model_tbl8(&m, AF_INET));
		cr_assert_eq(plan.v6.need_tbl8, model_tbl8(&m, AF_INET6));
		cr_assert_geq(plan.v4.n_tbl8, plan.v4.need_tbl8 + plan.v4.need_tbl8 / 4);
		cr_assert_geq(plan.v6.n_tbl8, plan.v6.need_tbl8 + plan.v6.need_tbl8 / 4);
	}
}

/* Adds the set in the order of the list; the index of the first that does not fit, or its length.
 */
static size_t
load(const struct model *m, const struct fib_plan *plan)
{
	struct fib *f;
	size_t i = 0;

	cr_assert_eq(fib_create("f", plan, 0, &f), 0);
	while (i < m->n) {
		int rc = apply_rc(f, FIB_ADD, m->route[i]);

		if (rc != 0) {
			cr_assert_eq(rc, -ENOSPC);
			break;
		}
		i++;
	}
	fib_free(f);
	return i;
}

Test(plan, what_is_planned_is_enough_and_one_less_is_not)
{
	struct fib_plan plan;
	struct model m;
	struct rng rng;

	eal_up("128");
	rng_init(&rng, 12);
	for (unsigned int round = 0; round < 20; round++) {
		uint8_t family = round % 2 == 0 ? AF_INET : AF_INET6;
		struct fib_plan_family *p = family == AF_INET ? &plan.v4 : &plan.v6;

		random_set(&rng, family, 65 + rng_below(&rng, 150), &m);
		cr_assert_eq(plan_model(&m, &plan), 0);
		cr_assert_gt(p->need_tbl8, 1);
		p->n_routes = (uint32_t)m.n;
		p->n_tbl8 = p->need_tbl8;
		cr_assert_eq(load(&m, &plan), m.n, "a set that was planned does not fit");
		p->n_tbl8--;
		cr_assert_lt(load(&m, &plan), m.n, "planned one tbl8 too many");
		p->n_tbl8++;
		p->n_routes--;
		cr_assert_eq(load(&m, &plan), m.n - 1);
	}
}

Test(plan, memory_is_what_the_heap_gives)
{
	static const uint32_t sizes[] = {1, 64, 65, 1000, 30000};
	struct fib_route *set = calloc(30000, sizeof(*set));
	struct fib_plan plan;
	size_t bad;

	eal_up("512");
	for (unsigned int i = 0; i < 5; i++)
		for (unsigned int family = 0; family < 2; family++) {
			size_t before = heap_used(), used;
			uint64_t planned;
			struct fib *f;

			for (uint32_t k = 0; k < sizes[i]; k++) {
				set[k] = route(family == 0 ? AF_INET : AF_INET6, "", 0, 1);
				set[k].prefix[0] = (uint8_t)(k >> 8);
				set[k].prefix[2] = (uint8_t)k;
				set[k].prefix_len = 28;
			}
			cr_assert_eq(fib_plan(set, sizes[i], &plan, &bad), 0);
			cr_assert_eq(fib_create("f", &plan, 0, &f), 0);
			used = heap_used() - before;
			planned = plan.v4.bytes + plan.v6.bytes;
			/* Pools and rings have headers of some 20 KB that no count of routes shows.
			 */
			cr_assert_leq(used, planned + planned / 10 + (96 << 10), "%u: %zu of %zu",
				sizes[i], used, (size_t)planned);
			cr_assert_geq(used, planned - planned / 10);
			fib_free(f);
		}
	free(set);
}

Test(plan, kind_follows_size)
{
	struct fib_plan plan;
	struct model m;
	struct rng rng;

	rng_init(&rng, 13);
	random_set(&rng, AF_INET, FIB_SMALL_ROUTES, &m);
	cr_assert_eq(plan_model(&m, &plan), 0);
	cr_assert(plan.v4.small && plan.v6.small);
	cr_assert_eq(plan.v4.n_routes, FIB_SMALL_ROUTES + FIB_SMALL_ROUTES / 4);
	cr_assert_eq(plan.v6.n_routes, FIB_SMALL_ROUTES6, "room for the first routes that come");
	cr_assert_lt(plan.v4.bytes + plan.v6.bytes, 128 << 10);

	random_set(&rng, AF_INET, FIB_SMALL_ROUTES + 1, &m);
	cr_assert_eq(plan_model(&m, &plan), 0);
	cr_assert(!plan.v4.small && plan.v6.small);
	cr_assert_eq(plan.v4.entry_len, 2);
	cr_assert_geq(plan.v4.bytes, 32 << 20);

	random_set(&rng, AF_INET6, FIB_SMALL_ROUTES6 + 1, &m);
	cr_assert_eq(plan_model(&m, &plan), 0);
	cr_assert(plan.v4.small && !plan.v6.small);

	cr_assert_eq(fib_plan(NULL, 0, &plan, NULL), 0);
	cr_assert(plan.v4.small && plan.v6.small);
}

Test(plan, entries_grow_when_tbl8_do_not_fit_15_bits)
{
	enum { N = 40000 };
	struct fib_route *set = calloc(N, sizeof(*set));
	struct fib_plan plan;
	size_t bad;

	for (unsigned int i = 0; i < N; i++) {
		set[i] = route(AF_INET, "0a", 32, 1);
		set[i].prefix[1] = (uint8_t)(i >> 8);
		set[i].prefix[2] = (uint8_t)i;
	}
	cr_assert_eq(fib_plan(set, 26008, &plan, &bad), 0);
	cr_assert_eq(plan.v4.n_tbl8, FIB_ENTRY2_TBL8 - FIB_SPARE_TBL8);
	cr_assert_eq(plan.v4.entry_len, 2);
	cr_assert_eq(fib_plan(set, 26009, &plan, &bad), 0);
	cr_assert_eq(plan.v4.entry_len, 4);
	free(set);
}

Test(plan, malformed_route_is_named)
{
	struct fib_route good = route(AF_INET, "0a", 8, 1);
	struct fib_route wrong[] = {
		route(AF_INET, "0a", 33, 1),
		route(AF_INET6, "20", 129, 1),
		route(AF_UNIX, "", 0, 1),
		route(AF_INET, "0a", 8, 0),
		route(AF_INET, "0a", 8, FIB_GROUP_MAX + 1),
		route(AF_INET, "0a01", 15, 1),
		route(AF_INET, "0a0001", 16, 1),
		route(AF_INET6, "20010db8000000000000000000000001", 127, 1),
		route(AF_INET6, "20010db800000000000000000001", 64, 1),
	};
	struct fib_plan plan, untouched;

	memset(&plan, 0x5a, sizeof(plan));
	untouched = plan;
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fib_route set[] = {good, good, wrong[i], good};
		size_t bad = 99;

		cr_assert_eq(fib_plan(set, 4, &plan, &bad), -EINVAL, "%u", i);
		cr_assert_eq(bad, 2);
		cr_assert_eq(memcmp(&plan, &untouched, sizeof(plan)), 0);
	}
}

Test(plan, more_than_promised_is_refused)
{
	size_t n = FIB_ROUTES_MAX + 1, bad;
	struct fib_route *set = calloc(n, sizeof(*set));
	struct fib_plan plan;

	for (size_t i = 0; i < n; i++)
		set[i] = (struct fib_route){.family = AF_INET,
			.prefix_len = 24,
			.group_idx = 1,
			.prefix = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
	cr_assert_eq(fib_plan(set, n, &plan, &bad), -E2BIG);
	cr_assert_eq(fib_plan(set, n - 1, &plan, &bad), 0);
	cr_assert_eq(plan.v4.n_routes, FIB_ROUTES_MAX);

	/* A million /128 far from each other would want 12 tables each. */
	n = 1u << 20;
	for (size_t i = 0; i < n; i++)
		set[i] = (struct fib_route){.family = AF_INET6,
			.prefix_len = 128,
			.group_idx = 1,
			.prefix = {0x20, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
	cr_assert_eq(fib_plan(set, n, &plan, &bad), -E2BIG);
	free(set);
}
