/* SPDX-License-Identifier: BSD-3-Clause */
/* What a lab counted: two tables for people, and JSON with each node's own report in it. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>

#include "conf/value.h"
#include "lab.h"
#include "tele/report.h"
#include "tele/table.h"

static void
text_nodes(const struct lab *l, FILE *out)
{
	struct table *t = table_create("node|>in|>out|>punted|>dropped|>cycles a packet");

	for (size_t i = 0; i < l->n_nodes; i++) {
		const struct lab_node *n = &l->node[i];
		struct report_totals sum;

		report_totals(n->node, &sum);
		table_text(t, "%s", n->topo->name);
		table_count(t, sum.in);
		table_count(t, sum.out);
		table_count(t, sum.punted);
		table_count(t, sum.dropped);
		if (n->meter.packets == 0)
			table_text(t, "-");
		else
			table_text(t, "%.1f", (double)n->meter.cycles / (double)n->meter.packets);
	}
	table_print(t, out);
	table_free(t);
}

static void
text_wires(const struct lab *l, FILE *out)
{
	struct table *t = table_create("from|to|>rate|>delay|>taken|>delivered|>lost|>lost down|"
				       ">no buffer|>in flight");
	char rate[AMOUNT_LEN], delay[AMOUNT_LEN];

	for (size_t i = 0; i < l->n_wires; i++) {
		const struct wire *w = &l->wire[i];

		table_text(t, "%s%s", l->node[w->from.node_idx].prefix, w->from.port->name);
		table_text(t, "%s%s", l->node[w->to.node_idx].prefix, w->to.port->name);
		table_text(t, "%s", amount_show(AMOUNT_BITS, w->rate_bps, rate));
		table_text(t, "%s", amount_show(AMOUNT_TIME, w->delay_ns, delay));
		table_count(t, w->count.taken);
		table_count(t, w->count.delivered);
		table_count(t, w->count.lost);
		table_count(t, w->count.lost_down);
		table_count(t, w->count.no_buffer);
		table_count(t, w->n_frames);
	}
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

void
lab_text(const struct lab *l, const struct lab_totals *t, FILE *out)
{
	char in[32], made[32], left[32], punted[32], dropped[32], ended[32], lost[32], flight[32];

	fprintf(out, "%zu nodes, %zu wires, seed %" PRIu64 ", %.6f s of virtual time\n", l->n_nodes,
		l->n_wires / 2, l->topo->seed,
		(double)(l->now - RTE_MIN(l->now, l->start_ns)) / 1e9);
	fprintf(out,
		"in %s, made %s, out %s, punted %s, dropped %s, ended %s, lost on wires %s, in "
		"flight %s\n\n",
		table_thousands(t->in, in), table_thousands(t->made, made),
		table_thousands(t->out, left), table_thousands(t->punted, punted),
		table_thousands(t->dropped, dropped), table_thousands(t->ended, ended),
		table_thousands(t->wire_lost, lost), table_thousands(t->in_flight, flight));
	text_nodes(l, out);
	text_wires(l, out);
}

static json_t *
wire_object(const struct lab *l, const struct wire *w)
{
	char from[2 * CONF_NAME_MAX], to[2 * CONF_NAME_MAX];
	const struct wire_count *c = &w->count;

	snprintf(from, sizeof(from), "%s%s", l->node[w->from.node_idx].prefix, w->from.port->name);
	snprintf(to, sizeof(to), "%s%s", l->node[w->to.node_idx].prefix, w->to.port->name);
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "from", from, "to", to,
		"taken", (json_int_t)c->taken, "delivered", (json_int_t)c->delivered, "lost",
		(json_int_t)c->lost, "lost_down", (json_int_t)c->lost_down, "no_buffer",
		(json_int_t)c->no_buffer, "in_flight", (json_int_t)w->n_frames);
}

static json_t *
totals_object(const struct lab_totals *t)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "in", (json_int_t)t->in,
		"made", (json_int_t)t->made, "out", (json_int_t)t->out, "punted",
		(json_int_t)t->punted, "dropped", (json_int_t)t->dropped, "ended",
		(json_int_t)t->ended, "wire_lost", (json_int_t)t->wire_lost, "in_flight",
		(json_int_t)t->in_flight);
}

static json_t *
node_object(const struct lab *l, const struct lab_node *n)
{
	struct report_run run = {
		.virtual_ns = l->now - RTE_MIN(l->now, l->start_ns),
		.packets = n->meter.packets,
		.cycles = n->meter.cycles,
		.median = meter_median(&n->meter),
	};

	return report_object(n->node, &run);
}

int
lab_json(const struct lab *l, const struct lab_totals *t, FILE *out)
{
	json_t *root = json_object(), *nodes = json_object(), *wires = json_array();
	char seed[32];
	int rc = 0;

	/* a string: 64 bits are more than a number of JSON holds */
	snprintf(seed, sizeof(seed), "%" PRIu64, l->topo->seed);
	for (size_t i = 0; i < l->n_nodes; i++)
		rc |= json_object_set_new(
			nodes, l->node[i].topo->name, node_object(l, &l->node[i]));
	for (size_t i = 0; i < l->n_wires; i++)
		rc |= json_array_append_new(wires, wire_object(l, &l->wire[i]));
	rc |= json_object_set_new(root, "seed", json_string(seed));
	rc |= json_object_set_new(root, "virtual_ns",
		json_integer((json_int_t)(l->now - RTE_MIN(l->now, l->start_ns))));
	rc |= json_object_set_new(root, "totals", totals_object(t));
	rc |= json_object_set_new(root, "nodes", nodes);
	rc |= json_object_set_new(root, "wires", wires);
	rc = rc != 0 ? -ENOMEM : report_dump(root, out);
	json_decref(root);
	return rc;
}
