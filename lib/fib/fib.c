/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The FIB: two slots of two tables each, the books that keep a table from overflowing, and batches
 * that are applied whole or not at all.
 *
 * plan.c says beforehand how large it must be; table4.c and table6.c do the single changes. Which
 * slot is read and which is idle is the caller's to know (left-right, fib.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "fib/table.h"

#define N_SLOTS      2u
#define FIB_NAME_MAX 12u

enum {
	V4,
	V6,
	N_FAMILIES,
};

static const struct fib_family *const family_ops[N_FAMILIES] = {&fib_family_v4, &fib_family_v6};

struct fib {
	char name[FIB_NAME_MAX + 1];
	int socket;
	bool has_second;
	struct fib_plan plan;
	struct fib_table table[N_SLOTS][N_FAMILIES];
	struct fib_slot slot[N_SLOTS]; /* the readers' view of `table` */
};

static unsigned int
family_idx(const struct fib_route *r)
{
	return r->family == AF_INET ? V4 : V6;
}

static int
table_create(struct fib *f, unsigned int slot, unsigned int family)
{
	const struct fib_plan_family *plan = family == V4 ? &f->plan.v4 : &f->plan.v6;
	struct fib_table *t = &f->table[slot][family];
	char name[FIB_NAME_MAX + sizeof(".v4.0")];

	*t = (struct fib_table){
		.small = plan->small,
		.max_routes = plan->n_routes,
		.max_tbl8 = plan->n_tbl8,
	};
	snprintf(name, sizeof(name), "%s.v%c.%u", f->name, family == V4 ? '4' : '6', slot);
	return family_ops[family]->create(t, name, plan, f->socket);
}

static void
slot_free(struct fib *f, unsigned int slot)
{
	for (unsigned int family = 0; family < N_FAMILIES; family++)
		family_ops[family]->free(&f->table[slot][family]);
	memset(f->table[slot], 0, sizeof(f->table[slot]));
	f->slot[slot] = (struct fib_slot){NULL, NULL};
}

static int
slot_create(struct fib *f, unsigned int slot)
{
	for (unsigned int family = 0; family < N_FAMILIES; family++) {
		int rc = table_create(f, slot, family);

		if (rc != 0) {
			slot_free(f, slot);
			return rc;
		}
	}
	f->slot[slot] = (struct fib_slot){
		.v4 = f->table[slot][V4].v4,
		.v6 = f->table[slot][V6].v6,
	};
	return 0;
}

static bool
plan_valid(const struct fib_plan_family *p)
{
	if (p->n_routes == 0 || p->n_routes > FIB_ROUTES_MAX)
		return false;
	if (p->small)
		return true;
	return p->entry_len == 4
		       ? p->n_tbl8 <= FIB_TBL8_MAX
		       : p->entry_len == 2 && p->n_tbl8 <= FIB_ENTRY2_TBL8 - FIB_SPARE_TBL8;
}

int
fib_create(const char *name, const struct fib_plan *plan, int socket, struct fib **ret_fib)
{
	struct fib *f;
	int rc;

	if (strlen(name) > FIB_NAME_MAX || !plan_valid(&plan->v4) || !plan_valid(&plan->v6))
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (f == NULL)
		return -ENOMEM;
	strcpy(f->name, name);
	f->socket = socket;
	f->plan = *plan;
	rc = slot_create(f, 0);
	if (rc != 0) {
		free(f);
		return rc;
	}
	*ret_fib = f;
	return 0;
}

void
fib_free(struct fib *f)
{
	if (f == NULL)
		return;
	for (unsigned int slot = 0; slot < N_SLOTS; slot++)
		slot_free(f, slot);
	free(f);
}

/* Adds or replaces; the room is checked before anything is touched. */
static int
table_set(struct fib_table *t, const struct fib_family *ops, const struct fib_route *r)
{
	bool is_new = ops->get(t, r) == FIB_NO_ROUTE;
	uint32_t new_tbl8 = 0;
	int rc;

	if (is_new) {
		if (!t->small)
			new_tbl8 = ops->new_tbl8(t, r);
		if (t->n_routes >= t->max_routes || new_tbl8 > t->max_tbl8 - t->n_tbl8)
			return -ENOSPC;
	}
	rc = ops->set(t, r);
	if (rc == 0 && is_new) {
		t->n_routes++;
		t->n_tbl8 += new_tbl8;
	}
	return rc;
}

static int
table_clear(struct fib_table *t, const struct fib_family *ops, const struct fib_route *r)
{
	int rc;

	if (ops->get(t, r) == FIB_NO_ROUTE)
		return -ENOENT;
	rc = ops->clear(t, r);
	if (rc != 0)
		return rc;
	t->n_routes--;
	if (!t->small)
		t->n_tbl8 -= ops->new_tbl8(t, r); /* what it would need anew, it alone had needed */
	return 0;
}

static int
apply_one(struct fib *f, unsigned int slot, const struct fib_change *c, uint16_t *ret_old)
{
	const struct fib_family *ops;
	struct fib_table *t;

	if (!fib_route_valid(&c->route))
		return -EINVAL;
	if (c->op == FIB_ADD &&
		(c->route.group_idx == FIB_NO_ROUTE || c->route.group_idx > FIB_GROUP_MAX))
		return -EINVAL;
	ops = family_ops[family_idx(&c->route)];
	t = &f->table[slot][family_idx(&c->route)];
	*ret_old = ops->get(t, &c->route);
	return c->op == FIB_ADD ? table_set(t, ops, &c->route) : table_clear(t, ops, &c->route);
}

/*
 * Takes back one change. There is room: every state on the way back has been there before, and
 * table.h's spare covers what one call needs beyond that.
 */
static void
undo_one(struct fib *f, unsigned int slot, const struct fib_change *c, uint16_t old)
{
	const struct fib_family *ops = family_ops[family_idx(&c->route)];
	struct fib_table *t = &f->table[slot][family_idx(&c->route)];
	struct fib_route r = c->route;

	if (old == FIB_NO_ROUTE) {
		table_clear(t, ops, &r);
		return;
	}
	r.group_idx = old;
	table_set(t, ops, &r);
}

int
fib_apply(struct fib *f, unsigned int slot, const struct fib_change *change, size_t n,
	size_t *ret_failed)
{
	uint16_t *old;
	size_t done;
	int rc = 0;

	if (n == 0)
		return 0;
	*ret_failed = 0;
	if (slot >= N_SLOTS || (slot == 1 && !f->has_second))
		return -EINVAL;
	old = malloc(n * sizeof(*old));
	if (old == NULL)
		return -ENOMEM;
	for (done = 0; done < n; done++) {
		rc = apply_one(f, slot, &change[done], &old[done]);
		if (rc != 0)
			break;
	}
	if (rc != 0) {
		*ret_failed = done;
		while (done-- > 0)
			undo_one(f, slot, &change[done], old[done]);
	}
	free(old);
	return rc;
}

struct copy {
	struct fib_table *to;
	const struct fib_family *ops;
	int rc;
};

static bool
copy_route(void *ctx, const struct fib_route *r)
{
	struct copy *c = ctx;

	c->rc = table_set(c->to, c->ops, r);
	return c->rc == 0;
}

int
fib_ensure_second(struct fib *f)
{
	int rc;

	if (f->has_second)
		return 0;
	rc = slot_create(f, 1);
	if (rc != 0)
		return rc;
	for (unsigned int family = 0; family < N_FAMILIES; family++) {
		struct copy c = {.to = &f->table[1][family], .ops = family_ops[family]};

		c.ops->walk(&f->table[0][family], copy_route, &c);
		if (c.rc != 0) {
			slot_free(f, 1);
			return c.rc;
		}
	}
	f->has_second = true;
	return 0;
}

const struct fib_slot *
fib_slot(const struct fib *f, unsigned int slot)
{
	return &f->slot[slot];
}

void
fib_info(const struct fib *f, struct fib_info *ret_info)
{
	*ret_info = (struct fib_info){
		.kind_v4 = f->plan.v4.small ? "rib" : "dir24_8",
		.kind_v6 = f->plan.v6.small ? "rib" : "trie",
		.n_v4 = f->table[0][V4].n_routes,
		.n_v6 = f->table[0][V6].n_routes,
		.max_v4 = f->plan.v4.n_routes,
		.max_v6 = f->plan.v6.n_routes,
		.bytes = (f->plan.v4.bytes + f->plan.v6.bytes) * (f->has_second ? 2 : 1),
	};
}

void
fib_walk(const struct fib *f, bool (*cb)(void *ctx, const struct fib_route *r), void *ctx)
{
	for (unsigned int family = 0; family < N_FAMILIES; family++)
		if (!family_ops[family]->walk(&f->table[0][family], cb, ctx))
			return;
}
