/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  port_idx, mtu, class, counter; the policy of the port.
 * Sets:  the TX buffers of the ports, or their queues (queue_put.c, fabric_put.c, hyper_put.c);
 *        counts classes and members.
 * Next:  stage_egress, or stage_fabric for a device of the fabric.
 * Drops: too_big, tx_segments, and what queue_put(), fabric_put() and hyper_put() say.
 */
#include "dp/stage.h"

/* The port takes one segment only: joins them where the first has room. */
static bool
one_segment(struct rte_mbuf *m)
{
	return m->nb_segs == 1 || rte_pktmbuf_linearize(m) == 0;
}

/* The frame is longer than the port takes: bytes behind the IP packet (an FCS, padding) stay here.
 */
static bool
fits_mtu(struct rte_mbuf *m, const struct pkt_meta *meta)
{
	uint32_t excess = rte_pktmbuf_pkt_len(m) - meta->l2_len - meta->l3_len;

	return meta->l3_len <= meta->mtu && excess <= UINT16_MAX &&
	       rte_pktmbuf_trim(m, (uint16_t)excess) == 0;
}

static void
refuse(struct burst *b, struct rte_mbuf *m, enum drop_reason reason)
{
	b->out_mbuf[b->n_out] = m;
	b->out_verdict[b->n_out++] = verdict_drop(reason);
}

/*
 * Packets from `i` on that share port and class, at least one: neighbours in a burst mostly do.
 * Their sums stay in registers and are booked once. Returns the first packet of the next run.
 */
static inline unsigned int
enqueue_run(struct worker *w, struct burst *b, unsigned int i)
{
	struct counter *member = w->counters->member;
	uint16_t port_idx = b->meta[i].port_idx;
	uint8_t class = b->meta[i].class;
	struct worker_tx *tx = &w->tx[port_idx];
	bool one = tx->port->one_segment;
	unsigned int end = b->n, n = tx->n;
	uint64_t packets = 0, bytes = 0;

	for (; i < end; i++) {
		const struct pkt_meta *meta = &b->meta[i];
		struct rte_mbuf *m = b->mbuf[i];
		uint32_t len = rte_pktmbuf_pkt_len(m);

		if (meta->port_idx != port_idx || meta->class != class)
			break;
		if (unlikely(len > (uint32_t)meta->mtu + meta->l2_len)) {
			if (!fits_mtu(m, meta)) {
				refuse(b, m, DROP_too_big);
				continue;
			}
			len = rte_pktmbuf_pkt_len(m);
		}
		if (unlikely(n == WORKER_TX_MAX))
			break; /* the rest waits in the queues */
		if (unlikely(one && !one_segment(m))) {
			refuse(b, m, DROP_tx_segments);
			continue;
		}
		tx->mbuf[n++] = m;
		packets++;
		bytes += len;
		counter_add(&member[meta->counter], 1, len);
	}
	counter_add(&w->counters->class_[class], packets, bytes);
	tx->n = (uint16_t)n;
	tx->bytes += bytes;
	w->tx_waiting[port_idx / 64] |= UINT64_C(1) << (port_idx % 64);
	return i;
}

/* A packet of a port that has a policy or is behind. */
static __attribute__((noinline)) void
enqueue_queued(struct worker *w, struct burst *b, unsigned int i)
{
	const struct pkt_meta *meta = &b->meta[i];
	struct rte_mbuf *m = b->mbuf[i];
	uint32_t len;
	enum drop_reason reason;
	bool fabric = meta->port_idx >= w->n_outs;

	if (rte_pktmbuf_pkt_len(m) > (uint32_t)meta->mtu + meta->l2_len && !fits_mtu(m, meta)) {
		refuse(b, m, DROP_too_big);
		return;
	}
	if (!fabric && w->tx[meta->port_idx].port->one_segment && !one_segment(m)) {
		refuse(b, m, DROP_tx_segments);
		return;
	}
	len = rte_pktmbuf_pkt_len(m); /* the packet may be gone after the next line */
	if (meta->port_idx < w->n_ports)
		reason = queue_put(w, b->in_port_idx, m, meta);
	else
		reason = fabric ? fabric_put(w, b->in_port_idx, m, meta)
				: hyper_put(w, b->in_port_idx, m, meta);
	if (reason != DROP_NONE) {
		refuse(b, m, reason);
		return;
	}
	counter_add(&w->counters->class_[meta->class], 1, len);
	counter_add(&w->counters->member[meta->counter], 1, len);
}

void
stage_enqueue(struct worker *w, struct burst *b)
{
	for (unsigned int i = 0; i < b->n;) {
		const struct worker_tx *tx = &w->tx[b->meta[i].port_idx];

		if (likely(tx->direct && tx->n < WORKER_TX_MAX))
			i = enqueue_run(w, b, i);
		else
			enqueue_queued(w, b, i++);
	}
	ledger_flush(&w->ledger);
	b->n = 0;
}
