/* SPDX-License-Identifier: BSD-3-Clause */
/* Reachability as people and metrics see it. Reads only. */
#include "cell/reach_state.h"

void
reach_stats(const struct reach *r, struct reach_stats *ret_stats)
{
	*ret_stats = r->stats;
	for (unsigned int i = 0; i < r->n_links; i++)
		ret_stats->n_alive += r->link[i].alive;
	ret_stats->n_known = r->n_used;
	ret_stats->n_reachable = r->table.n_routes;
}

void
reach_link_view(const struct reach *r, uint16_t link, struct reach_link_view *ret_view)
{
	const struct reach_link *l = &r->link[link];

	*ret_view = (struct reach_link_view){
		.heard_ps = l->heard_ps,
		.n_devices = l->n_entries,
		.port_idx = l->port_idx,
		.neighbour = l->neighbour,
		.in_a_row = l->in_a_row,
		.up = l->up,
		.alive = l->alive,
		.drained = l->drained,
		.heard = l->heard,
	};
}

bool
reach_device_view(const struct reach *r, uint32_t *from, struct reach_device_view *ret_view)
{
	while (*from < r->high) {
		const struct reach_device *d = &r->slot[(*from)++];
		uint64_t links = d->reachable ? d->best : d->told;

		if (d->device == 0)
			continue;
		*ret_view = (struct reach_device_view){
			.device = d->device,
			.n_links = (uint16_t)__builtin_popcountll(links),
			.hops = d->hops,
			.reachable = d->reachable,
		};
		return true;
	}
	return false;
}

const char *
reach_fault_name(enum reach_fault fault)
{
	static const char *const name[REACH_FAULT_N] = {
#define X(name, text) [REACH_BAD_##name] = #name,
		REACH_FAULTS(X)
#undef X
	};

	return name[fault];
}

const char *
reach_fault_text(enum reach_fault fault)
{
	static const char *const text[REACH_FAULT_N] = {
#define X(name, text) [REACH_BAD_##name] = text,
		REACH_FAULTS(X)
#undef X
	};

	return text[fault];
}
