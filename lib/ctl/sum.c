/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of all workers as one. Readers: console, metrics, replay. */
#include <string.h>

#include "ctl/node.h"

static void
add_words(uint64_t *sum, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += counter_read(&from[i]);
}

_Static_assert(offsetof(struct counters, n_members) % sizeof(uint64_t) == 0,
	"everything before n_members is 64-bit counters");

void
node_counters(const struct node *n, struct counters *ret_sum, struct counter *ret_member)
{
	memset(ret_sum, 0, sizeof(*ret_sum));
	if (ret_member != NULL)
		memset(ret_member, 0, n->n_members * sizeof(*ret_member));
	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct counters *c = n->worker[i]->counters;

		add_words((uint64_t *)ret_sum, (const uint64_t *)c,
			offsetof(struct counters, n_members) / sizeof(uint64_t));
		if (ret_member != NULL)
			add_words((uint64_t *)ret_member, (const uint64_t *)c->member,
				n->n_members * sizeof(struct counter) / sizeof(uint64_t));
	}
	for (uint32_t i = 0; ret_member != NULL && i < n->n_members; i++) {
		ret_member[i].packets -= n->counter[i].base.packets;
		ret_member[i].bytes -= n->counter[i].base.bytes;
	}
	ret_sum->n_members = n->n_members;
}

void
node_group_counters(const struct node *n, uint32_t group_idx, const struct counter *member,
	struct counter ret_mine[NHG_MEMBERS_MAX])
{
	const struct nhg_group *g = node_group_now(n, group_idx);

	for (unsigned int i = 0; i < g->n_members; i++)
		ret_mine[i] = member[g->member[i].counter];
}
