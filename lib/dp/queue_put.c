/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Into the class queues: stage_enqueue comes here with a packet of a port that has a policy, or
 * that is behind. queue_serve.c takes them out again.
 */
#include "dp/stage.h"
#include "flow/flow.h"
#include "flow/qp.h"
#include "pkt/remark_inl.h"
#include "wire/roce.h"

/* For the per-QP view: CE of this packet was set here. */
static void
mark_qp(struct worker *w, const struct pkt_meta *meta)
{
	struct flow_qp *qp;

	if (!(w->snapshot->flows & DP_FLOWS_QP) || w->flow == NULL || w->flow->beside == NULL ||
		meta->flow_idx == FLOW_NONE || !(meta->flags & PKT_ROCE))
		return;
	qp = flow_table_beside(w->flow, meta->flow_idx);
	qp->ce_set++;
}

/* What the marking curve says came true: CE, or what policy has for those who know no ECN. */
static enum drop_reason
mark(struct worker *w, const struct egress_class *c, const struct pkt_meta *meta,
	uint64_t *ce_marked)
{
	bool ip6 = meta->flags & PKT_IP6;

	switch (meta->tos & 3) {
	case IP_ECN_CE:
		return DROP_NONE;
	case IP_ECN_NOT_ECT:
		w->counters->would_mark_not_ect++;
		return c->not_ect_drop ? DROP_not_ect : DROP_NONE;
	default:
		remark_ce(meta->l3, ip6);
		w->counters->ce_marked++;
		mark_qp(w, meta);
		(*ce_marked)++;
		return DROP_NONE;
	}
}

/* The two curves; the one that drops is asked first. `backlog` without this packet. */
enum drop_reason
queue_red(struct worker *w, const struct egress_class *c, const struct pkt_meta *meta,
	uint64_t backlog, uint64_t *ce_marked)
{
	if (unlikely(meta->flags & PKT_NO_IP))
		return DROP_NONE;
	if (unlikely(qos_red_hit(&c->drop, backlog, &w->rng)))
		return DROP_red;
	if (!qos_red_hit(&c->mark, backlog, &w->rng))
		return DROP_NONE;
	if (!c->control && (meta->flags & PKT_ROCE) && roce_is_control(meta->opcode))
		return DROP_NONE;
	return mark(w, c, meta, ce_marked);
}

static void
rewrite_dscp(const struct egress_policy *policy, const struct pkt_meta *meta)
{
	uint8_t dscp = policy->dscp[meta->tos >> 2];

	if (dscp != meta->tos >> 2)
		remark_dscp(meta->l3, meta->flags & PKT_IP6, dscp);
}

struct qos_xoff *
queue_charged(const struct worker *w, uint16_t in_port_idx, uint8_t class)
{
	if (!(w->snapshot->egress[in_port_idx]->pfc >> class & 1))
		return NULL;
	return &w->shared->commons[in_port_idx].xoff[class];
}

/* To the TX buffer without a stop: nothing waits, nothing holds it back. */
static bool
straight(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct egress_commons *commons = &w->shared->commons[port_idx];
	struct worker_queue *q = &w->queue[port_idx];

	if (q->waiting != 0 || (!q->lined && w->tx[port_idx].n == WORKER_TX_MAX))
		return false;
	if (policy->pfc >> rec->class & 1 &&
		qos_pause_mask(&commons->pause, w->now_ps) >> rec->class & 1)
		return false;
	if (policy->shaped && !queue_shape(commons, policy, q, w->now_ps, rec->class, rec->len))
		return false;
	line_put(w, port_idx, rec);
	return true;
}

void
queue_book(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx)
{
	bool charged = rec->flags & QUEUE_CHARGED;

	ledger_add_backlog(&w->ledger, &w->shared->commons[port_idx].class_[rec->class], rec->len);
	if (charged)
		ledger_add(&w->ledger.held,
			&w->shared->commons[rec->in_port_idx].xoff[rec->class].held, rec->len);
	ledger_add(&w->ledger.room, queue_room(w, port_idx, charged), 1);
}

/* The reason of a packet for which there is no buffer. */
static enum drop_reason
no_room(const struct egress_policy *policy, uint8_t class)
{
	if (!policy->queued) /* its queues are only the device's waiting room */
		return DROP_tx_full;
	return policy->class_[class].lossless ? DROP_lossless_drop : DROP_buffer_full;
}

enum drop_reason
queue_push(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx)
{
	struct worker_queue *q = &w->queue[port_idx];

	if (!pkt_fifo_push(&w->chunks, &q->fifo[rec->class], rec))
		return no_room(w->snapshot->egress[port_idx], rec->class);
	if (!(q->waiting >> rec->class & 1)) {
		q->waiting |= (uint8_t)(1u << rec->class);
		q->head_len[rec->class] = rec->len;
	}
	w->queued[port_idx / 64] |= UINT64_C(1) << (port_idx % 64);
	w->tx[port_idx].direct = false; /* until queue_serve() has emptied it */
	return DROP_NONE;
}

static enum drop_reason
push(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx)
{
	enum drop_reason reason = queue_push(w, rec, port_idx);

	if (likely(reason == DROP_NONE))
		queue_book(w, rec, port_idx);
	return reason;
}

/*
 * A packet whose sender can be told to stop has its port's own room: xoff and headroom. The
 * configuration has seen to it that all ports' together are within the limit of the class; a sender
 * that heeds no pause therefore takes nobody else's, and neither does what cannot be paused.
 */
static bool
beyond_headroom(const struct worker *w, const struct pkt_rec *rec, const struct qos_xoff *xoff)
{
	int64_t held = ledger_read(&w->ledger.held, &xoff->held);

	return held + rec->len > __atomic_load_n(&xoff->room, __ATOMIC_RELAXED);
}

/* Reasons that turn a packet away before it is marked: a mark of one that is lost is no mark. */
static enum drop_reason
refused(const struct worker *w, const struct pkt_rec *rec, uint16_t port_idx, uint64_t backlog,
	const struct qos_xoff *xoff)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	const struct egress_commons *commons = &w->shared->commons[port_idx];
	const struct egress_class *c = &policy->class_[rec->class];
	int64_t packets = ledger_read(&w->ledger.room, queue_room(w, port_idx, xoff != NULL));
	uint32_t most = __atomic_load_n(
		xoff != NULL ? w->shared->paused_max : &commons->packets_max, __ATOMIC_RELAXED);
	uint8_t storm = __atomic_load_n(&commons->storm.mask, __ATOMIC_RELAXED) & policy->pfc;

	if (unlikely(storm >> rec->class & 1 && !policy->storm_forward))
		return DROP_pfc_storm;
	if (unlikely(xoff != NULL ? beyond_headroom(w, rec, xoff) : backlog + rec->len > c->limit))
		return c->lossless ? DROP_lossless_drop : DROP_queue_full;
	if (unlikely(packets >= most))
		return no_room(policy, rec->class);
	return DROP_NONE;
}

struct pkt_rec
queue_record(const struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, uint8_t class)
{
	return (struct pkt_rec){
		.m = m,
		.at_ps = w->now_ps,
		.len = rte_pktmbuf_pkt_len(m),
		.in_port_idx = in_port_idx,
		.class = class,
		.flags = queue_charged(w, in_port_idx, class) != NULL ? QUEUE_CHARGED : 0,
	};
}

enum drop_reason
queue_admit(struct worker *w, const struct pkt_rec *rec, const struct pkt_meta *meta)
{
	uint16_t port_idx = meta->port_idx;
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct egress_commons *commons = &w->shared->commons[port_idx];
	const struct egress_class *c = &policy->class_[meta->class];
	struct qos_xoff *xoff =
		rec->flags & QUEUE_CHARGED ? queue_charged(w, rec->in_port_idx, rec->class) : NULL;
	uint64_t backlog = ledger_backlog(&w->ledger, &commons->class_[meta->class]);
	enum drop_reason reason = refused(w, rec, port_idx, backlog, xoff);

	if (unlikely(reason != DROP_NONE))
		return reason;
	if (c->phantom)
		backlog =
			qos_phantom_add(&commons->phantom[meta->class], &policy->drain[meta->class],
				w->now_ps, qos_rate_bytes(&policy->rate, rec->len));
	if (c->ecn)
		reason = queue_red(
			w, c, meta, backlog, &w->queue[port_idx].count[meta->class].ce_marked);
	if (unlikely(reason != DROP_NONE))
		return reason;
	if (policy->rewrite && !(meta->flags & PKT_NO_IP))
		rewrite_dscp(policy, meta);
	return DROP_NONE;
}

static enum drop_reason
put(struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta)
{
	struct pkt_rec rec = queue_record(w, in_port_idx, m, meta->class);
	enum drop_reason reason = queue_admit(w, &rec, meta);

	if (unlikely(reason != DROP_NONE))
		return reason;
	if (straight(w, &rec, meta->port_idx))
		return DROP_NONE;
	return push(w, &rec, meta->port_idx);
}

enum drop_reason
queue_put(struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta)
{
	struct worker_queue *q = &w->queue[meta->port_idx];
	enum drop_reason reason = put(w, in_port_idx, m, meta);

	q->used |= (uint8_t)(1u << meta->class);
	if (unlikely(reason != DROP_NONE))
		q->count[meta->class].dropped++;
	return reason;
}

enum drop_reason
queue_wait(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx)
{
	struct egress_commons *commons = &w->shared->commons[port_idx];

	if (unlikely(ledger_read(&w->ledger.room, &commons->packets) >=
		     __atomic_load_n(&commons->packets_max, __ATOMIC_RELAXED)))
		return DROP_tx_full;
	return push(w, rec, port_idx);
}
