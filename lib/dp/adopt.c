/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker sees a new snapshot: what it has of its own is made to fit, and what waits goes on. Once
 * for each snapshot, from worker_turn(); the packet's way is as short as before.
 *
 * A delay line that became shorter lets its packets out sooner by the difference, in order and at
 * the distances that they have: they carry the times of the longer one, and the line's clock goes
 * on by so much (sooner_ps). One that is no more lets them all out. Those that come meanwhile go
 * behind them.
 */
#include "dp/pfc.h"
#include "dp/stage.h"

static bool
line_is_empty(const struct worker_queue *q)
{
	return q->line.n == 0 && q->late.n == 0;
}

static void
adopt_line(struct worker_queue *q, const struct egress_policy *policy)
{
	if (line_is_empty(q))
		q->sooner_ps = 0; /* nobody has a time that it was added to */
	else if (!policy->line)
		q->sooner_ps += q->span_ps;
	else if (policy->delay_ps < q->delay_ps)
		q->sooner_ps += q->delay_ps - policy->delay_ps;
	q->delay_ps = policy->delay_ps;
	/* until it is empty, what came before may be further ahead than what comes now */
	q->span_ps = line_is_empty(q) ? policy->span_ps : RTE_MAX(q->span_ps, policy->span_ps);
	q->line_max = RTE_MAX(q->line_max, policy->line_max);
}

static void
adopt_chances(struct qos_impair *i, uint64_t *seed, const struct qos_impair *from,
	uint64_t from_seed, unsigned int worker)
{
	qos_impair_adopt(i, from);
	if (*seed == from_seed)
		return;
	/* one for each worker, so that two do not lose in step */
	qos_impair_seed(i, from_seed + worker);
	*seed = from_seed;
}

void
queue_settle(struct worker *w, uint16_t port_idx)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct worker_queue *q = &w->queue[port_idx];

	q->lined = policy->line || !line_is_empty(q);
	if (q->line.n + q->late.n <= policy->line_max)
		q->line_max = policy->line_max;
	q->settling = q->lined != policy->line || q->line_max != policy->line_max;
}

void
queue_adopt(struct worker *w, uint16_t port_idx)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct worker_queue *q = &w->queue[port_idx];

	qos_sched_adopt(&q->sched, &policy->sched);
	if (policy->impaired)
		adopt_chances(
			&q->impair, &q->impair_seed, &policy->impair, policy->impair_seed, w->idx);
	adopt_line(q, policy);
	queue_settle(w, port_idx);
	w->tx[port_idx].direct = !policy->queued && queue_is_empty(q);
}

static void
adopt_rxq(struct worker *w, struct worker_rxq *q)
{
	const struct ingress_policy *in = &w->snapshot->egress[q->port_idx]->in;

	if (q->pace_tsc != in->pace_tsc)
		q->last_tsc = w->now; /* time at another pace is no credit */
	q->pace_tsc = in->pace_tsc;
	q->impair = in->impaired ? &q->harm : NULL;
	if (in->impaired)
		adopt_chances(&q->harm, &q->harm_seed, &in->impair, in->seed, w->idx);
}

/* Lowers a room once what takes it is within what is promised; true when it is not yet. */
static bool
settle_room(uint32_t *room, const int64_t *taken, uint32_t promised)
{
	uint32_t now = __atomic_load_n(room, __ATOMIC_RELAXED);

	if (now > promised && __atomic_load_n(taken, __ATOMIC_RELAXED) > (int64_t)promised)
		return true;
	if (now != promised)
		__atomic_store_n(room, promised, __ATOMIC_RELAXED);
	return false;
}

static bool
settle_held(struct qos_xoff *x, uint64_t promised)
{
	int64_t now = __atomic_load_n(&x->room, __ATOMIC_RELAXED);

	if (now > (int64_t)promised && qos_xoff_held(x) > (int64_t)promised)
		return true;
	if (now != (int64_t)promised)
		__atomic_store_n(&x->room, (int64_t)promised, __ATOMIC_RELAXED);
	return false;
}

void
worker_settle(struct worker *w)
{
	const struct snapshot *s = w->snapshot;
	bool left = false;

	for (uint16_t p = 0; p < w->n_outs; p++) {
		struct egress_commons *commons = &w->shared->commons[p];
		const struct egress_policy *policy = s->egress[p];

		left |= settle_room(&commons->packets_max, &commons->packets, policy->packets_max);
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (policy->pfc >> c & 1)
				left |= settle_held(&commons->xoff[c], policy->pfc_held);
	}
	if (w->n_ports != 0)
		left |= settle_room(w->shared->paused_max, w->shared->paused_packets,
			s->egress[0]->packets_pfc);
	w->settling = left;
}

void
worker_adopt(struct worker *w, const struct snapshot *s)
{
	w->snapshot = s;
	for (uint16_t p = 0; p < w->n_outs; p++)
		queue_adopt(w, p);
	for (uint16_t k = 0; k < w->n_rxq; k++)
		adopt_rxq(w, &w->rxq[k]);
	if (w->idx != 0)
		return;
	pfc_adopt(w);
	worker_settle(w);
}
