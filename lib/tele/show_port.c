/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, drops, workers: tables of counters. */
#include <inttypes.h>
#include <stdlib.h>

#include "tele/since.h"
#include "tele/table.h"

void
show_port(const struct node *n, const struct show_base *base, FILE *out)
{
	struct table *t = table_create("port|role|driver|link|>mtu|mac|>in packets|>in bytes|>out "
				       "packets|>out bytes|>missed|>errors");
	struct counters sum;
	struct counter *member;

	since(n, base, &sum, &member);
	for (size_t p = 0; p < n->n_ports; p++) {
		struct port *port = n->port[p];
		struct port_stats s;

		port_stats(port, &s);
		table_text(t, "%s", port->name);
		table_text(t, "%s", conf_role_name(n->conf->port[p].role));
		table_text(t, "%s", port->caps.driver);
		table_text(t, "%s", alive_test(&n->shared.alive, (unsigned int)p) ? "up" : "down");
		table_text(t, "%u", port->mtu);
		table_text(t, "%02x:%02x:%02x:%02x:%02x:%02x", port->mac[0], port->mac[1],
			port->mac[2], port->mac[3], port->mac[4], port->mac[5]);
		table_count(t, sum.port_in[p].packets);
		table_count(t, sum.port_in[p].bytes);
		table_count(t, sum.port_out[p].packets);
		table_count(t, sum.port_out[p].bytes);
		table_count(t, s.missed);
		table_count(t, s.errors);
	}
	table_print(t, out);
	table_free(t);
	free(member);
}

void
show_drops(const struct node *n, const struct show_base *base, FILE *out)
{
	struct table *t = table_create("what|reason|>packets|meaning");
	struct counters sum;
	struct counter *member;

	since(n, base, &sum, &member);
	for (unsigned int r = 1; r < DROP_N; r++) {
		if (sum.drop[r] == 0)
			continue;
		table_text(t, "drop");
		table_text(t, "%s", drop_name((enum drop_reason)r));
		table_count(t, sum.drop[r]);
		table_text(t, "%s", drop_text((enum drop_reason)r));
	}
	for (unsigned int k = 1; k < PUNT_N; k++) {
		if (sum.punt[k] == 0)
			continue;
		table_text(t, "punt");
		table_text(t, "%s", punt_name((enum punt_kind)k));
		table_count(t, sum.punt[k]);
		table_text(t, "%s", punt_text((enum punt_kind)k));
	}
	if (table_rows(t) == 0)
		fputs("Nothing was dropped or punted.\n", out);
	else
		table_print(t, out);
	table_free(t);
	free(member);
}

void
show_worker(const struct node *n, FILE *out)
{
	struct table *t =
		table_create("worker|>lcore|rx queues|>turns|>busy turns|>packets a burst");
	char queues[2 * TABLE_CELL_MAX]; /* the table shows that it goes on */

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct worker *w = n->worker[i];
		uint64_t in = sum_ports(w->counters->port_in), bursts;
		size_t len = 0;

		bursts = counter_read(&w->counters->bursts);
		queues[0] = '\0';
		for (uint16_t q = 0; q < w->n_rxq && len < sizeof(queues); q++)
			len += (size_t)snprintf(queues + len, sizeof(queues) - len, "%s%s:%u",
				q == 0 ? "" : " ", w->rxq[q].port->name, w->rxq[q].queue);
		table_text(t, "%u", i);
		table_text(t, "%u", w->lcore);
		table_text(t, "%s", queues[0] != '\0' ? queues : "-");
		table_count(t, counter_read(&w->counters->turns));
		table_count(t, counter_read(&w->counters->busy_turns));
		table_text(t, "%.1f", bursts == 0 ? 0.0 : (double)in / (double)bursts);
	}
	table_print(t, out);
	table_free(t);
}
