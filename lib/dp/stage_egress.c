/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the queues and delay lines, the TX buffers; the hand-off rings of ports that this worker
 *        owns.
 * Sets:  counts packets and bytes out. What a port does not take stays, in order.
 * Next:  the wire.
 * Drops: what queue_serve() and hyper_serve() count: link_down, pfc_storm, impair_loss,
 *        delay_line_full, hyper_room.
 */
#include <string.h>

#include <rte_ring.h>

#include "base/bits.h"
#include "dp/stage.h"

/* Takes the first `sent` packets out of the buffer; returns their bytes. */
static uint64_t
tx_shift(struct worker_tx *tx, uint16_t sent)
{
	uint64_t left = 0, gone;

	tx->n -= sent;
	if (unlikely(tx->n != 0)) {
		memmove(tx->mbuf, tx->mbuf + sent, tx->n * sizeof(tx->mbuf[0]));
		/* what was sent is not ours to look at any more; what stayed is */
		for (uint16_t i = 0; i < tx->n; i++)
			left += rte_pktmbuf_pkt_len(tx->mbuf[i]);
	}
	gone = tx->bytes - left;
	tx->bytes = left;
	return gone;
}

static void
send_to_port(struct worker *w, struct worker_tx *tx, uint16_t port_idx)
{
	uint16_t sent = port_tx(tx->port, tx->queue, tx->mbuf, tx->n);

	counter_add(&w->counters->port_out[port_idx], sent, tx_shift(tx, sent));
}

/* Another worker owns the queue: it counts what it sends. */
static void
send_to_owner(struct worker_tx *tx)
{
	tx_shift(tx, (uint16_t)rte_ring_mp_enqueue_burst(
			     tx->handoff, (void *const *)tx->mbuf, tx->n, NULL));
}

/* What other workers handed over, as far as the buffer has room. */
static void
collect_owned(struct worker *w)
{
	for (uint16_t i = 0; i < w->n_owned; i++) {
		uint16_t port_idx = w->owned[i];
		struct worker_tx *tx = &w->tx[port_idx];

		uint16_t n = (uint16_t)rte_ring_sc_dequeue_burst(
			tx->handoff, (void **)(tx->mbuf + tx->n), WORKER_TX_MAX - tx->n, NULL);

		for (uint16_t k = 0; k < n; k++)
			tx->bytes += rte_pktmbuf_pkt_len(tx->mbuf[tx->n + k]);
		tx->n += n;
		w->collected |= n != 0;
		if (tx->n != 0)
			w->tx_waiting[port_idx / 64] |= UINT64_C(1) << (port_idx % 64);
	}
}

static void
serve_queued(struct worker *w)
{
	for (unsigned int word = 0; word < BITS_ARRAY_LEN(w->queued); word++) {
		uint64_t queued = w->queued[word];

		for (; queued != 0; queued &= queued - 1) {
			uint16_t way = (uint16_t)(word * 64 + bits_lowest(queued));

			if (likely(way < w->n_ports))
				queue_serve(w, way);
			else
				hyper_serve(w, way);
		}
	}
}

/* Who comes first fills the buffer of a port that takes little: in turns, so that nobody starves.
 */
static void
fill(struct worker *w)
{
	bool own_first = w->counters->turns & 1;

	if (own_first)
		serve_queued(w);
	if (w->n_owned != 0)
		collect_owned(w);
	if (!own_first)
		serve_queued(w);
}

void
stage_egress(struct worker *w)
{
	fill(w);
	for (unsigned int word = 0; word < BITS_ARRAY_LEN(w->tx_waiting); word++) {
		uint64_t waiting = w->tx_waiting[word];

		while (waiting != 0) {
			unsigned int bit = bits_lowest(waiting);
			uint16_t port_idx = (uint16_t)(word * 64 + bit);
			struct worker_tx *tx = &w->tx[port_idx];

			waiting &= waiting - 1;
			if (tx->owner)
				send_to_port(w, tx, port_idx);
			else
				send_to_owner(tx);
			if (tx->n == 0)
				w->tx_waiting[word] &= ~(UINT64_C(1) << bit);
		}
	}
}
