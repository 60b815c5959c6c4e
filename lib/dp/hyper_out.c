/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out of the class queues of a hyper port: stage_egress comes here at its owner. The scheduler
 * chooses a class, the share a member; the packet gets its number and goes by the member's shaper
 * and line. So nothing that waits, is paused, or is dropped in a queue has a number, and no class
 * waits for another one at the far end.
 */
#include "dp/next.h"
#include "dp/stage.h"
#include "wire/hyper.h"

/* Classes that the member may not send now, by the pauses that came in by it. */
static uint8_t
member_paused(const struct worker *w, uint16_t port_idx, uint64_t now)
{
	uint8_t pfc = w->snapshot->egress[port_idx]->pfc;

	return pfc == 0 ? 0 : qos_pause_mask(&w->shared->commons[port_idx].pause, now) & pfc;
}

uint8_t
hyper_paused(const struct worker *w, uint16_t way, uint64_t now)
{
	const struct dp_hyper *h = hyper_of(w, way);
	uint8_t mask = UINT8_MAX;

	for (uint16_t i = 0; i < h->n_members; i++)
		if (alive_test(&w->shared->alive, h->member[i]))
			mask &= member_paused(w, h->member[i], now);
	return mask;
}

/* Classes that the member takes now: as has_room(), in_rate() and blocked() of queue_serve.c. */
static uint8_t
member_takes(const struct worker *w, uint16_t port_idx, uint8_t strict, uint8_t storm)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	const struct qos_shaper *shaper = &w->shared->commons[port_idx].shaper;
	uint8_t takes = UINT8_MAX;

	if (!alive_test(&w->shared->alive, port_idx))
		return 0;
	if (!w->queue[port_idx].lined && w->tx[port_idx].n == WORKER_TX_MAX)
		return 0;
	if (policy->shaped && !qos_shaper_ready(shaper, &policy->rate, w->now_ps))
		takes = qos_shaper_ready_urgent(shaper, &policy->rate, w->now_ps) ? strict : 0;
	return takes & (uint8_t)(~member_paused(w, port_idx, w->now_ps) | storm);
}

/* What a member said of a shaper, another class's frame may have changed. */
static bool
member_shape(struct worker *w, uint16_t port_idx, const struct worker_queue *q, int class)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];

	if (!policy->shaped)
		return true;
	return queue_shape(&w->shared->commons[port_idx], policy, q, w->now_ps, (unsigned int)class,
		q->head_len[class] + HYPER_HDR_LEN);
}

static void
send_by(struct worker *w, struct dp_hyper *h, struct pkt_rec *rec, unsigned int member)
{
	uint8_t *frame = (uint8_t *)rte_pktmbuf_prepend(rec->m, HYPER_HDR_LEN);

	if (unlikely(frame == NULL)) {
		rte_pktmbuf_free(rec->m);
		w->counters->drop[DROP_hyper_room]++;
		w->queue[h->way].count[rec->class].dropped++;
		return;
	}
	hyper_write(frame, h->ethertype, h->seq++);
	rec->len += HYPER_HDR_LEN;
	hyper_share_charge(&h->share, member, rec->len);
	h->sent[member].packets++;
	h->sent[member].bytes += rec->len;
	w->queue[h->way].count[rec->class].packets++;
	w->queue[h->way].count[rec->class].bytes += rec->len;
	line_put(w, h->member[member], rec);
}

static void
serve_classes(struct worker *w, struct dp_hyper *h, uint8_t storm)
{
	struct worker_queue *q = &w->queue[h->way];
	unsigned int left = WORKER_TX_MAX * h->n_members; /* a turn has an end */
	uint8_t takes[HYPER_MEMBERS_MAX], eligible, sent = 0;

	for (uint16_t i = 0; i < h->n_members; i++)
		takes[i] = member_takes(w, h->member[i], q->sched.strict, storm);
	for (; q->waiting != 0 && left != 0; left--) {
		uint32_t mask = 0;
		struct pkt_rec rec;
		int class, member;

		eligible = 0;
		for (uint16_t i = 0; i < h->n_members; i++)
			eligible |= takes[i];
		eligible &= q->waiting;
		if (eligible == 0)
			break;
		class = qos_sched_pick(&q->sched, eligible, q->head_len);
		for (uint16_t i = 0; i < h->n_members; i++)
			mask |= (uint32_t)(takes[i] >> class & 1) << i;
		member = hyper_share_pick(&h->share, mask);
		if (likely(member_shape(w, h->member[member], q, class))) {
			queue_pop(w, h->way, (unsigned int)class, &rec);
			qos_sched_charge(&q->sched, (unsigned int)class, rec.len,
				!(q->waiting >> class & 1));
			sent |= (uint8_t)(1u << class);
			send_by(w, h, &rec, (unsigned int)member);
		}
		takes[member] = member_takes(w, h->member[member], q->sched.strict, storm);
	}
	if (sent != 0 && w->snapshot->egress[h->way]->pfc != 0)
		__atomic_fetch_or(&w->shared->commons[h->way].sent, sent, __ATOMIC_RELAXED);
}

/* Classes in a storm: they are emptied, or sent in spite of the pause. */
static uint8_t
stormy(struct worker *w, uint16_t way)
{
	uint8_t storm =
		qos_storm_mask(&w->shared->commons[way].storm) & w->snapshot->egress[way]->pfc;

	if (likely(storm == 0) || w->snapshot->egress[way]->storm_forward)
		return storm;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (storm >> c & 1)
			queue_drop_class(w, way, c, DROP_pfc_storm);
	return 0;
}

void
hyper_serve(struct worker *w, uint16_t way)
{
	struct worker_queue *q = &w->queue[way];

	if (unlikely(!alive_test(&w->shared->alive, way)))
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			queue_drop_class(w, way, c, DROP_link_down);
	if (q->waiting != 0)
		serve_classes(w, hyper_of(w, way), stormy(w, way));
	ledger_flush(&w->ledger);
	if (q->waiting == 0)
		w->queued[way / 64] &= ~(UINT64_C(1) << (way % 64));
}

/* When the member takes the class; a pause that ends counts, a device that is full is asked again.
 */
static uint64_t
member_next_ps(const struct worker *w, uint16_t port_idx, unsigned int class, bool strict,
	uint8_t storm, uint64_t now)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	const struct egress_commons *m = &w->shared->commons[port_idx];
	uint64_t next = 0;

	if (!alive_test(&w->shared->alive, port_idx))
		return DP_NEVER_PS;
	if (policy->shaped)
		next = ps_ahead(strict ? qos_shaper_next_urgent_ps(&m->shaper, &policy->rate)
				       : qos_shaper_next_ps(&m->shaper, &policy->rate),
			now);
	if ((policy->pfc & ~storm) >> class & 1)
		next = RTE_MAX(next, ps_ahead(qos_pause_until_ps(&m->pause, class), now));
	return next;
}

uint64_t
hyper_queues_next_ps(const struct worker *w, uint16_t way, uint64_t now)
{
	const struct dp_hyper *h = hyper_of(w, way);
	const struct worker_queue *q = &w->queue[way];
	uint8_t storm =
		qos_storm_mask(&w->shared->commons[way].storm) & w->snapshot->egress[way]->pfc;
	uint64_t next = DP_NEVER_PS;

	if (storm & q->waiting || !alive_test(&w->shared->alive, way))
		return 0;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		for (uint16_t i = 0; i < h->n_members && (q->waiting >> c & 1); i++)
			next = RTE_MIN(next, member_next_ps(w, h->member[i], c,
						     q->sched.strict >> c & 1, storm, now));
	return next;
}
