/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the frames of a burst from a fabric port.
 * Sets:  gives each cell to whom it belongs: reassembly and credit, here or at another worker; the
 *        control thread; another device.
 * Next:  what reassembly has finished goes on to stage_parse, by fabric_deliver(); the rest to
 *        stage_fabric.
 * Drops: runt, segments, not_cell, cell_* of pkt/drop.h, system_port, unreachable, tx_full (in
 *        transit), handoff_full, reassembly_*.
 */
#include "cell/fault.h"
#include "dp/stage.h"

/* The worker that a cell of ours belongs to. */
static inline unsigned int
owner(const struct worker *w, const struct cell_header *h)
{
	uint32_t stream = (uint32_t)h->source << 16 | (uint32_t)h->pipe << 8 | h->class;
	int system;

	switch (h->type) {
	case CELL_DATA:
		/* the fraction of a golden ratio spreads what differs in few bits */
		return (unsigned int)((uint64_t)(stream * 2654435769u) * w->shared->n_workers >>
				      32);
	case CELL_REQUEST:
		system = fabric_system_find(w->shared->fabric, h->system_port);
		return system < 0 ? w->idx : w->shared->fabric->system[system].worker;
	default: /* GRANT */
		return h->pipe;
	}
}

/* Into the ring of another worker, with others of this burst. */
static enum drop_reason
hand_over(struct worker *w, unsigned int to, struct rte_mbuf *m)
{
	struct fabric_handoff *hand = &w->fabric->handoff[to];

	hand->mbuf[hand->n++] = m;
	return DROP_NONE;
}

static enum drop_reason
to_control(struct worker *w, uint16_t port_idx, struct rte_mbuf *m)
{
	m->port = port_idx;
	if (rte_ring_mp_enqueue(w->shared->fabric->to_control, m) != 0)
		return DROP_handoff_full;
	w->counters->control_in++;
	return DROP_NONE;
}

static enum drop_reason
cell_in(struct worker *w, uint16_t port_idx, struct rte_mbuf *m)
{
	const struct dp_fabric *f = w->shared->fabric;
	struct cell_header h;
	enum cell_fault fault;
	const uint8_t *p;
	unsigned int to;

	if (unlikely(rte_pktmbuf_pkt_len(m) < ETH_HDR_LEN))
		return DROP_runt;
	if (unlikely(rte_pktmbuf_data_len(m) < CELL_PREFIX_LEN && m->nb_segs > 1 &&
		     pkt_pullup(m, CELL_PREFIX_LEN) != 0))
		return DROP_segments;
	p = rte_pktmbuf_mtod(m, const uint8_t *);
	if (unlikely(wire_get16(p + ETH_OFF_TYPE) != f->ethertype))
		return DROP_not_cell;
	if (unlikely(rte_pktmbuf_data_len(m) < CELL_PREFIX_LEN))
		return DROP_cell_short;
	fault = cell_read(p + ETH_HDR_LEN, rte_pktmbuf_pkt_len(m) - ETH_HDR_LEN, &h);
	if (unlikely(fault != CELL_OK))
		return cell_fault_reason(fault);
	if (h.type == CELL_REACH)
		return to_control(w, port_idx, m);
	if (unlikely(h.destination != f->device)) {
		enum drop_reason reason;

		if (!f->transit)
			return DROP_unreachable;
		reason = fabric_send(w, &h, m, port_idx);
		w->counters->cells_transit += reason == DROP_NONE;
		return reason;
	}
	to = owner(w, &h);
	if (likely(to == w->idx))
		return fabric_take(w, &h, m);
	if (unlikely(to >= w->shared->n_workers))
		return DROP_cell_device;
	return hand_over(w, to, m);
}

/* What was kept for other workers goes to them. */
static void
flush_handoff(struct worker *w, struct burst *b)
{
	for (unsigned int to = 0; to < w->shared->n_workers; to++) {
		struct fabric_handoff *hand = &w->fabric->handoff[to];
		unsigned int sent;

		if (hand->n == 0)
			continue;
		sent = rte_ring_mp_enqueue_burst(
			w->shared->fabric->handoff[to], (void *const *)hand->mbuf, hand->n, NULL);
		for (; sent < hand->n; sent++) {
			b->out_mbuf[b->n_out] = hand->mbuf[sent];
			b->out_verdict[b->n_out++] = verdict_drop(DROP_handoff_full);
		}
		hand->n = 0;
	}
}

void
stage_cell(struct worker *w, struct burst *b)
{
	for (unsigned int i = 0; i < b->n; i++) {
		enum drop_reason reason = cell_in(w, b->in_port_idx, b->mbuf[i]);

		if (unlikely(reason != DROP_NONE)) {
			b->out_mbuf[b->n_out] = b->mbuf[i];
			b->out_verdict[b->n_out++] = verdict_drop(reason);
		}
	}
	b->n = 0;
	if (w->shared->n_workers > 1)
		flush_handoff(w, b);
}
