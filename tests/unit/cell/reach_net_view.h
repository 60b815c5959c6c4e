/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of reach_net.h have in their tables. */
#ifndef TESTS_REACH_NET_VIEW_H
#define TESTS_REACH_NET_VIEW_H

#include "reach_net.h"

#define NET_NO_HOPS 99

static inline const struct reach_route *
net_route(const struct net *net, unsigned int node, unsigned int to)
{
	const struct reach_table *t = reach_table(net->node[node].r);

	for (uint32_t i = 0; i < t->n_routes; i++)
		if (t->route[i].device == NET_DEVICE(to))
			return &t->route[i];
	return NULL;
}

/* NET_NO_HOPS: out of reach. */
static inline unsigned int
net_hops(const struct net *net, unsigned int node, unsigned int to)
{
	const struct reach_route *route = net_route(net, node, to);

	return route == NULL ? NET_NO_HOPS : route->hops;
}

/* With which the node sprays over the wire toward the device `to`; 0: not over it. */
static inline uint32_t
net_weight(const struct net *net, unsigned int node, unsigned int to, unsigned int wire)
{
	const struct reach_route *route = net_route(net, node, to);
	const struct reach_set *set;

	if (route == NULL)
		return 0;
	set = &reach_table(net->node[node].r)->set[route->set_idx];
	for (unsigned int i = 0; i < set->n; i++)
		if (set->port_idx[i] == wire)
			return set->weight[i];
	return 0;
}

/* The node sprays over the wire, toward anybody. */
static inline bool
net_uses(const struct net *net, unsigned int node, unsigned int wire)
{
	const struct reach_table *t = reach_table(net->node[node].r);

	for (uint32_t s = 0; s < t->n_sets; s++)
		for (unsigned int i = 0; i < t->set[s].n; i++)
			if (t->set[s].port_idx[i] == wire)
				return true;
	return false;
}

#endif
