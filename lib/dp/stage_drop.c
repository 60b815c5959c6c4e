/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the exits of the burst.
 * Sets:  counts drops by reason and punts by kind; frees in bulk.
 * Next:  nothing: the packets end here. Punted ones too: no kernel is attached to a port.
 * Drops: what others decided to.
 */
#include "dp/stage.h"

void
stage_drop(struct worker *w, struct burst *b)
{
	struct counters *c = w->counters;

	if (likely(b->n_out == 0))
		return;
	for (uint16_t i = 0; i < b->n_out; i++) {
		uint8_t verdict = b->out_verdict[i];

		if (verdict >= VERDICT_PUNT)
			c->punt[verdict - VERDICT_PUNT]++;
		else
			c->drop[verdict]++;
	}
	rte_pktmbuf_free_bulk(b->out_mbuf, b->n_out);
	b->n_out = 0;
}
