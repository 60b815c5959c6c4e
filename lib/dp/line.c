/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The line behind the shaper: the delay of a fibre and what goes wrong on it. A port without either
 * passes through here straight to its TX buffer. Called by queue_put.c and queue_serve.c.
 */
#include "dp/stage.h"
#include "pkt/remark_inl.h"

/* The caller has seen to it that there is room. */
static void
to_tx(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec)
{
	struct worker_tx *tx = &w->tx[port_idx];
	struct queue_count *count = &w->queue[port_idx].count[rec->class];

	tx->mbuf[tx->n++] = rec->m;
	tx->bytes += rec->len;
	count->packets++;
	count->bytes += rec->len;
	w->tx_waiting[port_idx / 64] |= UINT64_C(1) << (port_idx % 64);
}

static void
lose(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec, enum drop_reason reason)
{
	rte_pktmbuf_free(rec->m);
	w->counters->drop[reason]++;
	w->queue[port_idx].count[rec->class].dropped++;
}

/* Onto the line, or past it; true when the packet found room. */
static bool
place(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec, bool late)
{
	struct worker_queue *q = &w->queue[port_idx];

	if (!q->lined) {
		if (w->tx[port_idx].n == WORKER_TX_MAX) /* a duplicate in a full buffer */
			return false;
		to_tx(w, port_idx, rec);
		return true;
	}
	if (q->line.n + q->late.n >= q->line_max ||
		!pkt_fifo_push(&w->chunks, late ? &q->late : &q->line, rec))
		return false;
	w->queued[port_idx / 64] |= UINT64_C(1) << (port_idx % 64);
	return true;
}

/* A second copy right behind the first; counted only when it was made and found room. */
static void
duplicate(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec, bool late)
{
	struct pkt_rec copy = *rec;

	copy.m = rte_pktmbuf_copy(rec->m, rec->m->pool, 0, UINT32_MAX);
	if (copy.m == NULL)
		return;
	if (place(w, port_idx, &copy, late))
		w->counters->duplicated++;
	else
		rte_pktmbuf_free(copy.m);
}

static void
flip_bit(struct rte_mbuf *m, uint32_t draw)
{
	/* of the first segment: the whole frame wherever softbag's own buffers are used */
	remark_flip_bit(rte_pktmbuf_mtod(m, uint8_t *), rte_pktmbuf_data_len(m), draw);
}

void
line_put(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct worker_queue *q = &w->queue[port_idx];
	struct qos_impair_verdict v = {0};
	struct pkt_rec out = *rec;

	if (unlikely(policy->impaired)) {
		v = qos_impair_draw(&q->impair);
		if (v.drop) {
			lose(w, port_idx, rec, DROP_impair_loss);
			return;
		}
		if (v.corrupt)
			flip_bit(rec->m, v.corrupt_bit);
	}
	if (q->lined)
		out.at_ps = qos_impair_release(&q->impair, v.reorder,
			(v.reorder ? q->late.n : q->line.n) != 0,
			w->now_ps + q->sooner_ps + policy->delay_ps + v.extra_ps);
	if (unlikely(!place(w, port_idx, &out, v.reorder)))
		lose(w, port_idx, rec, DROP_delay_line_full);
	else if (unlikely(v.duplicate))
		duplicate(w, port_idx, &out, v.reorder);
}

/* The FIFO whose first packet goes next, or NULL: its time has not come. */
static struct pkt_fifo *
due(struct worker_queue *q, uint64_t now_ps)
{
	const struct pkt_rec *a = pkt_fifo_peek(&q->line), *b = pkt_fifo_peek(&q->late);
	struct pkt_fifo *first = &q->line;

	if (a == NULL || (b != NULL && !ps_reached(a->at_ps, b->at_ps))) {
		first = &q->late;
		a = b;
	}
	return a != NULL && ps_reached(a->at_ps, now_ps) ? first : NULL;
}

void
line_serve(struct worker *w, uint16_t port_idx)
{
	struct worker_queue *q = &w->queue[port_idx];
	struct pkt_fifo *f;
	struct pkt_rec rec;

	while (w->tx[port_idx].n < WORKER_TX_MAX &&
		(f = due(q, w->now_ps + q->sooner_ps)) != NULL) {
		pkt_fifo_pop(&w->chunks, f, &rec);
		to_tx(w, port_idx, &rec);
	}
}
