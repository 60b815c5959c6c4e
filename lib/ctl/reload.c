/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another configuration for a node that runs. All of it is made beside what there is (reload_*.c,
 * egress.c), so that an error at any point leaves the node as it was; then it is the node's, and
 * with one store the workers'. What was there before goes once each of them has seen that.
 */
#include "ctl/reload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/diff.h"
#include "ctl/egress.h"
#include "ctl/fabric.h"
#include "ctl/say.h"

/* Each change that only a start can bring; 0 when there is none. */
static int
refuse_restarts(const struct node *n, const struct conf *c)
{
	struct conf_diff diff;
	char text[CONF_CHANGE_LEN];
	int rc;

	if (conf_diff(n->conf, c, &diff) != 0)
		return node_say_no_memory(&n->env.log);
	rc = diff.n_restart != 0 ? -ENOTSUP : 0;
	for (size_t i = 0; i < diff.n; i++) {
		const struct conf_change *x = &diff.change[i];

		if (x->kind == CONF_RESTART && x->pos.line != 0)
			node_say(&n->env.log, NODE_ERROR, "%s:%u:%u: %s.", c->file, x->pos.line,
				x->pos.col, conf_change_text(x, text));
		else if (x->kind == CONF_RESTART)
			node_say(&n->env.log, NODE_ERROR, "%s: %s.", c->file,
				conf_change_text(x, text));
	}
	conf_diff_fini(&diff);
	return rc;
}

/* What is neither the node's nor the workers'. */
static void
discard(struct reload *r)
{
	for (size_t i = 0; i < r->n_built; i++)
		nhg_group_free(r->built[i]);
	for (size_t i = 0; i < r->n_taken; i++)
		members_give(r->node, r->taken[i]);
	fib_free(r->fib);
	free(r->policy);
	free(r->group);
	free(r->slot);
	free(r->slot_group);
	free(r->snapshot);
	free(r->built);
	free(r->gone);
	free(r->taken);
	free(r->left);
	free(r->change);
	free(r);
}

static int
prepare(struct reload *r)
{
	struct node *n = r->node;
	int rc = refuse_restarts(n, r->conf);

	if (rc == 0)
		rc = reload_room(n, r->conf);
	if (rc == 0)
		rc = reload_groups(r);
	if (rc == 0)
		rc = egress_policies(n, r->conf, &r->policy);
	if (rc == 0)
		rc = reload_routes(r);
	if (rc != 0)
		return rc;
	r->snapshot = snapshot_alloc();
	if (r->snapshot == NULL || reclaim_reserve(&n->reclaim) != 0)
		return node_say_no_memory(&n->env.log);
	return reload_fib(r);
}

#define SWAP(a, b)                                                                                 \
	do {                                                                                       \
		__typeof__(a) swapped = (a);                                                       \
		(a) = (b);                                                                         \
		(b) = swapped;                                                                     \
	} while (0)

/* The tables become the node's, and what the node had `r`'s. */
static void
take_over(struct reload *r)
{
	struct node *n = r->node;

	n->conf = r->conf;
	SWAP(n->policy, r->policy);
	SWAP(n->group, r->group);
	SWAP(n->slot, r->slot);
	SWAP(n->n_slots, r->n_slots);
	SWAP(n->slot_group, r->slot_group);
	if (r->fib != NULL) {
		SWAP(n->fib, r->fib);
		n->fib_slot = 0;
		n->fib_named_b = !n->fib_named_b;
	} else if (r->n_changes != 0) {
		n->fib_slot ^= 1;
	}
	/* what was built stays, what was taken too */
	r->n_built = r->n_taken = 0;
}

/* No worker reads it any more. The batch of routes waits for reload_poll(): it may want memory. */
static void
retire(void *arg)
{
	struct reload *r = arg;

	for (size_t i = 0; i < r->n_gone; i++)
		nhg_group_free(r->gone[i]);
	for (size_t i = 0; i < r->n_left; i++)
		members_give(r->node, r->left[i]);
	if (r->fib != NULL)
		r->n_changes = 0; /* they are in the new one */
	r->ripe = true;
}

static void
publish(struct reload *r)
{
	struct node *n = r->node;
	struct snapshot *old = n->snapshot, *now = r->snapshot;

	n->n_reloads++;
	egress_prepare(n, r->conf, r->policy);
	take_over(r);
	snapshot_fill(n, n->generation + 1, now);
	r->snapshot = old;
	node_publish(n, now);
	reclaim_defer(&n->reclaim, retire, r);
	n->reload = r;
	for (size_t p = 0; p < n->n_ports; p++)
		fabric_set_speed(n, (uint16_t)p);
}

int
node_reload(struct node *n, const struct conf *conf)
{
	struct reload *r;
	int rc;

	if (!node_settled(n))
		return -EBUSY;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return node_say_no_memory(&n->env.log);
	r->node = n;
	r->conf = conf;
	rc = prepare(r);
	if (rc != 0) {
		discard(r);
		return rc;
	}
	publish(r);
	return 0;
}

bool
node_settled(const struct node *n)
{
	return n->reload == NULL;
}

void
reload_poll(struct node *n)
{
	struct reload *r = n->reload;
	size_t failed;

	if (r == NULL)
		return;
	if (!r->ripe)
		reclaim_poll(&n->reclaim);
	if (!r->ripe)
		return;
	/* it has been done in the other slot: only scratch memory may be short, and is tried again
	 */
	if (r->n_changes != 0 &&
		fib_apply(n->fib, n->fib_slot ^ 1, r->change, r->n_changes, &failed) != 0)
		return;
	egress_settle(n);
	n->reload = NULL;
	discard(r);
}

void
reload_free(struct node *n)
{
	if (n->reload != NULL)
		discard(n->reload);
	n->reload = NULL;
}
