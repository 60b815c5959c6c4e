/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks within one item: hooks that field.c runs once all fields of a mapping are read. What spans
 * the file is in check.c.
 */
#include "conf/item_check.h"

#include <string.h>

#include "conf/dsf_item.h"
#include "conf/group_item.h"

/* One whose next hop is a neighbour at a port. */
static void
port_member_check(struct decode *d, uint32_t map, const struct path *p, const struct conf_member *m)
{
	struct path here = path_key(p, "system_port"), at_port = path_key(p, "port");
	uint32_t v = tree_get(d->tree, map, "system_port");
	bool exists = m->port_idx < d->conf->n_ports;

	if (exists && d->conf->port[m->port_idx].role == CONF_ROLE_DSF)
		path_error(d->errors, &at_port, tree_pos(d->tree, tree_get(d->tree, map, "port")),
			"got %s, which has role dsf, want `device: NAME`, or a port of role nsf or "
			"longhaul",
			d->conf->port[m->port_idx].name);
	else if (tree_get(d->tree, map, "via") == TREE_NONE &&
		 tree_get(d->tree, map, "mac") == TREE_NONE)
		path_error(d->errors, p, tree_pos(d->tree, map),
			"got neither via nor mac, want one of them or both");
	if (v != TREE_NONE)
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got it beside port, want it beside device, whose system port it is");
}

void
member_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	bool by_port = tree_get(d->tree, map, "port") != TREE_NONE;
	bool by_device = tree_get(d->tree, map, "device") != TREE_NONE;

	if (by_port == by_device)
		path_error(d->errors, p, tree_pos(d->tree, map), "got %s, want one of them",
			by_port ? "both port and device" : "neither port nor device");
	else if (by_device)
		dsf_member_check(d, map, p, out);
	else
		port_member_check(d, map, p, out);
}

static bool
same_member(const struct conf_member *a, const struct conf_member *b)
{
	return a->port_idx == b->port_idx && a->device_idx == b->device_idx &&
	       a->system_port == b->system_port && memcmp(&a->via, &b->via, sizeof(a->via)) == 0 &&
	       a->has_mac == b->has_mac && memcmp(a->mac, b->mac, sizeof(a->mac)) == 0;
}

/* Members that were read as far as it takes to compare them. */
static bool
is_whole(const struct conf_member *m)
{
	if (m->device_idx != UINT16_MAX)
		return true;
	return m->port_idx != UINT16_MAX && (m->via.family != 0 || m->has_mac);
}

static void
check_same_members(struct decode *d, const struct path *p, const struct conf_group *g)
{
	for (size_t i = 1; i < g->n_members; i++) {
		for (size_t j = 0; j < i; j++) {
			struct path at_list = path_key(p, "members");
			struct path here = {.up = &at_list, .idx = i};

			if (!is_whole(&g->member[i]) || !same_member(&g->member[i], &g->member[j]))
				continue;
			path_error(d->errors, &here, g->member[i].pos,
				"got the %s and mac of members[%zu] in line %u, want each way out "
				"once, with a weight",
				g->member[i].device_idx != UINT16_MAX ? "device, system port"
								      : "port, via",
				j, g->member[j].pos.line);
			break;
		}
	}
}

void
group_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf_group *g = out;
	struct path here = path_key(p, "members");
	size_t weighted = 0;

	group_policy_check(d, map, p, g);
	check_same_members(d, p, g);
	for (size_t i = 0; i < g->n_members; i++)
		weighted += g->member[i].weight > 0;
	if (weighted > g->buckets)
		path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, map, "members")),
			"got %zu members with a weight and %u buckets, want a bucket for each at "
			"least",
			weighted, g->buckets);
}

void
worker_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf_worker *w = out;
	struct path at_list = path_key(p, "rx");
	uint32_t list = tree_get(d->tree, map, "rx");
	bool seen[CONF_PORTS_MAX] = {false};
	uint32_t v;

	if (list == TREE_NONE || w->n_rx == 0)
		return;
	v = tree_first(d->tree, list);
	for (size_t i = 0; i < w->n_rx && v != TREE_NONE; i++, v = tree_next(d->tree, v)) {
		struct path here = {.up = &at_list, .idx = i};

		if (w->rx[i] >= CONF_PORTS_MAX)
			continue;
		if (seen[w->rx[i]])
			path_error(d->errors, &here, tree_pos(d->tree, v),
				"got %s again, want a port once a worker", tree_text(d->tree, v));
		seen[w->rx[i]] = true;
	}
}

/* One worker may share the control thread's CPU (a lab of one CPU); among many it would lag. */
void
runtime_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf *c = out;
	uint32_t v = tree_get(d->tree, map, "main_lcore");
	struct path here = path_key(p, "main_lcore");

	if (v == TREE_NONE || c->main_lcore < 0 || c->n_workers < 2)
		return;
	for (size_t i = 0; i < c->n_workers; i++)
		if (c->worker[i].lcore == (unsigned int)c->main_lcore)
			path_error(d->errors, &here, tree_pos(d->tree, v),
				"got %d, which is workers[%zu]'s lcore, want one of its own beside "
				"several workers",
				c->main_lcore, i);
}

/* `version` stands first, so that a reader of any version can tell the file's. */
void
file_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	struct path here = path_key(p, "version");
	uint32_t first = tree_first(d->tree, map);
	uint32_t v = tree_get(d->tree, map, "version");

	(void)out;
	if (v == TREE_NONE || first == TREE_NONE || tree_next(d->tree, first) == v)
		return;
	path_error(d->errors, &here, tree_pos(d->tree, v),
		"got it after other keys, want `version: 1` as the first key of the file");
}
