/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reload on its way: first all that is new, beside what the node has; then, once published, all
 * that is old, until the workers have left it. Inside lib/ctl only.
 */
#ifndef CTL_RELOAD_H
#define CTL_RELOAD_H

#include "ctl/build.h"

struct reload {
	struct node *node;
	const struct conf *conf;

	/* the node's tables: new ones until they are published, old ones after that */
	struct egress_policy *policy;
	struct node_group *group; /* by conf group index */
	struct nhg_group **slot;
	uint32_t n_slots;
	uint32_t *slot_group;
	struct snapshot *snapshot;

	/* groups that were built; the old ones of which nothing stays */
	struct nhg_group **built, **gone;
	size_t n_built, n_gone;
	/* counters that were taken, and those of members that are no more */
	uint32_t *taken, *left;
	size_t n_taken, n_left;

	/* routes: a batch for both slots of the FIB, or a FIB (a new one, then the old one) */
	struct fib_change *change;
	size_t n_changes;
	struct fib *fib;
	bool ripe; /* no worker reads what is old any more */
};

/* The groups of r->conf: those that are the same as they are, the others built. Said in the log. */
int reload_groups(struct reload *r);
/* What changes of routes, once the groups have their slots; nothing is touched. Said in the log. */
int reload_routes(struct reload *r);
/* The last step that can fail: the FIB's idle slot, or one of its own. Said in the log. */
int reload_fib(struct reload *r);
/* What the running node has is enough for r->conf: buffers, records, memory. Said in the log. */
int reload_room(const struct node *n, const struct conf *c);

/* A reload whose grace period is over is ended: the FIB's other slot, rooms. Cheap. */
void reload_poll(struct node *n);
/* The same when no worker is left. */
void reload_free(struct node *n);

#endif
