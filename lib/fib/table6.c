/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One IPv6 table on rte_fib6: the trie (a table of 24 bits, then a tbl8 for every further byte), or
 * the RIB alone when it is small. fib.c calls it through fib_family_v6 and has checked the route
 * and the room; table.h says what is stepped around here.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_errno.h>
#include <rte_rib6.h>

#include "fib/table.h"

#define V6_BITS 128u
#define V6_STEM 24u /* what tbl24 covers */

static int
v6_create(struct fib_table *t, const char *name, const struct fib_plan_family *plan, int socket)
{
	struct rte_fib6_conf conf = {
		.type = plan->small ? RTE_FIB6_DUMMY : RTE_FIB6_TRIE,
		.default_nh = FIB_NO_ROUTE,
		.max_routes = (int)(plan->n_routes + FIB_SPARE_ROUTES),
		.trie =
			{
				.nh_sz = plan->entry_len == 2 ? RTE_FIB6_TRIE_2B : RTE_FIB6_TRIE_4B,
				.num_tbl8 = plan->n_tbl8 + FIB_SPARE_TBL8,
			},
	};

	t->v6 = rte_fib6_create(name, socket, &conf);
	return t->v6 == NULL ? fib_create_error(rte_errno) : 0;
}

static void
v6_free(struct fib_table *t)
{
	rte_fib6_free(t->v6);
}

static uint16_t
get(const struct fib_table *t, const uint8_t *ip, uint8_t len)
{
	struct rte_rib6_node *node = rte_rib6_lookup_exact(rte_fib6_get_rib(t->v6), ip, len);
	uint64_t nh = FIB_NO_ROUTE;

	if (node != NULL)
		rte_rib6_get_nh(node, &nh);
	return (uint16_t)nh;
}

static uint16_t
v6_get(const struct fib_table *t, const struct fib_route *r)
{
	return get(t, r->prefix, r->prefix_len);
}

/*
 * A tbl8 belongs to a stem of 24, 32, ... bits with a longer prefix inside. One that is inside a
 * stem is inside all shorter stems, too, so the first that is shared ends the count.
 */
static uint32_t
v6_new_tbl8(const struct fib_table *t, const struct fib_route *r)
{
	struct rte_rib6 *rib = rte_fib6_get_rib(t->v6);
	uint32_t n = 0;

	if (r->prefix_len <= V6_STEM)
		return 0;
	for (unsigned int stem = (r->prefix_len - 1u) & ~7u; stem >= V6_STEM; stem -= 8, n++)
		if (rte_rib6_get_nxt(rib, r->prefix, (uint8_t)stem, NULL, RTE_RIB6_GET_NXT_COVER))
			break;
	return n;
}

/* Writes a new or a changed route by the way of a replacement (table.h, 1 and 2). */
static int
write_route(struct fib_table *t, const uint8_t *ip, uint8_t len, uint16_t group_idx)
{
	struct rte_rib6 *rib = rte_fib6_get_rib(t->v6);

	if (rte_rib6_lookup_exact(rib, ip, len) == NULL) {
		struct rte_rib6_node *node = rte_rib6_insert(rib, ip, len);

		if (node == NULL)
			return -ENOSPC;
		rte_rib6_set_nh(node, FIB_NH_UNSET);
	}
	rte_fib6_add(t->v6, ip, len, group_idx);
	return get(t, ip, len) == group_idx ? 0 : -ENOSPC;
}

/* FIB_NO_ROUTE as the group deletes. */
static int
change(struct fib_table *t, const uint8_t *ip, uint8_t len, uint16_t group_idx)
{
	if (group_idx == FIB_NO_ROUTE)
		return rte_fib6_delete(t->v6, ip, len);
	return write_route(t, ip, len, group_idx);
}

/* The prefix of `len` ones. */
static void
all_ones(uint8_t len, uint8_t *ret_ip)
{
	memset(ret_ip, 0, V6_BITS / 8);
	memset(ret_ip, 0xff, len / 8);
	if (len % 8 != 0)
		ret_ip[len / 8] = (uint8_t)(0xff00u >> (len % 8));
}

/*
 * Changes a prefix of all ones (table.h, 3): the longer ones go, longest first, and come back in
 * the other order, so that none changes while there is a longer one.
 */
static int
change_at_end(struct fib_table *t, uint8_t len, uint16_t group_idx)
{
	uint16_t aside[V6_BITS + 1];
	uint8_t ip[V6_BITS / 8];
	int rc, rc_back;

	for (uint8_t l = V6_BITS; l > len; l--) {
		all_ones(l, ip);
		aside[l] = get(t, ip, l);
		if (aside[l] != FIB_NO_ROUTE)
			rte_fib6_delete(t->v6, ip, l);
	}
	all_ones(len, ip);
	rc = change(t, ip, len, group_idx);
	for (uint8_t l = len + 1; l <= V6_BITS; l++) {
		if (aside[l] == FIB_NO_ROUTE)
			continue;
		all_ones(l, ip);
		rc_back = write_route(t, ip, l, aside[l]);
		if (rc == 0)
			rc = rc_back;
	}
	return rc;
}

static int
v6_change(struct fib_table *t, const struct fib_route *r, uint16_t group_idx)
{
	uint8_t end[V6_BITS / 8];

	all_ones(r->prefix_len, end);
	if (t->small || memcmp(end, r->prefix, sizeof(end)) != 0)
		return change(t, r->prefix, r->prefix_len, group_idx);
	return change_at_end(t, r->prefix_len, group_idx);
}

static int
v6_set(struct fib_table *t, const struct fib_route *r)
{
	return v6_change(t, r, r->group_idx);
}

static int
v6_clear(struct fib_table *t, const struct fib_route *r)
{
	return v6_change(t, r, FIB_NO_ROUTE);
}

static bool
emit(const struct rte_rib6_node *node, fib_walk_cb cb, void *ctx)
{
	struct fib_route r = {.family = AF_INET6};
	uint64_t nh;

	rte_rib6_get_ip(node, r.prefix);
	rte_rib6_get_depth(node, &r.prefix_len);
	rte_rib6_get_nh(node, &nh);
	r.group_idx = (uint16_t)nh;
	return cb(ctx, &r);
}

/* Each route inside ip/len and then what is inside that; no deeper than 128. */
static bool
walk_inside(struct rte_rib6 *rib, const uint8_t *ip, uint8_t len, fib_walk_cb cb, void *ctx)
{
	struct rte_rib6_node *node = NULL;

	while ((node = rte_rib6_get_nxt(rib, ip, len, node, RTE_RIB6_GET_NXT_COVER)) != NULL) {
		uint8_t node_ip[V6_BITS / 8];
		uint8_t node_len;

		rte_rib6_get_ip(node, node_ip);
		rte_rib6_get_depth(node, &node_len);
		if (!emit(node, cb, ctx) || !walk_inside(rib, node_ip, node_len, cb, ctx))
			return false;
	}
	return true;
}

static bool
v6_walk(const struct fib_table *t, fib_walk_cb cb, void *ctx)
{
	static const uint8_t zero[V6_BITS / 8];
	struct rte_rib6 *rib = rte_fib6_get_rib(t->v6);
	struct rte_rib6_node *whole = rte_rib6_lookup_exact(rib, zero, 0);

	if (whole != NULL && !emit(whole, cb, ctx))
		return false;
	return walk_inside(rib, zero, 0, cb, ctx);
}

const struct fib_family fib_family_v6 = {
	.create = v6_create,
	.free = v6_free,
	.get = v6_get,
	.new_tbl8 = v6_new_tbl8,
	.set = v6_set,
	.clear = v6_clear,
	.walk = v6_walk,
};
