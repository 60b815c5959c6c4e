/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the burst as it came from a port that is to be impaired.
 * Sets:  flips bits, makes copies; counts the copies.
 * Next:  stage_parse.
 * Drops: impair_loss.
 */
#include "dp/stage.h"
#include "pkt/remark_inl.h"

/* The copy goes behind the burst: there is room, see stage_rx.c. */
static void
duplicate(struct worker *w, struct burst *b, const struct rte_mbuf *m)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(m, m->pool, 0, UINT32_MAX);

	if (copy == NULL)
		return;
	b->mbuf[b->n++] = copy;
	w->counters->duplicated++;
}

void
stage_impair(struct worker *w, struct worker_rxq *q, struct burst *b)
{
	uint16_t n = b->n, kept = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct qos_impair_verdict v = qos_impair_draw(q->impair);
		struct rte_mbuf *m = b->mbuf[i];

		if (v.drop) {
			b->out_mbuf[b->n_out] = m;
			b->out_verdict[b->n_out++] = verdict_drop(DROP_impair_loss);
			b->mbuf[i] = NULL;
			continue;
		}
		if (v.corrupt)
			remark_flip_bit(rte_pktmbuf_mtod(m, uint8_t *), rte_pktmbuf_data_len(m),
				v.corrupt_bit);
		if (v.duplicate)
			duplicate(w, b, m);
	}
	for (uint16_t i = 0; i < b->n; i++)
		if (b->mbuf[i] != NULL)
			b->mbuf[kept++] = b->mbuf[i];
	b->n = kept;
}
