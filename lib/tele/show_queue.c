/* SPDX-License-Identifier: BSD-3-Clause */
/* What waits, and what did not get through: class queues and delay lines. */
#include <errno.h>

#include "conf/headroom.h"
#include "conf/hyper.h"
#include "conf/value.h"
#include "ctl/egress.h"
#include "tele/since.h"
#include "tele/table.h"
#include "tele/waiting.h"
#include "tele/way.h"

/* Ports of their own queues, and others where something waits or has waited. */
static bool
is_shown(const struct node *n, size_t port)
{
	if (n->policy[port].queued)
		return true;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (waiting_class(n, port, c).peak != 0)
			return true;
	return false;
}

static void
scheduler_cell(struct table *t, const struct conf_class *c)
{
	if (c->strict)
		table_text(t, "strict");
	else
		table_text(t, "dwrr %u", c->dwrr);
}

static void
class_row(struct table *t, const struct node *n, const struct show_base *base, size_t port,
	unsigned int class)
{
	const struct conf_class *c = &n->conf->class_[class];
	struct waiting w = waiting_class(n, port, class);
	char name[CONF_NAME_MAX];

	table_text(t, "%s", conf_out(n->conf, port)->name);
	table_text(t, "%u", class);
	table_text(t, "%s", class_name(n, class, name, sizeof(name)));
	scheduler_cell(t, c);
	table_text(t, "%s", c->lossless ? "yes" : "no");
	table_count(t, c->limit);
	table_count(t, w.packets);
	table_count(t, w.bytes);
	table_count(t, w.peak);
	table_count(t, since_queue(n, base, port, class).dropped);
}

static void
line_row(struct table *t, const struct node *n, size_t port)
{
	const struct conf_port *p = conf_out(n->conf, port);
	struct waiting w = waiting_line(n, port);
	char delay[AMOUNT_LEN], jitter[AMOUNT_LEN];

	table_text(t, "%s", conf_out(n->conf, port)->name);
	table_text(t, "%s", amount_round(AMOUNT_TIME, p->delay_ns, delay));
	table_text(t, "%s", amount_round(AMOUNT_TIME, p->impair_out.jitter_ns, jitter));
	table_count(t, egress_line_packets(n->conf, port));
	table_count(t, w.packets);
	table_count(t, w.bytes);
}

static void
line_table(const struct node *n, int only, FILE *out)
{
	struct table *t =
		table_create("delay line|>delay|>jitter|>room for packets|>packets|>bytes");

	for (size_t p = 0; p < n->n_outs; p++)
		if (n->policy[p].line && (only < 0 || p == (size_t)only))
			line_row(t, n, p);
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

int
show_queue(const struct node *n, const struct show_base *base, const char *port, FILE *out)
{
	int only = port == NULL ? -1 : way_by_name(n, port);
	struct table *t;

	if (port != NULL && only < 0)
		return -ENOENT;
	t = table_create("port|>class|name|scheduler|lossless|>limit|>packets|>bytes|>most bytes|"
			 ">dropped");
	for (size_t p = 0; p < n->n_outs; p++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (only < 0 ? is_shown(n, p) && waiting_is_shown(n, p, c)
				     : p == (size_t)only)
				class_row(t, n, base, p, c);
	if (table_rows(t) == 0)
		fputs("No port has a rate, marking, pause or delay, and nothing has waited.\n",
			out);
	else
		table_print(t, out);
	table_free(t);
	line_table(n, only, out);
	return 0;
}
