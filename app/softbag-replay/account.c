/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c and lab_end.c hold a node's counters to what was seen of it from outside. */
#include "account.h"

uint64_t
account_own_frames(const struct node *n)
{
	struct counters sum;
	uint64_t frames;

	node_counters(n, &sum, NULL);
	frames = sum.reach_out;
	for (size_t p = 0; p < n->n_ports; p++)
		frames += n->shared.commons[p].pfc_out;
	return frames;
}

unsigned int
account_made_up_macs(const struct node *n)
{
	unsigned int members = 0;

	for (size_t g = 0; g < n->conf->n_groups; g++)
		for (size_t i = 0; i < n->group[g].conf->n_members; i++)
			members += n->group[g].conf->member[i].via.family != 0 &&
				   !n->group[g].conf->member[i].has_mac;
	return members;
}

bool
account_holds(const struct report_totals *t)
{
	return t->waiting == 0 && report_adds_up(t);
}
