/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allowed, and probably not meant. Works on a finished struct conf; `softbag --check` prints it.
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "conf/errors.h"
#include "conf/fabric.h"
#include "conf/hyper.h"
#include "conf/value.h"
#include "conf/warn_dsf.h"
#include "conf/warn_policy.h"
#include "conf/warn_queue.h"

static void
warn_unpolled_ports(const struct conf *c, struct conf_errors *w)
{
	bool polled[CONF_PORTS_MAX] = {false};

	if (c->n_workers == 0)
		return;
	for (size_t i = 0; i < c->n_workers; i++)
		for (size_t j = 0; j < c->worker[i].n_rx; j++)
			polled[c->worker[i].rx[j]] = true;
	for (size_t i = 0; i < c->n_ports; i++)
		if (!polled[i])
			errors_add(w, c->port[i].pos,
				"ports.%s: got no worker that polls it, want it in a worker's rx",
				c->port[i].name);
}

static int
warn_unused_groups(const struct conf *c, struct conf_errors *w)
{
	bool *used = calloc(c->n_groups ? c->n_groups : 1, sizeof(used[0]));

	if (used == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_routes; i++)
		used[c->route[i].group_idx] = true;
	for (size_t i = 0; i < c->n_groups; i++)
		if (!used[i])
			errors_add(w, c->group[i].pos,
				"groups.%s: got no route to it, want one or no group",
				c->group[i].name);
	free(used);
	return 0;
}

static void
warn_members(const struct conf_group *g, struct conf_errors *w)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < g->n_members; i++) {
		weight += g->member[i].weight;
		if (g->member[i].device_idx == UINT16_MAX && !g->member[i].has_mac)
			errors_add(w, g->member[i].pos,
				"groups.%s.members[%zu]: got a via and no mac, want a mac: without "
				"it the "
				"member's packets drop as unresolved until the neighbour is known",
				g->name, i);
	}
	for (size_t i = 0; i < g->n_members; i++) {
		uint64_t parts = (uint64_t)g->member[i].weight * g->buckets;

		if (parts != 0 && parts < weight)
			errors_add(w, g->member[i].pos,
				"groups.%s.members[%zu].weight: got %" PRIu32 " of %" PRIu64
				" in all, want buckets that can show it: one of %" PRIu32
				" is more than its share",
				g->name, i, g->member[i].weight, weight, g->buckets);
	}
	if (weight == 0)
		errors_add(w, g->pos,
			"groups.%s.members: got the weight 0 for all, want one above 0: as it is, "
			"its "
			"packets drop",
			g->name);
}

/* The next hop's MAC is one of ours: the packets come back to the node, or are nobody's. */
static void
warn_own_macs(const struct conf *c, const struct conf_group *g, struct conf_errors *w)
{
	for (size_t i = 0; i < g->n_members; i++)
		for (size_t p = 0; g->member[i].has_mac && p < c->n_ports; p++)
			if (c->port[p].has_mac && memcmp(c->port[p].mac, g->member[i].mac,
							  sizeof(c->port[p].mac)) == 0)
				errors_add(w, g->member[i].pos,
					"groups.%s.members[%zu].mac: got the MAC of ports.%s, want "
					"that of the next hop",
					g->name, i, c->port[p].name);
}

/* `a` is `net` or a part of it. */
static bool
is_inside(const struct conf_addr *a, const struct conf_addr *net)
{
	struct conf_addr wider = *a;

	if (a->family != net->family || a->prefix_len < net->prefix_len)
		return false;
	wider.prefix_len = net->prefix_len;
	wider = value_network(&wider);
	return memcmp(wider.byte, net->byte, sizeof(wider.byte)) == 0;
}

/* Destinations that are judged before any route is looked up (RFC 1122, 3927, 4291, 6890). */
static const struct {
	struct conf_addr net;
	const char *what;
} never_routed[] = {
	{{AF_INET, 8, {0}}, "addresses of this network"},
	{{AF_INET, 8, {127}}, "loopback addresses"},
	{{AF_INET, 16, {169, 254}}, "link-local addresses"},
	{{AF_INET, 4, {224}}, "multicast groups"},
	{{AF_INET, 32, {255, 255, 255, 255}}, "the broadcast address"},
	{{AF_INET6, 128, {0}}, "the unspecified address"},
	{{AF_INET6, 128, {[15] = 1}}, "the loopback address"},
	{{AF_INET6, 10, {0xfe, 0x80}}, "link-local addresses"},
	{{AF_INET6, 8, {0xff}}, "multicast groups"},
};

static void
warn_never_routed(const struct conf *c, struct conf_errors *w)
{
	for (size_t i = 0; i < c->n_routes; i++)
		for (size_t k = 0; k < BITS_ARRAY_LEN(never_routed); k++)
			if (is_inside(&c->route[i].prefix, &never_routed[k].net))
				errors_add(w, c->route[i].pos,
					"routes.static[%zu].prefix: got %s, want unicast: no "
					"packet "
					"comes so far as to take this route",
					i, never_routed[k].what);
}

/* The last address of an IPv4 network that has one: RFC 3021 has none in a /31. */
static bool
is_broadcast(const struct conf_addr *host, const struct conf_addr *own)
{
	struct conf_addr net = *own;

	if (own->family != AF_INET || own->prefix_len > 30)
		return false;
	net = value_network(&net);
	for (unsigned int bit = own->prefix_len; bit < 32; bit++)
		net.byte[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
	return memcmp(host->byte, net.byte, sizeof(net.byte)) == 0;
}

static void
warn_broadcasts(const struct conf *c, size_t route, struct conf_errors *w)
{
	const struct conf_addr *host = &c->route[route].prefix;

	for (size_t p = 0; p < c->n_ports; p++)
		for (size_t i = 0; i < c->port[p].n_addresses; i++)
			if (is_broadcast(host, &c->port[p].address[i]))
				errors_add(w, c->route[route].pos,
					"routes.static[%zu].prefix: got the broadcast address of "
					"ports.%s.addresses[%zu], want a route to others",
					route, c->port[p].name, i);
}

static void
warn_routes(const struct conf *c, struct conf_errors *w)
{
	warn_never_routed(c, w);
	for (size_t i = 0; i < c->n_routes; i++)
		if (c->route[i].prefix.family == AF_INET && c->route[i].prefix.prefix_len == 32)
			warn_broadcasts(c, i, w);
}

/* One that passes cells on needs no route. */
static bool
is_fabric_node(const struct conf *c)
{
	return c->dsf.transit && conf_dsf_links(c) != 0;
}

int
conf_warnings(const struct conf *c, struct conf_errors *ret_warnings)
{
	struct conf_errors w = {0};
	int rc;

	rc = warn_unused_groups(c, &w);
	warn_unpolled_ports(c, &w);
	warn_queues(c, &w);
	warn_dsf(c, &w);
	warn_hypers(c, &w);
	for (size_t i = 0; i < c->n_groups; i++)
		warn_members(&c->group[i], &w);
	for (size_t i = 0; i < c->n_groups; i++)
		warn_policy(c, &c->group[i], &w);
	for (size_t i = 0; i < c->n_groups; i++)
		warn_own_macs(c, &c->group[i], &w);
	warn_routes(c, &w);
	if (c->n_routes == 0 && !is_fabric_node(c))
		errors_add(&w, (struct conf_pos){1, 1},
			"routes: got none, want some: as it is, nothing is "
			"forwarded");
	if (rc == 0)
		*ret_warnings = w;
	else
		conf_errors_fini(&w);
	return rc;
}

static void
warn_seeds(const struct conf *a, const struct conf *b, struct conf_errors *w)
{
	errors_add(w, (struct conf_pos){0},
		"hash.seed: got %" PRIu64
		" for node %s (id %u, %s) and for node %s (id %u, %s), want unlike "
		"seeds: in a row they hash alike, and the second uses only some of its members",
		conf_seed(a), a->node_name, a->node_id, a->file, b->node_name, b->node_id, b->file);
}

int
conf_warn_equal_seeds(const struct conf *const *c, size_t n, struct conf_errors *ret_warnings)
{
	struct conf_errors w = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (conf_seed(c[i]) == conf_seed(c[j]))
				warn_seeds(c[i], c[j], &w);
	*ret_warnings = w;
	return 0;
}
