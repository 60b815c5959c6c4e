/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of two configurations, as one batch. It goes into the FIB's idle slot before that is
 * published, and into the other one after the grace period (fib/fib.h: left-right). Where there is
 * no room, a new FIB takes all routes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/reload.h"
#include "ctl/say.h"

struct routes {
	struct fib_route *route;
	size_t n;
};

static int
sorted_routes(const struct conf *c, const struct node_group *group, struct routes *ret)
{
	int rc = build_routes(c, group, &ret->route, &ret->n);

	if (rc == 0)
		qsort(ret->route, ret->n, sizeof(*ret->route), build_route_order);
	return rc;
}

static void
add_change(struct reload *r, enum fib_op op, const struct fib_route *route)
{
	r->change[r->n_changes++] = (struct fib_change){.op = op, .route = *route};
}

/*
 * Both sides sorted. A table is never fuller on the way than at one of its ends when what goes goes
 * first.
 */
static void
compare(struct reload *r, const struct routes *was, const struct routes *is)
{
	size_t a, b;

	for (a = b = 0; a < was->n;) {
		int d = b == is->n ? -1 : build_route_order(&was->route[a], &is->route[b]);

		if (d < 0)
			add_change(r, FIB_DEL, &was->route[a]);
		a += d <= 0;
		b += d >= 0;
	}
	for (a = b = 0; b < is->n;) {
		int d = a == was->n ? 1 : build_route_order(&was->route[a], &is->route[b]);

		if (d > 0 || (d == 0 && was->route[a].group_idx != is->route[b].group_idx))
			add_change(r, FIB_ADD, &is->route[b]);
		a += d <= 0;
		b += d >= 0;
	}
}

int
reload_routes(struct reload *r)
{
	struct node *n = r->node;
	struct routes was = {0}, is = {0};
	int rc = sorted_routes(n->conf, n->group, &was);

	if (rc == 0)
		rc = sorted_routes(r->conf, r->group, &is);
	if (rc == 0)
		r->change = calloc(was.n + is.n + 1, sizeof(*r->change));
	if (rc == 0 && r->change == NULL)
		rc = -ENOMEM;
	if (rc == 0)
		compare(r, &was, &is);
	free(was.route);
	free(is.route);
	return rc == 0 ? 0 : node_say_no_memory(&n->env.log);
}

/* A FIB with room for all of them. */
static int
whole_fib(struct reload *r)
{
	struct fib_route *route;
	size_t n_routes;
	int rc = build_routes(r->conf, r->group, &route, &n_routes);

	if (rc != 0)
		return node_say_no_memory(&r->node->env.log);
	rc = build_fib_of(r->node, route, n_routes, &r->fib);
	free(route);
	return rc;
}

int
reload_fib(struct reload *r)
{
	struct node *n = r->node;
	size_t failed;
	int rc;

	if (r->n_changes == 0)
		return 0;
	rc = fib_ensure_second(n->fib);
	if (rc == 0)
		rc = fib_apply(n->fib, n->fib_slot ^ 1, r->change, r->n_changes, &failed);
	if (rc == -ENOSPC)
		return whole_fib(r);
	if (rc != 0)
		node_say(&n->env.log, NODE_ERROR,
			"%zu changes of routes cannot be made: %s; give runtime.memory more.",
			r->n_changes, strerror(-rc));
	return rc;
}
