/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of members: workers have a fixed number of them, control gives them out. A member keeps
 * its own through every reload that keeps it.
 */
#include <errno.h>
#include <stdlib.h>

#include "ctl/build.h"

/* Reloads may add members: as many again, or this many, which are 16 KB a worker. */
#define SPARE_LEAST 1024u

uint32_t
members_room(const struct conf *c)
{
	uint64_t n = c->dsf.pos.line == 0 ? 0 : c->dsf.n_system_ports + 1;

	for (size_t g = 0; g < c->n_groups; g++)
		n += c->group[g].n_members + 1;
	return (uint32_t)(n + RTE_MAX(n, (uint64_t)SPARE_LEAST));
}

int
members_create(struct node *n)
{
	n->n_members = members_room(n->conf);
	n->counter = calloc(n->n_members, sizeof(*n->counter));
	return n->counter == NULL ? -ENOMEM : 0;
}

/* What all workers have counted by an index so far. */
static struct counter
counted(const struct node *n, uint32_t idx)
{
	struct counter sum = {0};

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct counter *c = &n->worker[i]->counters->member[idx];

		counter_add(&sum, counter_read(&c->packets), counter_read(&c->bytes));
	}
	return sum;
}

int
members_take(struct node *n, uint32_t *ret_idx)
{
	uint32_t idx = n->first_free;

	while (idx < n->n_members && n->counter[idx].taken)
		idx++;
	if (idx == n->n_members)
		return -ENOSPC;
	n->first_free = idx + 1;
	n->counter[idx] = (struct node_counter){
		.base = counted(n, idx),
		.since = n->snapshot == NULL ? 0 : n->n_reloads + 1,
		.taken = true,
	};
	*ret_idx = idx;
	return 0;
}

void
members_give(struct node *n, uint32_t idx)
{
	n->counter[idx].taken = false;
	n->first_free = RTE_MIN(n->first_free, idx);
}
