/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Into the class queues of a hyper port: stage_enqueue comes here. They are its owner's; another
 * worker judges and marks the packet, and hands it over. hyper_out.c takes them out again.
 */
#include <rte_ring_elem.h>

#include "dp/stage.h"

struct dp_hyper *
hyper_of(const struct worker *w, uint16_t way)
{
	return &w->shared->hyper[way - w->n_ports];
}

static enum drop_reason
put(struct worker *w, const struct pkt_rec *rec, const struct pkt_meta *meta)
{
	struct dp_hyper *h = hyper_of(w, meta->port_idx);
	enum drop_reason reason = queue_admit(w, rec, meta);

	if (unlikely(reason != DROP_NONE))
		return reason;
	if (likely(h->worker == w->idx))
		reason = queue_push(w, rec, h->way);
	else if (rte_ring_mp_enqueue_elem(h->out, (void *)(uintptr_t)rec, sizeof(*rec)) != 0)
		reason = DROP_handoff_full;
	if (likely(reason == DROP_NONE))
		queue_book(w, rec, h->way);
	return reason;
}

enum drop_reason
hyper_put(struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta)
{
	struct worker_queue *q = &w->queue[meta->port_idx];
	struct pkt_rec rec = queue_record(w, in_port_idx, m, meta->class);
	enum drop_reason reason = put(w, &rec, meta);

	q->used |= (uint8_t)(1u << meta->class);
	if (unlikely(reason != DROP_NONE))
		q->count[meta->class].dropped++;
	return reason;
}
