/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly: what each worker puts together, and the cells that came to nothing. */
#include "tele/fabric_view.h"
#include "tele/show.h"
#include "tele/table.h"

static void
count32(struct table *t, const uint32_t *n)
{
	table_count(t, __atomic_load_n(n, __ATOMIC_RELAXED));
}

static void
worker_row(struct table *t, const struct worker *w)
{
	const struct reasm_stats *s = reasm_stats(w->fabric->reasm);

	table_text(t, "%u", w->idx);
	count32(t, &s->streams);
	count32(t, &s->n_packets);
	count32(t, &s->peak_packets);
	count32(t, &s->n_cells);
	count32(t, &s->peak_cells);
	table_count(t, counter_read(&s->packets));
	table_count(t, counter_read(&s->cells));
	table_count(t, counter_read(&s->packets_lost));
	table_count(t, counter_read(&s->restarts));
}

static void
drop_table(const struct node *n, FILE *out)
{
	struct table *t = table_create("drop|>cells|meaning");
	struct counters sum;

	node_counters(n, &sum, NULL);
	for (unsigned int r = DROP_reassembly_timeout; r <= DROP_reassembly_full; r++) {
		if (sum.drop[r] == 0)
			continue;
		table_text(t, "%s", drop_name((enum drop_reason)r));
		table_count(t, sum.drop[r]);
		table_text(t, "%s", drop_text((enum drop_reason)r));
	}
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

void
show_reassembly(const struct node *n, FILE *out)
{
	struct table *t;

	if (view_no_fabric(n, out))
		return;
	t = table_create(
		">worker|>streams|>packets|>most packets|>cells|>most cells|>packets joined|"
		">cells joined|>packets lost|>restarts");
	for (unsigned int i = 0; i < n->n_workers; i++)
		worker_row(t, n->worker[i]);
	table_print(t, out);
	table_free(t);
	drop_table(n, out);
}
