/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as text: the console's tables, and what only a run as a whole has. */
#include <inttypes.h>
#include <stdlib.h>

#include "tele/qp_view.h"
#include "tele/report.h"
#include "tele/since.h"
#include "tele/table.h"

#define QPS_SHOWN 20u

static void
text_classes(const struct node *n, const struct counters *c, FILE *out)
{
	struct table *t = table_create("class|name|>packets|>bytes");
	char buf[CONF_NAME_MAX];

	for (unsigned int k = 0; k < DP_CLASSES; k++) {
		if (c->class_[k].packets == 0)
			continue;
		table_text(t, "%u", k);
		table_text(t, "%s", class_name(n, k, buf, sizeof(buf)));
		table_count(t, c->class_[k].packets);
		table_count(t, c->class_[k].bytes);
	}
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

/* Where a port has queues of its own. */
static void
text_queues(const struct node *n, FILE *out)
{
	bool queued = false, paused = false;

	for (size_t p = 0; p < n->n_ports; p++) {
		queued |= n->policy[p].queued;
		paused |= n->conf->port[p].pfc.classes != 0;
	}
	if (queued) {
		fputc('\n', out);
		show_queue(n, NULL, NULL, out);
	}
	if (paused) {
		fputc('\n', out);
		show_pfc(n, NULL, out);
	}
}

static void
text_hypers(const struct node *n, FILE *out)
{
	if (n->shared.n_hypers == 0)
		return;
	fputc('\n', out);
	show_hyper(n, out);
}

static void
text_fabric(const struct node *n, FILE *out)
{
	if (n->fabric == NULL)
		return;
	fputc('\n', out);
	show_fabric(n, NULL, out);
	fputc('\n', out);
	show_voq(n, out);
	fputc('\n', out);
	show_credit(n, out);
	fputc('\n', out);
	show_reassembly(n, out);
}

static void
text_qps(const struct node *n, FILE *out)
{
	if (!qp_view_is_on(n))
		return;
	fputc('\n', out);
	show_qp(n, QPS_SHOWN, NULL, out);
	fputc('\n', out);
	show_flow(n, out);
}

static void
text_ecn(const struct counters *c, FILE *out)
{
	char in[32], marked[32], not_ect[32];

	fprintf(out,
		"\nECN: %s came in with CE, %s were marked here, %s would have been and are not "
		"ECN-capable\n",
		table_thousands(c->ce_in, in), table_thousands(c->ce_marked, marked),
		table_thousands(c->would_mark_not_ect, not_ect));
}

static void
text_cycles(const struct report_run *run, const struct counters *c, FILE *out)
{
	struct table *t = table_create("stage|>cycles a packet");

	if (run->packets != 0)
		fprintf(out, "\n%.1f cycles a packet (median %u)\n",
			(double)run->cycles / (double)run->packets, run->median);
	for (unsigned int s = 0; s < DP_STAGES_N && c->profile_packets != 0; s++) {
		table_text(t, "%s", dp_stage_name((enum dp_stage)s));
		table_text(t, "%.1f", (double)c->stage_tsc[s] / (double)c->profile_packets);
	}
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

void
report_text(const struct node *n, const struct report_run *run, FILE *out)
{
	struct counters sum;

	node_counters(n, &sum, NULL);
	fprintf(out,
		"node %s, seed %" PRIu64 ", tables of generation %" PRIu64
		", %.6f s of virtual time\n",
		n->conf->node_name, conf_seed(n->conf), n->generation,
		(double)run->virtual_ns / 1e9);
	show_sum(n, out);
	fputc('\n', out);
	show_port(n, NULL, out);
	fputc('\n', out);
	show_group(n, NULL, NULL, out);
	fputc('\n', out);
	show_drops(n, NULL, out);
	text_classes(n, &sum, out);
	text_queues(n, out);
	text_hypers(n, out);
	text_fabric(n, out);
	text_qps(n, out);
	text_ecn(&sum, out);
	text_cycles(run, &sum, out);
}
