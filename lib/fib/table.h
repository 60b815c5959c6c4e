/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside lib/fib: one family's table in one slot, on top of rte_fib or rte_fib6. fib.c keeps the
 * books (how many routes, how many tbl8), table4.c and table6.c do what the books allow.
 *
 * Why not simply rte_fib_add()? Four things in DPDK 22.11 that these files step around:
 *   1. Its reservation of tbl8 counts wrong. DIR24-8 forgets a route that repeats its parent's next
 *      hop and underflows when that goes. The trie charges each route alone for tables that it
 *      shares with its neighbours, and gives nothing back. So a new route enters the RIB directly,
 *      and rte_fib_add() finds it there and takes the way of a replacement, which reserves nothing.
 *      Room is counted in fib.c instead, exactly.
 *   2. A replacement that runs out of tbl8 says success. The next hop in the RIB tells.
 *   3. While it changes a prefix that ends at the last address, and what lies inside covers it
 *      without a gap before the last piece (0.0.0.0/0 over 0.0.0.0/1 and 128.0.0.0/1), it wraps
 *      around and overwrites the whole table. Only prefixes of all ones end there, and they lie
 *      inside each other: the longer ones step aside for the moment.
 *   4. DIR24-8 loses 0.0.0.0/0 when all that is inside it lies in 0.0.0.0/24. A route elsewhere
 *      stands in for the moment.
 * All that happens in the idle slot, so no reader sees a state between.
 */
#ifndef FIB_TABLE_H
#define FIB_TABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "fib/fib.h"

struct fib_table {
	struct rte_fib *v4; /* one of the two is set */
	struct rte_fib6 *v6;
	bool small;
	uint32_t n_routes, max_routes;
	uint32_t n_tbl8, max_tbl8; /* 0 when small */
};

/* The next hop of a RIB node before its first write; no group has it. */
#define FIB_NH_UNSET (FIB_GROUP_MAX + 1)

/* Room in the RIB for the stand-in of 4. */
#define FIB_SPARE_ROUTES 2u

/*
 * tbl8 beyond the books, taken for the length of one call: DIR24-8 wants two free where one will
 * do, the trie builds one table too many for a prefix that ends at a byte, and gives it back.
 */
#define FIB_SPARE_TBL8 1u

/* A two-byte entry: one bit says whether the other 15 are a next hop or a tbl8. */
#define FIB_ENTRY2_TBL8 32767u

/* DIR24-8 finds a tbl8 by a 32-bit byte offset: 4 GB in tables of 1 KB, less the spare. */
#define FIB_TBL8_MAX ((1u << 22) - 64u)

/* Family and length in range, no host bits. The group is not looked at. */
bool fib_route_valid(const struct fib_route *r);

typedef bool (*fib_walk_cb)(void *ctx, const struct fib_route *r);

/* What differs between the families. Routes are well formed and of the right family. */
struct fib_family {
	/* Fills t->v4 or t->v6. -ENOMEM; -EEXIST for a name that is taken. */
	int (*create)(struct fib_table *t, const char *name, const struct fib_plan_family *plan,
		int socket);
	void (*free)(struct fib_table *t);
	/* The group of exactly this prefix, or FIB_NO_ROUTE. */
	uint16_t (*get)(const struct fib_table *t, const struct fib_route *r);
	/* How many tbl8 this prefix needs that no other prefix in the table needs. */
	uint32_t (*new_tbl8)(const struct fib_table *t, const struct fib_route *r);
	int (*set)(struct fib_table *t, const struct fib_route *r);
	int (*clear)(struct fib_table *t, const struct fib_route *r);
	bool (*walk)(const struct fib_table *t, fib_walk_cb cb, void *ctx);
};

/*
 * What rte_errno means after a creation failed whose arguments were right: a lack of memory leaves
 * ENOENT or EINVAL there, from the cleaning up.
 */
static inline int
fib_create_error(int err)
{
	return err == EEXIST ? -EEXIST : -ENOMEM;
}

extern const struct fib_family fib_family_v4, fib_family_v6;

#endif
