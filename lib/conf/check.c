/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Across the items of a file: addresses that repeat; next hops and routes that are the node itself;
 * next hops on no network of their port. Comes last, after field.c has read what can be read; items
 * that failed there are empty here and are passed over. Other things that repeat are in
 * check_unique.c, queues in check_queue.c, hyper ports in
 * check_hyper.c, the fabric in check_dsf.c.
 */
#include "conf/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "conf/unique.h"

/* The node's own addresses, sorted, each as a plain address. */
struct own {
	struct conf_addr *addr;
	struct unique *u;
	size_t n;
};

static const struct unique_kind kind_address = {
	NULL, "ports", "addresses", true, "an address of its own"};

static struct conf_addr
plain_addr(const struct conf_addr *a)
{
	struct conf_addr plain = *a;

	plain.prefix_len = a->family == AF_INET ? 32 : 128;
	return plain;
}

static int
by_addr(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct conf_addr));
}

static bool
is_own(const struct own *own, const struct conf_addr *a)
{
	struct conf_addr plain = plain_addr(a);

	return own->n != 0 && bsearch(&plain, own->addr, own->n, sizeof(plain), by_addr) != NULL;
}

static void
own_add_port(struct decode *d, struct own *own, size_t port, uint32_t item)
{
	const struct conf_port *p = &d->conf->port[port];
	uint32_t list = tree_get(d->tree, item, "addresses");
	uint32_t v = p->n_addresses ? tree_first(d->tree, list) : TREE_NONE;

	for (size_t i = 0; i < p->n_addresses; i++, v = tree_next(d->tree, v)) {
		if (p->address[i].family == 0)
			continue;
		own->addr[own->n] = plain_addr(&p->address[i]);
		own->u[own->n] = (struct unique){.key = &own->addr[own->n],
			.len = sizeof(own->addr[0]),
			.node = v,
			.item = item,
			.idx = (uint32_t)port,
			.sub = (uint32_t)i};
		own->n++;
	}
}

static int
own_init(struct decode *d, struct own *own)
{
	uint32_t list = unique_list(d, &kind_address, d->conf->n_ports);
	size_t n = 1, i = 0;

	for (size_t j = 0; j < d->conf->n_ports; j++)
		n += d->conf->port[j].n_addresses;
	own->addr = calloc(n, sizeof(own->addr[0]));
	own->u = calloc(n, sizeof(own->u[0]));
	if (own->addr == NULL || own->u == NULL)
		return -ENOMEM;
	if (list == TREE_NONE)
		return 0;
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE; v = tree_next(d->tree, v))
		own_add_port(d, own, i++, v);
	unique_check(d, &kind_address, own->u, own->n);
	qsort(own->addr, own->n, sizeof(own->addr[0]), by_addr);
	return 0;
}

static void
own_fini(struct own *own)
{
	free(own->addr);
	free(own->u);
}

static void
check_routes_own(struct decode *d, const struct own *own)
{
	static const struct unique_kind kind = {"routes", "static", "prefix", false, NULL};
	uint32_t list = unique_list(d, &kind, d->conf->n_routes);
	uint32_t v = list == TREE_NONE ? TREE_NONE : tree_first(d->tree, list);

	for (size_t i = 0; v != TREE_NONE; v = tree_next(d->tree, v), i++) {
		const struct conf_addr *a = &d->conf->route[i].prefix;
		struct unique u = {.item = v, .idx = (uint32_t)i};

		if (a->family == 0 || a->prefix_len != plain_addr(a).prefix_len || !is_own(own, a))
			continue;
		u.node = tree_get(d->tree, v, "prefix");
		unique_error(
			d, &kind, &u, "got an address of the node itself, want a route to others");
	}
}

/* Addresses of one family that a port's network holds; link-local ones are on every link. */
static bool
is_on_link(const struct conf_port *p, const struct conf_addr *via)
{
	bool any = false;

	if (via->family == AF_INET6 && via->byte[0] == 0xfe && (via->byte[1] & 0xc0) == 0x80)
		return true;
	for (size_t i = 0; i < p->n_addresses; i++) {
		struct conf_addr host = *via, a = p->address[i];

		if (a.family != via->family)
			continue;
		any = true;
		host.prefix_len = a.prefix_len;
		host = value_network(&host);
		a = value_network(&a);
		if (memcmp(&host, &a, sizeof(a)) == 0)
			return true;
	}
	return !any;
}

static void
check_via(struct decode *d, const struct own *own, const struct conf_member *m, uint32_t item,
	const struct path *up)
{
	uint32_t v = tree_get(d->tree, item, "via");
	struct path here = path_key(up, "via");
	char via[VALUE_ADDR_LEN];

	if (m->via.family == 0)
		return;
	value_addr_show(&m->via, false, via);
	if (is_own(own, &m->via))
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got %s, which is the node itself, want a neighbour's address", via);
	else if (!m->has_mac && tree_has_all(d->tree, "ports") && m->port_idx < d->conf->n_ports &&
		 !is_on_link(&d->conf->port[m->port_idx], &m->via))
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got %s, which is on no network of port %s, want one that is (or a mac)",
			via, d->conf->port[m->port_idx].name);
}

static void
check_group_vias(struct decode *d, const struct own *own, const struct conf_group *g, uint32_t item,
	const struct path *up)
{
	struct path at_list = path_key(up, "members");
	uint32_t list = tree_get(d->tree, item, "members");
	uint32_t v = g->n_members ? tree_first(d->tree, list) : TREE_NONE;

	for (size_t i = 0; v != TREE_NONE; v = tree_next(d->tree, v), i++) {
		struct path here = {.up = &at_list, .idx = i};

		check_via(d, own, &g->member[i], v, &here);
	}
}

static void
check_vias(struct decode *d, const struct own *own)
{
	static const struct unique_kind kind = {NULL, "groups", NULL, false, NULL};
	uint32_t list = unique_list(d, &kind, d->conf->n_groups);
	uint32_t v = list == TREE_NONE ? TREE_NONE : tree_first(d->tree, list);
	struct path at_list = path_key(NULL, "groups");

	for (size_t i = 0; v != TREE_NONE; v = tree_next(d->tree, v), i++) {
		struct path here = path_item(&at_list, d->tree, v, i);

		check_group_vias(d, own, &d->conf->group[i], v, &here);
	}
}

int
check_file(struct decode *d)
{
	struct own own = {0};
	int rc = check_uniques(d);

	if (rc == 0)
		rc = own_init(d, &own);
	if (rc == 0) {
		check_routes_own(d, &own);
		check_vias(d, &own);
	}
	own_fini(&own);
	if (tree_has_all(d->tree, "ports") && tree_has_all(d->tree, "classes"))
		check_queues(d);
	if (tree_has_all(d->tree, "ports") && tree_has_all(d->tree, "hyperports"))
		check_hypers(d);
	if (tree_has_all(d->tree, "ports") && tree_has_all(d->tree, "dsf"))
		check_dsf(d);
	return rc;
}
