/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a hyper port's owner does with frames, and with what other workers handed over: frames come
 * in by stage_hyper, here or there; what is in order again goes on by pipeline.c, as if it had come
 * in by the hyper port.
 */
#include <rte_ring_elem.h>

#include "dp/next.h"
#include "dp/stage.h"
#include "wire/hyper.h"

enum drop_reason
hyper_take(struct worker *w, struct dp_hyper *h, struct rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint16_t seq = hyper_seq(frame);

	h->packets_in++;
	h->bytes_in += rte_pktmbuf_pkt_len(m);
	hyper_unwrite(frame);
	rte_pktmbuf_adj(m, HYPER_HDR_LEN);
	return reseq_put(h->reseq, seq, m, w->now_ps);
}

void
hyper_deliver(struct worker *w, struct dp_hyper *h, struct burst *b)
{
	while ((b->n = reseq_take(h->reseq, b->mbuf, BURST_MAX)) != 0) {
		b->n_out = 0;
		b->in_port_idx = h->way;
		pipeline_packets(w, b);
		stage_egress(w);
	}
}

/* Frames that other workers polled, a burst of them. */
static void
collect_in(struct worker *w, struct dp_hyper *h, struct burst *b)
{
	b->n = (uint16_t)rte_ring_sc_dequeue_burst(h->in, (void **)b->mbuf, BURST_MAX, NULL);
	w->collected |= b->n != 0;
	for (uint16_t i = 0; i < b->n; i++) {
		enum drop_reason reason = hyper_take(w, h, b->mbuf[i]);

		if (likely(reason == DROP_NONE))
			continue;
		b->out_mbuf[b->n_out] = b->mbuf[i];
		b->out_verdict[b->n_out++] = verdict_drop(reason);
	}
	stage_drop(w, b);
}

/* Packets that other workers routed; they are booked as waiting already. */
static void
collect_out(struct worker *w, struct dp_hyper *h)
{
	struct pkt_rec rec[BURST_MAX];
	unsigned int n =
		rte_ring_sc_dequeue_burst_elem(h->out, rec, sizeof(rec[0]), BURST_MAX, NULL);

	w->collected |= n != 0;
	for (unsigned int i = 0; i < n; i++) {
		enum drop_reason reason = queue_push(w, &rec[i], h->way);

		if (likely(reason == DROP_NONE))
			continue;
		queue_unbook(w, h->way, &rec[i]);
		rte_pktmbuf_free(rec[i].m);
		w->counters->drop[reason]++;
		w->queue[h->way].count[rec[i].class].dropped++;
	}
	ledger_flush(&w->ledger);
}

void
hyper_turn(struct worker *w)
{
	struct burst *b = &w->burst;

	for (uint16_t i = 0; i < w->shared->n_hypers; i++) {
		struct dp_hyper *h = &w->shared->hyper[i];

		if (h->worker != w->idx)
			continue;
		b->n_out = 0;
		if (w->shared->n_workers > 1) {
			collect_out(w, h);
			collect_in(w, h, b);
		}
		reseq_turn(h->reseq, w->now_ps);
		hyper_deliver(w, h, b);
	}
}

uint64_t
hyper_next_ps(const struct worker *w, uint64_t now)
{
	uint64_t next = DP_NEVER_PS;

	for (uint16_t i = 0; i < w->shared->n_hypers; i++) {
		const struct dp_hyper *h = &w->shared->hyper[i];
		uint64_t at;

		if (h->worker != w->idx)
			continue;
		if (rte_ring_count(h->in) != 0 || rte_ring_count(h->out) != 0)
			return 0;
		at = reseq_next_ps(h->reseq, now);
		if (at != UINT64_MAX)
			next = RTE_MIN(next, ps_ahead(at, now));
	}
	return next;
}

uint64_t
hyper_waiting(const struct dp_hyper *h)
{
	return rte_ring_count(h->in) + rte_ring_count(h->out) + reseq_waiting(h->reseq);
}

static void
drop_one(struct worker *w, struct dp_hyper *h, enum drop_reason reason)
{
	struct pkt_rec rec;
	void *m;

	queue_drop_all(w, h->way, reason);
	while (rte_ring_sc_dequeue_elem(h->out, &rec, sizeof(rec)) == 0) {
		queue_unbook(w, h->way, &rec);
		rte_pktmbuf_free(rec.m);
		w->counters->drop[reason]++;
		w->queue[h->way].count[rec.class].dropped++;
	}
	ledger_flush(&w->ledger);
	while (rte_ring_sc_dequeue(h->in, &m) == 0) {
		rte_pktmbuf_free(m);
		w->counters->drop[reason]++;
	}
	w->counters->drop[reason] += reseq_drop_all(h->reseq);
}

void
hyper_drop_all(struct worker *w, enum drop_reason reason)
{
	for (uint16_t i = 0; i < w->shared->n_hypers; i++)
		if (w->shared->hyper[i].worker == w->idx)
			drop_one(w, &w->shared->hyper[i], reason);
}
