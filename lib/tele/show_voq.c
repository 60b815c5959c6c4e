/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual output queues: what waits for devices of the fabric, and how it gets on. */
#include "tele/fabric_view.h"
#include "tele/show.h"
#include "tele/table.h"
#include "tele/way.h"

/* Bytes on the destination's wire (cell/voq.h); without credit there is nothing to ask for. */
static void
credit_cells(struct table *t, const struct node *n, const struct view_voq *v)
{
	if (n->fabric->dp.push) {
		table_text(t, "push");
		table_text(t, "-");
	} else {
		table_count(t, v->wanted);
		table_count(t, v->granted);
	}
	table_count(t, v->sent);
}

static void
voq_row(struct table *t, const struct node *n, unsigned int dest, unsigned int class,
	const struct worker *w)
{
	const struct fabric_dest *d = &n->fabric->dp.dest[dest];
	struct view_voq v = view_voq(n, w, dest, class);
	char text[WAY_TEXT_LEN];

	if (!v.used)
		return;
	table_text(t, "%s", device_text(n, d->device, text));
	table_text(t, "%s", system_text(d->system_port, text));
	table_text(t, "%u", class);
	table_text(t, "%u", w->idx);
	table_count(t, v.packets);
	table_count(t, v.bytes);
	table_count(t, v.peak);
	credit_cells(t, n, &v);
	table_count(t, v.dropped);
	table_count(t, v.marked);
}

void
show_voq(const struct node *n, FILE *out)
{
	struct table *t;

	if (view_no_fabric(n, out))
		return;
	t = table_create("device|>port|>class|>worker|>packets|>bytes|>most bytes|>wanted|>granted|"
			 ">sent|>dropped|>marked");
	for (unsigned int d = 0; d < n->fabric->dp.n_dests; d++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			for (unsigned int i = 0; i < n->n_workers; i++)
				voq_row(t, n, d, c, n->worker[i]);
	if (table_rows(t) == 0)
		fputs("No packet has come to a virtual output queue.\n", out);
	else
		table_print(t, out);
	table_free(t);
}
