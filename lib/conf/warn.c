/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allowed, and probably not meant. Works on a finished struct conf; `softbag --check` prints it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/errors.h"
#include "conf/value.h"
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
		if (!g->member[i].has_mac)
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

int
conf_warnings(const struct conf *c, struct conf_errors *ret_warnings)
{
	struct conf_errors w = {0};
	int rc;

	rc = warn_unused_groups(c, &w);
	warn_unpolled_ports(c, &w);
	warn_queues(c, &w);
	for (size_t i = 0; i < c->n_groups; i++)
		warn_members(&c->group[i], &w);
	if (c->n_routes == 0)
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
