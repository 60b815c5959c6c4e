/* SPDX-License-Identifier: BSD-3-Clause */
/* Hyper ports in the report's JSON (docs/replay.md). report.c adds queues and pauses. */
#include "tele/report_hyper.h"

static json_t *
members(struct writer *w, const struct node *n, const struct dp_hyper *h)
{
	json_t *o = json_object();

	for (uint16_t k = 0; k < h->n_members; k++) {
		json_t *member = json_object();

		set(w, member, "alive", json_boolean(alive_test(&n->shared.alive, h->member[k])));
		set_count(w, member, "packets", counter_read(&h->sent[k].packets));
		set_count(w, member, "bytes", counter_read(&h->sent[k].bytes));
		set(w, o, n->port[h->member[k]]->name, member);
	}
	return o;
}

static json_t *
resequenced(struct writer *w, const struct dp_hyper *h)
{
	const struct reseq_stats *s = reseq_stats(h->reseq);
	json_t *o = json_object();

	set_count(w, o, "packets_in", counter_read(&h->packets_in));
	set_count(w, o, "bytes_in", counter_read(&h->bytes_in));
	set_count(w, o, "in_order", counter_read(&s->packets));
	set_count(w, o, "waited", counter_read(&s->waited));
	set_count(w, o, "longest_wait_ns", counter_read(&s->wait_max_ps) / PS_PER_NS);
	set_count(w, o, "held", s->n_held);
	set_count(w, o, "most_held", s->peak_held);
	set_count(w, o, "lost", counter_read(&s->lost));
	set_count(w, o, "overrun", counter_read(&s->overrun));
	set_count(w, o, "late", counter_read(&s->late));
	set_count(w, o, "duplicate", counter_read(&s->duplicate));
	set_count(w, o, "restarts", counter_read(&s->restarts));
	return o;
}

json_t *
report_hyper(struct writer *w, const struct node *n, uint16_t idx)
{
	const struct dp_hyper *h = &n->shared.hyper[idx];
	json_t *o = json_object();

	set(w, o, "alive", json_boolean(alive_test(&n->shared.alive, h->way)));
	set(w, o, "members", members(w, n, h));
	set(w, o, "resequenced", resequenced(w, h));
	return o;
}
