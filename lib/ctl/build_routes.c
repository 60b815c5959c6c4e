/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: what the YAML says, the node's own addresses (to its kernel), and the prefixes of its
 * links (whose hosts are reachable once their MAC is known). Static routes win over connected ones.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/build.h"
#include "ctl/say.h"

int
build_route_order(const void *a, const void *b)
{
	const struct fib_route *x = a, *y = b;
	int d = memcmp(x->prefix, y->prefix, sizeof(x->prefix));

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (d != 0)
		return d;
	return (int)x->prefix_len - (int)y->prefix_len;
}

static struct fib_route
route_from(const struct conf_addr *a, uint8_t prefix_len, uint16_t group_idx)
{
	struct fib_route r = {
		.family = a->family, .prefix_len = prefix_len, .group_idx = group_idx};
	unsigned int len = a->family == AF_INET ? 4 : 16;

	for (unsigned int i = 0; i < len; i++) {
		int bits = (int)prefix_len - (int)i * 8;
		uint8_t mask = bits >= 8 ? 0xff : bits <= 0 ? 0 : (uint8_t)(0xff << (8 - bits));

		r.prefix[i] = a->byte[i] & mask;
	}
	return r;
}

/* Adds the routes that an address brings, unless `route` (sorted, n of them) has the prefix. */
static size_t
add_own(const struct conf_addr *a, const struct fib_route *route, size_t n, struct fib_route *ret)
{
	uint8_t full = a->family == AF_INET ? 32 : 128;
	struct fib_route local = route_from(a, full, DP_GROUP_LOCAL);
	struct fib_route net = route_from(a, a->prefix_len, DP_GROUP_CONNECTED);
	size_t added = 0;

	ret[added++] = local;
	if (a->prefix_len < full &&
		bsearch(&net, route, n, sizeof(*route), build_route_order) == NULL)
		ret[added++] = net;
	return added;
}

/* Several addresses may share a prefix. */
static size_t
drop_twins(struct fib_route *route, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept == 0 || build_route_order(&route[kept - 1], &route[i]) != 0)
			route[kept++] = route[i];
	return kept;
}

int
build_routes(const struct conf *c, const struct node_group *group, struct fib_route **ret_route,
	size_t *ret_n)
{
	size_t n = c->n_routes, n_own = 0, max = n + 1;
	struct fib_route *route;

	for (size_t p = 0; p < c->n_ports; p++)
		max += 2 * c->port[p].n_addresses;
	route = malloc(max * sizeof(*route));
	if (route == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t g = c->route[i].group_idx;

		route[i] = route_from(&c->route[i].prefix, c->route[i].prefix.prefix_len,
			(uint16_t)(group == NULL ? DP_GROUP_FIRST + g : group[g].slot));
	}
	qsort(route, n, sizeof(*route), build_route_order);
	for (size_t p = 0; p < c->n_ports; p++)
		for (size_t i = 0; i < c->port[p].n_addresses; i++)
			n_own += add_own(&c->port[p].address[i], route, n, route + n + n_own);
	qsort(route + n, n_own, sizeof(*route), build_route_order);
	*ret_n = n + drop_twins(route + n, n_own);
	*ret_route = route;
	return 0;
}

static int
load(struct fib *f, const struct fib_route *route, size_t n_routes)
{
	struct fib_change *change = calloc(n_routes + 1, sizeof(*change));
	size_t failed = 0;
	int rc;

	if (change == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n_routes; i++)
		change[i] = (struct fib_change){.op = FIB_ADD, .route = route[i]};
	rc = fib_apply(f, 0, change, n_routes, &failed);
	free(change);
	return rc;
}

int
build_fib_of(struct node *n, const struct fib_route *route, size_t n_routes, struct fib **ret_fib)
{
	char name[sizeof(n->tag) + 1];
	struct fib *f = NULL;
	struct fib_plan plan;
	size_t bad;
	int rc = fib_plan(route, n_routes, &plan, &bad);

	snprintf(name, sizeof(name), "%s%s", n->tag, n->fib != NULL && !n->fib_named_b ? "b" : "");
	if (rc == 0)
		rc = fib_create(name, &plan, -1, &f);
	if (rc == 0)
		rc = load(f, route, n_routes);
	if (rc == 0) {
		*ret_fib = f;
		return 0;
	}
	fib_free(f);
	node_say(&n->env.log, NODE_ERROR,
		"%zu routes do not fit: %s; give runtime.memory more, or the node fewer routes.",
		n_routes, strerror(-rc));
	return rc;
}

int
build_fib(struct node *n)
{
	struct fib_route *route;
	size_t n_routes;
	int rc = build_routes(n->conf, n->group, &route, &n_routes);

	if (rc != 0)
		return node_say_no_memory(&n->env.log);
	rc = build_fib_of(n, route, n_routes, &n->fib);
	free(route);
	return rc;
}
