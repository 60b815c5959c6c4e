/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the metadata of the parser, the worker's flow table; the snapshot says who needs flows.
 * Sets:  flow_idx, when anybody does; the record of a queue pair, when it is to be seen.
 * Next:  stage_select.
 * Drops: nothing: a packet without an entry goes on by hash.
 */
#include "dp/stage.h"
#include "flow/flow.h"
#include "flow/qp.h"
#include "wire/roce.h"

/* As far as any header of ours behind the BTH reaches, and the ICRC. */
#define BTH_REACH (ROCE_BTH_LEN + ROCE_XRCETH_LEN + ROCE_RETH_LEN + ROCE_ICRC_LEN)

static inline void
see(struct worker *w, const struct rte_mbuf *m, const struct pkt_meta *meta)
{
	const uint8_t *bth = qp_bth(meta), *end = meta->l3 + meta->l3_len;
	uint32_t len = (uint32_t)(end - bth);

	/* the headers go on in another segment, behind a chain of extension headers */
	if (unlikely(m->nb_segs > 1 && bth + BTH_REACH > rte_pktmbuf_mtod(m, const uint8_t *) +
								 rte_pktmbuf_data_len(m)))
		len = RTE_MIN(len, (uint32_t)ROCE_MIN);
	qp_take(flow_table_beside(w->flow, meta->flow_idx), meta, rte_pktmbuf_pkt_len(m), bth, len);
}

void
stage_flow(struct worker *w, struct burst *b)
{
	uint8_t flows = w->snapshot->flows;

	if (likely(flows == 0) || w->flow == NULL)
		return;
	flow_table_lookup_bulk(w->flow, b, flows & DP_FLOWS_ALL, w->now_ps);
	if (!(flows & DP_FLOWS_QP) || unlikely(w->flow->beside == NULL))
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		const struct pkt_meta *meta = &b->meta[i];

		if (likely((meta->flags & PKT_ROCE) && meta->flow_idx != FLOW_NONE))
			see(w, b->mbuf[i], meta);
	}
}
