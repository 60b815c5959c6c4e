/* SPDX-License-Identifier: BSD-3-Clause */
/* What lib/cell and lib/dp hold of the fabric, put together for show_*.c and report_fabric.c. */
#include "tele/fabric_view.h"

#include <stdlib.h>
#include <string.h>

bool
view_no_fabric(const struct node *n, FILE *out)
{
	if (n->fabric == NULL)
		fputs("No port carries cells: the node is in no fabric.\n", out);
	return n->fabric == NULL;
}

static const char *
state_of(const struct reach_link_view *v)
{
	if (!v->up)
		return "no carrier";
	if (!v->alive)
		return "dead";
	return v->drained ? "drained" : "up";
}

struct view_link
view_link(const struct node *n, uint16_t link)
{
	const struct node_fabric *f = n->fabric;
	struct view_link v = {
		.alive = alive_test(&n->shared.alive, f->dp.link[link]),
		.told = f->reach != NULL,
	};

	if (!v.told) {
		v.state = v.alive ? "up" : "no carrier";
		return v;
	}
	reach_link_view(f->reach, link, &v.reach);
	v.state = state_of(&v.reach);
	return v;
}

uint64_t
view_silence_ps(const struct node *n, const struct reach_link_view *link)
{
	uint64_t now = ps_from_ticks(&n->worker[0]->timebase, clock_now(&n->env.clock));

	/* the far future is a time just behind us */
	return now - link->heard_ps > UINT64_MAX / 2 ? 0 : now - link->heard_ps;
}

static int
by_id(const void *a, const void *b)
{
	const struct view_device *x = a, *y = b;

	if (x->id != y->id)
		return (x->id > y->id) - (x->id < y->id);
	return y->known - x->known;
}

/* What reachability knows, then what the file lists: some are both. */
static size_t
collect(const struct node *n, struct view_device *device, size_t max)
{
	const struct node_fabric *f = n->fabric;
	const struct conf_dsf *d = &n->conf->dsf;
	struct reach_device_view v;
	uint32_t from = 0;
	size_t k = 0;

	while (f->reach != NULL && k < max && reach_device_view(f->reach, &from, &v))
		device[k++] = (struct view_device){
			.id = v.device,
			.known = true,
			.reachable = v.reachable,
			.hops = v.hops,
			.n_links = v.n_links,
		};
	for (size_t i = 0; i < d->n_devices && k < max; i++)
		device[k++] = (struct view_device){
			.id = d->device[i].id,
			.reachable = f->reach == NULL,
			.n_links = f->reach == NULL ? f->dp.n_links : 0,
		};
	return k;
}

size_t
view_devices(const struct node *n, struct view_device **ret_device)
{
	struct reach_stats stats = {0};
	size_t max, k, kept = 0;

	if (n->fabric->reach != NULL)
		reach_stats(n->fabric->reach, &stats);
	max = stats.n_known + n->conf->dsf.n_devices;
	*ret_device = calloc(max + 1, sizeof(**ret_device));
	if (*ret_device == NULL)
		return 0;
	k = collect(n, *ret_device, max);
	qsort(*ret_device, k, sizeof(**ret_device), by_id);
	for (size_t i = 0; i < k; i++)
		if (kept == 0 || (*ret_device)[kept - 1].id != (*ret_device)[i].id)
			(*ret_device)[kept++] = (*ret_device)[i];
	return kept;
}

/* Links that are dead are passed over, as the workers do. */
unsigned int
view_shares(const struct node *n, uint16_t device, unsigned int ret_part[DP_PORTS_MAX])
{
	const struct fabric_table *t = n->fabric->table;
	const struct spray_set *set;
	unsigned int total = 0;

	memset(ret_part, 0, DP_PORTS_MAX * sizeof(*ret_part));
	if (t->set_of[device] == 0)
		return 0;
	set = &t->set[t->set_of[device] - 1];
	for (unsigned int i = 0; i < set->n_entries; i++) {
		uint16_t port_idx = set->port_idx[set->sequence[i]];

		if (!alive_test(&n->shared.alive, port_idx))
			continue;
		ret_part[port_idx]++;
		total++;
	}
	return total;
}

static void
add_voq(struct view_voq *sum, const struct worker *w, unsigned int idx)
{
	const struct voq *v = &w->fabric->voq[idx];
	const struct voq_count *c = &w->fabric->count[idx];
	uint64_t peak = counter_read(&c->peak);

	sum->packets += __atomic_load_n(&v->fifo.n, __ATOMIC_RELAXED);
	sum->bytes += __atomic_load_n(&v->fifo.bytes, __ATOMIC_RELAXED);
	sum->peak = RTE_MAX(sum->peak, peak);
	sum->wanted += counter_read(&v->wanted);
	sum->granted += counter_read(&v->granted);
	sum->sent += counter_read(&v->sent);
	sum->cut_packets += counter_read(&c->packets);
	sum->cut_bytes += counter_read(&c->bytes);
	sum->dropped += counter_read(&c->dropped);
	sum->marked += counter_read(&c->ce_marked);
	sum->used = sum->peak != 0 || sum->dropped != 0;
}

struct view_voq
view_voq(const struct node *n, const struct worker *w, unsigned int dest, unsigned int class)
{
	struct view_voq sum = {0};

	for (unsigned int i = 0; i < n->n_workers; i++)
		if (w == NULL || w == n->worker[i])
			add_voq(&sum, n->worker[i], dest * DP_CLASSES + class);
	return sum;
}

/* As dp/stage_fabric.c has it: what waits at the port, and in the TX buffer of its scheduler. */
uint8_t
view_held(const struct node *n, const struct fabric_system *s)
{
	bool router = s->number == CELL_ROUTER_PORT;
	uint8_t held = 0;

	for (uint16_t p = 0; p < n->n_ports; p++) {
		uint64_t buffered = counter_read(&n->worker[s->worker]->tx[p].bytes);

		if (fabric_link(n, p) >= 0 || (!router && p != s->port_idx))
			continue;
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (egress_backlog(&n->shared.commons[p], c) + buffered > s->bound)
				held |= (uint8_t)(1u << c);
	}
	return held;
}

const struct credit_stats *
view_credit(const struct node *n, uint16_t system)
{
	const struct fabric_system *s = &n->fabric->dp.system[system];

	return credit_stats(n->worker[s->worker]->fabric->credit[system]);
}
