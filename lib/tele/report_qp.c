/* SPDX-License-Identifier: BSD-3-Clause */
/* The `flows` and `qps` of the report. Bounded: sums, and the first queue pairs by packets. */
#include "tele/report_qp.h"

#include <arpa/inet.h>

#include "tele/qp_view.h"

#define QPS_MAX 64u /* a page to read; sums have the others */

json_t *
report_flows(struct writer *w, const struct node *n)
{
	struct flow_counters sum = {0};
	json_t *o;
	bool any = false;
	uint64_t max = 0;

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct flow_table *f = n->worker[i]->flow;

		if (f == NULL)
			continue;
		any = true;
		max += f->max;
		sum.entries += counter_read(&f->count.entries);
		sum.inserted += counter_read(&f->count.inserted);
		sum.aged += counter_read(&f->count.aged);
		sum.full += counter_read(&f->count.full);
		sum.searches += counter_read(&f->count.searches);
	}
	if (!any)
		return json_null();
	o = json_object();
	set_count(w, o, "max", max);
	set_count(w, o, "entries", sum.entries);
	set_count(w, o, "inserted", sum.inserted);
	set_count(w, o, "aged", sum.aged);
	set_count(w, o, "full", sum.full);
	set_count(w, o, "searches", sum.searches);
	return o;
}

static json_t *
numbers(struct writer *w, const struct psn_stats *s)
{
	json_t *o = json_object(), *extents = json_array();

	set_count(w, o, "lost", s->lost);
	set_count(w, o, "reordered", s->reordered);
	set_count(w, o, "repeated", s->repeated);
	set_count(w, o, "restarts", s->restarts);
	set_count(w, o, "extent_max", s->extent_max);
	set_real(w, o, "extent_mean", s->reordered != 0,
		(double)s->extent_sum / (double)s->reordered, 100);
	for (unsigned int k = 0; k < PSN_EXTENTS; k++)
		append(w, extents, json_integer((json_int_t)s->extent[k]));
	set(w, o, "extents", extents);
	return o;
}

static json_t *
messages(struct writer *w, const struct qp_stats *s)
{
	json_t *o = json_object();

	set_count(w, o, "count", s->messages);
	set_count(w, o, "bytes", s->message_bytes);
	set_count(w, o, "min", s->message_min);
	set_count(w, o, "max", s->message_max);
	return o;
}

static json_t *
naks(struct writer *w, const struct qp_stats *s)
{
	json_t *o = json_object();

	set_count(w, o, "sequence", s->nak_sequence);
	set_count(w, o, "rnr", s->nak_rnr);
	set_count(w, o, "other", s->nak_other);
	return o;
}

/* Into `o`: of one queue pair, or of many. */
static void
set_stats(struct writer *w, json_t *o, const struct qp_stats *s)
{
	set_count(w, o, "packets", s->packets);
	set_count(w, o, "bytes", s->bytes);
	set_count(w, o, "ce_in", s->ce_in);
	set_count(w, o, "ce_set", s->ce_set);
	set_count(w, o, "lost", qp_lost(s));
	set_count(w, o, "reordered", qp_reordered(s));
	set_count(w, o, "repeated", qp_repeated(s));
	set(w, o, "requests", numbers(w, &s->request));
	set(w, o, "responses", numbers(w, &s->response));
	set_count(w, o, "acks", s->acks);
	set(w, o, "naks", naks(w, s));
	set_count(w, o, "cnps", s->cnps);
	set(w, o, "messages", messages(w, s));
}

static json_t *
queue_pair(struct writer *w, const struct qp_row *row)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN], op[OPCODE_TEXT_LEN];
	json_t *o = json_object();

	qp_addrs(&row->key, src, dst);
	set(w, o, "from", json_string(src));
	set(w, o, "to", json_string(dst));
	set_count(w, o, "dest_qp", row->key.l4);
	set_count(w, o, "workers", row->n_workers);
	set_stats(w, o, &row->stats);
	set(w, o, "last_opcode", json_string(opcode_text(row->stats.last_opcode, op)));
	return o;
}

json_t *
report_qps(struct writer *w, const struct node *n)
{
	json_t *o, *totals, *top;
	struct qp_stats all;
	struct qp_view v;

	if (!qp_view_is_on(n))
		return json_null();
	if (qp_view_create(n, QP_BY_PACKETS, QPS_MAX, &v) != 0)
		return NULL;
	o = json_object();
	totals = json_object();
	top = json_array();
	all = v.gone;
	qp_stats_add(&all, &v.live);
	for (size_t i = 0; i < v.n_rows; i++)
		append(w, top, queue_pair(w, &v.row[i]));
	qp_view_fini(&v);
	set_count(w, o, "queue_pairs", v.n_qps);
	set_stats(w, totals, &all);
	set(w, o, "totals", totals);
	set(w, o, "top", top);
	return o;
}
