/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Into the virtual output queues: stage_enqueue comes here with a packet whose way out is a device
 * of the fabric. fabric_serve.c takes them out again.
 */
#include "dp/stage.h"

int
fabric_dest_find(const struct dp_fabric *f, uint16_t device, uint16_t system_port)
{
	uint32_t want = (uint32_t)device << 16 | system_port;
	unsigned int low = 0, high = f->n_dests;

	while (low < high) {
		unsigned int mid = (low + high) / 2;
		uint32_t have = (uint32_t)f->dest[mid].device << 16 | f->dest[mid].system_port;

		if (have == want)
			return (int)mid;
		if (have < want)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

/* Reasons that turn a packet away before it is marked, as queue_put.c has them for ports. */
static enum drop_reason
refused(struct worker *w, const struct pkt_rec *rec, const struct voq *v,
	const struct qos_xoff *xoff)
{
	const struct dp_fabric *f = w->shared->fabric;
	const struct egress_policy *policy = w->snapshot->voq;
	const struct egress_class *c = &policy->class_[rec->class];
	int64_t *room = xoff != NULL ? w->shared->paused_packets : (int64_t *)&f->packets;
	uint32_t most = xoff != NULL ? __atomic_load_n(w->shared->paused_max, __ATOMIC_RELAXED)
				     : policy->packets_max;

	if (unlikely(v->fifo.bytes + rec->len > c->limit))
		return DROP_voq_full;
	if (unlikely(ledger_read(&w->ledger.room, room) >= most))
		return c->lossless ? DROP_lossless_drop : DROP_buffer_full;
	return DROP_NONE;
}

enum drop_reason
fabric_put(struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta)
{
	struct dp_fabric *f = w->shared->fabric;
	unsigned int dest = (unsigned int)meta->port_idx - w->n_outs;
	struct voq *v = &w->fabric->voq[dest * DP_CLASSES + meta->class];
	struct voq_count *count = &w->fabric->count[dest * DP_CLASSES + meta->class];
	const struct egress_class *c = &w->snapshot->voq->class_[meta->class];
	struct qos_xoff *xoff = queue_charged(w, in_port_idx, meta->class);
	struct pkt_rec rec = {
		.m = m,
		.at_ps = w->now_ps,
		.len = rte_pktmbuf_pkt_len(m),
		.in_port_idx = in_port_idx,
		.class = meta->class,
		.flags = xoff != NULL ? QUEUE_CHARGED : 0,
	};
	enum drop_reason reason = refused(w, &rec, v, xoff);

	if (reason == DROP_NONE && c->ecn)
		reason = queue_red(w, c, meta, v->fifo.bytes, &count->ce_marked);
	if (reason == DROP_NONE && unlikely(!voq_push(&w->chunks, v, &rec)))
		reason = DROP_buffer_full;
	if (unlikely(reason != DROP_NONE)) {
		count->dropped++;
		return reason;
	}
	count->peak = RTE_MAX(count->peak, v->fifo.bytes);
	w->fabric->queued[dest / 64] |= UINT64_C(1) << (dest % 64);
	if (xoff != NULL)
		ledger_add(&w->ledger.held, &xoff->held, rec.len);
	ledger_add(&w->ledger.room, xoff != NULL ? w->shared->paused_packets : &f->packets, 1);
	return DROP_NONE;
}
