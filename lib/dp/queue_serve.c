/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out of the class queues, in the scheduler's order and at the shaper's pace. stage_egress comes
 * here before it sends; what leaves goes by line.c to the port's TX buffer.
 */
#include "dp/stage.h"

void
queue_unbook(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec)
{
	bool charged = rec->flags & QUEUE_CHARGED; /* whatever the port does by now */

	ledger_add_backlog(
		&w->ledger, &w->shared->commons[port_idx].class_[rec->class], -(int64_t)rec->len);
	ledger_add(&w->ledger.room, queue_room(w, port_idx, charged), -1);
	if (charged)
		ledger_add(&w->ledger.held,
			&w->shared->commons[rec->in_port_idx].xoff[rec->class].held,
			-(int64_t)rec->len);
}

bool
queue_pop(struct worker *w, uint16_t port_idx, unsigned int class, struct pkt_rec *ret_rec)
{
	struct worker_queue *q = &w->queue[port_idx];
	const struct pkt_rec *next;

	if (!pkt_fifo_pop(&w->chunks, &q->fifo[class], ret_rec))
		return false;
	next = pkt_fifo_peek(&q->fifo[class]);
	if (next == NULL)
		q->waiting &= (uint8_t) ~(1u << class);
	else
		q->head_len[class] = next->len;
	queue_unbook(w, port_idx, ret_rec);
	return true;
}

void
queue_drop_class(struct worker *w, uint16_t port_idx, unsigned int class, enum drop_reason reason)
{
	struct pkt_rec rec;

	while (queue_pop(w, port_idx, class, &rec)) {
		rte_pktmbuf_free(rec.m);
		w->counters->drop[reason]++;
		w->queue[port_idx].count[class].dropped++;
	}
}

/* Classes of the port that must not send now; those that a storm takes are emptied. */
static uint8_t
blocked(struct worker *w, uint16_t port_idx)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct egress_commons *commons = &w->shared->commons[port_idx];
	uint8_t mask = qos_pause_mask(&commons->pause, w->now_ps) & policy->pfc;
	uint8_t storm = __atomic_load_n(&commons->storm.mask, __ATOMIC_RELAXED) & policy->pfc;

	if (likely(storm == 0))
		return mask;
	if (policy->storm_forward)
		return mask & (uint8_t)~storm;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (storm >> c & 1)
			queue_drop_class(w, port_idx, c, DROP_pfc_storm);
	return mask;
}

/* Room for what leaves the class queues: in the TX buffer, or in the delay line, which drops. */
static inline bool
has_room(const struct worker *w, uint16_t port_idx)
{
	return w->queue[port_idx].lined || w->tx[port_idx].n < WORKER_TX_MAX;
}

/*
 * Of the classes that could send, those that the rate lets: all, the strict ones, none. Asked
 * before one is picked: the scheduler must not be asked for nothing.
 */
static inline uint8_t
in_rate(const struct worker *w, const struct egress_policy *policy, uint16_t port_idx,
	uint8_t eligible)
{
	const struct qos_shaper *shaper = &w->shared->commons[port_idx].shaper;

	if (!policy->shaped || qos_shaper_ready(shaper, &policy->rate, w->now_ps))
		return eligible;
	return qos_shaper_ready_urgent(shaper, &policy->rate, w->now_ps)
		       ? eligible & w->queue[port_idx].sched.strict
		       : 0;
}

/* Nobody can be told to stop for a port that may never come back: as a switch does, drop. */
static void
drop_for_link(struct worker *w, uint16_t port_idx)
{
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		queue_drop_class(w, port_idx, c, DROP_link_down);
}

static void
serve_classes(struct worker *w, uint16_t port_idx)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct egress_commons *commons = &w->shared->commons[port_idx];
	struct worker_queue *q = &w->queue[port_idx];
	uint8_t held = policy->pfc != 0 ? blocked(w, port_idx) : 0, eligible, sent = 0;
	unsigned int left = WORKER_TX_MAX; /* a turn has an end, whatever the clock does */
	struct pkt_rec rec;

	while ((eligible = q->waiting & (uint8_t)~held) != 0 && left-- != 0 &&
		has_room(w, port_idx)) {
		int class;

		eligible = in_rate(w, policy, port_idx, eligible);
		if (eligible == 0)
			break;
		class = qos_sched_pick(&q->sched, eligible, q->head_len);
		if (policy->shaped && !queue_shape(commons, policy, q, w->now_ps,
					      (unsigned int)class, q->head_len[class]))
			break;
		queue_pop(w, port_idx, (unsigned int)class, &rec);
		qos_sched_charge(
			&q->sched, (unsigned int)class, rec.len, !(q->waiting >> class & 1));
		sent |= (uint8_t)(1u << class);
		line_put(w, port_idx, &rec);
	}
	if (sent != 0 && policy->pfc != 0)
		__atomic_fetch_or(&commons->sent, sent, __ATOMIC_RELAXED);
}

void
queue_serve(struct worker *w, uint16_t port_idx)
{
	struct worker_queue *q = &w->queue[port_idx];

	/* what is on the line was there first */
	if (q->line.n != 0 || q->late.n != 0)
		line_serve(w, port_idx);
	if (unlikely(q->waiting != 0 && !alive_test(&w->shared->alive, port_idx)))
		drop_for_link(w, port_idx);
	if (q->waiting != 0)
		serve_classes(w, port_idx);
	ledger_flush(&w->ledger);
	if (unlikely(q->settling))
		queue_settle(w, port_idx);
	if (queue_is_empty(q)) {
		w->queued[port_idx / 64] &= ~(UINT64_C(1) << (port_idx % 64));
		w->tx[port_idx].direct = !w->snapshot->egress[port_idx]->queued;
	}
}

uint32_t
queue_packets(const struct worker_queue *q)
{
	uint32_t n = __atomic_load_n(&q->line.n, __ATOMIC_RELAXED) +
		     __atomic_load_n(&q->late.n, __ATOMIC_RELAXED);

	for (unsigned int c = 0; c < DP_CLASSES; c++)
		n += __atomic_load_n(&q->fifo[c].n, __ATOMIC_RELAXED);
	return n;
}

void
queue_drop_all(struct worker *w, uint16_t port_idx, enum drop_reason reason)
{
	struct worker_queue *q = &w->queue[port_idx];
	struct pkt_rec rec;

	for (unsigned int c = 0; c < DP_CLASSES; c++)
		queue_drop_class(w, port_idx, c, reason);
	while (pkt_fifo_pop(&w->chunks, &q->line, &rec) ||
		pkt_fifo_pop(&w->chunks, &q->late, &rec)) {
		rte_pktmbuf_free(rec.m);
		w->counters->drop[reason]++;
		q->count[rec.class].dropped++;
	}
	ledger_flush(&w->ledger);
	w->queued[port_idx / 64] &= ~(UINT64_C(1) << (port_idx % 64));
}
