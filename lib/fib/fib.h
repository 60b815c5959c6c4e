/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Longest prefix match, IPv4 and IPv6, from a destination to a group index.
 *
 * Readers look up in one slot while the control thread changes the other (left-right):
 *   1. fib_apply() to the idle slot,
 *   2. publish that slot to the workers and wait one grace period,
 *   3. fib_apply() the same batch to the slot that they left.
 * (rte_fib of DPDK 22.11 has no RCU of its own.) The second slot comes into being with the first
 * change after creation, so a node whose routes never change pays for one.
 *
 * The kind of table follows its size (fib_plan): a handful of routes live in rte_fib's RIB alone
 * (kilobytes), more in DIR24-8 / trie tables (32 MB and up).
 *
 * Owner: the control thread. Readers: workers, only through the const rte_fib pointers of a slot.
 */
#ifndef FIB_FIB_H
#define FIB_FIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_fib.h>
#include <rte_fib6.h>

#define FIB_ROUTES_MAX (2u << 20) /* for each family: twice the largest table we promise */
#define FIB_NO_ROUTE   0u         /* the next hop of what no prefix covers */
#define FIB_GROUP_MAX  32766u     /* 15 bits: what a two-byte table entry holds, and one spare */
/*
 * Up to here the RIB alone: no 32 MB table. Measured: 60 cycles a lookup with 40 IPv4 routes (16 in
 * DIR24-8), 518 with 40 IPv6 routes (34 in the trie), so IPv6 changes over earlier.
 */
#define FIB_SMALL_ROUTES  64u
#define FIB_SMALL_ROUTES6 16u

struct fib_route {
	uint8_t family; /* AF_INET, AF_INET6 */
	uint8_t prefix_len;
	uint16_t group_idx; /* 1..FIB_GROUP_MAX */
	uint8_t prefix[16]; /* network order; host bits are 0 */
};

enum fib_op {
	FIB_ADD, /* or replace */
	FIB_DEL,
};

struct fib_change {
	enum fib_op op;
	struct fib_route route;
};

/* What a set of routes needs, for one family. */
struct fib_plan_family {
	bool small;         /* RIB only */
	uint32_t n_routes;  /* capacity to create */
	uint32_t n_tbl8;    /* capacity to create */
	uint32_t need_tbl8; /* of these the planned routes themselves take; 0 when small */
	uint8_t entry_len;  /* bytes a table entry: 2 or 4 */
	uint64_t bytes;     /* memory of one slot */
};

struct fib_plan {
	struct fib_plan_family v4, v6;
};

/*
 * Capacity for `n` routes plus the same room again up to a quarter for later changes. Exact count
 * of the second-level tables (tbl8). -E2BIG beyond FIB_ROUTES_MAX or the 4 million tbl8 that a
 * table can index, -EINVAL for a malformed route (*ret_bad then is its index), -ENOMEM for want of
 * scratch memory. No EAL is needed.
 */
int fib_plan(const struct fib_route *route, size_t n, struct fib_plan *ret_plan, size_t *ret_bad);

struct fib;

/* Slots of a FIB, one for each family; either may be read by any worker while it is published. */
struct fib_slot {
	struct rte_fib *v4;
	struct rte_fib6 *v6;
};

/*
 * An empty FIB with slot 0. `name` (at most 12 characters) is unique in the process; `socket` is
 * a NUMA node or -1. Errors: -ENOMEM when the plan's memory cannot be had, -EEXIST for a name that
 * is taken, -EINVAL for one too long or a plan out of range.
 */
int fib_create(const char *name, const struct fib_plan *plan, int socket, struct fib **ret_fib);
void fib_free(struct fib *f); /* takes NULL */

/*
 * Applies a batch to one slot. All or nothing: on -ENOSPC (a table is full), -ENOENT (FIB_DEL of
 * what is not there) or -EINVAL what was done is undone; *ret_failed is the index of the culprit.
 * -ENOMEM for want of scratch memory, before anything is done.
 */
int fib_apply(struct fib *f, unsigned int slot, const struct fib_change *change, size_t n,
	size_t *ret_failed);

/* Makes slot 1 a copy of slot 0 when it is not there yet. -ENOMEM. */
int fib_ensure_second(struct fib *f);

const struct fib_slot *fib_slot(const struct fib *f, unsigned int slot); /* slot 0 or 1 */

/* What it holds and may hold; `show fib` prints this. */
struct fib_info {
	const char *kind_v4, *kind_v6; /* "rib", "dir24_8", "trie" */
	uint32_t n_v4, n_v6;
	uint32_t max_v4, max_v6;
	uint64_t bytes; /* both slots, planned */
};
void fib_info(const struct fib *f, struct fib_info *ret_info);

/* All routes of slot 0, ordered by address then length; `cb` returns false to stop. */
void fib_walk(const struct fib *f, bool (*cb)(void *ctx, const struct fib_route *r), void *ctx);

#endif
