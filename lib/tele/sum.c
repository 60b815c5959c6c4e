/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals, and the law that holds them together (dp/counters.h). */
#include "tele/report.h"
#include "tele/since.h"
#include "tele/table.h"

void
report_totals(const struct node *n, struct report_totals *ret_totals)
{
	struct counters sum;

	node_counters(n, &sum, NULL);
	*ret_totals = (struct report_totals){
		.in = sum_ports(sum.port_in),
		.out = sum_ports(sum.port_out),
		.punted = sum_punts(&sum),
		.dropped = sum_drops(&sum),
		.duplicated = sum.duplicated,
		.made = counters_made(&sum) - sum.duplicated,
		.ended = counters_ended(&sum),
		.waiting = node_waiting(n),
	};
}

bool
report_adds_up(const struct report_totals *t)
{
	return t->in + t->duplicated + t->made ==
	       t->out + t->punted + t->dropped + t->ended + t->waiting;
}

static void
term(FILE *out, const char *before, uint64_t n)
{
	char text[32];

	if (n != 0)
		fprintf(out, " + %s %s", before, table_thousands(n, text));
}

/* What was made and what ended, apart. */
static void
fabric_line(const struct node *n, FILE *out)
{
	struct counters c;
	char cut[32], made[32], joined[32], packets[32], sent[32], taken[32];

	node_counters(n, &c, NULL);
	fprintf(out,
		"fabric: cut %s packets into %s cells, joined %s cells to %s packets, made %s "
		"control cells and took in %s\n",
		table_thousands(c.packets_cut, cut), table_thousands(c.cells_made, made),
		table_thousands(c.cells_joined, joined), table_thousands(c.packets_joined, packets),
		table_thousands(c.control_out, sent), table_thousands(c.control_in, taken));
}

bool
show_sum(const struct node *n, FILE *out)
{
	struct report_totals t;
	char in[32], sent[32], punt[32], drop[32];

	report_totals(n, &t);
	fprintf(out, "in %s", table_thousands(t.in, in));
	term(out, "duplicated", t.duplicated);
	term(out, "made here", t.made);
	fprintf(out, " = out %s + punted %s + dropped %s", table_thousands(t.out, sent),
		table_thousands(t.punted, punt), table_thousands(t.dropped, drop));
	term(out, "ended here", t.ended);
	fputc('\n', out);
	if (t.made + t.ended != 0)
		fabric_line(n, out);
	return report_adds_up(&t);
}
