/* SPDX-License-Identifier: BSD-3-Clause */
/* The live view: what a person watches while the node runs. Rates since the baseline, drops since
 * the start. */
#include <stdlib.h>

#include "tele/imbalance.h"
#include "tele/since.h"
#include "tele/table.h"
#include "tele/waiting.h"
#include "tele/way.h"

static void
rate(struct table *t, uint64_t n, double seconds)
{
	table_count(t, seconds > 0 ? (uint64_t)((double)n / seconds + 0.5) : 0);
}

static bool
any_queued(const struct node *n)
{
	for (size_t p = 0; p < n->n_ports; p++)
		if (n->policy[p].queued)
			return true;
	return false;
}

/* Bytes in class queues, and the classes that the neighbour pauses. */
static void
queue_cells(struct table *t, const struct node *n, size_t port)
{
	char paused[20];

	table_count(t, waiting_port(n, port).bytes);
	table_text(t, "%s", classes_text(waiting_paused(n, port), paused, sizeof(paused)));
}

/* Columns of queues stand where a port has some. */
static void
live_ports(const struct node *n, const struct counters *sum, double seconds, FILE *out)
{
	bool queued = any_queued(n);
	struct table *t =
		table_create(queued ? "port|link|>in pps|>in Mbit/s|>out pps|>out Mbit/s|"
				      ">bytes waiting|paused"
				    : "port|link|>in pps|>in Mbit/s|>out pps|>out Mbit/s");

	for (size_t p = 0; p < n->n_ports; p++) {
		table_text(t, "%s", n->port[p]->name);
		table_text(t, "%s", alive_test(&n->shared.alive, (unsigned int)p) ? "up" : "down");
		rate(t, sum->port_in[p].packets, seconds);
		table_text(t, "%.1f",
			seconds > 0 ? (double)sum->port_in[p].bytes * 8e-6 / seconds : 0.0);
		rate(t, sum->port_out[p].packets, seconds);
		table_text(t, "%.1f",
			seconds > 0 ? (double)sum->port_out[p].bytes * 8e-6 / seconds : 0.0);
		if (queued)
			queue_cells(t, n, p);
	}
	table_print(t, out);
	table_free(t);
}

static void
live_marks(const struct counters *sum, double seconds, FILE *out)
{
	char marked[32];

	if (sum->ce_marked != 0 && seconds > 0)
		fprintf(out, "%s packets/s marked CE\n",
			table_thousands(
				(uint64_t)((double)sum->ce_marked / seconds + 0.5), marked));
}

static void
live_groups(const struct node *n, const struct counter *member, double seconds, FILE *out)
{
	struct table *t = table_create("group|>member|port|>weight|>pps|>share|>fair share");

	for (size_t g = 0; g < n->conf->n_groups; g++) {
		const struct nhg_group *now = node_group_now(n, (uint32_t)g);
		struct counter mine[NHG_MEMBERS_MAX];
		uint64_t total = 0, weights = 0;
		char way[WAY_TEXT_LEN];

		node_group_counters(n, (uint32_t)g, member, mine);
		for (unsigned int i = 0; i < now->n_members; i++) {
			total += mine[i].packets;
			weights += now->member[i].weight;
		}
		for (unsigned int i = 0; i < now->n_members; i++) {
			table_text(t, "%s", i == 0 ? n->conf->group[g].name : "");
			table_text(t, "%u", i);
			table_text(t, "%s", way_text(n, now->member[i].port_idx, way));
			table_text(t, "%u", now->member[i].weight);
			rate(t, mine[i].packets, seconds);
			table_text(t, "%.1f %%",
				total == 0 ? 0.0 : 100.0 * (double)mine[i].packets / (double)total);
			table_text(t, "%.1f %%",
				weights == 0 ? 0.0
					     : 100.0 * now->member[i].weight / (double)weights);
		}
	}
	if (table_rows(t) != 0)
		table_print(t, out);
	table_free(t);
}

/* A tenth off: a thousand flows over two members are that once in a thousand times. */
#define UNEVEN         1.1
#define UNEVEN_PACKETS 1000u

/* A member's share is beyond what chance makes of many flows, and no dead link explains it. */
static bool
is_uneven(const struct node *n, const struct nhg_group *g, const struct counter *member)
{
	uint64_t packets = 0;

	for (unsigned int i = 0; i < g->n_members; i++) {
		const struct nhg_member *m = &g->member[i];

		if (m->weight != 0 && (!m->resolved || !alive_test(&n->shared.alive, m->port_idx)))
			return false;
		packets += member[i].packets;
	}
	return packets >= UNEVEN_PACKETS && group_imbalance(g, member) > UNEVEN;
}

static void
explain_uneven(const struct node *n, const struct counter *member, FILE *out)
{
	for (uint32_t g = 0; g < n->conf->n_groups; g++) {
		struct counter mine[NHG_MEMBERS_MAX];

		node_group_counters(n, g, member, mine);
		if (!is_uneven(n, node_group_now(n, g), mine))
			continue;
		fputs("Each flow stays on one member, so shares come near the weights only with "
		      "many flows of like size.\n",
			out);
		return;
	}
}

void
show_live(const struct node *n, const struct show_base *base, uint64_t now, FILE *out)
{
	double seconds = (double)(now - base->tsc) / (double)n->env.clock.hz;
	struct counters sum;
	struct counter *member;

	since(n, base, &sum, &member);
	live_ports(n, &sum, seconds, out);
	live_marks(&sum, seconds, out);
	if (member != NULL) {
		fputc('\n', out);
		live_groups(n, member, seconds, out);
		explain_uneven(n, member, out);
	}
	fputc('\n', out);
	show_drops(n, NULL, out);
	free(member);
}
