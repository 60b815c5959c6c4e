/* SPDX-License-Identifier: BSD-3-Clause */
/* Marking: the curves by port and class, and what they did. */
#include <errno.h>
#include <stdlib.h>

#include "conf/hyper.h"
#include "conf/value.h"
#include "tele/since.h"
#include "tele/table.h"
#include "tele/waiting.h"
#include "tele/way.h"

static const char *
mode_name(const struct conf_ecn *e)
{
	if (e->mode == CONF_ECN_PHANTOM)
		return "phantom";
	if (e->mode == CONF_ECN_RED)
		return e->is_auto ? "auto" : "red";
	return "off";
}

static void
curve_cells(struct table *t, const struct conf_curve *c)
{
	char pmax[AMOUNT_LEN];

	if (c->kmax == 0) {
		for (unsigned int i = 0; i < 3; i++)
			table_text(t, "-");
		return;
	}
	table_count(t, c->kmin);
	table_count(t, c->kmax);
	table_text(t, "%s", amount_round(AMOUNT_PART, c->pmax_ppm * UINT64_C(1000), pmax));
}

static void
class_row(struct table *t, const struct node *n, const struct show_base *base, size_t port,
	unsigned int class)
{
	const struct conf_ecn *e = &conf_out(n->conf, port)->class_ecn[class];
	struct conf_curve none = {0};
	char name[CONF_NAME_MAX];

	table_text(t, "%s", conf_out(n->conf, port)->name);
	table_text(t, "%u", class);
	table_text(t, "%s", class_name(n, class, name, sizeof(name)));
	table_text(t, "%s", mode_name(e));
	curve_cells(t, e->mode == CONF_ECN_OFF ? &none : &e->mark);
	if (e->drop.kmax == 0)
		table_text(t, "-");
	else
		table_count(t, e->drop.kmin);
	table_text(t, "%s", e->mode == CONF_ECN_OFF ? "-" : e->control ? "yes" : "no");
	table_count(t, waiting_class(n, port, class).bytes);
	table_count(t, since_queue(n, base, port, class).ce_marked);
}

static bool
marks(const struct node *n, size_t port)
{
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (n->policy[port].class_[c].ecn)
			return true;
	return false;
}

static void
counters(const struct node *n, const struct show_base *base, FILE *out)
{
	struct counters sum;
	struct counter *member;
	char in[32], marked[32], not_ect[32];

	since(n, base, &sum, &member);
	fprintf(out,
		"%s came in with CE, %s were marked here, %s would have been and are not "
		"ECN-capable.\n",
		table_thousands(sum.ce_in, in), table_thousands(sum.ce_marked, marked),
		table_thousands(sum.would_mark_not_ect, not_ect));
	free(member);
}

int
show_ecn(const struct node *n, const struct show_base *base, const char *port, FILE *out)
{
	int only = port == NULL ? -1 : way_by_name(n, port);
	struct table *t;

	if (port != NULL && only < 0)
		return -ENOENT;
	t = table_create("port|>class|name|mode|>kmin|>kmax|>pmax|>drops from|control too|>bytes "
			 "waiting|>marked");
	for (size_t p = 0; p < n->n_outs; p++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (only < 0 ? marks(n, p) && waiting_is_shown(n, p, c) : p == (size_t)only)
				class_row(t, n, base, p, c);
	if (table_rows(t) == 0)
		fputs("No port marks.\n", out);
	else
		table_print(t, out);
	table_free(t);
	fputs("\nOf all ports: ", out);
	counters(n, base, out);
	return 0;
}
