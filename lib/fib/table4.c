/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One IPv4 table on rte_fib: DIR24-8, or the RIB alone when it is small. fib.c calls it through
 * fib_family_v4 and has checked the route and the room; table.h says what is stepped around here.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_rib.h>

#include "fib/table.h"

#define V4_BITS 32u
#define V4_STEM 24u /* what tbl24 covers */

/* The stand-in of table.h, 4: anywhere outside 0.0.0.0/24 would do. */
#define STAND_IN_IP  0x80000000u
#define STAND_IN_LEN 8u

static uint32_t
route_ip(const struct fib_route *r)
{
	rte_be32_t ip_be;

	memcpy(&ip_be, r->prefix, sizeof(ip_be));
	return rte_be_to_cpu_32(ip_be);
}

static int
v4_create(struct fib_table *t, const char *name, const struct fib_plan_family *plan, int socket)
{
	struct rte_fib_conf conf = {
		.type = plan->small ? RTE_FIB_DUMMY : RTE_FIB_DIR24_8,
		.default_nh = FIB_NO_ROUTE,
		.max_routes = (int)(plan->n_routes + FIB_SPARE_ROUTES),
		.dir24_8 =
			{
				.nh_sz = plan->entry_len == 2 ? RTE_FIB_DIR24_8_2B
							      : RTE_FIB_DIR24_8_4B,
				.num_tbl8 = plan->n_tbl8 + FIB_SPARE_TBL8,
			},
	};

	t->v4 = rte_fib_create(name, socket, &conf);
	return t->v4 == NULL ? fib_create_error(rte_errno) : 0;
}

static void
v4_free(struct fib_table *t)
{
	rte_fib_free(t->v4);
}

static uint16_t
get(const struct fib_table *t, uint32_t ip, uint8_t len)
{
	struct rte_rib_node *node = rte_rib_lookup_exact(rte_fib_get_rib(t->v4), ip, len);
	uint64_t nh = FIB_NO_ROUTE;

	if (node != NULL)
		rte_rib_get_nh(node, &nh);
	return (uint16_t)nh;
}

static uint16_t
v4_get(const struct fib_table *t, const struct fib_route *r)
{
	return get(t, route_ip(r), r->prefix_len);
}

static uint32_t
v4_new_tbl8(const struct fib_table *t, const struct fib_route *r)
{
	if (r->prefix_len <= V4_STEM)
		return 0;
	return rte_rib_get_nxt(rte_fib_get_rib(t->v4), route_ip(r), V4_STEM, NULL,
		       RTE_RIB_GET_NXT_COVER) == NULL;
}

/* Writes a new or a changed route by the way of a replacement (table.h, 1 and 2). */
static int
write_route(struct fib_table *t, uint32_t ip, uint8_t len, uint16_t group_idx)
{
	struct rte_rib *rib = rte_fib_get_rib(t->v4);

	if (rte_rib_lookup_exact(rib, ip, len) == NULL) {
		struct rte_rib_node *node = rte_rib_insert(rib, ip, len);

		if (node == NULL)
			return -ENOSPC;
		rte_rib_set_nh(node, FIB_NH_UNSET);
	}
	rte_fib_add(t->v4, ip, len, group_idx);
	return get(t, ip, len) == group_idx ? 0 : -ENOSPC;
}

/* FIB_NO_ROUTE as the group deletes. */
static int
change(struct fib_table *t, uint32_t ip, uint8_t len, uint16_t group_idx)
{
	if (group_idx == FIB_NO_ROUTE)
		return rte_fib_delete(t->v4, ip, len);
	return write_route(t, ip, len, group_idx);
}

/* Changes 0.0.0.0/0 (table.h, 4). */
static int
change_default(struct fib_table *t, uint16_t group_idx)
{
	bool stand_in = get(t, STAND_IN_IP, STAND_IN_LEN) == FIB_NO_ROUTE;
	int rc;

	if (stand_in) {
		rc = write_route(t, STAND_IN_IP, STAND_IN_LEN, FIB_NH_UNSET);
		if (rc != 0)
			return rc;
	}
	rc = change(t, 0, 0, group_idx);
	if (stand_in)
		rte_fib_delete(t->v4, STAND_IN_IP, STAND_IN_LEN);
	return rc;
}

/*
 * Changes a prefix of all ones (table.h, 3): the longer ones go, longest first, and come back in
 * the other order, so that none changes while there is a longer one.
 */
static int
change_at_end(struct fib_table *t, uint8_t len, uint16_t group_idx)
{
	uint16_t aside[V4_BITS + 1];
	int rc, rc_back;

	for (uint8_t l = V4_BITS; l > len; l--) {
		aside[l] = get(t, rte_rib_depth_to_mask(l), l);
		if (aside[l] != FIB_NO_ROUTE)
			rte_fib_delete(t->v4, rte_rib_depth_to_mask(l), l);
	}
	if (len == 0)
		rc = change_default(t, group_idx);
	else
		rc = change(t, rte_rib_depth_to_mask(len), len, group_idx);
	for (uint8_t l = len + 1; l <= V4_BITS; l++) {
		if (aside[l] == FIB_NO_ROUTE)
			continue;
		rc_back = write_route(t, rte_rib_depth_to_mask(l), l, aside[l]);
		if (rc == 0)
			rc = rc_back;
	}
	return rc;
}

static int
v4_change(struct fib_table *t, const struct fib_route *r, uint16_t group_idx)
{
	uint32_t ip = route_ip(r);

	if (t->small || ip != rte_rib_depth_to_mask(r->prefix_len))
		return change(t, ip, r->prefix_len, group_idx);
	return change_at_end(t, r->prefix_len, group_idx);
}

static int
v4_set(struct fib_table *t, const struct fib_route *r)
{
	return v4_change(t, r, r->group_idx);
}

static int
v4_clear(struct fib_table *t, const struct fib_route *r)
{
	return v4_change(t, r, FIB_NO_ROUTE);
}

static bool
emit(const struct rte_rib_node *node, fib_walk_cb cb, void *ctx)
{
	struct fib_route r = {.family = AF_INET};
	rte_be32_t ip_be;
	uint32_t ip;
	uint64_t nh;

	rte_rib_get_ip(node, &ip);
	rte_rib_get_depth(node, &r.prefix_len);
	rte_rib_get_nh(node, &nh);
	ip_be = rte_cpu_to_be_32(ip);
	memcpy(r.prefix, &ip_be, sizeof(ip_be));
	r.group_idx = (uint16_t)nh;
	return cb(ctx, &r);
}

/* Each route inside ip/len and then what is inside that; no deeper than 32. */
static bool
walk_inside(struct rte_rib *rib, uint32_t ip, uint8_t len, fib_walk_cb cb, void *ctx)
{
	struct rte_rib_node *node = NULL;

	while ((node = rte_rib_get_nxt(rib, ip, len, node, RTE_RIB_GET_NXT_COVER)) != NULL) {
		uint32_t node_ip;
		uint8_t node_len;

		rte_rib_get_ip(node, &node_ip);
		rte_rib_get_depth(node, &node_len);
		if (!emit(node, cb, ctx) || !walk_inside(rib, node_ip, node_len, cb, ctx))
			return false;
	}
	return true;
}

static bool
v4_walk(const struct fib_table *t, fib_walk_cb cb, void *ctx)
{
	struct rte_rib *rib = rte_fib_get_rib(t->v4);
	struct rte_rib_node *whole = rte_rib_lookup_exact(rib, 0, 0);

	if (whole != NULL && !emit(whole, cb, ctx))
		return false;
	return walk_inside(rib, 0, 0, cb, ctx);
}

const struct fib_family fib_family_v4 = {
	.create = v4_create,
	.free = v4_free,
	.get = v4_get,
	.new_tbl8 = v4_new_tbl8,
	.set = v4_set,
	.clear = v4_clear,
	.walk = v4_walk,
};
