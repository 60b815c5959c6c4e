/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control cells of this node: REQUESTs (fabric_serve.c) and GRANTs (stage_fabric.c) among the cells
 * of its links, and rounds of reachability that the control thread wrote.
 */
#include "dp/stage.h"

void
fabric_control(struct worker *w, struct cell_header *h, const uint8_t *ext)
{
	static const uint8_t dst[ETH_ADDR_LEN] = CELL_DST_MAC;
	struct rte_mbuf *m = rte_pktmbuf_alloc(w->shared->pool);
	uint8_t *p;

	if (unlikely(m == NULL))
		return;
	/* CELL_PREFIX_LEN and the longest extension are more than the least frame */
	p = (uint8_t *)rte_pktmbuf_append(m, CELL_PREFIX_LEN + CELL_REQUEST_LEN);
	if (unlikely(p == NULL)) {
		rte_pktmbuf_free(m);
		return;
	}
	memset(p, 0, CELL_PREFIX_LEN + CELL_REQUEST_LEN);
	memcpy(p, dst, sizeof(dst));
	wire_put16(p + ETH_OFF_TYPE, w->shared->fabric->ethertype);
	h->source = w->shared->fabric->device;
	cell_write(p + ETH_HDR_LEN, h);
	memcpy(p + CELL_PREFIX_LEN, ext, h->payload_len);
	if (fabric_send(w, h, m, UINT16_MAX) == DROP_NONE)
		w->counters->control_out++;
	else
		rte_pktmbuf_free(m);
}

void
fabric_reach(struct worker *w)
{
	struct rte_mbuf *m[BURST_MAX];
	unsigned int n = rte_ring_sc_dequeue_burst(
		w->shared->fabric->from_control, (void **)m, BURST_MAX, NULL);

	for (unsigned int i = 0; i < n; i++) {
		const struct worker_tx *tx = &w->tx[m[i]->port];

		if (port_tx(tx->port, tx->queue, &m[i], 1) == 1)
			w->counters->reach_out++;
		else
			rte_pktmbuf_free(m[i]);
	}
}
