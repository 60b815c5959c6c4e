/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large a FIB must be for a set of routes, before any memory is asked for. fib_create() takes
 * the plan and fib_apply() holds to it. Pure but for scratch memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_common.h>

#include "fib/table.h"

#define STEM_MIN  24u /* bits that the first-level table covers */
#define STEM_STEP 8u
#define STEMS_MAX 13u /* 24, 32, ... 120 */

/*
 * tbl8 beyond the quarter, for a node whose first long prefixes come later. 256 of them are 128 KB;
 * a /128 takes 13.
 */
#define TBL8_SLACK 256u

/* Two RIB nodes a route (itself and a fork), in a mempool: three cache lines and a ring slot. */
#define RIB_ROUTE_BYTES (2u * 192u)

static unsigned int
max_len(uint8_t family)
{
	return family == AF_INET ? 32 : 128;
}

/* True when all bits behind the prefix length are 0. */
static bool
host_bits_clear(const struct fib_route *r)
{
	unsigned int byte = r->prefix_len / 8;

	if (r->prefix_len % 8 != 0 && (r->prefix[byte++] & (0xffu >> (r->prefix_len % 8))) != 0)
		return false;
	for (; byte < max_len(r->family) / 8; byte++)
		if (r->prefix[byte] != 0)
			return false;
	return true;
}

bool
fib_route_valid(const struct fib_route *r)
{
	return (r->family == AF_INET || r->family == AF_INET6) &&
	       r->prefix_len <= max_len(r->family) && host_bits_clear(r);
}

static int
compare_prefix(const void *a, const void *b)
{
	const struct fib_route *const *ra = a, *const *rb = b;

	return memcmp((*ra)->prefix, (*rb)->prefix, max_len((*ra)->family) / 8);
}

/*
 * The distinct stems of 24, 32, ... bits that have a longer prefix inside; each is one tbl8. In
 * address order those of one stem stand together, so comparing with the last one is enough.
 */
static uint32_t
count_stems(const struct fib_route **sorted, size_t n)
{
	const struct fib_route *last[STEMS_MAX] = {NULL};
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned int k = 0, stem = STEM_MIN; stem < sorted[i]->prefix_len;
			k++, stem += STEM_STEP) {
			if (last[k] != NULL &&
				memcmp(last[k]->prefix, sorted[i]->prefix, stem / 8) == 0)
				continue;
			last[k] = sorted[i];
			count++;
		}
	return count;
}

static int
count_tbl8(const struct fib_route *route, size_t n, uint8_t family, uint32_t *ret_count)
{
	const struct fib_route **longer;
	size_t n_longer = 0;

	*ret_count = 0;
	for (size_t i = 0; i < n; i++)
		n_longer += route[i].family == family && route[i].prefix_len > STEM_MIN;
	if (n_longer == 0)
		return 0;
	longer = malloc(n_longer * sizeof(*longer));
	if (longer == NULL)
		return -ENOMEM;
	n_longer = 0;
	for (size_t i = 0; i < n; i++)
		if (route[i].family == family && route[i].prefix_len > STEM_MIN)
			longer[n_longer++] = &route[i];
	qsort(longer, n_longer, sizeof(*longer), compare_prefix);
	*ret_count = count_stems(longer, n_longer);
	free(longer);
	return 0;
}

static uint64_t
family_bytes(const struct fib_plan_family *p)
{
	/* The mempool's ring has a slot of 8 bytes for each node, rounded up to a power of two. */
	uint64_t rib = p->n_routes * (uint64_t)RIB_ROUTE_BYTES +
		       8 * (uint64_t)rte_align32pow2(2 * p->n_routes + 1);
	uint64_t tables = ((UINT64_C(1) << 24) + UINT64_C(256) * p->n_tbl8) * p->entry_len;

	return p->small ? rib : rib + tables;
}

static int
plan_family(const struct fib_route *route, size_t n, uint8_t family, uint32_t n_routes,
	struct fib_plan_family *ret_plan)
{
	struct fib_plan_family p = {.n_routes = n_routes + n_routes / 4, .entry_len = 2};
	uint32_t small = family == AF_INET ? FIB_SMALL_ROUTES : FIB_SMALL_ROUTES6;
	int rc;

	if (n_routes <= small) {
		p.small = true;
		p.n_routes = RTE_MAX(p.n_routes, small);
	} else {
		rc = count_tbl8(route, n, family, &p.need_tbl8);
		if (rc != 0)
			return rc;
		p.n_routes = RTE_MIN(p.n_routes, FIB_ROUTES_MAX);
		if (p.need_tbl8 > FIB_TBL8_MAX)
			return -E2BIG;
		p.n_tbl8 = RTE_MIN(p.need_tbl8 + p.need_tbl8 / 4 + TBL8_SLACK, FIB_TBL8_MAX);
		if (p.n_tbl8 > FIB_ENTRY2_TBL8 - FIB_SPARE_TBL8)
			p.entry_len = 4;
	}
	p.bytes = family_bytes(&p);
	*ret_plan = p;
	return 0;
}

int
fib_plan(const struct fib_route *route, size_t n, struct fib_plan *ret_plan, size_t *ret_bad)
{
	uint32_t n_v4 = 0, n_v6 = 0;
	struct fib_plan plan;
	int rc;

	for (size_t i = 0; i < n; i++) {
		if (!fib_route_valid(&route[i]) || route[i].group_idx == FIB_NO_ROUTE ||
			route[i].group_idx > FIB_GROUP_MAX) {
			*ret_bad = i;
			return -EINVAL;
		}
		if (route[i].family == AF_INET)
			n_v4++;
		else
			n_v6++;
		if (n_v4 > FIB_ROUTES_MAX || n_v6 > FIB_ROUTES_MAX)
			return -E2BIG;
	}
	rc = plan_family(route, n, AF_INET, n_v4, &plan.v4);
	if (rc == 0)
		rc = plan_family(route, n, AF_INET6, n_v6, &plan.v6);
	if (rc == 0)
		*ret_plan = plan;
	return rc;
}
