/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  an RX queue, its pace.
 * Sets:  the burst's mbufs, its input port; counts packets and bytes in.
 * Next:  stage_parse, by stage_impair where the line is to be bad.
 * Drops: nothing.
 */
#include "dp/stage.h"
#include "pkt/prefetch.h"

/*
 * How many packets the pace allows now. Credit is kept in ticks, at most a burst's worth, so that a
 * pause does not become a flood. Subtraction in a loop of at most a burst: no division.
 */
static uint16_t
pace_allow(struct worker_rxq *q, uint64_t now, uint16_t want)
{
	uint64_t cap = q->pace_tsc * BURST_MAX;
	uint16_t n = 0;

	q->credit_tsc = RTE_MIN(q->credit_tsc + (now - q->last_tsc), cap);
	q->last_tsc = now;
	while (n < want && q->credit_tsc >= (n + 1u) * q->pace_tsc)
		n++;
	return n;
}

void
stage_rx(struct worker *w, struct worker_rxq *q, struct burst *b)
{
	uint16_t want = w->burst_len;
	uint64_t bytes = 0;

	if (unlikely(q->impair != NULL))
		want = RTE_MIN(want, BURST_MAX / 2); /* each may come twice */
	if (unlikely(q->pace_tsc != 0))
		want = pace_allow(q, w->now, want);
	b->n_out = 0;
	b->n = want == 0 ? 0 : port_rx(q->port, q->queue, b->mbuf, want);
	if (b->n == 0)
		return;
	if (unlikely(q->pace_tsc != 0))
		q->credit_tsc -= b->n * q->pace_tsc;
	b->in_port_idx = q->port_idx;
	for (unsigned int i = 0; i < b->n; i++) {
		prefetch_headers(b->mbuf[i]);
		bytes += rte_pktmbuf_pkt_len(b->mbuf[i]);
	}
	counter_add(&w->counters->port_in[q->port_idx], b->n, bytes);
	w->counters->bursts++;
	if (unlikely(q->impair != NULL))
		stage_impair(w, q, b);
}
