/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  port_idx, class, counter.
 * Sets:  the TX buffers of the ports; counts classes and members.
 * Next:  stage_egress.
 * Drops: tx_full, tx_segments.
 */
#include "dp/stage.h"

/* The port takes one segment only: joins them where the first has room. */
static bool
one_segment(struct rte_mbuf *m)
{
	return m->nb_segs == 1 || rte_pktmbuf_linearize(m) == 0;
}

/*
 * Neighbours in a burst mostly share class and port: their sums stay in registers until one
 * changes, instead of a chain of loads and stores to one word.
 */
struct run {
	uint64_t packets, bytes;
	uint16_t port_idx;
	uint8_t class;
};

static inline void
run_end(struct worker *w, struct run *r)
{
	if (r->packets == 0)
		return;
	counter_add(&w->counters->class_[r->class], r->packets, r->bytes);
	w->tx[r->port_idx].n += (uint16_t)r->packets;
	w->tx[r->port_idx].bytes += r->bytes;
	w->tx_waiting[r->port_idx / 64] |= UINT64_C(1) << (r->port_idx % 64);
	r->packets = r->bytes = 0;
}

void
stage_enqueue(struct worker *w, struct burst *b)
{
	struct counter *member = w->counters->member;
	struct worker_tx *tx = w->tx;
	struct run r = {0};

	for (unsigned int i = 0; i < b->n; i++) {
		const struct pkt_meta *meta = &b->meta[i];
		struct rte_mbuf *m = b->mbuf[i];
		uint32_t len = rte_pktmbuf_pkt_len(m);
		uint8_t verdict = 0;

		if (meta->port_idx != r.port_idx || meta->class != r.class) {
			run_end(w, &r);
			r.port_idx = meta->port_idx;
			r.class = meta->class;
			tx = &w->tx[r.port_idx];
		}
		if (unlikely(tx->n + r.packets == WORKER_TX_MAX))
			verdict = verdict_drop(DROP_tx_full);
		else if (unlikely(tx->port->one_segment && !one_segment(m)))
			verdict = verdict_drop(DROP_tx_segments);
		if (unlikely(verdict != 0)) {
			b->out_mbuf[b->n_out] = m;
			b->out_verdict[b->n_out++] = verdict;
			continue;
		}
		tx->mbuf[tx->n + r.packets] = m;
		r.packets++;
		r.bytes += len;
		counter_add(&member[meta->counter], 1, len);
	}
	run_end(w, &r);
	b->n = 0;
}
