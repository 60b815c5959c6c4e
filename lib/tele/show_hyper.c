/* SPDX-License-Identifier: BSD-3-Clause */
/* Hyper ports: their members, what was sent by each, and what it took to put frames in order. */
#include "conf/value.h"
#include "tele/show.h"
#include "tele/table.h"

static const char *
up_text(const struct node *n, unsigned int way)
{
	return alive_test(&n->shared.alive, way) ? "up" : "down";
}

static void
port_table(const struct node *n, FILE *out)
{
	struct table *t = table_create("hyperport|state|requires|>mtu|>worker|>window|>timeout");
	char timeout[AMOUNT_LEN];

	for (uint16_t i = 0; i < n->shared.n_hypers; i++) {
		const struct conf_hyper *c = &n->conf->hyper[i];
		const struct dp_hyper *h = &n->shared.hyper[i];

		table_text(t, "%s", c->name);
		table_text(t, "%s", up_text(n, h->way));
		table_text(t, "%s", c->require_all ? "all" : "one");
		table_text(t, "%u", c->as_port.mtu);
		table_text(t, "%u", h->worker);
		table_text(t, "%u", c->window);
		table_text(t, "%s", amount_show(AMOUNT_TIME, c->timeout_ns, timeout));
	}
	table_print(t, out);
	table_free(t);
}

static void
out_table(const struct node *n, FILE *out)
{
	struct table *t = table_create("hyperport|member|link|>packets out|>bytes out|>share");

	for (uint16_t i = 0; i < n->shared.n_hypers; i++) {
		const struct dp_hyper *h = &n->shared.hyper[i];
		uint64_t all = 0;

		for (uint16_t k = 0; k < h->n_members; k++)
			all += counter_read(&h->sent[k].bytes);
		for (uint16_t k = 0; k < h->n_members; k++) {
			uint64_t bytes = counter_read(&h->sent[k].bytes);

			table_text(t, "%s", n->conf->hyper[i].name);
			table_text(t, "%s", n->port[h->member[k]]->name);
			table_text(t, "%s", up_text(n, h->member[k]));
			table_count(t, counter_read(&h->sent[k].packets));
			table_count(t, bytes);
			if (all == 0)
				table_text(t, "-");
			else
				table_text(t, "%.2f %%", 100.0 * (double)bytes / (double)all);
		}
	}
	fputc('\n', out);
	table_print(t, out);
	table_free(t);
}

static void
in_table(const struct node *n, FILE *out)
{
	struct table *t = table_create("hyperport|>packets in|>in order|>waited|>longest|>held|"
				       ">most held|>lost|>overrun|>late|>duplicate|>restarts");
	char wait[AMOUNT_LEN];

	for (uint16_t i = 0; i < n->shared.n_hypers; i++) {
		const struct dp_hyper *h = &n->shared.hyper[i];
		const struct reseq_stats *s = reseq_stats(h->reseq);

		table_text(t, "%s", n->conf->hyper[i].name);
		table_count(t, counter_read(&h->packets_in));
		table_count(t, counter_read(&s->packets));
		table_count(t, counter_read(&s->waited));
		table_text(t, "%s",
			amount_round(AMOUNT_TIME, counter_read(&s->wait_max_ps) / PS_PER_NS, wait));
		table_count(t, __atomic_load_n(&s->n_held, __ATOMIC_RELAXED));
		table_count(t, __atomic_load_n(&s->peak_held, __ATOMIC_RELAXED));
		table_count(t, counter_read(&s->lost));
		table_count(t, counter_read(&s->overrun));
		table_count(t, counter_read(&s->late));
		table_count(t, counter_read(&s->duplicate));
		table_count(t, counter_read(&s->restarts));
	}
	fputc('\n', out);
	table_print(t, out);
	table_free(t);
}

void
show_hyper(const struct node *n, FILE *out)
{
	if (n->shared.n_hypers == 0) {
		fputs("The node has no hyperports.\n", out);
		return;
	}
	port_table(n, out);
	out_table(n, out);
	in_table(n, out);
}
