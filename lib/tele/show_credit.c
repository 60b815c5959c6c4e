/* SPDX-License-Identifier: BSD-3-Clause */
/* Egress schedulers: the credit that others ask of this node's system ports. */
#include "conf/value.h"
#include "tele/fabric_view.h"
#include "tele/show.h"
#include "tele/table.h"
#include "tele/waiting.h"

static void
credit_row(struct table *t, const struct node *n, uint16_t system)
{
	const struct fabric_system *s = &n->fabric->dp.system[system];
	const struct credit_stats *c = view_credit(n, system);
	char rate[AMOUNT_LEN], held[20];

	table_text(t, "%u", s->number);
	table_text(t, "%s", s->number == CELL_ROUTER_PORT ? "router" : n->port[s->port_idx]->name);
	table_text(t, "%s", amount_round(AMOUNT_BITS, counter_read(&s->rate_bps), rate));
	table_count(t, s->bound);
	table_count(t, counter_read(&c->asking));
	table_count(t, counter_read(&c->requests));
	table_count(t, counter_read(&c->grants));
	table_count(t, counter_read(&c->granted_bytes));
	table_text(t, "%s", classes_text(view_held(n, s), held, sizeof(held)));
}

void
show_credit(const struct node *n, FILE *out)
{
	struct table *t;

	if (view_no_fabric(n, out))
		return;
	t = table_create(">system port|port|>rate|>bound|>VOQs asking|>requests|>grants|"
			 ">granted bytes|held now");
	for (uint16_t s = 0; s < n->fabric->dp.n_systems; s++)
		credit_row(t, n, s);
	table_print(t, out);
	table_free(t);
}
