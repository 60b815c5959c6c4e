/* SPDX-License-Identifier: BSD-3-Clause */
/* Queue pairs, and the tables that they stand in. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ctl/flows.h"
#include "tele/qp_view.h"
#include "tele/show.h"
#include "tele/table.h"

static void
numbers(struct table *t, const struct qp_stats *s)
{
	uint32_t request = s->request.extent_max, response = s->response.extent_max;

	table_count(t, s->packets);
	table_count(t, s->bytes);
	table_count(t, s->ce_in);
	table_count(t, s->ce_set);
	table_count(t, qp_lost(s));
	table_count(t, qp_reordered(s));
	table_count(t, request > response ? request : response);
	table_count(t, qp_repeated(s));
	table_count(t, qp_naks(s));
	table_count(t, s->cnps);
	if (s->messages == 0)
		table_text(t, "-");
	else
		table_count(t, s->message_bytes / s->messages);
}

static void
qp_row(struct table *t, const struct qp_row *row)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN], op[OPCODE_TEXT_LEN];

	qp_addrs(&row->key, src, dst);
	table_text(t, "%s", src);
	table_text(t, "%s", dst);
	table_text(t, "0x%06" PRIx32, row->key.l4);
	numbers(t, &row->stats);
	table_text(t, "%s", opcode_text(row->stats.last_opcode, op));
}

static void
sum_row(struct table *t, const char *what, const struct qp_stats *s)
{
	table_text(t, "%s", what);
	table_text(t, "%s", "");
	table_text(t, "%s", "");
	numbers(t, s);
	table_text(t, "%s", "");
}

static void
print_view(const struct qp_view *v, enum qp_order by, FILE *out)
{
	struct table *t = table_create("from|to|>QP|>packets|>bytes|>CE in|>CE set|>lost|>reordered"
				       "|>extent|>repeated|>NAKs|>CNPs|>mean message|last");
	char n_qps[32];

	for (size_t i = 0; i < v->n_rows; i++)
		qp_row(t, &v->row[i]);
	sum_row(t, "all of these and others", &v->live);
	sum_row(t, "gone", &v->gone);
	table_print(t, out);
	table_free(t);
	fprintf(out, "%s queue pairs, %zu shown, by %s.\n", table_thousands(v->n_qps, n_qps),
		v->n_rows, qp_order_name(by));
}

int
show_qp(const struct node *n, size_t max, const char *by, FILE *out)
{
	enum qp_order order = QP_BY_PACKETS;
	struct qp_view v;

	if (by != NULL && !qp_order_by_name(by, &order))
		return -ENOENT;
	if (!qp_view_is_on(n)) {
		fputs("Queue pairs are not watched here; flows.qp_view: true has them watched.\n",
			out);
		return 0;
	}
	if (qp_view_create(n, order, max, &v) != 0) {
		fputs("There is no memory for the table.\n", out);
		return 0;
	}
	print_view(&v, order, out);
	qp_view_fini(&v);
	return 0;
}

void
show_qp_orders(FILE *out)
{
	for (unsigned int k = 0; k < QP_ORDERS_N; k++)
		fprintf(out, "%s%s",
			k == 0                 ? ""
			: k + 1 == QP_ORDERS_N ? " or "
					       : ", ",
			qp_order_name((enum qp_order)k));
}

void
show_flow(const struct node *n, FILE *out)
{
	struct table *t = table_create(
		"worker|>flows|>at most|>begun|>aged out|>packets without|>searches in vain");

	for (unsigned int w = 0; w < n->n_workers; w++) {
		const struct flow_table *f = n->worker[w]->flow;

		if (f == NULL)
			continue;
		table_text(t, "%u", w);
		table_count(t, counter_read(&f->count.entries));
		table_count(t, f->max);
		table_count(t, counter_read(&f->count.inserted));
		table_count(t, counter_read(&f->count.aged));
		table_count(t, counter_read(&f->count.full));
		table_count(t, counter_read(&f->count.searches));
	}
	if (table_rows(t) == 0)
		fputs("Nothing here needs flows: no worker has a table of them.\n", out);
	else
		table_print(t, out);
	table_free(t);
}
